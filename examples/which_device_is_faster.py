"""Which device of this machine trains faster? Measures each for some seconds, then puts Keras on the fastest.

Run it with any framework that Keras runs on: ``python examples/which_device_is_faster.py [MODEL] [SECONDS]``. The models are
``resnet50``, ``mobilenet``, ``vgg16``, ``transformer``, ``lstm`` and ``mlp``. A second run finds the figures of the first.
"""

import sys

import devicekit

model = sys.argv[1] if len(sys.argv) > 1 else "mlp"
seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 5.0

result = devicekit.benchmark(model, seconds=seconds)  # the CPU and every accelerator that seems usable
print("training of %s%s" % (model, " (measured before)" if result.cached else ""))
print("%-8s %-28s %6s %14s %16s %8s" % ("device", "name", "batch", "per second", "95 % interval", "to CPU"))
for row in result.rows:
    if row.problem:
        print("%-8s %-28s %s" % (row.device, row.name[:28], row.problem))
        continue
    ratio = result.relative_to_cpu(row)
    interval = "%.1f to %.1f" % row.interval if row.interval else ""
    figures = (row.device, row.name[:28], row.batch_size, row.per_second, interval)
    print("%-8s %-28s %6d %14.1f %16s %8s" % (*figures, "%.2f" % ratio if ratio else ""))
if any(row.under_load for row in result.rows):
    print("other programs were busy: these figures are not kept")
if result.undecided:
    print("cannot tell which is the fastest: %s" % result.undecided)
for finding in result.findings:
    print("%s [%s] %s" % (finding.severity, finding.code, finding.summary))

# Later programs on this machine need this line only: the figures are kept as long as nothing changes that they depend on.
selection = devicekit.auto("fastest")
print(selection)
sys.exit(0 if result.measured and not selection.fallback else 1)
