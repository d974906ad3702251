"""The environment variables of devicekit itself, read in this one place."""

import os
from typing import NamedTuple, Optional

VERIFY = ("cached", "always", "never")


class Settings(NamedTuple):
    """What the environment says. ``problem`` names a value that was ignored because it is not one of the accepted.

    ``in_trial``: this process is a trial of devicekit's, or was started by one. ``lease_dir``: where locks of devices lie;
    ``leased``: what devices a process that started this one holds for it. ``offline``: the package index is not asked.
    """

    device: Optional[str]
    verify: Optional[str]
    quiet: bool
    cache_dir: Optional[str]
    problem: str = ""
    in_trial: bool = False
    lease_dir: Optional[str] = None
    leased: str = ""
    offline: bool = False


def read_settings() -> Settings:
    """Read the variables whose names begin with ``DEVICEKIT_``."""
    verify = os.environ.get("DEVICEKIT_VERIFY") or None
    problem = ""
    if verify is not None and verify not in VERIFY:
        problem = "DEVICEKIT_VERIFY is '%s', accepted are %s: it is ignored" % (verify[:40], ", ".join(VERIFY))
        verify = None
    return Settings(
        device=os.environ.get("DEVICEKIT_DEVICE") or None,
        verify=verify,
        quiet=os.environ.get("DEVICEKIT_QUIET", "") not in ("", "0"),
        cache_dir=os.environ.get("DEVICEKIT_CACHE_DIR") or None,
        problem=problem,
        in_trial="DEVICEKIT_TRIAL" in os.environ,
        lease_dir=os.environ.get("DEVICEKIT_LEASE_DIR") or None,
        leased=os.environ.get("DEVICEKIT_LEASED", ""),
        offline=os.environ.get("DEVICEKIT_OFFLINE", "") not in ("", "0"),
    )


def cache_folder() -> str:
    """Return the folder for cached results: ``DEVICEKIT_CACHE_DIR``, or the user's cache folder of this system."""
    chosen = read_settings().cache_dir
    if chosen:
        return os.path.abspath(os.path.expanduser(chosen))
    from platformdirs import user_cache_dir

    return user_cache_dir("devicekit", appauthor=False)
