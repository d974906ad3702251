"""Do what the README tells a newcomer: clone, make a fresh environment, type its commands. Standard library only."""

import argparse
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def commands():
    """Return the README's commands by the name in the comment before their block (``<!-- newcomer: train -->``)."""
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as stream:
        text = stream.read()
    found = re.findall(r"<!-- newcomer: (\w+) -->\n```bash\n(.*?)```", text, re.S)
    return {name: block.strip() for name, block in found}


def main():
    """Run the commands in a clone and a fresh environment of the interpreter that runs this."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", choices=sorted(commands()), help="run only these of the commands")
    options = parser.parse_args()
    # The session's own environment must not leak into the newcomer's.
    environ = {k: v for k, v in os.environ.items() if k not in ("VIRTUAL_ENV", "PYTHONPATH", "PYTHONHOME")}
    with tempfile.TemporaryDirectory() as folder:
        clone, venv = os.path.join(folder, "devicekit"), os.path.join(folder, "venv")
        subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True, env=environ)
        subprocess.run([sys.executable, "-m", "venv", venv], check=True, env=environ)
        scripts = os.path.join(venv, "Scripts" if os.name == "nt" else "bin")
        environ.update(VIRTUAL_ENV=venv, PATH=scripts + os.pathsep + environ["PATH"], PIP_DISABLE_PIP_VERSION_CHECK="1")
        for name, block in commands().items():
            if options.only is None or name in options.only:
                print("+ %s" % block, flush=True)
                # README commands are typed into a shell: here too, as one argument with nothing added.
                subprocess.run(["bash", "-euo", "pipefail", "-c", block], cwd=clone, env=environ, check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
