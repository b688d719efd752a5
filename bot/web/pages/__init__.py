"""The pages of the memory page, by topic.

A request of a signed-in person comes in; HTML made from that identity's view goes out. Changes are made by forms, and a form
that forgets first shows what goes.
"""
