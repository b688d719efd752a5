"""Slash commands, menus and buttons on Discord.

An interaction comes in and is acknowledged within the seconds that Discord allows; a call of a command in the table goes
out. Answers go back under the interaction's own token.
"""
