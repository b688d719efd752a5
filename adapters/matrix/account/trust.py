"""Whom Lyra lets read what she says in encrypted rooms: every device of everyone who is in the room.

She keeps no list of verified devices. Nobody is there to compare emojis for her, and to keep keys back from devices that she
has not verified would leave people in front of messages that they cannot read. A room's members decide who is in it.
"""

TO_ALL_DEVICES = True
"""What nio's `ignore_unverified_devices` is set to wherever she sends."""
