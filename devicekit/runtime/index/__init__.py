"""Releases that are newer than the bundled data, asked from the package index that pip or uv is configured for.

Nothing here runs unless `devicekit.resolve` is called with ``online=True``, or as a command without ``--offline``.
"""
