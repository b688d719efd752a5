"""Time expressions in questions and messages.

A question comes in with the instant at which it is asked; out comes a window of time, or an offset from an event, and the rest
of the question. `tokens` gives each word a code of `codes`, `parsing` reads the spans of codes that `elements` knows as `expressions`,
`time_parts` and `ranges` combine these, `question_times` decides; `told_times` does it for messages, `further_languages` translates first.
"""
