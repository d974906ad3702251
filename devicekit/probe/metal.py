"""Apple's GPUs, and whether the interpreter runs translated."""

from ..facts import Fact, Metal
from ..host import Host

__all__ = ["read_metal"]

_SYSCTL = "/usr/sbin/sysctl"


def read_metal(host: Host) -> Metal:
    """Return the Apple chip and whether this interpreter runs under Rosetta."""
    if host.system != "macos":
        return Metal(chip=Fact.absent(problem="not macOS"), rosetta=Fact.absent(problem="not macOS"))
    brand = _sysctl(host, "machdep.cpu.brand_string")
    chip = brand.or_none() or ""
    if chip and not chip.startswith("Apple"):
        brand = Fact.absent(brand.source, chip)
    translated = _sysctl(host, "sysctl.proc_translated")
    rosetta: Fact[bool] = Fact.unknown(translated.problem, translated.source)
    if translated.status == "value":
        rosetta = Fact.of(translated.content == "1", translated.source)
    elif translated.status == "absent":  # Intel Macs do not have this name
        rosetta = Fact.of(False, translated.source)
    return Metal(chip=brand, rosetta=rosetta)


def _sysctl(host: Host, name: str) -> "Fact[str]":
    source = "sysctl %s" % name
    try:
        answer = host.run([_SYSCTL, "-n", name])
    except OSError as error:
        return Fact.unknown(host.scrub(str(error)), source)
    if answer.status is None:
        return Fact.unknown(answer.stderr, source)
    if answer.status != 0:
        return Fact.absent(source)
    return Fact.of(answer.stdout.strip(), source)
