"""Discord: what is heard there, and what is said. Only this package knows discord.py."""
