"""A browser as a place to talk: messages come from forms of the memory page, and answers go to the tabs that show a conversation.

What a person says comes in; what is shown to them, piece by piece, goes out as events. It knows no HTTP and no HTML.
"""
