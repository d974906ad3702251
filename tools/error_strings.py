"""List the error messages of installed frameworks next to the signatures of ``explain`` that cover them.

    python tools/error_strings.py FOLDER ... [--uncovered] [--topic WORD] [--json FILE]

A folder is a ``site-packages``, a package in it, or an unpacked wheel. The messages are the texts in native libraries, and
those that Python files raise, warn or log; only those that say that something about devices, libraries, drivers, memory or
compilers fails. A message is covered if a signature matches it, or if it is a piece of a signature's example: native code
joins its messages from pieces.
"""

import argparse
import ast
import json
import mmap
import os
import re
import sys

from devicekit.logs.lines import candidate_lines, chunks_of_text
from devicekit.logs.signatures import FILES, signatures

EXAMPLES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tests", "signatures")

#: Extensions of native code.
NATIVE = (".so", ".pyd", ".dll", ".dylib")

_CANNOT = r"(?:(?i:fail(?:ed)?)|[Ff]ailure|[Cc]annot|[Cc]an't|[Cc]ould ?n[o']t|[Uu]nable|[Ee]rror)"
_GPU = r"(?:GPUs?|CUDA|cuda|NVIDIA|ROCm|HIP|AMD|MPS|Metal|XPU|SYCL|DirectML|DML|TPUs?|accelerators?|devices?)"
_LIBRARY = r"(?:(?:shared|dynamic) (?:library|object)|\.so\b|\.dll\b)"
_COMPILER = r"(?:\bptxas\b|\bnvcc\b|\bnvlink\b|[nN]vJitLink|\bhipcc\b|\bPTX\b|\bcubin\b|code object)"
_VERSIONED = (
    r"(?:cuDNN|cuBLAS|cuFFT|cuSPARSE|cuSOLVER|NCCL|MIOpen|rocBLAS|protobuf|[nN]um[pP]y|jaxlib|CUDA|ROCm"
    r"|TensorFlow|PyTorch)"
)
_STATE = r"(?:available|enabled|compiled|built|detected|visible|found|initialized|linked|installed)"
_OBJECT = r"(?:device|context|stream|driver|handle|runtime|kernel|error)"

#: What a message is about, the first that fits: what the environment can cause, not what an operation does not accept.
TOPICS = {
    "memory": (
        r"(?i:\bout of (?:device |host |gpu |shared )?memory|not enough memory|insufficient.{0,20} memory)",
        _CANNOT + r".{0,40}\b(?:re)?alloc",
        r"RESOURCE_EXHAUSTED|memory.{0,30}exhausted|shared memory.{0,40}(?:file|segment|shm)",
    ),
    "library": (
        r"dlopen|dlsym|LoadLibrary|\bDSO\b.{0,60}(?:fail|not)|libdevice.{0,60}(?:not|missing)",
        _CANNOT + ".{0,60}" + _LIBRARY,
        _LIBRARY + ".{0,60}(?:not found|missing|not loaded|%s)" % _CANNOT,
        _VERSIONED + r" (?:\w+ )?librar(?:y|ies).{0,40}(?:not|missing|%s)" % _CANNOT,
    ),
    "compiler": (
        _COMPILER + ".{0,80}(?:not found|too old|missing|unsupported|version|%s)" % _CANNOT,
        _CANNOT + ".{0,60}(?:%s|libdevice|CUDA_HOME|ROCM_HOME|CUDA_DIR)" % _COMPILER,
    ),
    "driver": (
        r"\bcuInit\b|\bNVML\b.{0,60}%s|%s.{0,60}\bNVML\b" % (_CANNOT, _CANNOT),
        r"[Dd]river.{0,60}(?:version|not |insufficient|old|mismatch|%s)" % _CANNOT,
        _CANNOT + r".{0,60}\b[Dd]river\b|/dev/(?:nvidia|kfd|dri|dxg|accel)",
    ),
    "version": (
        _VERSIONED + r"\b.{0,80}(?:incompatible|not compatible|mismatch|(?:compiled|built) (?:with|against))",
        _VERSIONED + r"\b.{0,80}(?:or (?:higher|newer|later)|version.{0,30}require|require.{0,30}version|too old)",
    ),
    "device": (
        r"(?i:\bno (?:\w+ )?(?:gpus?|devices?|accelerators?|cuda gpus?)\b.{0,40}(?:found|available|visible|detected))",
        r"\b%s\b.{0,40}\b(?:is not|isn't|not|un)(?: (?:currently|been))? ?%s" % (_GPU, _STATE),
        r"(?:not (?:compiled|built|linked) with|without) (?:support for )?%s|[Cc]ompute capability" % _GPU,
        r"(?:%s|illegal|fault|lost|hung|removed|reset).{0,40}\b%s ?%s" % (_CANNOT, _GPU, _OBJECT),
        r"not supported (?:on|by|for) (?:the |this )?%s\b" % _GPU,
    ),
}

_ABOUT = [(name, re.compile("|".join(patterns))) for name, patterns in TOPICS.items()]

#: Code, documentation and options, which are not messages.
_NO_MESSAGE = re.compile(
    r"INTERNAL ASSERT|\balloca\b|heap_allocated|register class|CHECK\(|::|\(\*|[;{]\s*$|=>|&&|\|\||@_|\\u00"
    r"|^[^\sA-Za-z\[(%{'\"]|^\w+\(|^(?:Use|If|Set|Support for|Whether|Should|Reserve) "
    r"|^(?:def|class|import|from|return|if|for|and|or|the|a|of|in) "
)

