-- Places hold no name of a conversation any more, see memory/places/threads.py. These codes end within minutes, and are had anew.
DELETE FROM link_codes WHERE platform = 'console' OR other_platform = 'console'
