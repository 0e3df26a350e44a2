"""Pure functions that score one answer, one ranking or one list of values. They share no code with what they judge."""
