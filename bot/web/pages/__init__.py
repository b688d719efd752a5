"""The pages of the memory page, by what they are about. A request of somebody who is signed in comes in; HTML made from that identity's
view goes out. What changes something is a form, and what forgets says first what goes.
"""
