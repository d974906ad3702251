"""Results as fragments for notebooks, and pages that cannot be drawn or written."""

import os
import stat
from html.parser import HTMLParser

import pytest
from measurements import HOSTILE, benchmark, comparison, diagnosis, selection, tuning

import devicekit
from devicekit.cli.main import main
from devicekit.cli.output import write_page
from devicekit.report.html.measurements import benchmark_report
from devicekit.testing import simulated_machine

RESULTS = {
    "selection": selection,
    "diagnosis": diagnosis,
    "comparison": comparison,
    "benchmark": benchmark,
    "tuning": tuning,
}


class Reader(HTMLParser):
    """Checks that elements are closed in order, and collects their text."""

    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.open, self.elements, self.attributes, self.text = [], [], [], ""
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.elements.append(tag)
        self.attributes += attrs
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


@pytest.mark.parametrize("name", sorted(RESULTS))
@pytest.mark.parametrize("text", ["", *HOSTILE], ids=range(len(HOSTILE) + 1))
def test_a_fragment_is_well_formed_and_harmless(name, text):
    read = Reader(RESULTS[name](text)._repr_html_())
    assert set(read.elements) <= {
        "div", "p", "strong", "code", "pre", "span", "br", "ul", "li", "details", "summary",
        "table", "caption", "thead", "tbody", "tr", "th", "td",
    }  # fmt: skip
    assert {attribute for attribute, _ in read.attributes} <= {"style", "class", "scope"}
    assert "numerics-divergent" in read.text
    assert all(item.isprintable() or item == "\n" for item in read.text)
    if text and text.isprintable():
        assert text in read.text


def test_a_fragment_shows_the_main_results():
    read = Reader(benchmark()._repr_html_()).text
    assert "gpu:0 is the fastest" in read
    assert "no memory" in read
    rows = benchmark().rows
    alone = benchmark().replace(rows=rows[:1], findings=())
    assert "fastest" not in Reader(alone._repr_html_()).text
    assert benchmark_report(alone.replace(rows=(rows[0].replace(steady=True),))).no_findings
    assert not benchmark_report(alone.replace(rows=(rows[0].replace(steady=False),))).no_findings
    read = Reader(comparison()._repr_html_()).text
    assert "The kernel gradient of encoder/block_5/dense (Dense) on gpu:0 has the wrong sign" in read
    assert "wrong sign" in read
    assert "from step 4" in read
    assert "and 5 more" in read
    assert "1.83 times as fast" in Reader(tuning()._repr_html_()).text
    read = Reader(diagnosis()._repr_html_()).text
    assert "1 error" in read
    assert "blocked: cudnn-missing" in read
    assert "No problems found" in Reader(devicekit.Diagnosis()._repr_html_()).text
    assert "DEVICEKIT_DEVICE=cpu python train.py" in Reader(selection()._repr_html_()).text


def test_a_fragment_says_a_cause_once():
    with simulated_machine("linux-cpu"):
        whole, asked = (Reader(devicekit.select_device(device)._repr_html_()).text for device in ("auto", "gpu"))
    assert whole.count("This machine has no GPU") == 1
    assert "'gpu' was asked for: This machine has no GPU" in asked


def test_a_fragment_needs_only_the_standard_library(run_json):
    code = "import json, sys; sys.path.insert(0, sys.argv[1]); import measurements as m\n"
    code += (
        "[item._repr_html_() for item in (m.selection(), m.diagnosis(), m.comparison(), m.benchmark(), m.tuning())]\n"
    )
    code += "print(json.dumps([name for name in ('matplotlib', 'numpy') if name in sys.modules]))"
    assert run_json(code, os.path.dirname(os.path.abspath(__file__))) == []


BLOCK = "import sys; sys.modules['matplotlib'] = None; sys.path.insert(0, sys.argv[1]); import devicekit, measurements as m\n"


@pytest.mark.parametrize(
    "call",
    [
        "from devicekit.report.rendering import record_page; record_page(m.benchmark())",
        "from devicekit.cli.output import check_drawing; check_drawing('report.html')",
    ],
)
def test_a_missing_library_is_named_with_the_command_that_installs_it(python, call):
    code = BLOCK + "try:\n    %s\nexcept devicekit.DevicekitError as error:\n    print(error)" % call
    message = python(code, os.path.dirname(os.path.abspath(__file__)))
    assert 'pip install "devicekit[report]"' in message


def test_a_missing_library_is_reported_before_the_measurement(python, tmp_path):
    code = "import sys; sys.modules['matplotlib'] = None; from devicekit.cli.main import main; sys.exit(main(sys.argv[1:]))"
    for verb in (["bench", "--model", "mlp"], ["verify", "--numerics"]):
        message = python(code, *verb, "--html", str(tmp_path / "report.html"), status=2)
        assert 'pip install "devicekit[report]"' in message
    assert list(tmp_path.iterdir()) == []


def test_a_page_is_written_whole_or_not_at_all(tmp_path):
    path = tmp_path / ("r\u00e9port %s.html" % ("(1)" if os.name == "nt" else "<1>"))  # Windows refuses the latter
    write_page(str(path), "<p>caf\u00e9</p>")
    assert path.read_bytes() == "<p>caf\u00e9</p>".encode("utf-8")
    path.chmod(0o640)
    write_page(str(path), "<p>two</p>")
    assert path.read_text(encoding="utf-8") == "<p>two</p>"
    if os.name != "nt":
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert [item.name for item in tmp_path.iterdir()] == [path.name]
    for wrong in (str(tmp_path), str(tmp_path / "no" / "where.html"), "", "a\0b.html"):
        with pytest.raises(devicekit.DevicekitError, match="cannot write the page"):
            write_page(wrong, "<p>three</p>")
    with pytest.raises(UnicodeEncodeError):
        write_page(str(path), "\ud800")
    assert path.read_text(encoding="utf-8") == "<p>two</p>"
    assert [item.name for item in tmp_path.iterdir()] == [path.name]


@pytest.mark.only_on("posix", reason="links and device files of POSIX")
def test_a_page_is_written_through_links_and_to_device_files(tmp_path):
    (tmp_path / "real").mkdir()
    link = tmp_path / "link.html"
    link.symlink_to(tmp_path / "real" / "page.html")
    write_page(str(link), "<p>one</p>")
    assert link.is_symlink()
    assert (tmp_path / "real" / "page.html").read_text() == "<p>one</p>"
    write_page(os.devnull, "<p>two</p>")
    assert not os.path.isfile(os.devnull)


def test_the_option_is_listed(capsys):
    for verb in ("doctor", "bench", "verify"):
        with pytest.raises(SystemExit):
            main([verb, "--help"])
        assert "--html FILE" in capsys.readouterr().out
