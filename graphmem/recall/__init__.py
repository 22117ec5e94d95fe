"""From a question to the right facts."""
