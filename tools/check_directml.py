"""Compare what devicekit predicts of DirectML devices with what real TensorFlow lists, over random adapters and variables.

    python tools/check_directml.py --python ENV/bin/python                # 1,000 cases, other ones every day
    python tools/check_directml.py --python ENV/bin/python --cases 50 --seed 3

ENV has tensorflow-directml, or tensorflow-cpu 2.10 with tensorflow-directml-plugin; devicekit is the one next to this
file. The adapters are simulated (tests/hardware/directx.cc), which needs a C++ compiler. Each case goes through
everything that a user's machine does: the child process that asks DXCore, the facts that are made of its answer, the
prediction. Exit status 1 if a case differs.
"""

import argparse
import datetime
import os
import random
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [ROOT, os.path.join(ROOT, "tests", "hardware")]

import build  # noqa: E402
import directx_cases  # noqa: E402


def main():
    """Compare and print; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--python", default=sys.executable, help="an interpreter with a DirectML build of TensorFlow")
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=int(datetime.date.today().strftime("%Y%m%d")))
    options = parser.parse_args()
    generator = random.Random(options.seed)
    differences, empty = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        libraries = build.build_directx(folder)
        lister = directx_cases.Lister(options.python, libraries)
        os.environ["LD_LIBRARY_PATH"] = libraries  # for the children; this process loads none of them
        for number in range(options.cases):
            adapters, value = directx_cases.random_case(generator)
            listed = lister.names(adapters, value)
            predicted = directx_cases.predict(lister.write(adapters), value, lister.flavor, libraries)
            empty += not listed
            if listed != predicted:
                differences += 1
                print("case %d: DML_VISIBLE_DEVICES=%r" % (number, value))
                print("  lists    %s\n  predicted %s" % (listed, predicted))
                print("  " + directx_cases.adapter_lines(adapters).replace("\n", "\n  "))
        lister.close()
    print(
        "%s: %d cases (seed %d), %d without a device, %d differences"
        % (lister.flavor, options.cases, options.seed, empty, differences)
    )
    return 1 if differences or not options.cases else 0


if __name__ == "__main__":
    sys.exit(main())
