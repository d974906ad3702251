"""``python -m devicekit``: the same as the ``devicekit`` command."""

import sys

# `-m` puts the working folder first on the path: a file json.py there would be imported instead of the library's. The
# command looks at that folder, it never imports from it, unless devicekit itself lies there (a source checkout).
if (
    sys.path
    and not __file__.startswith(sys.path[0] + "/devicekit/")
    and not __file__.startswith(sys.path[0] + "\\devicekit\\")
):
    del sys.path[0]

from .cli.main import main

if __name__ == "__main__":
    sys.exit(main())
