"""The pages of the matrix: what every release needs and contains, with sources, as searchable tables."""

import json
import os
from typing import Any, Dict, Iterator, List, Tuple

from devicekit.matrix.matrix import Matrix
from devicekit.matrix.projects import Build

from .markdown import table

__all__ = ["PAGES", "matrix_pages"]

_DATA = os.path.join(
    os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "devicekit", "matrix", "data"
)

#: Page: its title, its first sentence, and its projects; every project is on one page.
PAGES: Dict[str, Tuple[str, str, Tuple[str, ...]]] = {
    "tensorflow": (
        "TensorFlow",
        "All distributions that bring TensorFlow itself. Releases without a kind do not declare what they were built for.",
        (
            "tensorflow", "tensorflow-cpu", "tensorflow-gpu", "tensorflow-intel", "tensorflow-cpu-aws",
            "tensorflow-macos", "tensorflow-rocm", "tensorflow-directml", "tf-nightly",
        ),
    ),
    "plug-ins": (
        "Plug-ins of TensorFlow",
        "Pluggable devices: each is loaded by `import tensorflow`, and works with few releases of it.",
        (
            "tensorflow-directml-plugin", "tensorflow-metal", "intel-extension-for-tensorflow",
            "intel-extension-for-tensorflow-lib", "tensorflow-io-gcs-filesystem",
        ),
    ),
    "keras": ("Keras", "Keras, and the Keras 2 that is maintained next to it.", ("keras", "tf-keras")),
    "jax": (
        "JAX",
        "JAX, its compiled part, and its plug-ins for CUDA.",
        ("jax", "jaxlib", "jax-cuda12-plugin", "jax-cuda12-pjrt", "jax-cuda13-plugin", "jax-cuda13-pjrt"),
    ),
    "torch": ("PyTorch", "PyTorch, DirectML for it, and what compiles its kernels.", ("torch", "torch-directml", "triton")),
    "libraries": (
        "Python libraries",
        "What frameworks are built against or import.",
        (
            "numpy", "protobuf", "ml-dtypes", "h5py", "scipy", "optree", "grpcio", "flatbuffers", "setuptools",
            "tensorboard", "tensorflow-estimator", "typing-extensions",
        ),
    ),
}  # fmt: skip

#: Data other than releases: file, title, columns.
TABLES: Tuple[Tuple[str, str, Tuple[str, ...]], ...] = (
    ("loads", "What TensorFlow can load", ("minor", "numpy", "protobuf", "keras")),
    ("holds", "What wheels do not declare", ("projects", "versions", "python", "goal", "needs", "because", "seen")),
    ("imports", "What an import needs", ("projects", "versions", "python", "backend", "needs", "breaks", "because", "seen")),
    ("plugins", "Which TensorFlow a plug-in loads next to", ("distribution", "versions", "loads", "seen")),
    ("cuda", "CUDA", ("cuda", "linux_driver", "windows_driver", "libraries", "windows_libraries")),
    ("architectures", "Last drivers of NVIDIA's GPUs", ("architecture", "oldest", "newest", "last_driver")),
    ("overlaps", "Libraries that two packages write", ("file", "writers")),
    ("cudnn", "cuDNN", ("versions", "library", "windows_library", "cuda", "oldest_capability")),
    ("libraries", "Libraries that TensorFlow opens", ("release", "python", "libraries")),
    ("gpu_models", "GPUs by name", ("maker", "before", "models", "after", "target", "platform")),
    ("gpu_code", "GPU code of PyTorch's builds and JAX's plug-ins", ("framework", "versions", "cuda", "capabilities")),
    ("indexes", "PyTorch's own index", ("project", "goal", "url", "versions", "platforms", "cuda", "code")),
    ("makers", "Builds by the makers of GPUs", ("framework", "goal", "system", "what", "url")),
    ("rocm", "ROCm", ("tensorflow_rocm", "rocm", "kernel_drivers", "gfx")),
    (
        "directml", "DirectML",
        ("distribution", "version", "python", "tensorflow", "device_type", "systems", "windows_build", "wsl_build"),
    ),
    (
        "instructions", "Instructions of the processor",
        ("projects", "versions", "architecture", "needs", "ends", "instead", "seen"),
    ),
    (
        "memory", "Memory used by an import",
        ("projects", "versions", "tried", "killed_bytes", "resident_bytes", "address_space_bytes"),
    ),
)  # fmt: skip

