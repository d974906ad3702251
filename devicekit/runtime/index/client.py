"""Asks a package index over HTTP: its list of a project's files, a wheel's METADATA, members of a wheel on the server.

Everything that comes back is bounded in size and time. Credentials go to the server that they are configured for, and into
no message.
"""

import base64
import html.parser
import http.client
import io
import os
import re
import socket
import ssl
import tarfile
import time
import urllib.error
import urllib.request
import zipfile
import zlib
from typing import IO, Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Tuple, TypeVar
from urllib.parse import SplitResult, unquote, urljoin, urlsplit, urlunsplit

from ...matrix.derive import Link
from ...matrix.wheel_files import Reading, read_metadata, read_source, read_wheel
from ...records import parse_json
from .configuration import Configuration, shown

T = TypeVar("T")

#: An index page is less than 2 MB; a METADATA file less than 100 KB; the directory of a large wheel about 2 MB.
_PAGE_BYTES = 32 << 20
_METADATA_BYTES = 2 << 20
_WHEEL_BYTES = 16 << 20
_MEMBER_BYTES = 4 << 20

#: One request of this size usually brings the whole directory of an archive, and any other a member.
_TAIL_BYTES = 1 << 19
_SPAN_BYTES = 1 << 16

#: For one step of a request.
_TIMEOUT_S = 30.0

_JSON = "application/vnd.pypi.simple.v1+json"
_HTML = ("application/vnd.pypi.simple.v1+html", "text/html")
_ACCEPT = "%s, %s;q=0.2, text/html;q=0.01" % (_JSON, _HTML[0])


class IndexProblem(Exception):
    """Something could not be asked or was not answered properly. Neither part has credentials.

    Parameters
    ----------
    reason : str
    about : str
        The URL or file, "" for all.
    """

    def __init__(self, reason: str, about: str = "") -> None:
        super().__init__("%s: %s" % (about, reason) if about else reason)
        self.reason = reason


class Answer(NamedTuple):
    """What a server returned."""

    url: str
    headers: Mapping[str, str]
    content: bytes


