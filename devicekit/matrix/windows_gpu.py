"""What uses a GPU of AMD or Intel on Windows today: the ways, what serves best first. Pure."""

from typing import Optional, Tuple

from ..records import Record
from .gpu_names import target_named
from .matrix import Matrix, read_data


class WindowsWay(Record):
    """One way to use a GPU on Windows.

    Attributes
    ----------
    text : str
        What it is; with the GPUs that it is for if the asked one is not known.
    goal : {"rocm", "xpu", "directml"}
    wsl : bool
        Whether it is in WSL 2.
    certain : bool
        Whether the GPU is known to be one that it is for.
    arguments : tuple of str
        Of ``devicekit resolve``, which has the commands; empty if the maker alone has the builds.
    url : str
        Where its maker describes it.
    date : str
        On which that was read.
    """

    text: str
    goal: str
    wsl: bool
    certain: bool
    arguments: Tuple[str, ...]
    url: str
    date: str


def ways_on_windows(
    vendor: str, gpu: str, framework: str, matrix: Matrix, build: Optional[int] = None
) -> Tuple[WindowsWay, ...]:
    """Return the ways to use a GPU on Windows, what serves best first; DirectML is the last one.

    Parameters
    ----------
    vendor : {"amd", "intel"}
        Of another one, nothing is known here.
    gpu : str
        Its name (``"AMD Radeon RX 6700 XT"``) or what code is built for on it (``"gfx1031"``, ``"Xe-HPG"``). Of one that is
        not known, the ways say for which GPUs they are.
    framework : {"tensorflow", "keras", "jax", "torch"}
        That the programs are written for. Those for TensorFlow are taken to use Keras, which runs on PyTorch as well.
    matrix : Matrix
    build : int, optional
        Of Windows: 22000 and later is Windows 11.

    >>> from .matrix import BUNDLED
    >>> [way.goal for way in ways_on_windows("amd", "Radeon RX 7900 XTX", "tensorflow", BUNDLED)]
    ['rocm', 'rocm', 'directml']
    >>> [way.goal for way in ways_on_windows("amd", "RX 580", "tensorflow", BUNDLED)]
    ['directml']
    """
    if vendor not in ("amd", "intel"):
        return ()
    target = target_named(gpu, matrix)
    date = read_data("windows_gpu")["date"]
    found = []
    for row in matrix.windows_gpu():
        if row["maker"] not in ("", vendor) or framework not in row["frameworks"]:
            continue
        if build is not None and build < row["windows_build"]:
            continue
        if row["targets"] and target and target not in row["targets"]:
            continue
        certain = not row["targets"] or bool(target)
        text = row["what"] if certain else "%s (if the GPU is one of %s)" % (row["what"], row["gpus"])
        arguments = tuple(row["resolve"].split())
        found.append(WindowsWay(text, row["goal"], row["wsl"], certain, arguments, row["url"], date))
    return tuple(found)
