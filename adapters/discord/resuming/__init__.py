"""A gateway session that outlives its process.

What a connection was told comes in when the process ends in an orderly way, and is kept sealed. At the next start it goes out as
the frames with which Discord would begin a session, so that the library parses them as ever, and Discord tells what is missing.
After a kill only the position of its session is known, which goes in while it lives: out come the DMs that it tells of.
"""
