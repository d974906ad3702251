"""Converts the special notation of numpydoc for the site: ``versionadded`` and its like, choices in braces."""

import re

from griffe import Extension

_DIRECTIVE = re.compile(
    r"\n*^[ \t]*\.\. (versionadded|versionchanged|deprecated):: *(\S+)[ \t]*((?:\n[ \t]+\S.*)*)$", re.M
)
#: ``{"a", "b"}, optional``: read as in NumPy's own documentation, the first one would be the default.
_CHOICE = re.compile(r"^(\w[\w, ]* : )\{([^}\n]*)\}(?:, optional)?", re.M)
_WORDS = {
    "versionadded": "Added in version",
    "versionchanged": "Changed in version",
    "deprecated": "Deprecated since version",
}


class Directives(Extension):
    """Moves these directives from the end, where they would be part of the last section, below the summary."""

    def on_object(self, *, obj, **_):
        """Rewrite the docstring of an object."""
        if obj.docstring is None:
            return
        text = obj.docstring.value
        notes = []
        for kind, version, more in _DIRECTIVE.findall(text):
            notes.append("*%s %s.*%s" % (_WORDS[kind], version, " " + " ".join(more.split()) if more.strip() else ""))
        text = _CHOICE.sub(
            lambda match: match.group(1) + " or ".join(re.findall(r'"[^"]*"|\w+', match.group(2))),
            _DIRECTIVE.sub("", text),
        )
        if notes:
            head, gap, rest = text.partition("\n\n")
            text = "\n\n".join([head.rstrip(), *notes]) + (gap + rest if gap else "")
        obj.docstring.value = text
