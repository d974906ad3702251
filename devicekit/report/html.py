"""A selection as HTML, for notebooks."""

from html import escape

from ..selection import Selection

__all__ = ["selection_html"]


def selection_html(selection: Selection) -> str:
    """Return a table with the device, the reason and the findings; every value is escaped."""
    rows = [
        ("device", "%s %s" % (selection.device, "(%s)" % selection.name if selection.name else "")),
        ("framework", selection.framework or "none"),
        ("why", selection.reason),
        ("verified", {True: "yes", False: "no", None: "not run"}[selection.verified]),
    ]
    for finding in selection.findings:
        text = finding.summary
        if finding.fix:
            text += " " + finding.fix[0].text + (": " + finding.fix[0].command if finding.fix[0].command else "")
        rows.append(("%s: %s" % (finding.severity, finding.code), text))
    body = "".join(
        '<tr><th scope="row" style="text-align:left">%s</th><td style="text-align:left">%s</td></tr>'
        % (escape(label), escape(value))
        for label, value in rows
    )
    return '<table class="devicekit"><caption>devicekit</caption>%s</table>' % body
