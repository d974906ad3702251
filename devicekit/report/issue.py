"""The report of ``devicekit doctor --issue``: Markdown for a bug report, with the machine in it."""

import json

from ..diagnosis.findings import Diagnosis
from ..machine.facts import Machine
from ..machine.packed import pack
from ..selection.selection import Selection
from .screen import doctor_screen
from .terminal import Style

_TEMPLATE = """**devicekit {version} doctor**, as of {date}

```text
{screen}```

<details><summary>The machine: paste this page into <code>devicekit doctor --machine -</code></summary>

```text
{packed}
```

</details>
"""


def issue_text(machine: Machine, diagnosis: Diagnosis, selection: Selection, date: str) -> str:
    """Return at most 40 lines, without names of users, homes or hosts; ``date``: when it was made."""
    screen = doctor_screen(machine, diagnosis, selection, Style(unicode=True)).replace("`", "'")
    content = json.dumps(machine.to_dict(), separators=(",", ":")).encode("utf-8")
    return _TEMPLATE.format(
        version=machine.devicekit_version, date=date, screen=screen, packed="\n".join(pack(content))
    )