class Client:
    """Asks the configured indexes.

    Parameters
    ----------
    configuration : Configuration
    deadline : float
        On the clock of ``time.monotonic``: nothing is asked or read after it.
    """

    def __init__(self, configuration: Configuration, deadline: float) -> None:
        self._configuration = configuration
        self._deadline = deadline
        self._credentials = {
            _origin(parts): (unquote(parts.username), unquote(parts.password or ""))
            for parts in map(urlsplit, configuration.indexes)
            if parts.username
        }
        self._opener = _opener(configuration, self)

    def links(self, project: str) -> List[Link]:
        """Return the files that all indexes together list of a project, each name once, the first index's.

        Raises
        ------
        IndexProblem
        """
        links: Dict[str, Link] = {}
        for index in self._configuration.indexes:
            # What a server lists is on a server: a path on this machine is not its to name.
            allowed = ("file",) if index.startswith("file:") else ("http", "https")
            for link in self._links_of(index, project):
                if link.url.partition(":")[0] in allowed:
                    links.setdefault(link.filename, link)
        return [links[name] for name in sorted(links)]

    def _links_of(self, index: str, project: str) -> List[Link]:
        url = "%s/%s/" % (index, project)
        try:
            answer = self.get(url, _PAGE_BYTES, {"Accept": _ACCEPT, "Accept-Encoding": "gzip"})
        except _Missing:
            return []
        kind = answer.headers.get("content-type", "text/html").partition(";")[0].strip().lower()
        try:
            if kind == _JSON:
                return parse_json_page(answer.content, answer.url)
            if kind in _HTML:
                return parse_html_page(answer.content, answer.url)
        except (ValueError, RecursionError) as error:
            raise IndexProblem("not a valid page of an index", shown(url)) from error
        raise IndexProblem("not a page of an index but %s" % _plain(kind), shown(url))

    def read(self, link: Link, rule: Mapping[str, Any]) -> Reading:
        """Return what a file of a release says, as far as the rule asks.

        The METADATA that the index serves are enough if the rule does not ask for what is in the wheel. If the server does
        not let parts of a wheel be read, they are what there is: ``metadata_only``.

        Raises
        ------
        IndexProblem
        """
        deep = bool(rule.get("build") or rule.get("protobuf"))
        if link.filename.endswith(".tar.gz"):
            content = self.get(link.url, _WHEEL_BYTES).content
            return _checked(link, lambda: read_source(content))
        problem: Optional[IndexProblem] = None
        if deep or not link.metadata:
            try:
                return self._read_wheel(link, rule)
            except IndexProblem as error:
                problem = error
        if problem is not None and not link.metadata:
            raise problem
        text = self.get(_beside(link.url, ".metadata"), _METADATA_BYTES).content.decode("utf-8", "replace")
        reading = _checked(link, lambda: read_metadata(text))
        return dict(reading, metadata_only=problem.reason) if problem is not None else reading

    def _read_wheel(self, link: Link, rule: Mapping[str, Any]) -> Reading:
        def read() -> Reading:
            with self.archive(link) as stream, zipfile.ZipFile(stream) as archive:
                return read_wheel(
                    archive.namelist(),
                    lambda name: _member(archive, name),
                    bool(rule.get("protobuf")),
                    bool(rule.get("build")),
                )

        return _checked(link, read)

    def archive(self, link: Link) -> IO[bytes]:
        """Open a wheel where it is: only the parts that are read are asked for."""
        if link.url.startswith("file:"):
            return open(_path_of(link.url), "rb")
        return io.BufferedReader(_RemoteFile(self, link), _SPAN_BYTES)

    def get(self, url: str, limit: int, headers: Optional[Mapping[str, str]] = None, method: str = "GET") -> Answer:
        """Return what a URL holds.

        Raises
        ------
        IndexProblem
            If it may not be asked, is not there, is longer than ``limit`` bytes, or does not come in time.
        """
        if url.startswith("file:"):
            return _read_file(url, limit)
        self._allow(urlsplit(url))
        request = urllib.request.Request(url_without_credentials(url), method=method)  # noqa: S310 - http(s), see _allow
        for name, value in dict(headers or {}, **{"User-Agent": "devicekit"}).items():
            request.add_header(name, value)
        self.authorize(request)
        try:
            with self._opener.open(request, timeout=self._seconds_left()) as response:
                if request.has_header("Range") and response.status != 206:
                    raise IndexProblem("the server does not send parts of a file", shown(url))
                return Answer(
                    response.url,
                    {name.lower(): value for name, value in response.headers.items()},
                    self._body(response, limit, shown(url)),
                )
        except urllib.error.HTTPError as error:
            error.close()
            kind = _Missing if error.code in (404, 410) else IndexProblem
            raise kind("HTTP status %d" % error.code, shown(url)) from None
        except (OSError, ValueError, http.client.HTTPException) as error:
            raise IndexProblem(_reason(error), shown(url)) from None

    def _body(self, response: Any, limit: int, label: str) -> bytes:
        """Return a response's body, unpacked, read in pieces so that neither its size nor its slowness is unbounded."""
        packed = response.headers.get("Content-Encoding", "").lower() == "gzip"
        unpack = zlib.decompressobj(31) if packed else None
        pieces: List[bytes] = []
        size = 0
        while True:
            self._seconds_left()
            piece = response.read1(1 << 16)
            if not piece:
                break
            if unpack is not None:
                try:
                    piece = unpack.decompress(piece, limit - size + 1)
                except zlib.error:
                    raise IndexProblem("damaged", label) from None
            pieces.append(piece)
            size += len(piece)
            if size > limit:
                raise IndexProblem("more than %d MB" % (limit >> 20), label)
        return b"".join(pieces)

    def _seconds_left(self) -> float:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise IndexProblem("not answered in time")
        return min(left, _TIMEOUT_S)

    def _allow(self, parts: SplitResult) -> None:
        """Raise if a URL may not be asked: credentials, and what is installed because of the answer, need TLS."""
        if parts.scheme == "https" and parts.hostname:
            return
        if parts.scheme != "http" or not parts.hostname:
            raise IndexProblem("only http, https and file URLs are read", shown(urlunsplit(parts)))
        host = parts.hostname
        if host in ("localhost", "::1") or re.match(r"127\.\d+\.\d+\.\d+$", host):
            return
        trusted = [item.rpartition("@")[2] for item in self._configuration.trusted]
        if host not in trusted and parts.netloc.rpartition("@")[2] not in trusted:
            raise IndexProblem("asked over https only, unless pip trusts the host", shown(urlunsplit(parts)))

    def authorize(self, request: urllib.request.Request) -> None:
        """Add the credentials of the server that is asked, so that no redirection takes them to another one."""
        parts = urlsplit(request.full_url)
        pair = self._credentials.get(_origin(parts)) or _from_netrc(parts.hostname or "")
        if pair is not None:
            token = base64.b64encode(("%s:%s" % pair).encode("utf-8")).decode("ascii")
            request.add_unredirected_header("Authorization", "Basic " + token)

    def redirected(self, old: str, new: str) -> None:
        """Raise if a server may not send us to another address."""
        if old.startswith("https:") and not new.startswith("https:"):
            raise IndexProblem("leads from https to something else", shown(old))
        self._allow(urlsplit(new))


