"""`resolve` asks a package index: a real one on this machine, whose releases, faults and delays the tests make."""

import base64
import gzip
import http.server
import io
import json
import os
import threading
import time
import zipfile

import pytest
from packaging.version import Version

import devicekit
from devicekit.cli.main import main
from devicekit.machine.pip_settings import constraints
from devicekit.machine.simulated import SimulatedHost
from devicekit.matrix.matrix import BUNDLED, Matrix
from devicekit.matrix.target import Target
from devicekit.remedy.installers import variables
from devicekit.resolver.engine import Need, solve
from devicekit.runtime.index.client import Client, IndexProblem, parse_html_page, parse_json_page
from devicekit.runtime.index.configuration import DEFAULT_INDEX, Configuration, read_configuration, shown

JSON = "application/vnd.pypi.simple.v1+json"
NEWEST = {name: Matrix().project(name).versions[-1] for name in ("keras", "tensorflow-cpu")}


def wheel(name, version, requires=(), members=(), tags="py3-none-any", python=">=3.9"):
    """Return the file name and the content of a wheel."""
    folder = "%s-%s.dist-info/" % (name.replace("-", "_"), version)
    lines = ["Metadata-Version: 2.1", "Name: " + name, "Version: " + version, "Requires-Python: " + python]
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr(
            folder + "METADATA", "\n".join(lines + ["Requires-Dist: " + item for item in requires]) + "\n\n"
        )
        for path, text in dict(members).items():
            archive.writestr(path, text)
    return "%s-%s-%s.whl" % (name.replace("-", "_"), version, tags), stream.getvalue()


class Index:
    """A package index: what it has is set by the test, what it is asked is recorded."""

    def __init__(self, server):
        self.url = "http://127.0.0.1:%d" % server.server_port
        #: path -> (status, headers, content), or a function of the request's headers that returns that.
        self.answers = {}
        #: (method, path, headers) of each request.
        self.requests = []
        self.projects = {}

    def add(self, filename, content, metadata=False, **fields):
        """Put a wheel on the index; ``metadata``: also its METADATA as a file."""
        name = filename.partition("-")[0].replace("_", "-")
        path = "/files/" + filename
        self.answers[path] = lambda headers: part_of(content, headers)
        entry = {"filename": filename, "url": "../.." + path, "size": len(content)}
        if metadata:
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                text = archive.read(next(item for item in archive.namelist() if item.endswith("METADATA")))
            self.answers[path + ".metadata"] = (200, {}, text)
            entry["core-metadata"] = {"sha256": "00"}
        self.projects.setdefault(name, []).append(dict(entry, **fields))
        page = json.dumps({"meta": {"api-version": "1.1"}, "name": name, "files": self.projects[name]})
        self.answers["/simple/%s/" % name] = (200, {"Content-Type": JSON}, page.encode())

    def paths(self):
        return [path for _, path, _ in self.requests]


def part_of(content, headers):
    """Answer as a server that sends parts of a file."""
    if "Range" not in headers:
        return 200, {}, content
    start, end = (int(number) for number in headers["Range"].partition("=")[2].split("-"))
    return 206, {"Content-Range": "bytes %d-%d/%d" % (start, end, len(content))}, content[start : end + 1]


def serve():
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            index.requests.append((self.command, self.path, dict(self.headers)))
            answer = index.answers.get(self.path, (404, {}, b""))
            status, headers, content = answer(dict(self.headers)) if callable(answer) else answer
            try:
                self.send_response(status)
                for name, value in dict({"Content-Length": str(len(content))}, **headers).items():
                    self.send_header(name, value)
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(content)
            except OSError:  # the client has given up
                pass

        do_HEAD = do_GET  # noqa: N815 - http.server names it

        def log_message(self, *arguments):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    index = Index(server)
    return server, index


@pytest.fixture
def index(tmp_path, monkeypatch):
    for name in list(os.environ):
        if name.startswith(("PIP_", "UV_")) or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    server, made = serve()
    monkeypatch.delenv("DEVICEKIT_OFFLINE")
    monkeypatch.setenv("DEVICEKIT_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_INDEX_URL", made.url + "/simple")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("NETRC", str(tmp_path / "none"))
    yield made
    server.shutdown()
    server.server_close()


