"""The program's texts: every sentence that people see, in the language of its reader.

An English sentence with the values of its placeholders comes in; out goes that sentence in the reader's language, with plurals,
numbers, dates and spans of time as CLDR has them. This package knows nothing of Lyra, and everything else may use it.
"""