class _Missing(IndexProblem):
    """The server has no such thing."""


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows a redirection where the client allows it."""

    max_redirections = 5

    def __init__(self, client: Client) -> None:
        self._client = client

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: http.client.HTTPMessage,
        newurl: str,
    ) -> Optional[urllib.request.Request]:
        self._client.redirected(req.full_url, newurl)
        request = super().redirect_request(req, fp, code, msg, headers, url_without_credentials(newurl))
        if request is not None:
            request.method = req.get_method()
            self._client.authorize(request)
        return request


def _opener(configuration: Configuration, client: Client) -> urllib.request.OpenerDirector:
    """Return what opens http and https, and nothing else: `urllib` alone would follow a server to an FTP address."""
    certificate = configuration.certificate
    try:
        if os.path.isdir(certificate):
            context = ssl.create_default_context(capath=certificate)
        else:
            context = ssl.create_default_context(cafile=certificate or None)
        if configuration.client_certificate:
            context.load_cert_chain(configuration.client_certificate)
    except (OSError, ValueError):  # an SSLError is an OSError
        raise IndexProblem("the configured certificate cannot be read") from None
    proxies = {"http": configuration.proxy, "https": configuration.proxy} if configuration.proxy else None
    director = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler(proxies),
        urllib.request.HTTPHandler(),
        urllib.request.HTTPSHandler(context=context),
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.HTTPErrorProcessor(),
        urllib.request.UnknownHandler(),
        _Redirects(client),
    ):
        director.add_handler(handler)
    return director


class _RemoteFile(io.RawIOBase):
    """A file on a server as one that can be read anywhere: only the parts that are read are asked for."""

    def __init__(self, client: Client, link: Link) -> None:
        self._client, self._url = client, link.url
        self._position = 0
        self._spans: List[Tuple[int, bytes]] = []
        self._left = _WHEEL_BYTES
        self._size = link.size or self._asked_size()
        start = max(0, self._size - _TAIL_BYTES)
        self._fetch(start, self._size)

    def _asked_size(self) -> int:
        answer = self._client.get(self._url, 0, method="HEAD")
        length = answer.headers.get("content-length", "")
        if not length.isdigit() or len(length) > 15:
            raise IndexProblem("the server does not say how large it is", shown(self._url))
        return int(length)

    def _fetch(self, start: int, end: int) -> bytes:
        self._left -= end - start
        if self._left < 0:
            raise IndexProblem("its directory is too large", shown(self._url))
        answer = self._client.get(self._url, end - start, {"Range": "bytes=%d-%d" % (start, end - 1)})
        if answer.headers.get("content-range", "").replace(" ", "") != "bytes%d-%d/%d" % (start, end - 1, self._size):
            raise IndexProblem("the server does not send parts of a file", shown(self._url))
        if len(answer.content) != end - start:
            raise IndexProblem("cut short", shown(self._url))
        self._spans.append((start, answer.content))
        return answer.content

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        self._position = max(0, offset + (0, self._position, self._size)[whence])
        return self._position

    def tell(self) -> int:
        return self._position

    def readinto(self, buffer: Any) -> int:
        end = min(self._position + len(buffer), self._size)
        if end <= self._position:
            return 0
        for start, content in self._spans:
            if start <= self._position < start + len(content):
                piece = content[self._position - start : end - start]
                break
        else:
            piece = self._fetch(self._position, min(self._size, max(end, self._position + _SPAN_BYTES)))
            piece = piece[: end - self._position]
        buffer[: len(piece)] = piece
        self._position += len(piece)
        return len(piece)


def parse_json_page(content: bytes, url: str) -> List[Link]:
    """Return the links of a page as PEP 691 describes it.

    >>> parse_json_page(b'{"meta": {"api-version": "1.1"}, "files": [{"filename": "a.whl", "url": "../a.whl"}]}', "https://x/s/a/")
    [Link(filename='a.whl', url='https://x/s/a.whl', yanked=False, metadata=False, size=0, requires_python='')]

    Raises
    ------
    ValueError
        If it is anything else.
    """
    data = parse_json(content)
    if not isinstance(data, dict) or not isinstance(data.get("files"), list):
        raise ValueError("no files")
    meta = data.get("meta", {})
    if not isinstance(meta, dict) or not str(meta.get("api-version", "1.0")).startswith("1."):
        raise ValueError("a version that is not known")
    links = []
    for item in data["files"]:
        if (
            not isinstance(item, dict)
            or not isinstance(item.get("filename"), str)
            or not isinstance(item.get("url"), str)
        ):
            raise ValueError("not a file")
        # PEP 714: the second name is from before it.
        metadata = item.get("core-metadata", item.get("dist-info-metadata", False))
        size = item.get("size")
        links.append(
            Link(
                item["filename"],
                urljoin(url, item["url"]),
                item.get("yanked", False) is not False,
                bool(metadata),
                size if isinstance(size, int) and 0 < size < 1 << 40 else 0,
                str(item.get("requires-python") or ""),
            )
        )
    return links


def parse_html_page(content: bytes, url: str) -> List[Link]:
    """Return the links of a page as PEP 503 describes it.

    >>> parse_html_page(b'<a href="../a.whl#sha256=1" data-yanked="">a.whl</a>', "https://x/s/a/")
    [Link(filename='a.whl', url='https://x/s/a.whl', yanked=True, metadata=False, size=0, requires_python='')]
    """
    parser = _Anchors(url)
    parser.feed(content.decode("utf-8", "replace"))
    parser.close()
    return parser.links


class _Anchors(html.parser.HTMLParser):
    """Collects the anchors of a page."""

    def __init__(self, url: str) -> None:
        super().__init__(convert_charrefs=True)
        self.links: List[Link] = []
        self._base = url

    def handle_starttag(self, tag: str, attrs: List[Tuple[str, Optional[str]]]) -> None:
        values = dict(attrs)
        href = values.get("href")
        if tag == "base" and href:
            self._base = urljoin(self._base, href)
        if tag != "a" or not href:
            return
        url = urljoin(self._base, href).partition("#")[0]
        metadata = values.get("data-core-metadata") or values.get("data-dist-info-metadata")
        filename = unquote(urlsplit(url).path.rpartition("/")[2])
        has_metadata = bool(metadata) and metadata != "false"
        requires = values.get("data-requires-python") or ""
        self.links.append(Link(filename, url, "data-yanked" in values, has_metadata, requires_python=requires))


def url_without_credentials(url: str) -> str:
    """Return a URL without user name and password, to be sent as a header."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def _origin(parts: SplitResult) -> Tuple[str, str, Optional[int]]:
    """Return what a server is identified by."""
    return parts.scheme, parts.hostname or "", parts.port or {"http": 80, "https": 443}.get(parts.scheme)