def ask(goal="cpu", **arguments):
    """Ask until everything was read: on a busy machine the time limit may come first, and the next call goes on."""
    for _ in range(5):
        answer = ask_once(goal, **arguments)
        if not any("in time" in problem for problem in answer.source.problems):
            break
    return answer


def ask_once(goal="cpu", **arguments):
    return devicekit.resolve(goal, **dict({"python": "3.12", "platform": "linux-x86_64", "online": True}, **arguments))


def version(answer, name):
    pin = answer.pin(name)
    return pin.version if pin is not None else None


def test_a_release_that_appears_is_chosen_and_named(index):
    index.add(*wheel("keras", "99.0", ["numpy", "absl-py"]))
    answer = ask()
    assert (version(answer, "keras"), version(answer, "tensorflow-cpu")) == ("99.0", NEWEST["tensorflow-cpu"])
    source = answer.source
    assert (source.newer, source.problems, source.index) == (("keras 99.0",), (), index.url + "/simple")
    assert source.date == Matrix().date
    assert source.asked == time.strftime("%Y-%m-%d", time.gmtime())
    # Only what decides the question was asked for, once; a day long the answer comes from the cache.
    asked = [path for path in index.paths() if path.startswith("/simple/")]
    assert "/simple/keras/" in asked
    assert not [path for path in asked if "nvidia" in path or "torch" in path]
    assert len(asked) == len(set(asked)) < 15
    count = len(index.requests)
    assert ask() == answer
    assert len(index.requests) == count


def test_a_patch_release_that_is_asked_for_is_read(index):
    """The data say of tensorboard 2.15.0 that its wheel is like that of 2.15.2; what it declares is another thing."""
    index.add(*wheel("tensorboard", "2.15.0", ["protobuf<4.24,>=3.19.6"], tags="py3-none-any"))
    keep = ["tensorboard==2.15.0"]
    offline = ask(python="3.11", keep=keep, online=False)
    assert "taken to be like 2.15.2" in offline.pin("tensorboard").because
    answer = ask(python="3.11", keep=keep)
    assert "taken to be like" not in answer.pin("tensorboard").because
    assert Version(version(answer, "protobuf")) < Version("4.24")
    assert "tensorboard 2.15.0" in answer.source.newer
    count = len(index.requests)
    assert ask(python="3.11", keep=keep) == answer
    assert len(index.requests) == count
    # A question without it does not ask for it.
    assert ask(python="3.11").pin("tensorboard") is None


def test_a_release_older_than_the_data_is_read_when_it_is_asked_for(index):
    """The data have setuptools from 41 on: what TensorFlow 2.21 does with an older one is not what they can refuse."""
    for number in ("40.5.0", "40.6.0", "40.6.1"):
        index.add(*wheel("setuptools", number, tags="py2.py3-none-any", python=">=2.7"))
    keep = ["tensorflow-cpu==2.21.0", "setuptools==40.6.0"]
    offline = ask(python="3.11", keep=keep, online=False)
    assert [text for text in offline.obstacles if "no known release meets setuptools==40.6.0" in text], offline
    answer = ask(python="3.11", keep=keep)
    assert version(answer, "setuptools") == "40.6.0"
    assert answer.source.newer == ("setuptools 40.6.0",)
    # Its TensorBoard needs a newer one: that is the reason then.
    refused = ask(python="3.11", keep=["tensorflow-cpu==2.15.1", "setuptools==40.6.0"])
    assert any("setuptools>=41" in text for text in refused.obstacles), refused.obstacles


BUILD_INFO = (
    "import collections\nbuild_info = collections.OrderedDict([('cuda_version', '12.9'), ('cudnn_version', '9'), "
    "('cuda_compute_capabilities', ['sm_80', 'compute_90']), ('is_cuda_build', True)])\n"
)
TENSORFLOW = {
    "tensorflow/python/platform/build_info.py": BUILD_INFO,
    "tensorflow/core/framework/types_pb2.py": "# Protobuf Python Version: 6.31.1\n_version.ValidateProtobufRuntimeVersion(",
    "tensorflow/large.so": os.urandom(2 << 20),
}


