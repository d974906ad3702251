"""What can be wrong. Pure functions: they see what the probe found, and nothing else, on whatever machine that was."""

from devicekit import Finding
from devicekit.diagnosis import Evidence, Fix

DOCS = "https://npu.example/docs/"


def visible(view):
    """Return the numbers of the devices that the user's variable leaves."""
    numbers = range(len(view.facts.get("devices", ())))
    value = view.env("NPU_VISIBLE_DEVICES")
    if value is None:
        return list(numbers)
    return [int(item) for item in value.split(",") if item.strip().isdigit() and int(item) in numbers]


def driver_too_old(view):
    """The driver is older than what the installed framework's row asks for."""
    needed = [row["driver"] for row in view.fitting_rows() if "driver" in row]
    driver = view.facts.get("driver", "")
    if driver and needed and number(driver) < number(min(needed, key=number)):
        yield Finding(
            code="npu-driver-too-old",
            severity="warning",
            summary="The NPU driver is version %s, and %s is needed." % (driver, min(needed, key=number)),
            evidence=(Evidence(driver, "/sys/module/npu/version"),),
            fix=(Fix("Install the current driver", "sudo npu-installer --upgrade"),),
            blocks=("npu",),
            url=DOCS + "driver",
        )


def permission_denied(view):
    """A device node that this user may not open: a code of devicekit's own says that already."""
    for number_, device in enumerate(view.facts.get("devices", ())):
        if not device["accessible"]:
            yield Finding(
                code="device-permission-denied",
                severity="warning",
                summary="%s exists, and this user may not open it." % device["node"],
                evidence=(Evidence(device["node"], "/dev"),),
                fix=(Fix("Join the group that owns it, and log in again", 'sudo usermod -aG npu "$USER"'),),
                blocks=("npu:%d" % number_,),
            )


def hidden(view):
    """A variable that hides every device."""
    if view.facts.get("devices") and not visible(view):
        yield Finding(
            code="device-hidden",
            severity="warning",
            summary="NPU_VISIBLE_DEVICES hides every NPU.",
            evidence=(Evidence("NPU_VISIBLE_DEVICES=%s" % view.env("NPU_VISIBLE_DEVICES"), "environment"),),
            fix=(Fix("Unset it", "unset NPU_VISIBLE_DEVICES"),),
            blocks=("npu",),
        )


def library_missing(view):
    """TensorFlow without our library. Where it is not known which there are, ``.value`` makes this "not evaluated"."""
    if not view.facts or view.machine.python.build("tensorflow") is None:
        return
    if not any("libnpu_tensorflow" in item.path for item in view.machine.python.plugins.value or ()):
        rows = view.fitting_rows("tensorflow")
        fixes = [Fix("Install it with the TensorFlow that it was built for", "devicekit resolve npu")] if rows else []
        yield Finding(
            code="npu-library-missing",
            severity="warning",
            summary="There is an NPU, and TensorFlow has no library for it.",
            evidence=(Evidence("no libnpu_tensorflow in tensorflow-plugins", "site-packages"),),
            fix=tuple(fixes),
            blocks=("tensorflow.npu",),
            url=DOCS + "tensorflow",
        )


def number(version):
    """Return a version as numbers that can be compared."""
    return [int(part) for part in version.split(".") if part.isdigit()]


#: Causes come before their symptoms.
RULES = (driver_too_old, permission_denied, hidden, library_missing)
