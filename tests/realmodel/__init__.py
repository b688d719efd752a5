"""A day with a small model that really answers: what comes in are a life's messages, what comes out is a report."""