def add_tensorflow(index, **fields):
    requires = ["keras>=3.12", "numpy>=2", "protobuf>=6.31.1", 'nvidia-cudnn-cu12<99,>=98; extra == "and-cuda"']
    made = wheel("tensorflow", "9.9.0", requires, TENSORFLOW, "cp312-cp312-manylinux_2_27_x86_64")
    index.add(*made, **fields)
    index.add(*wheel("nvidia-cudnn-cu12", "98.1", tags="py3-none-manylinux_2_27_x86_64"))
    return len(made[1])


def test_what_it_was_built_for_is_read_without_downloading_it_and_what_it_needs_is_asked_for(index):
    size = add_tensorflow(index)
    answer = ask("cuda", gpu="8.6")
    assert (version(answer, "tensorflow"), version(answer, "nvidia-cudnn-cu12")) == ("9.9.0", "98.1")
    assert set(answer.source.newer) == {"tensorflow 9.9.0", "nvidia-cudnn-cu12 98.1"}
    assert any("12.9" in need.text or "CUDA" in need.text for need in answer.needs)
    ranges = [headers["Range"] for _, path, headers in index.requests if path.startswith("/files/tensorflow-")]
    pairs = [tuple(map(int, item.partition("=")[2].split("-"))) for item in ranges]
    assert 0 < sum(end + 1 - start for start, end in pairs) < size // 2
    # A GPU that it has no code for: an older release is taken.
    assert version(ask("cuda", gpu="7.5"), "tensorflow") != "9.9.0"


def test_a_server_that_sends_whole_files_only(index):
    content_path = "/files/tensorflow-9.9.0-cp312-cp312-manylinux_2_27_x86_64.whl"
    add_tensorflow(index, metadata=True)
    index.answers[content_path] = (200, {}, b"PK" * (1 << 20))
    answer = ask("cuda", gpu="8.6")
    assert version(answer, "tensorflow") == "9.9.0"
    assert answer.source.problems == (
        "tensorflow 9.9.0: what its wheels were built for cannot be read (the server does not send parts of a file)",
    )


def test_without_metadata_files_and_without_parts_a_release_stays_unknown(index):
    filename, content = wheel("keras", "99.0")
    index.add(filename, content)
    index.answers["/files/" + filename] = (200, {}, content)
    answer = ask()
    assert version(answer, "keras") == NEWEST["keras"]
    assert answer.source.problems == ("keras 99.0: the server does not send parts of a file",)
    # It was not read, so that it is asked for again.
    index.answers["/files/" + filename] = lambda headers: part_of(content, headers)
    assert version(ask(), "keras") == "99.0"


def test_an_index_of_html_pages(index):
    filename, content = wheel("keras", "99.0", ["numpy"])
    index.add(filename, content, metadata=True)
    page = '<html><base href="%s/files/"><a href="%s#sha256=00" data-dist-info-metadata="sha256=00">%s</a></html>'
    index.answers["/simple/keras/"] = (
        200,
        {"Content-Type": "text/html"},
        (page % (index.url, filename, filename)).encode(),
    )
    answer = ask()
    assert (version(answer, "keras"), answer.source.problems) == ("99.0", ())
    assert [path for path in index.paths() if path.startswith("/files/")] == ["/files/%s.metadata" % filename]


