"""Who may know, once more, where the rows are: policies of the server that a statement passes only in the domains it was sent for.

Domains come in, as a view or the bounds of a write have them; what goes to the server says them first, for one transaction each.
Whatever says nothing is shown no row and may write none, and what is for the whole memory says that.
"""
