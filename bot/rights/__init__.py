"""What people may ask of her about their own words: that none is kept, that they get them, that she says what becomes of them.

In come their commands, and what is said off the record; out go answers of which nothing is kept, exports, and a privacy policy.
Forgetting itself is memory's.
"""