def test_what_was_withdrawn_is_not_chosen(index):
    index.add(*wheel("keras", "99.0"), yanked="crashes")
    index.add(*wheel("keras", "98.0"), yanked=False)
    newest = {name: Matrix().project(name).versions[-1] for name in ("tensorflow", "tensorflow-cpu")}
    for project in newest:
        for build in Matrix().project(project).release(newest[project]).builds:
            for platform, pythons in build.wheels:
                for python in pythons:
                    tags = "%s-%s-%s" % (python, python, platform)
                    index.add(*wheel(project, newest[project], tags=tags), yanked="wrong results")
    answer = ask()
    assert version(answer, "keras") == "98.0"
    assert answer.source.newer == ("keras 98.0",)
    assert set(answer.source.withdrawn) == {"%s %s" % pair for pair in newest.items()}
    (pin,) = [pin for pin in answer.pins if pin.name in newest]
    assert Version(pin.version) < Version(newest[pin.name])
    # A withdrawn row needs no reading.
    assert not [path for path in index.paths() if path.startswith("/files/tensorflow")]


def slow(headers):
    time.sleep(30)
    return 200, {}, b""


def endless(headers):
    return 200, {"Content-Type": JSON, "Content-Encoding": "gzip"}, gzip.compress(b"[" + b" " * (40 << 20))


FAULTS = {
    "slow": (slow, "not answered in time"),
    "broken": ((200, {"Content-Type": JSON}, b'{"files": [{"filen'), "not a valid page of an index"),
    "of another shape": ((200, {"Content-Type": JSON}, b'{"files": [{"filename": 1}]}'), "not a valid page of an index"),
    "of another time": (
        (200, {"Content-Type": JSON}, b'{"meta": {"api-version": "2.0"}, "files": []}'), "not a valid page of an index"),
    "not numbers": ((200, {"Content-Type": JSON}, b"[" * 200000), "not a valid page of an index"),
    "a login page": ((200, {"Content-Type": "image/png"}, b"\x89PNG"), "not a page of an index but image/png"),
    "huge": (endless, "more than 32 MB"),
    "damaged": ((200, {"Content-Type": JSON, "Content-Encoding": "gzip"}, b"no gzip"), "damaged"),
    "failing": ((503, {}, b""), "HTTP status 503"),
    "to a file": ((302, {"Location": "file:///etc/passwd"}, b""), "HTTP status 302"),
    "in circles": ((302, {"Location": "/simple/keras/"}, b""), "HTTP status 302"),
}  # fmt: skip


@pytest.mark.parametrize("fault", sorted(FAULTS))
def test_a_bad_answer_is_one_bad_answer(index, fault):
    index.answers["/simple/keras/"], reason = FAULTS[fault]
    index.add(*wheel("ml-dtypes", "0.99.0", tags="cp312-cp312-manylinux_2_27_x86_64"))
    started = time.monotonic()
    answer = ask_once()
    assert time.monotonic() - started < 25
    for _ in range(5):  # a busy machine needs several calls, each of which goes on where the one before stopped
        if "ml-dtypes 0.99.0" not in answer.source.newer or not [
            text for text in answer.source.problems if text.startswith("keras: ")
        ]:
            answer = ask_once()
    assert version(answer, "keras") == NEWEST["keras"]
    assert "ml-dtypes 0.99.0" in answer.source.newer
    assert answer.source.problems == ("keras: %s" % reason,)


HOSTILE = {
    "not a requirement": ["numpy >>> 1"],
    "a marker that cannot be evaluated": ["numpy; python_version ~= 'x'"],
    "a terminal's sequence": ["numpy===1\x1b]0;x\x07"],
    "a number that Python does not read": ["numpy==" + "9" * 5000],
    "more than anyone requires": ["part%d" % number for number in range(5000)],
}


@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_metadata_that_are_not_valid(index, name):
    index.add(*wheel("keras", "99.0", HOSTILE[name]), metadata=True)
    answer = ask()
    assert version(answer, "keras") == NEWEST["keras"]
    assert answer.source.problems == ("keras 99.0: what its wheels declare is not valid",)


