"""How a worker gets what to do next: a file for each order, put in place as a whole."""

import os


def order_file(folder: str, number: int) -> str:
    """Return where the order of this number is left for a worker."""
    return os.path.join(folder, "order-%d" % number)


def give_order(folder: str, number: int, text: str) -> None:
    """Leave an order for a worker, which looks for the next number all the time."""
    path = order_file(folder, number)
    with open(path + ".new", "w", encoding="ascii") as stream:
        stream.write(text)
    os.replace(path + ".new", path)
