"""Which package index pip or uv would install from: read from their variables and files, in their order.

Neither program is run. A `uv.toml` or `pyproject.toml` of the working folder does not count: otherwise the author of a
downloaded folder would choose the server that is asked.
"""

import re
from typing import Any, Dict, List, Mapping, Tuple
from urllib.parse import urlsplit, urlunsplit

from ...machine.host import Host
from ...machine.pip_settings import configuration_folders, pip_options
from ...records import Record

#: What pip and uv ask if nothing else is configured.
DEFAULT_INDEX = "https://pypi.org/simple"

#: The options of pip that matter here.
_PIP_OPTIONS = ("index-url", "extra-index-url", "no-index", "cert", "client-cert", "proxy", "trusted-host")

_TRUE = ("1", "true", "yes", "on", "t", "y")


class Configuration(Record):
    """Where to ask, and how.

    Attributes
    ----------
    indexes : tuple of str
        URLs of simple indexes, with the credentials in them: printed by `shown` only.
    offline : str
        Why nothing may be asked, "" if it may.
    certificate, client_certificate : str
        Paths, "" for the system's certificates, and for none.
    proxy : str
    trusted : tuple of str
        Hosts that may be asked without TLS.
    problems : tuple of str
        What could not be read.
    """

    indexes: Tuple[str, ...]
    offline: str = ""
    certificate: str = ""
    client_certificate: str = ""
    proxy: str = ""
    trusted: Tuple[str, ...] = ()
    problems: Tuple[str, ...] = ()

    def __repr__(self) -> str:
        return "Configuration(%s)" % ", ".join(map(shown, self.indexes))


def shown(url: str) -> str:
    """Return a URL as it may be printed: without credentials, query and fragment.

    >>> shown("https://me:secret@example.org:8443/simple/?token=x")
    'https://example.org:8443/simple'
    >>> shown("https://me:sec/ret@example.org/simple")  # not a valid URL, but a password all the same
    'https://example.org/simple'
    """
    try:
        parts = urlsplit(re.sub(r"^(\w+://)?.*@", r"\1", url, flags=re.S))
    except ValueError:
        return "an invalid URL"
    return urlunsplit((parts.scheme, parts.netloc, parts.path.rstrip("/"), "", ""))


def _is_valid(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme == "file" or (bool(parts.hostname) and (parts.port or 0) >= 0)
    except ValueError:
        return False


def read_configuration(host: Host) -> Configuration:
    """Return pip's configuration if it names an index, else uv's, else the default index."""
    problems: List[str] = []
    options = pip_options(host, _PIP_OPTIONS, problems)
    offline = "pip is configured with no-index" if options.get("no-index", "").lower() in _TRUE else ""
    chosen = options
    if not offline and "index-url" not in options and "extra-index-url" not in options:
        chosen = _uv_options(host, problems)
        offline = "uv is configured not to use an index" if "no-index" in chosen else ""
    indexes = [chosen.get("index-url") or DEFAULT_INDEX, *chosen.get("extra-index-url", "").split()]
    problems += ["not a valid URL of an index: %s" % shown(url) for url in indexes if not _is_valid(url)]
    indexes = [url for url in indexes if _is_valid(url)]
    if not indexes:
        offline = offline or "no index is configured"
    environ = host.environ()
    certificate = options.get("cert") or environ.get("REQUESTS_CA_BUNDLE") or environ.get("CURL_CA_BUNDLE") or ""
    return Configuration(
        indexes=tuple(dict.fromkeys(url.rstrip("/") for url in indexes)),
        offline=offline,
        certificate=host.expand(certificate),
        client_certificate=host.expand(options.get("client-cert", "")),
        proxy=options.get("proxy", ""),
        trusted=tuple(options.get("trusted-host", "").split()),
        problems=tuple(problems),
    )


def _uv_options(host: Host, problems: List[str]) -> Dict[str, str]:
    """Return uv's options under pip's names."""
    environ = host.environ()
    options: Dict[str, str] = {}
    for path in _uv_files(host):
        text = host.text_or_none(path)
        if text is not None:
            options.update(_parse_uv(text, host.scrub(path), problems))
    default = environ.get("UV_DEFAULT_INDEX") or environ.get("UV_INDEX_URL")
    if default:
        options["index-url"] = _unnamed(default)
    # Those of a variable come before those of a file.
    extra = " ".join(
        _unnamed(url) for name in ("UV_INDEX", "UV_EXTRA_INDEX_URL") for url in environ.get(name, "").split()
    )
    options["extra-index-url"] = " ".join([extra, options.get("extra-index-url", "")]).strip()
    if any(environ.get(name, "").lower() in _TRUE for name in ("UV_OFFLINE", "UV_NO_INDEX")):
        options["no-index"] = "true"
    return options


def _unnamed(index: str) -> str:
    """Return the URL of an index that may have a name before it: ``torch=https://...``."""
    name, equals, url = index.partition("=")
    return url if equals and "/" not in name else index


def _uv_files(host: Host) -> List[str]:
    environ = host.environ()
    if environ.get("UV_NO_CONFIG", "").lower() in _TRUE:
        return []
    if environ.get("UV_CONFIG_FILE"):
        return [environ["UV_CONFIG_FILE"]]
    shared = [host.join(folder, "uv", "uv.toml") for folder in configuration_folders(host, system=True)]
    own = [host.join(folder, "uv", "uv.toml") for folder in configuration_folders(host, system=False)[:1]]
    return ([] if host.system == "windows" else ["/etc/uv/uv.toml"]) + shared + own


def _parse_uv(text: str, path: str, problems: List[str]) -> Dict[str, str]:
    """Return what a `uv.toml` says of indexes: its old options, and its tables ``[[index]]``."""
    try:
        data = _toml(text)
    except ImportError:
        problems.append("uv's configuration %s is not read by this Python: set UV_DEFAULT_INDEX instead" % path)
        return {}
    except (ValueError, RecursionError):
        problems.append("uv's configuration %s cannot be read" % path)
        return {}
    options: Dict[str, str] = {}
    extra = data.get("extra-index-url")
    urls = [item for item in extra if isinstance(item, str)] if isinstance(extra, list) else []
    tables = data.get("index")
    if isinstance(data.get("index-url"), str):
        options["index-url"] = data["index-url"]
    for table in tables if isinstance(tables, list) else ():
        # One that is explicit is for the packages that name it.
        if not isinstance(table, dict) or not isinstance(table.get("url"), str) or table.get("explicit") is True:
            continue
        if table.get("default") is True:
            options["index-url"] = table["url"]
        else:
            urls.append(table["url"])
    if urls:
        options["extra-index-url"] = " ".join(urls)
    if data.get("no-index") is True or data.get("offline") is True:
        options["no-index"] = "true"
    return options


def _toml(text: str) -> Mapping[str, Any]:
    try:
        import tomllib  # type: ignore[import-not-found,unused-ignore]
    except ImportError:  # before Python 3.11
        import tomli as tomllib  # type: ignore[import-not-found,no-redef,unused-ignore]
    data: Mapping[str, Any] = tomllib.loads(text)
    return data
