"""``python -m devicekit``: the same as the ``devicekit`` command."""

import sys

# `-m` puts the working folder first on the path: a file json.py in it would be imported instead of the standard library's.
# The command never imports from that folder, unless devicekit itself is in it (a source checkout).
if (
    sys.path
    and not __file__.startswith(sys.path[0] + "/devicekit/")
    and not __file__.startswith(sys.path[0] + "\\devicekit\\")
):
    del sys.path[0]

from .cli.main import main

if __name__ == "__main__":
    sys.exit(main())
