"""What an exception that was raised on a device means: a finding code, from what the frameworks say."""

import re
from typing import Optional, Union

from ..children.call import ChildReport

#: Codes that mean that the device has no kernel for an operation.
NO_KERNEL = frozenset(("op-unsupported", "compute-capability-unsupported"))

#: Phrases of TensorFlow, PyTorch, XLA and their libraries. The message of an exception is short and known to be about the
#: device, so these can be shorter than the signatures of log lines.
_PHRASES = (
    (
        "out-of-memory",
        re.compile(
            r"ResourceExhausted|[Rr]esource exhausted|RESOURCE_EXHAUSTED|\bOOM\b|[Oo]ut of memory|OutOfMemory|OUT_OF_MEMORY"
            r"|std::bad_alloc|MemoryError|Unable to allocate|[Ff]ailed to allocate|E_OUTOFMEMORY"
            r"|DefaultCPUAllocator: (?:can't allocate|not enough) memory"
            # TensorFlow, if a batch is copied to a device that has no room for it; cuBLAS and cuDNN.
            r"|Dst tensor is not initialized|STATUS_ALLOC_FAILED"
        ),
    ),
    (
        "op-unsupported",
        re.compile(
            r"NotImplementedError|UnimplementedError|UNIMPLEMENTED|Unimplemented|[Nn]o kernel\b(?! image)"
            # TensorFlow
            r"|No OpKernel|No registered|no supported kernel for|Op type not registered"
            r"|Could not satisfy (?:explicit )?device specification|Cannot assign a device for operation"
            r"|Could not find (?:(?:valid |compatible )?device\b)|not in (?:the )?list of allowed values"
            r"|Detected unsupported operations"
            # PyTorch
            r"|Could not run '.*' with arguments from|not implemented for (?:the )?['\w]"
            r"|is not (?:currently )?(?:supported|implemented) (?:on|for) (?:the|this|MPS|TPU)\b|not supported on (?:MPS|TPU)"
            r"|(?:doesn't|does not) support (?:float64|double)"
            # JAX
            r"|is not supported by dot_general"
        ),
    ),
)

#: How an operation refuses a type or a layout of data. Wrong arguments are refused in the same words.
_REFUSAL = re.compile(
    r"not supported on|are not supported|does not support|only supports|not yet support|not implemented"
)


def classify_error(error: "Union[BaseException, str]", arguments_valid: bool = False) -> Optional[str]:
    """Return the code of the finding that an exception stands for, None if its message does not tell.

    Parameters
    ----------
    error : exception or str
        A text is the type and the message, as in a traceback's last line.
    arguments_valid : bool
        Whether the operation is known to have been called correctly. Then a refusal means that it is unsupported.

    Examples
    --------
    >>> classify_error("RuntimeError: CUDA out of memory. Tried to allocate 2 GiB")
    'out-of-memory'
    >>> classify_error(NotImplementedError("median"))
    'op-unsupported'
    >>> classify_error(ValueError("shapes (3,) and (4,) not aligned"))
    """
    text = error if isinstance(error, str) else "%s: %s" % (type(error).__name__, error)
    for code, pattern in _PHRASES:
        if pattern.search(text):
            return code
    if isinstance(error, NotImplementedError) or (arguments_valid and _REFUSAL.search(text)):
        return "op-unsupported"
    # The patterns above decide nearly always, and those who measure should not wait for these.
    from .context import Known
    from .engine import read_log

    known = Known()
    known.vendors = {"other"}  # there is a device: that a library is missing counts
    log = read_log(text, known)
    # A wrong argument says nothing about the device.
    return log.findings[0].code if log.certain and log.findings[0].code != "user-code-error" else None


def ran_out_of_memory(report: ChildReport) -> bool:
    """Return whether a child ended for lack of memory: the framework said so, or the kernel killed it."""
    if report.outcome == "raised":
        return classify_error("%s: %s" % (report.error, report.detail)) == "out-of-memory"
    return report.outcome == "died" and (
        "SIGKILL" in report.detail or classify_error(report.output[-20000:]) == "out-of-memory"
    )


def is_missing_kernel(error: Union[BaseException, str]) -> bool:
    """Return whether an error of something that runs on the CPU says that the device has no kernel for it, or its dtype."""
    return classify_error(error, arguments_valid=True) in NO_KERNEL
