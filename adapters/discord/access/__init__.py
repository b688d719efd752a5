"""Who can read what on Discord.

Channels, roles and members come in as discord.py knows them now; the readers of a channel, what one person may read, and
who administers a server go out. What is uncertain counts as readable by few.
"""
