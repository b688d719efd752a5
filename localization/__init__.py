"""The words of the program: every sentence that people meet, in the language of whoever reads it.

An English sentence with what stands in its gaps comes in; out goes that sentence in the reader's language, with plurals,
numbers, dates and spans of time as CLDR has them. It knows nothing of Lyra, and everything else may use it.
"""
