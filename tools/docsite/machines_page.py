"""The page of the machines that come with devicekit, for tests of programs that use it."""

from devicekit import diagnose, select_device, testing

from .markdown import plain

__all__ = ["machines_page"]

_HEAD = """# Bundled machines

`devicekit.testing.simulated_machine("NAME")` makes devicekit use one of these machines, and `devicekit.testing.load("NAME")`
returns it. They are snapshots of simulated hardware with typical software. See
[Test your library](../how-to/test-your-library.md).

| name | machine | selected device | findings |
|---|---|---|---|
"""


def machines_page() -> str:
    """Return the page."""
    lines = []
    for name in testing.machines():
        machine = testing.load(name)
        codes = [finding.code for finding in diagnose(machine).findings if finding.severity != "info"]
        chosen = select_device(machine=machine)
        device = chosen.device + (" (%s)" % chosen.platform if chosen.platform not in ("", "cpu") else "")
        row = ("`%s`" % name, plain(testing.describe(name)), plain(device), ", ".join("`%s`" % code for code in codes))
        lines.append("| %s | %s | %s | %s |" % row)
    return _HEAD + "\n".join(lines) + "\n"
