"""The command line.

Arguments, files and standard input come in; out go lines for people, JSON lines for scripts, and an exit code. Each command
opens the home beside whatever else is running.
"""
