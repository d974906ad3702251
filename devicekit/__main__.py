"""``python -m devicekit``: the same as the ``devicekit`` command."""

import sys

from .cli import main

if __name__ == "__main__":
    sys.exit(main())
