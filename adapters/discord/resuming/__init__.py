"""A gateway session that outlives its process.

On an orderly shutdown, the session and discord.py's cache come in, and are saved encrypted. At the next start they go out as gateway
frames, which the library parses as usual before Discord replays what happened since. After a kill only the session's saved position is
left, and out come the DMs with new messages.
"""