def test_files_that_are_not_archives_and_names_that_are_not_files(index):
    index.add("keras-99.0-py3-none-any.whl", b"PK" + b"\0" * 5000)
    index.projects["keras"] += [
        {"filename": "keras-98.0-py3-none-any.whl", "url": "file:///etc/passwd"},
        {"filename": "keras-97.0-py3-none-any\x1b.whl", "url": "x"},
        {"filename": "../keras-96.0-py3-none-any.whl", "url": "x"},
        {"filename": "keras-95.0+cu128-py3-none-any.whl", "url": "x"},
    ]
    index.add(*wheel("keras", "3.0.99"))
    answer = ask()
    assert version(answer, "keras") == NEWEST["keras"]
    assert answer.source.newer == ("keras 3.0.99",)
    assert answer.source.problems == ("keras 99.0: damaged",)


def test_no_network_unless_asked_for(index, monkeypatch, capsys):
    index.add(*wheel("keras", "99.0"))
    arguments = ["resolve", "cpu", "--python", "3.12", "--platform", "linux-x86_64"]
    assert version(ask(online=False), "keras") == NEWEST["keras"]
    assert main(arguments + ["--offline"]) == 0
    assert "keras==99.0" not in capsys.readouterr().out
    monkeypatch.setenv("DEVICEKIT_OFFLINE", "1")
    assert ask().source.problems == ("DEVICEKIT_OFFLINE is set",)
    monkeypatch.delenv("DEVICEKIT_OFFLINE")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    assert ask().source.problems == ("pip is configured with no-index",)
    monkeypatch.delenv("PIP_NO_INDEX")
    devicekit.diagnose()
    assert index.requests == []
    assert main(arguments) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "keras==99.0" in text
    assert "keras 99.0 from the package index on" in text
    assert "the rest from the bundled data of %s" % Matrix().date in text


def test_nothing_listens(index, monkeypatch, capsys):
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    answer = ask()
    (problem,) = answer.source.problems
    assert problem.startswith("http://127.0.0.1:9/simple: ")
    assert (answer.possible, answer.source.asked) == (True, "")
    assert main(["resolve", "cpu", "--python", "3.12", "--platform", "linux-x86_64"]) == 0
    assert "Not asked or answered" in capsys.readouterr().out


def test_credentials_go_to_their_server_and_nowhere_else(index, tmp_path, monkeypatch):
    token = "Basic " + base64.b64encode(b"me:s3cr/t").decode()
    server, other = serve()
    filename, content = wheel("keras", "99.0")
    other.answers["/files/" + filename] = lambda headers: part_of(content, headers)
    index.add(filename, content)
    index.answers["/files/" + filename] = (302, {"Location": "%s/files/%s" % (other.url, filename)}, b"")
    for path in [path for path in index.answers if path.startswith("/simple/")]:
        page = index.answers[path]
        index.answers[path] = lambda headers, page=page: (
            page if headers.get("Authorization") == token else (401, {}, b"")
        )
    monkeypatch.setenv("PIP_INDEX_URL", index.url.replace("http://", "http://me:s3cr%2Ft@") + "/simple")
    answer = ask()
    server.shutdown()
    server.server_close()
    assert version(answer, "keras") == "99.0"
    assert {headers.get("Authorization") for _, _, headers in index.requests} == {token}
    assert other.requests
    assert all("Authorization" not in headers for _, _, headers in other.requests)
    cached = [path.read_text() for path in (tmp_path / "cache").iterdir()]
    assert cached
    assert not [text for text in cached + [json.dumps(answer.to_dict()), repr(answer)] if "s3cr" in text]
    # Nor if the URL is wrong because of them.
    monkeypatch.setenv("DEVICEKIT_CACHE_DIR", str(tmp_path / "another"))
    for url in (
        "http://me:s3cr@127.0.0.1:1:2/simple",
        "http://me:s3cr/t@127.0.0.1/simple",
        "http://me:s3cr@[::1/x",
        "me:s3cr@",
    ):
        monkeypatch.setenv("PIP_INDEX_URL", url)
        source = ask().source
        assert "s3cr" not in json.dumps(source.to_dict()), url
        assert len(source.problems) == 2, url
        assert source.problems[0].startswith("not a valid URL of an index: "), url


