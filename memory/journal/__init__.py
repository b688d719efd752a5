"""What was heard and what is to be said.

Events come in and are kept until they are answered; parts come in and are kept until they are sent. The ledger says who is at
which piece of work, so that it is done once however many processes and restarts there are.
"""
