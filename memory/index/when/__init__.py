"""Time expressions in questions and messages.

A question comes in with the instant at which it is asked; out comes a window of time, or an offset from an event, and the rest
of the question. `tokens` gives each word a code of `codes`, `parsing` finds `expressions` among these, `time_parts` and `ranges` combine
them, `question_times` decides; `told_times` reads messages, and `further_languages` translates into English first.
"""
