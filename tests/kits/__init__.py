"""What tests of one subject share: homes, talk, and towns that are already built."""
