"""What a wheel says of itself: its tags, its requirements, what it was built for. Pure: names and texts in, plain data out."""

import ast
import email.parser
import io
import re
import tarfile
from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence, Tuple

from packaging.utils import InvalidWheelFilename, parse_wheel_filename

#: Old names of glibc versions (PEP 600).
_LEGACY = {"manylinux1": "manylinux_2_5", "manylinux2010": "manylinux_2_12", "manylinux2014": "manylinux_2_17"}


#: Plain data of one wheel: ``requires_python``, ``requires``; and of its contents ``build``, ``protobuf``, ``plugins``.
Reading = Dict[str, Any]


def read_wheel(
    names: Sequence[str], read: Callable[[str], bytes], protobuf: bool = False, build: bool = False
) -> Reading:
    """Return what is written in a wheel.

    Parameters
    ----------
    names : sequence of str
        Of the files in it.
    read : callable
        Returns one of them.
    protobuf : bool
        Whether to look at the code that protoc generated.
    build : bool
        Whether to look at what the wheel says that it was built for.
    """

    def text(name: str) -> str:
        return read(name).decode("utf-8")

    def first(pattern: str) -> str:
        return next((name for name in names if re.match(pattern, name)), "")

    reading = read_metadata(text(_only(names, r"[^/]+\.dist-info/METADATA$")))
    if build:
        info, version = first(r"(.*/)?python/platform/build_info\.py$"), first(r"torch/version\.py$")
        if info:
            reading["build"] = read_build_info(text(info))
        if version:
            reading["build"] = read_torch_version(text(version))
        plugins = [name for name in names if re.match(r"tensorflow-plugins/[^/]+$", name)]
        if plugins:
            reading["plugins"] = sorted(name.split("/")[1] for name in plugins)
    if protobuf:
        generated = first(r"(.*/)?tensorflow(_core)?/(core/framework/types|core/lib/core/error_codes)_pb2\.py$")
        if generated:
            reading["protobuf"] = read_generated_code(text(generated))
    return reading


def _only(names: Iterable[str], pattern: str) -> str:
    matching = [name for name in names if re.match(pattern, name)]
    if len(matching) != 1:
        raise ValueError("expected one file that matches %s, found %s" % (pattern, matching))
    return matching[0]


def read_metadata(text: str) -> Reading:
    r"""Return the requirements in a METADATA file.

    >>> read_metadata("Name: x\nRequires-Python: >=3.9\nRequires-Dist: b>=1\nRequires-Dist: a\n\n")
    {'requires_python': '>=3.9', 'requires': ['a', 'b>=1']}
    """
    message = email.parser.Parser().parsestr(text, headersonly=True)
    requires = sorted({" ".join(item.split()) for item in message.get_all("Requires-Dist") or ()})
    return {"requires_python": message.get("Requires-Python", ""), "requires": requires}


def read_source(content: bytes) -> Reading:
    """Return the requirements in a source archive of setuptools: they stand in ``requires.txt``, by extra and marker."""
    with tarfile.open(fileobj=io.BytesIO(content), mode="r:gz") as archive:
        members = {member.name: member for member in archive.getmembers() if member.isfile()}
        texts = []
        for pattern in (r"[^/]+/PKG-INFO$", r"([^/]+/)+[^/]+\.egg-info/requires\.txt$"):
            stream = archive.extractfile(members[_only(members, pattern)])
            assert stream is not None  # of a regular file there is one
            texts.append(stream.read().decode("utf-8"))
    information, requires = texts
    return dict(read_metadata(information), requires=read_requires(requires))


def read_requires(text: str) -> List[str]:
    r"""Return the lines of a ``requires.txt`` as METADATA would have them.

    >>> read_requires("numpy>=1.21\n\n[:python_version < '3.10']\nold\n\n[cuda]\njaxlib==1.0\n")
    ['jaxlib==1.0; extra == "cuda"', 'numpy>=1.21', "old; python_version < '3.10'"]
    """
    found: List[str] = []
    marker = ""
    for line in text.splitlines():
        section = re.match(r"\[([^:\]]*):?(.*)\]$", line.strip())
        if section:
            parts = [section.group(2)] if section.group(2) else []
            parts += ['extra == "%s"' % section.group(1)] if section.group(1) else []
            marker = " and ".join(parts)
        elif line.strip():
            found.append(line.strip() + ("; " + marker if marker else ""))
    return sorted(found)


