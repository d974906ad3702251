"""Pages of the documentation that are made from the source of truth: parsers, data, docstrings, pages of the codes.

`hooks` puts them into MkDocs; the tests read them without it. Nothing here imports a framework.
"""
