"""The finding that a requested device is not here. Pure."""

from ..diagnosis.findings import Evidence, Finding, Fix, Kind

_KIND = Kind("device-not-found", "warning")


def missing_device(requested: str, because: str, source: str = "the devices of this machine") -> Finding:
    """Return the finding that nothing here is what was requested.

    Parameters
    ----------
    requested : str
        The request as the caller wrote it.
    because : str
        What there is instead, in words.
    source : str
        Where that was seen.
    """
    because = because.rstrip(".")
    return _KIND.finding(
        "The requested device %r was not found: %s." % (requested[:80], because),
        (Evidence(because, source),),
        (Fix("List the devices, and request one of them or 'auto'", "devicekit devices"),),
    )