def read_build_info(text: str) -> Dict[str, Any]:
    r"""Return the values of TensorFlow's ``build_info.py``, whose form changed with 2.3 and with 2.4.

    >>> read_build_info("build_info = {'cuda_version': '10.1', 'is_cuda_build': True}")
    {'cuda_version': '10.1', 'is_cuda_build': True}
    >>> read_build_info("build_info = collections.OrderedDict([('is_cuda_build', False)])")
    {'is_cuda_build': False}
    >>> read_build_info("is_cuda_build = True\ncuda_version_number = '10.0'")
    {'is_cuda_build': True, 'cuda_version': '10.0'}
    """
    result: Dict[str, Any] = {}
    for node in ast.parse(text).body:
        if not isinstance(node, ast.Assign) or len(node.targets) != 1 or not isinstance(node.targets[0], ast.Name):
            continue
        name, value = node.targets[0].id, node.value
        if name == "build_info":
            inner = value.args[0] if isinstance(value, ast.Call) and value.args else value
            result.update(dict(ast.literal_eval(inner)) if not isinstance(inner, ast.Call) else {})
        elif not isinstance(value, ast.Call):
            result[name.replace("_version_number", "_version")] = ast.literal_eval(value)
    return result


def read_torch_version(text: str) -> Dict[str, Any]:
    r"""Return what PyTorch's ``version.py`` says of CUDA and ROCm.

    >>> read_torch_version("__version__ = '2.9.0+cu128'\ncuda: Optional[str] = '12.8'\nhip: Optional[str] = None")
    {'cuda_version': '12.8', 'is_cuda_build': True, 'is_rocm_build': False}
    """
    found = dict(re.findall(r"^(cuda|hip)(?:: Optional\[str\])? = (.+)$", text, re.M))
    values = {name: ast.literal_eval(value) for name, value in found.items()}
    result = {"cuda_version": values["cuda"]} if values.get("cuda") else {}
    return dict(result, is_cuda_build=bool(values.get("cuda")), is_rocm_build=bool(values.get("hip")))


def read_generated_code(text: str) -> str:
    r"""Return which protobuf made a ``_pb2.py``: its version, or the style of code from before the version was written.

    "builder" came with protobuf 3.20 and is read by everything since; "direct" builds descriptors one by one, which
    protobuf 4 and later refuse.

    >>> read_generated_code("# Protobuf Python Version: 5.28.3\n_version.ValidateProtobufRuntimeVersion(")
    '5.28.3'
    >>> read_generated_code("_builder.BuildMessageAndEnumDescriptors(DESCRIPTOR, globals())")
    'builder'
    >>> read_generated_code("DESCRIPTOR = _descriptor.FileDescriptor(")
    'direct'
    """
    written = re.search(r"^# Protobuf Python Version: ([\d.]+)", text, re.M)
    if written and "ValidateProtobufRuntimeVersion" in text:
        return written.group(1)
    return "builder" if "_builder" in text else "direct"


def wheel_tags(filename: str) -> Optional[Tuple[str, str, Tuple[Tuple[str, str], ...]]]:
    """Return (name, version, ((python, platform), ...)) of a wheel; None where it is not for CPython 3.5 or later.

    Python is ``cp311`` for one version, ``cp36+`` for it and every later one, ``py3`` for all.

    >>> wheel_tags("a-1.0-cp39-cp39-manylinux_2_17_x86_64.manylinux2014_x86_64.whl")[1:]
    ('1.0', (('cp39', 'manylinux_2_17_x86_64'),))
    >>> wheel_tags("a-1.0-cp36-abi3-win_amd64.whl")[2]
    (('cp36+', 'win_amd64'),)
    >>> wheel_tags("a-1.0-cp27-cp27mu-manylinux1_x86_64.whl") is None
    True
    """
    try:
        name, version, _, tags = parse_wheel_filename(filename)
    except InvalidWheelFilename:
        return None
    found = set()
    for tag in tags:
        python = _python(tag.interpreter, tag.abi)
        if python is not None:
            found.add((python, _platform(tag.platform)))
    # Of several names for the same thing the one with the oldest glibc says the most.
    oldest: Dict[Tuple[str, str], str] = {}
    for python, platform in sorted(found, key=lambda item: (item[0], _glibc(item[1]))):
        key = (python, re.sub(r"^manylinux_\d+_\d+", "manylinux", platform))
        oldest.setdefault(key, platform)
    pairs = tuple(sorted((key[0], platform) for key, platform in oldest.items()))
    return (name, str(version), pairs) if pairs else None


def _python(interpreter: str, abi: str) -> Optional[str]:
    minor = re.match(r"cp3(\d+)$", interpreter)
    if minor and abi == "abi3":
        return interpreter + "+"
    if minor and int(minor.group(1)) >= 5 and (abi in (interpreter, interpreter + "m") or abi == "none"):
        return interpreter
    return "py3" if interpreter == "py3" and abi == "none" else None


def _platform(platform: str) -> str:
    for old, new in _LEGACY.items():
        if platform.startswith(old + "_"):
            return new + platform[len(old) :]
    return platform


def _glibc(platform: str) -> Tuple[int, int]:
    match = re.match(r"manylinux_(\d+)_(\d+)", platform)
    return (int(match.group(1)), int(match.group(2))) if match else (0, 0)
