"""The browser as a place to talk: messages come from forms of the memory page, answers go to the tabs of a conversation.

What a person says comes in; what is shown to them, piece by piece, goes out as events. It knows no HTTP and no HTML.
"""