def _from_netrc(host: str) -> Optional[Tuple[str, str]]:
    """Return the credentials that the user's ``.netrc`` has for a host, as pip and uv take them."""
    import netrc

    try:
        held = netrc.netrc(os.environ.get("NETRC") or None).hosts.get(host)
    except (OSError, netrc.NetrcParseError, UnicodeDecodeError):  # there is none, or it is not safe to use
        return None
    return (held[0] or "", held[2] or "") if held else None


def _beside(url: str, ending: str) -> str:
    """Return the URL of a file next to another one."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(path=parts.path + ending, fragment=""))


def _path_of(url: str) -> str:
    return urllib.request.url2pathname(urlsplit(url).path)


def _read_file(url: str, limit: int) -> Answer:
    """Return a file of an index on this machine; of a folder, its page."""
    path = _path_of(url)
    try:
        if os.path.isdir(path):
            path = os.path.join(path, "index.html")
        with open(path, "rb") as stream:
            content = stream.read(limit + 1)
    except FileNotFoundError:
        raise _Missing("does not exist", shown(url)) from None
    except (OSError, ValueError) as error:
        raise IndexProblem(_reason(error), shown(url)) from None
    if len(content) > limit:
        raise IndexProblem("more than %d MB" % (limit >> 20), shown(url))
    return Answer(url, {}, content)


def _member(archive: zipfile.ZipFile, name: str) -> bytes:
    with archive.open(name) as stream:
        content = stream.read(_MEMBER_BYTES + 1)
    if len(content) > _MEMBER_BYTES:
        raise IndexProblem("more than %d MB" % (_MEMBER_BYTES >> 20), _plain(name))
    return content


def _checked(link: Link, read: Callable[[], T]) -> T:
    """Return what a file says; whatever is wrong with it is a problem of that file."""
    try:
        return read()
    except (OSError, ValueError, SyntaxError, KeyError, EOFError, NotImplementedError, RuntimeError) as error:
        raise IndexProblem(_reason(error), _plain(link.filename)) from None
    except (zipfile.BadZipFile, zlib.error, tarfile.TarError, RecursionError):
        raise IndexProblem("damaged", _plain(link.filename)) from None


def _plain(text: str) -> str:
    """Return a text of a server so that it can be printed."""
    return re.sub(r"[^\x20-\x7e]", "?", text)[:120]


def _reason(error: BaseException) -> str:
    """Return what is wrong in words of ours: what libraries write may have a URL with its credentials in it."""
    cause = getattr(error, "reason", error)
    if isinstance(cause, ssl.SSLError):
        return "its certificate is not trusted" if "CERTIFICATE_VERIFY" in str(cause) else "TLS fails"
    if isinstance(cause, socket.timeout):
        return "not answered in time"
    if isinstance(cause, socket.gaierror):
        return "the name of the server is not known"
    if isinstance(cause, OSError):
        return cause.strerror or type(cause).__name__
    return "not valid (%s)" % type(cause).__name__
