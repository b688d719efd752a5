"""`lyra setup`: a working configuration in a few minutes.

Questions go out, and answers come in, from a terminal or a pipe; each answer is tried live. Out goes the commented
configuration file, shown before it is written.
"""
