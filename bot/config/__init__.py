"""Configuration and environment.

A TOML file and environment variables come in and are read once and strictly; out go frozen settings, secrets on request, and
the folder that holds all data.
"""
