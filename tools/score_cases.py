"""Score ``devicekit.explain`` on real failures with known root causes.

    python tools/score_cases.py CASES.json [--verbose] [--only ID ...]

Each case has ``id``, ``log``, ``facts``, ``code`` (``none``: harmless), ``also_ok``. It counts as right when the first
finding of severity error or warning has ``code`` or one of ``also_ok``; a ``none`` case when there is no such finding.
"""

import argparse
import json
import sys

from devicekit import explain

BAR = 0.95


def first_code(case):
    """Return the code of the first finding above info, "none" where there is none."""
    for finding in explain(case["log"], facts=case["facts"]):
        if finding.severity != "info":
            return finding.code
    return "none"


def main():
    """Score all cases and print the wrong ones."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cases")
    parser.add_argument("--verbose", action="store_true", help="print the log of each wrong case")
    parser.add_argument("--only", nargs="*")
    options = parser.parse_args()
    with open(options.cases, encoding="utf-8") as stream:
        cases = [case for case in json.load(stream) if not options.only or case["id"] in options.only]
    right, silent, by_code = 0, 0, {}
    for case in cases:
        got = first_code(case)
        good = got == case["code"] or got in case["also_ok"]
        right += good
        silent += got == "none" and case["code"] != "none"
        by_code.setdefault(case["code"], []).append(good)
        if not good:
            print("%-14s expected %s%s, got %s" % (case["id"], case["code"], case["also_ok"] or "", got))
            if options.verbose:
                print("    %s\n    %s\n" % (case["facts"], case["log"].replace("\n", "\n    ")))
    for code, values in sorted(by_code.items()):
        if not all(values):
            print("%-32s %d of %d" % (code, sum(values), len(values)))
    print("%d of %d right (%.1f %%), %d without a finding" % (right, len(cases), 100.0 * right / len(cases), silent))
    return 0 if right >= BAR * len(cases) else 1


if __name__ == "__main__":
    sys.exit(main())
