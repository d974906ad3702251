"""Pages in a real browser: they fit, the console is empty, the buttons copy, and nothing hostile runs."""

import base64
import os
import re
from functools import lru_cache
from importlib.util import find_spec

import pytest
from measurements import HOSTILE, benchmark, comparison, diagnosis, selection, tuning
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

import devicekit
from devicekit.machine.probe import read_machine
from devicekit.machine.simulated import SimulatedHost
from devicekit.report.html.diagnosis import doctor_page
from devicekit.report.rendering import record_page

MACHINES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "machines")


def machine(name="linux-nvidia-no-cudnn"):
    return read_machine(SimulatedHost(os.path.join(MACHINES, name)))


def doctor(text="", name="linux-nvidia-no-cudnn"):
    if text:
        return doctor_page(machine(name), diagnosis(text), selection(text), made=text)
    found = machine(name)
    return doctor_page(found, devicekit.diagnose(found), devicekit.select_device(machine=found), made="today")


def fleet(text=""):
    """Some nodes alike, one of another kind, one without a snapshot; a text in every place that a node may fill."""
    alike = {"node%02d" % number: machine("linux-nvidia-server") for number in range(12)}
    others = {"odd" + text: machine("linux-nvidia-driver-too-old"), "bad": machine()}
    found = devicekit.cluster.examine_fleet(machines=dict(alike, **others))
    nodes = (*found.nodes, devicekit.cluster.FleetNode("gone" + text, None, "no route" + text))
    unlike = (devicekit.cluster.FleetDifference("name" + text, "package", text, ((text or None, ("odd" + text,)),)),)
    return record_page(found.replace(nodes=nodes, differences=found.differences + unlike), made=text)


PAGES = {
    "doctor": doctor,
    "fleet": fleet,
    "doctor-nothing": lambda text="": doctor(text, "linux-nothing-installed"),
    "bench": lambda text="": record_page(benchmark(text)),
    "numerics": lambda text="": record_page(comparison(text)),
    "tune": lambda text="": record_page(tuning(text)),
}
PAGES = {name: lru_cache(maxsize=None)(page) for name, page in PAGES.items()}  # drawing takes the time

#: Each text alone on a page with drawings, and several at once on every page.
HOSTILE_PAGES = [("bench", text) for text in HOSTILE]
HOSTILE_PAGES += [(name, " ".join(part)) for name in sorted(PAGES) for part in (HOSTILE[:4], HOSTILE[4:])]


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("name", sorted(PAGES))
def test_a_page_fits_and_can_be_read(browser, name, width, dark):
    browser.open(PAGES[name](), width, dark)
    assert browser.run("return document.documentElement.scrollWidth") <= width
    # Every word within the page: what is wider scrolls in its own box.
    assert browser.run(OUTSIDE, width) == []
    assert browser.run("return matchMedia('(prefers-color-scheme: dark)').matches") is dark
    paper = browser.run("return getComputedStyle(document.body).backgroundColor")
    assert (sum(int(part) for part in re.findall(r"\d+", paper)[:3]) < 200) is dark, paper
    assert browser.run("return performance.getEntriesByType('resource').map(e => e.name)") == []
    violations = accessibility(browser)
    assert violations == []
    assert browser.console() == []


OUTSIDE = """
const found = [];
for (const item of document.querySelectorAll('body *')) {
  const box = item.getBoundingClientRect();
  if (item.closest('.wide, .unseen, .skip, svg')) continue;
  if (box.width > 1 && box.right > arguments[0] + 1) found.push(item.outerHTML.slice(0, 120));
}
return found;
"""


def test_no_column_of_a_benchmark_is_cut(browser):
    browser.open(PAGES["bench"](), 1280)
    assert browser.run("return document.querySelectorAll('.wide table').length")
    cut = "return Array.from(document.querySelectorAll('.wide')).filter(e => e.scrollWidth > e.clientWidth).length"
    assert browser.run(cut) == 0


def accessibility(browser):
    """What axe-core finds: contrast, names, roles, order of headings, landmarks, focus."""
    folder = find_spec("axe_core_python").submodule_search_locations[0]
    path = os.environ.get("DEVICEKIT_AXE", os.path.join(folder, "axe.min.js"))
    with open(path, encoding="utf-8") as stream:
        browser.run(stream.read())
    browser.driver.set_script_timeout(60)
    return browser.driver.execute_async_script(
        "const done = arguments[0];"
        "axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice']}).then("
        "  result => done(result.violations.map(v => [v.id, v.nodes.slice(0, 3).map(n => n.html.slice(0, 160))])));"
    )