def test_which_addresses_may_be_asked():
    client = Client(
        Configuration(("https://example.org/simple",), trusted=("mirror:8080", "plain")), time.monotonic() + 5
    )
    for url in ("http://example.org/x", "ftp://example.org/x", "gopher:x", "http:///x", "data:,x", "http://mirror/x"):
        with pytest.raises(IndexProblem) as caught:
            client.get(url, 100)
        assert "only" in str(caught.value), url
    with pytest.raises(IndexProblem, match="from https to something else"):
        client.redirected("https://example.org/x", "http://127.0.0.1/x")
    # Trusted: asked, and there is no such server.
    for url in ("http://mirror:8080/x", "http://plain/x"):
        with pytest.raises(IndexProblem) as caught:
            client.get(url, 100)
        assert "only" not in str(caught.value), url


def host(tmp_path, **description):
    folder = tmp_path / ("machine-%d" % len(list(tmp_path.iterdir())))
    folder.mkdir()
    (folder / "host.json").write_text(json.dumps(dict({"system": "linux", "home": "/home/me"}, **description)))
    return SimulatedHost(str(folder))


PIP = "[global]\nindex-url = https://one.example/simple/\ncert = ~/ca.pem\n[install]\ntrusted-host = a\n    b\n"
UV = """
[[index]]
name = "own"
url = "https://me:pw@own.example/simple"
[[index]]
url = "https://main.example/simple"
default = true
[[index]]
url = "https://torch.example/whl"
explicit = true
"""


def test_where_pip_would_look(tmp_path):
    read = read_configuration(host(tmp_path, files={"/home/me/.config/pip/pip.conf": PIP}))
    assert (read.indexes, read.certificate) == (("https://one.example/simple",), "/home/me/ca.pem")
    assert read.trusted == ("a", "b")
    # The environment's own file counts more, a variable most; the working folder's not at all.
    files = {
        "/etc/pip.conf": "[global]\nindex-url = https://etc.example\nextra-index-url = https://x.example https://y.example\n",
        "/home/me/.pip/pip.conf": PIP,
        "/usr/pip.conf": "[global]\nindex-url = https://site.example/\n",
    }
    python = {"prefix": "/usr"}
    machine = host(tmp_path, files=files, python=python)
    assert read_configuration(machine).indexes == ("https://site.example", "https://x.example", "https://y.example")
    machine = host(tmp_path, files=files, python=python, env={"PIP_INDEX_URL": "https://v.example/simple"})
    assert read_configuration(machine).indexes[0] == "https://v.example/simple"
    machine = host(tmp_path, files=files, env={"PIP_CONFIG_FILE": "/dev/null"})
    assert read_configuration(machine).indexes == (DEFAULT_INDEX,)
    machine = host(tmp_path, files={"/etc/pip.conf": "[global]\nno-index = true\n"})
    assert read_configuration(machine).offline == "pip is configured with no-index"
    machine = host(tmp_path, files={"/home/me/.config/pip/pip.conf": "index-url = x\n"})
    assert read_configuration(machine).problems == ("pip's configuration ~/.config/pip/pip.conf cannot be read",)
    windows = {"system": "windows", "home": "C:\\Users\\me", "env": {"APPDATA": "C:\\Users\\me\\AppData\\Roaming"}}
    machine = host(tmp_path, files={"C:\\Users\\me\\AppData\\Roaming\\pip\\pip.ini": PIP}, **windows)
    assert read_configuration(machine).indexes == ("https://one.example/simple",)


