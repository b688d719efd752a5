"""The processes that share one memory on a server: heartbeats, leases, and notifications.

Names come in; out go leases and notifications, kept in tables that a file does not have. A process holds its leases as long as it is
registered as alive; once it is not, its transactions cannot commit.
"""
