"""Releases on a package index of their makers' own, which the package registry does not have. Pure."""

import re
from functools import lru_cache
from typing import Any, Dict, List

from .matrix import Matrix, accepts
from .projects import Project
from .tables import IndexRow
from .target import Target

#: What the builds for another GPU bring in another form, from the same index.
_BUILT_IN = re.compile(r"(nvidia-|cuda-|triton|pytorch-triton)")


@lru_cache(maxsize=64)
def with_index(matrix: Matrix, row: IndexRow, target: Target) -> Matrix:
    """Return the data in which a project is what its makers' own index has of it, for a target.

    The releases are those of the registry in all but the code for GPUs and the libraries that it needs; their versions have
    the last part of the index's address as their label.
    """
    project = matrix.project(row.project)
    rows: List[Dict[str, Any]] = []
    requires: Dict[str, List[str]] = {}
    for version in project.versions if project is not None else ():
        release = project.release(version) if project is not None else None
        if release is None or release.yanked or not accepts(row.versions, version):
            continue
        for build in release.builds:
            wheels = {tag: " ".join(pythons) for tag, pythons in build.wheels if target.takes_platform(tag)}
            if wheels:
                requires[version] = [text for text in build.requires if not _BUILT_IN.match(text)]
                item = {"wheels": wheels, "requires": version, "kind": row.goal, "cuda": row.cuda, "source": row.url}
                item["capabilities"] = " ".join(row.code)
                label = "%s+%s" % (version, row.label)
                rows.append({"version": label, "requires_python": release.requires_python, "builds": [item]})
                break
    date = project.date if project is not None else ""
    return matrix.with_project(Project({"project": row.project, "date": date, "requires": requires, "rows": rows}))
