"""Other forms of a word or name: other spellings and alphabets, compounds, past forms, declensions.

In come words or names, out go the forms in which they may stand in a text, or whether one of these does.
"""
