"""``devicekit matrix``: what is known of a release."""

import argparse
from typing import Any

from .arguments import json_output
from .output import print_json, print_text


def add_matrix(verbs: Any) -> None:
    """Add the verb to the command's parser."""
    parser: argparse.ArgumentParser = verbs.add_parser(
        "matrix",
        example="devicekit matrix tensorflow 2.15",
        status="0: fine; 1: there is no such release; 2: wrong use",
        parents=[json_output()],
        help="show what is known of a release: wheels, requirements, CUDA version",
    )
    parser.add_argument("project", help="name on the package index: tensorflow, keras, jax, nvidia-cudnn-cu12, ...")
    parser.add_argument("version", nargs="?", help="a release (2.15.1) or a minor release (2.15); default: all")
    parser.set_defaults(run=_matrix)


def _matrix(options: argparse.Namespace) -> int:
    from ..errors import did_you_mean
    from ..matrix.matrix import Matrix
    from ..report.matrix import matching, matrix_data, matrix_text

    matrix = Matrix()
    project = matrix.project(options.project.lower().replace("_", "-"))
    if project is None:
        names = matrix.projects()
        near = did_you_mean(options.project, names) or "; the matrix has %s" % ", ".join(names)
        raise ValueError("unknown project %r%s" % (options.project, near))
    releases = matching(project, options.version)
    if options.json:
        print_json(matrix_data(project, releases, matrix, options.version))
    else:
        print_text(matrix_text(project, releases, matrix, options.version))
    return 0 if releases else 1
