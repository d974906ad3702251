"""Self-tests: what could kill or hang this process is tried in a child first.

`run.try_device` runs one with a time limit and returns a `Trial` of a closed set of outcomes; `once` caches it, keyed by a
fingerprint of all that it depended on, and `once.find_out` lets one of many processes try for all of them. Looking up a cached
result loads nothing that starts processes.
"""
