"""What a message implies besides its content: discretion, manners, plans, claims, and the names it mentions.

Texts come in; what they imply by rule goes out. Nothing is stored here.
"""