_HEADS = ("release", "Python", "platforms", "built for", "CUDA", "cuDNN", "GPU code", "requires", "read in")

#: Requirements that determine whether releases work together; `devicekit matrix` shows all.
_DECIDING = (
    "tensorflow", "numpy", "protobuf", "keras", "jax", "torch", "ml-dtypes", "ml_dtypes", "tensorboard", "h5py", "triton",
    "setuptools", "nvidia", "cuda", "scipy", "opt", "intel", "grpcio",
)  # fmt: skip


def matrix_pages() -> Dict[str, str]:
    """Return the pages, by their path in the documentation."""
    matrix = Matrix()
    groups = dict(PAGES)
    shown = {name for _, _, names in groups.values() for name in names}
    rest = tuple(name for name in matrix.projects() if name not in shown)
    groups["nvidia"] = ("NVIDIA's libraries", "CUDA libraries as packages on the index.", rest)
    pages = {}
    for page, (title, text, names) in groups.items():
        lines = ["# %s" % title, "", text, ""]
        for name in names:
            project = matrix.project(name)
            assert project is not None, name
            label = "%s: %d releases, read on %s" % (name, len(project.versions), project.date)
            lines += ["## %s {#%s}" % (name, name), "", label + ".", ""]
            lines.append(table("table-" + name, _HEADS, _rows(matrix, name), name))
        pages["reference/matrix/%s.md" % page] = "\n".join(lines)
    pages["reference/matrix/rules.md"] = _others()
    return pages


def _rows(matrix: Matrix, name: str) -> Iterator[Tuple[str, ...]]:
    project = matrix.project(name)
    assert project is not None
    for version in reversed(project.versions):
        release = project.release(version)
        assert release is not None
        for build in release.builds:
            yield (
                version + (" (withdrawn)" if release.yanked else ""),
                ", ".join(_python(tag) for tag in build.pythons),
                ", ".join(platform for platform, _ in build.wheels),
                {"empty": "nothing (a placeholder)"}.get(build.kind, build.kind),
                build.cuda,
                build.cudnn,
                " ".join(build.capabilities),
                ", ".join(_requirements(build)),
                build.source,
            )


def _requirements(build: Build) -> List[str]:
    own = [item for item in build.requires if "extra ==" not in item]
    return [item for item in own if item.lower().startswith(_DECIDING)]


def _python(tag: str) -> str:
    return {"py3": "3"}.get(tag, "3." + tag[3:].replace("+", " and later") if tag.startswith("cp3") else tag)


def _others() -> str:
    lines = [
        "# Drivers, libraries and rules",
        "",
        "Drivers, libraries, GPUs, and what wheels do not declare, each table with its source.",
        "",
    ]
    for name, title, columns in TABLES:
        with open(os.path.join(_DATA, name + ".json"), encoding="utf-8") as stream:
            data = json.load(stream)
        lines += ["## %s {#%s}" % (title, name.replace("_", "-")), ""]
        rows = [tuple(_text(row.get(column, "")) for column in columns) for row in data["rows"]]
        lines.append(table("table-" + name, [column.replace("_", " ") for column in columns], rows, title))
        note = " ".join(item for item in (_text(data.get("note", "")), _source(data.get("source", ""))) if item)
        lines += [table("source-" + name, ("source, %s" % data["date"],), [(note,)], "").replace(' class="matrix"', "")]
    return "\n".join(lines)


def _source(source: Any) -> str:
    if isinstance(source, dict):
        return "; ".join("%s: %s" % (key, _text(value)) for key, value in source.items())
    return _text(source)


def _text(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join("%s: %s" % (key, _text(item)) for key, item in value.items())
    if isinstance(value, list):
        return ", ".join(_text(item) for item in value)
    return "" if value is None else str(value)
