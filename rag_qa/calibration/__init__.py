"""The threshold below which a question is refused, fitted on questions, with what can be promised of it."""