#: Frameworks' code that no user of a device meets.
_SKIPPED = re.compile(
    r"[\\/](?:tests?|testing|test_\w+|_test|examples|benchmarks?|include|docs)[\\/]|_test\.py$|conftest\.py$"
)

_TEXT = re.compile(rb"[\x20-\x7e\t]{16,400}")
_PLACEHOLDER = re.compile(r"%[-+0 #]*\d*(?:\.\d+)?(?:l{0,2}|z)[sdiuxXfgcp]|\{\w*(?::[^{}]*)?\}|\$\d")


def topic_of(text):
    """Return what a message is about, None if that is not a device or its libraries.

    >>> topic_of("failed to load the library libcuda.so")
    'library'
    >>> topic_of("the library is nice")
    """
    if text.count(" ") < 2 or _NO_MESSAGE.search(text) is not None:
        return None
    return next((name for name, pattern in _ABOUT if pattern.search(text)), None)


def native_texts(path):
    """Yield the printable texts of a native library."""
    with open(path, "rb") as stream:
        if os.fstat(stream.fileno()).st_size == 0:
            return
        with mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as content:
            for found in _TEXT.finditer(content):
                yield found.group().decode("ascii").strip()


def python_texts(path):
    """Yield the texts that a Python file raises, warns or logs; the parts that are computed become ``{}``."""
    with open(path, "rb") as stream:
        source = stream.read()
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):  # of another Python
        return
    for node in ast.walk(tree):
        calls = []
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            calls = node.exc.args
        elif isinstance(node, ast.Assert) and node.msg is not None:
            calls = [node.msg]
        elif isinstance(node, ast.Call) and isinstance(node.func, (ast.Attribute, ast.Name)):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id
            calls = node.args if name in ("warn", "warning", "error", "exception", "critical", "fatal", "print") else []
        for argument in calls:
            text = literal_of(argument)
            for line in (text or "").splitlines():
                yield line.strip()


def literal_of(node):
    """Return the text of an expression, with ``{}`` for what is computed, None if it is not a text."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if type(node).__name__ == "Str":  # Python 3.7
        return node.s
    if isinstance(node, ast.JoinedStr):
        return "".join(literal_of(item) or "{}" for item in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Mod)):
        left = literal_of(node.left)
        if isinstance(node.op, ast.Mod):
            return left
        right = literal_of(node.right)
        return (left or "{}") + (right or "{}") if left or right else None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
        return literal_of(node.func.value)
    return None


def messages(folder):
    """Return the error messages in a folder: text to (topic, file), in order."""
    found = {}
    for below, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(below, name)
            native = name.endswith(NATIVE) or ".so." in name
            inside = os.path.relpath(path, folder)
            if os.path.islink(path) or not (native or name.endswith(".py")) or _SKIPPED.search(os.sep + inside):
                continue
            for text in native_texts(path) if native else python_texts(path):
                topic = topic_of(text)
                if topic is not None:
                    found.setdefault(text, (topic, inside))
    return found


class Coverage:
    """Which signature covers a message."""

    def __init__(self):
        self.known = signatures()
        self.examples = []
        for name in FILES:
            path = os.path.join(EXAMPLES, name + ".json")
            if os.path.exists(path):
                with open(path, encoding="utf-8") as stream:
                    rows = json.load(stream)
                self.examples += [(line, key) for key, row in rows.items() for line in row.get("examples", ())]
        self.speaking = {item.id for item in self.known if item.says != "context"}

    def signature(self, text):
        """Return the name of the signature that covers a message, None if there is none."""
        # The forms of an exception and of a log line, and with samples for the values.
        for value in ("7", "libcudart.so.12", "x"):
            filled = _PLACEHOLDER.sub(lambda _, value=value: value, text)
            for line in candidate_lines(chunks_of_text("%s\nRuntimeError: %s" % (filled, filled)), self.known):
                for item in line.signatures:
                    if item.id in self.speaking and item.match(line.text) is not None:
                        return item.id
        pieces = [piece.strip(" .:'\"(") for piece in _PLACEHOLDER.split(text)]
        longest = max(pieces, key=len)
        if len(longest) >= 16:
            for line, name in self.examples:
                if name in self.speaking and longest in line:
                    return name
        return None


def main(arguments=None):
    """Print the coverage of each folder by topic, and with ``--uncovered`` what is not covered."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--uncovered", action="store_true", help="list the messages without a signature")
    parser.add_argument("--topic", help="only this topic: %s" % ", ".join(TOPICS))
    parser.add_argument("--json", metavar="FILE", help="write every message with its topic, file and signature")
    options = parser.parse_args(arguments)
    coverage, everything = Coverage(), []
    for folder in options.folders:
        counts = {}
        for text, (topic, path) in messages(folder).items():
            if options.topic in (None, topic):
                name = coverage.signature(text)
                everything.append({"message": text, "topic": topic, "file": path, "signature": name})
                total = counts.setdefault(topic, [0, 0])
                total[0] += name is not None
                total[1] += 1
                if name is None and options.uncovered:
                    print("%-16s %s    [%s]" % (topic, text, path))
        for topic, (covered, total) in sorted(counts.items()):
            print("%-16s %5d of %5d covered" % (topic, covered, total))
        covered, total = (sum(values) for values in zip(*counts.values())) if counts else (0, 0)
        print("%s: %d of %d messages covered (%.0f %%)" % (folder, covered, total, 100.0 * covered / max(1, total)))
    if options.json:
        with open(options.json, "w", encoding="utf-8") as stream:
            json.dump(everything, stream, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
