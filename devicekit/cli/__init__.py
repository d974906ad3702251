"""Verbs of the ``devicekit`` command with many options: a module each, with the parser and the body."""
