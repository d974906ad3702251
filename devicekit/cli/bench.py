"""``devicekit bench``: training speed of well-known models, with the options of tf_cnn_benchmarks.

Options with underscores can also be written with hyphens.
"""

import argparse
import io
import json
from typing import Any, Optional, Tuple, Union

from ..errors import DevicekitError
from ..runtime.scratch import replace_file
from .arguments import add_html, file_name, json_output, let_import, model
from .output import INTERRUPTED, cannot_write, check_drawing, print_note, show, write_record, write_text


def add_bench(verbs: Any) -> None:
    """Add the verb to the command's parser."""
    parser: argparse.ArgumentParser = verbs.add_parser(
        "bench",
        example="devicekit bench --compare cpu,gpu:0 --model mobilenet",
        parents=[model(), json_output()],
        help="measure the training speed of a model on each device",
        status="0: fine; 1: a row has no figures, or there is no framework; 2: wrong use; 130: interrupted (the finished rows"
        " are printed)",
    )
    parser.add_argument(
        "--device",
        "--compare",
        dest="devices",
        metavar="DEVICES",
        help="cpu,gpu:0,... (default: the CPU and every accelerator that seems usable)",
    )
    parser.add_argument(
        "--framework", dest="frameworks", nargs="+", metavar="NAME", help="one or more of tensorflow, jax, torch"
    )
    parser.add_argument(
        "--precision", nargs="+", metavar="NAME", help="one or more of float32, mixed_float16, mixed_bfloat16"
    )
    # Both can be given; then both are measured.
    parser.add_argument(
        "--xla",
        action="append_const",
        const=True,
        help="compile with XLA; with --no-xla also: compare both (default: what Keras does)",
    )
    parser.add_argument(
        "--no-xla", "--no_xla", dest="xla", action="append_const", const=False, help="do not compile with XLA"
    )
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--mode", metavar="NAME", help="training or inference (default: training)")
    mode.add_argument(
        "--inference", dest="mode", action="store_const", const="inference", help="the same as --mode inference"
    )
    _add_amounts(parser)
    add_html(parser)
    parser.add_argument(
        "--against", metavar="FILE", help="compare with the figures in a file, such as those of another machine"
    )
    parser.add_argument(
        "--figures", type=file_name, metavar="FILE", help="also write the figures to a file for --against"
    )
    parser.add_argument(
        "--plot", type=file_name, metavar="FILE", help="also write a figure: .svg, .png or .pdf (needs matplotlib)"
    )
    parser.set_defaults(run=_bench)


def _add_amounts(parser: argparse.ArgumentParser) -> None:
    """Add what says how much is measured, and for how long."""
    parser.add_argument(
        "--batch_size", "--batch-size", type=_size, metavar="N|auto", help="auto: the largest that fits on each device"
    )
    parser.add_argument(
        "--num_batches", "--num-batches", type=int, default=100, metavar="N", help="steps to measure (default: 100)"
    )
    parser.add_argument(
        "--num_warmup_batches",
        "--num-warmup-batches",
        type=int,
        default=10,
        metavar="N",
        help="minimum number of steps before the measurement; more as long as steps get faster (default: 10)",
    )
    parser.add_argument("--repeat", type=int, default=3, metavar="N", help="processes per row, in turns (default: 3)")
    parser.add_argument(
        "--seconds",
        type=float,
        default=60.0,
        metavar="SECONDS",
        help="start no new step of a row after this time (default: 60)",
    )
    parser.add_argument(
        "--timeout", type=float, default=900.0, metavar="SECONDS", help="end a process after this time (default: 900)"
    )


def _size(text: str) -> Union[int, str]:
    try:
        return text if text == "auto" else int(text)
    except ValueError:
        raise argparse.ArgumentTypeError("a number or auto expected, not %r" % text) from None


def _bench(options: argparse.Namespace) -> int:
    from ..measure.benchmark.result import BenchmarkInterrupted, figures_data, read_figures
    from ..report.benchmark import benchmark_text

    # Before spending minutes on measurements.
    _check_file(options.plot, (".svg", ".png", ".pdf"))
    _check_file(options.html, ())
    _check_file(options.figures, ())
    against = read_figures(options.against) if options.against else ()
    if options.against and not against:
        raise DevicekitError("%s has no figures: those that are taken under load are not written" % options.against)
    check_drawing(options.html or options.plot)
    try:
        result = _measured(options)
    except BenchmarkInterrupted as interrupted:
        result = interrupted.result
    result = result.replace(against=against)
    show(options.json, result, benchmark_text)
    if options.figures:
        data = figures_data(result)
        write_text(options.figures, json.dumps(data, indent=1) + "\n")
        if not data["figures"]:
            print_note("%s has no figures: those that are taken under load are not written" % options.figures)
    if options.plot:
        _save_plot(options.plot, result)
    if options.html:
        write_record(options.html, result)
    if result.interrupted:
        return INTERRUPTED
    return 1 if any(row.problem for row in result.rows) else 0


def _measured(options: argparse.Namespace) -> Any:
    from ..measure.benchmark.benchmark import benchmark

    let_import(options.model)
    return benchmark(
        options.model,
        devices=options.devices,
        framework=options.frameworks,
        batch_size=options.batch_size,
        num_batches=options.num_batches,
        num_warmup_batches=options.num_warmup_batches,
        mode=options.mode or "training",
        precision=options.precision,
        xla=options.xla,
        input_pipeline=options.input_pipeline,
        seed=options.seed,
        repeat=options.repeat,
        seconds=options.seconds,
        timeout_s=options.timeout,
        shape=options.shape,
        refresh=True,
    )


def _check_file(path: Optional[str], endings: Tuple[str, ...]) -> None:
    """Check that a file can be written, as far as possible without writing it."""
    from pathlib import Path

    if path is None:
        return
    if endings and not path.lower().endswith(endings):
        raise ValueError("%s: the file's name must end in %s" % (path, " or ".join(endings)))
    folder = Path(path).absolute().parent
    if not folder.is_dir():
        raise DevicekitError("%s cannot be written: there is no folder %s" % (path, folder))


def _save_plot(path: str, result: Any) -> None:
    from ..report.figures.drawing import figure
    from ..report.figures.throughput import throughput_panels

    content = io.BytesIO()
    figure(throughput_panels(result, 10.0), 10.0).savefig(content, format=path.lower().rpartition(".")[2])
    try:
        replace_file(path, content.getvalue())
    except OSError as error:
        raise cannot_write(path, error) from error
