"""Hold what the book says to the checks that it executes: verdicts on claims, and boxes of famous mistakes."""