def test_headings_are_in_order_and_tables_have_captions(browser):
    for name, page in PAGES.items():
        browser.open(page())
        levels = browser.run("return [...document.querySelectorAll('h1,h2,h3,h4')].map(h => +h.tagName[1])")
        assert levels[0] == 1, name
        assert levels.count(1) == 1, name
        assert all(after - before <= 1 for before, after in zip(levels, levels[1:])), (name, levels)
        assert browser.run(
            "return [...document.querySelectorAll('table')].every(t => t.caption && t.caption.textContent)"
        )
        assert browser.run("return document.documentElement.lang") == "en"
        plots = browser.run(
            "return [...document.querySelectorAll('svg')].map(s => s.querySelector('title').textContent)"
        )
        assert all(plots), name
        assert len(browser.run("return [...document.querySelectorAll('[id]')].map(e => e.id)")) == len(
            set(browser.run("return [...document.querySelectorAll('[id]')].map(e => e.id)"))
        )


def paste(browser):
    """What the clipboard holds, as a user finds it: pasted into a field."""
    browser.run(
        "const area = document.createElement('textarea'); area.id = 'paste'; document.body.append(area); area.focus()"
    )
    area = browser.driver.find_element(By.ID, "paste")
    area.send_keys(Keys.CONTROL, "v")
    text = area.get_attribute("value")
    browser.run("document.getElementById('paste').remove()")
    return text


@pytest.mark.parametrize("without", [False, True], ids=["clipboard", "fallback"])
@pytest.mark.parametrize("name", sorted(PAGES))
def test_the_buttons_copy(browser, name, without):
    driver = browser.open(PAGES[name](), 360)
    if without:
        browser.run("Object.defineProperty(navigator, 'clipboard', {value: undefined, configurable: true})")
    else:
        driver.execute_cdp_cmd(
            "Browser.setPermission", {"permission": {"name": "clipboard-write"}, "setting": "granted"}
        )
    buttons = driver.find_elements(By.CSS_SELECTOR, "button.copy")
    assert buttons
    for button in buttons:
        wanted = driver.find_element(By.ID, button.get_attribute("aria-describedby")).get_attribute("textContent")
        button.click()
        WebDriverWait(driver, 10).until(lambda _, button=button: button.text == "Copied")
        assert paste(browser) == wanted
    status = driver.find_element(By.ID, "status")
    WebDriverWait(driver, 10).until(lambda _: status.get_attribute("textContent") == "The command was copied.")
    assert browser.console() == []


