"""What was heard and what is to be said.

Events come in and are kept until they are answered; parts come in and are kept until they are sent. The ledger records
which process holds which piece of work, so that each is done once whatever the number of processes and restarts.
"""
