"""What people can ask of Lyra, grouped by what it is about. bot/commands.py makes one table of it for every platform."""
