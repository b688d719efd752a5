"""Who can read what on Discord.

Channels, roles and members come in as discord.py knows them now; out go the readers of a channel, what one person may read,
and who rules a server. What is not sure counts as readable by few.
"""
