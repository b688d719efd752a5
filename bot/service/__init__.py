"""`lyra run`, the long-running process, and what goes on beside conversations in every process: maintenance, sweeping, the log.

The configuration, signals and due work come in; connected platforms, written digests, log lines and a process that ends in time
go out.
"""
