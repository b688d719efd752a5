"""The ladder, a file a rung."""