def test_the_command_is_selected_if_it_cannot_be_copied(browser):
    driver = browser.open(doctor())
    browser.run("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    browser.run("document.execCommand = () => false")
    button = driver.find_element(By.CSS_SELECTOR, "button.copy")
    button.click()
    WebDriverWait(driver, 10).until(lambda _: button.text == "Selected")
    assert browser.run("return String(getSelection())") == driver.find_element(By.CSS_SELECTOR, ".command code").text


def test_a_button_is_reached_and_pressed_with_the_keyboard(browser):
    driver = browser.open(doctor())
    for _ in range(12):
        driver.switch_to.active_element.send_keys(Keys.TAB)
        if driver.switch_to.active_element.get_attribute("class") == "copy":
            break
    button = driver.switch_to.active_element
    assert browser.run("return getComputedStyle(document.activeElement).outlineStyle") == "solid"
    button.send_keys(Keys.ENTER)
    WebDriverWait(driver, 10).until(lambda _: button.text == "Copied")
    assert driver.switch_to.active_element == button


@pytest.mark.parametrize(
    "name, text", HOSTILE_PAGES, ids=["%s-%d" % (name, n) for n, (name, _) in enumerate(HOSTILE_PAGES)]
)
def test_hostile_text_stays_text(browser, name, text):
    html = PAGES[name](" " + text)
    driver = browser.open(html)
    title = browser.run("return document.title")
    assert title.startswith("devicekit "), title
    for button in driver.find_elements(By.CSS_SELECTOR, "button.copy"):
        button.click()
    browser.run("document.querySelectorAll('details').forEach(item => { item.open = true; })")
    assert browser.run("return document.title") == title
    assert browser.run("return document.scripts.length") == 1
    assert browser.run("return document.querySelectorAll('img, iframe, object, embed, form, style style').length") == 0
    links = browser.run("return [...document.querySelectorAll('a')].map(a => a.getAttribute('href'))")
    assert all(link.startswith(("#", "https://", "http://")) for link in links), links
    attributes = browser.run(
        "return [...document.querySelectorAll('*')].flatMap(e => [...e.attributes].map(a => a.name))"
    )
    assert not [name for name in attributes if name.startswith("on")]
    assert "\x1b" not in html
    assert "\u202e" not in html
    if "{{" in text:
        assert "{{ 7 * 7 }}" in browser.run("return document.body.textContent")
    assert browser.console() == []


def test_the_content_security_policy_stops_injected_scripts(browser):
    # The second line of defense, tried: a script and a handler that someone had managed to put into the page.
    hole = "<script>document.title='ran'</script><img src=x onerror=\"document.title='ran'\">"
    browser.open(doctor().replace("<footer>", hole + "<footer>"))
    assert browser.run("return document.title").startswith("devicekit doctor")
    assert any("Content Security Policy" in message for message in browser.console())


def test_printed_it_is_open_light_and_without_buttons(browser):
    driver = browser.open(PAGES["numerics"](), dark=True)
    made = driver.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})
    assert base64.b64decode(made["data"]).startswith(b"%PDF-")
    # Folded again afterwards; while it is printed everything is open.
    assert browser.run("return document.querySelectorAll('details:not([open])').length") > 0
    browser.run("window.dispatchEvent(new Event('beforeprint'))")
    assert browser.run("return document.querySelectorAll('details:not([open])').length") == 0
    browser.run("window.dispatchEvent(new Event('afterprint'))")
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert browser.run("return getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert browser.run("return getComputedStyle(document.querySelector('button')).display") == "none"
    assert browser.console() == []


def test_the_failing_cell_is_marked_in_words(browser):
    driver = browser.open(doctor())
    cells = {
        item.get_attribute("data-part"): item.find_element(By.CSS_SELECTOR, ".state").text
        for item in driver.find_elements(By.CSS_SELECTOR, ".cell")
    }
    assert "fails" in cells["cuDNN"]
    assert "ok" in cells["NumPy"]
    assert [part for part, state in cells.items() if "fails" in state] == ["cuDNN"]
    driver.find_element(By.CSS_SELECTOR, ".cell-fails a").click()
    assert driver.current_url.endswith("#finding-1")
    assert "cudnn-missing" in driver.find_element(By.ID, "finding-1").text


def test_every_word_of_a_plot_is_within_it(browser):
    script = """
    return [...document.querySelectorAll('svg text')].filter(t => {
      const svg = t.ownerSVGElement.getBoundingClientRect(), box = t.getBoundingClientRect();
      return svg.width > 0 && (box.left < svg.left - 2 || box.right > svg.right + 2);
    }).map(t => t.textContent);
    """
    for name in ("bench", "numerics", "tune"):
        for width in (360, 1280):
            browser.open(PAGES[name](), width)
            assert browser.run(script) == [], (name, width)


def test_a_large_comparison_is_a_small_page(browser):
    html = record_page(comparison(layers=120, devices=tuple("gpu:%d" % place for place in range(9)), steps=300))
    assert len(html.encode("utf-8")) < 1000000
    browser.open(html, 360)
    assert browser.run("return document.documentElement.scrollWidth") <= 360
    assert "are drawn" in browser.run("return document.body.textContent")


def test_the_command_writes_the_page(browser, tmp_path, python):
    home = tmp_path / "home-of-wilhelmina"
    (home / ".keras").mkdir(parents=True)
    (home / ".keras" / "keras.json").write_text('{"backend": "nonsense"}', encoding="utf-8")
    path = tmp_path / "report.html"
    code = "import sys; from devicekit.cli.main import main; main(sys.argv[1:])"
    variables = {
        "HOME": str(home),
        "USER": "wilhelmina",
        "LOGNAME": "wilhelmina",
        "XLA_FLAGS": "--xla_gpu_cuda_data_dir=%s/cuda" % home,
        "LD_LIBRARY_PATH": "%s/lib" % home,
        "API_TOKEN": "secret-of-mine",
        "DEVICEKIT_CACHE_DIR": str(tmp_path / "cache"),
    }
    printed = python(code, "doctor", "--html", str(path), env=variables)
    assert "Ready on the CPU" in printed or "devicekit explain" in printed
    html = path.read_text(encoding="utf-8")
    for private in ("home-of-wilhelmina", "secret-of-mine", os.uname().nodename):
        assert private not in html
    browser.open(html, 360)
    assert browser.run("return document.querySelector('h1').textContent").startswith(("cpu", "no usable device"))
    assert browser.console() == []