def test_what_an_installer_is_told_to_stay_within(tmp_path):
    files = {
        "/etc/xdg/pip/pip.conf": "[global]\nconstraint = /etc/caps.txt ignored/relative.txt\n",
        "/etc/caps.txt": "# caps\nTorch<=2.14.1 \\\n  --hash=sha256:0\nnumpy<2 ; python_version > '3'\n"
        "old==1; python_version < '3'\n-c more/of.txt\n--no-binary :all:\n./a/path.whl\nkeras\n",
        "/etc/more/of.txt": "numpy!=1.26.0\n-c ../caps.txt\n",
        "ignored/relative.txt": "tensorflow==1.15\n",
        "/srv/uv.txt": "jax<0.7\n",
    }
    machine = host(tmp_path, files=files)
    found = constraints(machine, "pip")
    assert (found["torch"].split(",")[0], sorted(found)) == ("<=2.14.1", ["numpy", "torch"])
    assert {"<2", "!=1.26.0"} == set(found["numpy"].split(","))
    assert constraints(machine, "uv") == {}
    assert constraints(host(tmp_path, files=files, env={"UV_CONSTRAINT": "/srv/uv.txt"}), "uv") == {"jax": "<0.7"}
    assert constraints(host(tmp_path, files=files, env={"PIP_CONSTRAINT": "/srv/uv.txt"}), "pip") == {"jax": "<0.7"}
    here = host(
        tmp_path,
        files=files,
        python={"cwd": "/srv"},
        env={"PIP_CONSTRAINT": "uv.txt https://one.example/caps.txt"},
    )
    assert constraints(here, "pip") == {"jax": "<0.7"}
    found = variables(here.environ(), here)  # for an installer, which runs elsewhere
    assert found["PIP_CONSTRAINT"] == "/srv/uv.txt https://one.example/caps.txt"


def test_releases_outside_of_bounds_are_known_and_not_taken():
    target = Target("3.12", "linux", "x86_64", "2.36", described=True)
    newest = solve(BUNDLED, target, [Need("torch")]).versions["torch"]
    limited = BUNDLED.within({"torch": "<" + newest, "of-nobody": "<1"})
    lower = solve(limited, target, [Need("torch")]).versions["torch"]
    assert Version(lower) < Version(newest)
    assert limited.project("torch").release(newest).yanked
    # What is there stays what it is, and is still known.
    assert solve(limited, target, [Need("torch")], installed={"torch": newest}).versions["torch"] == newest
    assert not BUNDLED.project("torch").release(newest).yanked


def test_where_uv_would_look(tmp_path):
    machine = host(tmp_path, env={"UV_DEFAULT_INDEX": "https://u.example/simple", "UV_INDEX": "x=https://i.example"})
    assert read_configuration(machine).indexes == ("https://u.example/simple", "https://i.example")
    machine = host(tmp_path, env={"UV_INDEX_URL": "https://u.example", "PIP_INDEX_URL": "https://p.example"})
    assert read_configuration(machine).indexes == ("https://p.example",)
    assert read_configuration(host(tmp_path, env={"UV_OFFLINE": "1"})).offline
    read = read_configuration(host(tmp_path, files={"/home/me/.config/uv/uv.toml": UV}))
    if read.problems:  # a Python without a parser for TOML says so
        assert "is not read by this Python" in read.problems[0]
        assert read.indexes == (DEFAULT_INDEX,)
        return
    assert read.indexes == ("https://main.example/simple", "https://me:pw@own.example/simple")
    assert "pw" not in repr(read)
    read = read_configuration(host(tmp_path, files={"/home/me/.config/uv/uv.toml": "[[index"}))
    assert read.problems == ("uv's configuration ~/.config/uv/uv.toml cannot be read",)


def test_an_index_in_a_folder(index, tmp_path, monkeypatch):
    folder = tmp_path / "simple" / "keras"
    folder.mkdir(parents=True)
    filename, content = wheel("keras", "99.0")
    (folder / filename).write_bytes(content)
    (folder / "index.html").write_text('<a href="%s">%s</a>' % (filename, filename))
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", (tmp_path / "simple").as_uri())
    index.add(*wheel("keras", "98.0"))
    answer = ask()
    assert (version(answer, "keras"), answer.source.problems) == ("99.0", ())
    assert set(answer.source.newer) == {"keras 98.0", "keras 99.0"}


def test_pages_and_urls():
    assert parse_html_page(b"<p>no links", "https://x/") == []
    for text in (b"[]", b"{}", b'{"files": 1}', b"", b"\xff"):
        with pytest.raises(ValueError):
            parse_json_page(text, "https://x/")
    assert shown("https://[bad") == "an invalid URL"
    assert shown("file:///srv/simple") == "file:///srv/simple"
