"""The built documentation in a real browser, opened from the disk: it fits, the console is empty, search and filters work."""

import os
import re
from pathlib import Path

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

PAGES = [
    "index.html",
    "tutorial.html",
    "how-to/windows.html",
    "explanation/numerics.html",
    "reference/api/use.html",
    "reference/command-line.html",
    "reference/json.html",
    "reference/codes/cudnn-missing.html",
    "reference/matrix/tensorflow.html",
]


@pytest.fixture(scope="session")
def site():
    folder = os.environ.get("DEVICEKIT_TEST_SITE")
    if not folder:
        pytest.fail("DEVICEKIT_TEST_SITE names no built site; `nox -s docs` builds one")
    return Path(folder)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("page", PAGES)
def test_a_page_fits_and_loads_nothing_from_elsewhere(browser, site, page, width, dark):
    browser.visit(site / page, width, dark)
    assert browser.run("return document.documentElement.scrollWidth") <= width
    paper = browser.run("return getComputedStyle(document.body).backgroundColor")
    assert (sum(int(part) for part in re.findall(r"\d+", paper)[:3]) < 200) is dark, paper
    resources = browser.run("return performance.getEntriesByType('resource').map(e => e.name)")
    assert [name for name in resources if not name.startswith("file:")] == []
    assert browser.console() == []


@pytest.mark.parametrize(
    "words, title",
    [
        ("cudnn-missing", "cudnn-missing"),
        ("find_batch_size", "find_batch_size"),
        ("DEVICEKIT_CACHE_DIR", "Environment variables"),
        ("zlibwapi.dll", "cudnn-missing"),
        ("GPU not used", "My GPU is not used"),
        ("cuInit", "My GPU is not used"),
        ("could not load dynamic library", "cuda-library-missing"),
        ("failed call to cuInit", "My GPU is not used"),
    ],
)
def test_the_search_finds(browser, site, words, title):
    driver = browser.visit(site / "index.html")
    field = driver.find_element(By.CSS_SELECTOR, ".md-search__input")
    browser.run("arguments[0].focus()", field)
    field.send_keys(words)
    # It searches while one types: the first answers are to the first letters.
    results = ".md-search-result__item"
    WebDriverWait(driver, 60).until(
        lambda _: any(title in item.text for item in driver.find_elements(By.CSS_SELECTOR, results)[:3])
    )
    assert browser.console() == []


def test_the_home_page_shows_its_output_whole(browser, site):
    browser.visit(site / "index.html")
    cut = "return Array.from(document.querySelectorAll('pre code')).filter(e => e.scrollWidth > e.clientWidth).length"
    assert browser.run("return document.querySelectorAll('pre code').length") >= 4
    assert browser.run(cut) == 0


def test_a_table_of_the_matrix_is_filtered(browser, site):
    driver = browser.visit(site / "reference" / "matrix" / "tensorflow.html")
    field = driver.find_element(By.CSS_SELECTOR, ".matrix-filter input")
    count = driver.find_element(By.CSS_SELECTOR, ".matrix-count")
    every = int(count.text.split()[-2])
    field.send_keys("2.15.1 WIN_amd64")
    shown = browser.run(
        "return Array.from(document.querySelectorAll('#table-tensorflow tbody tr'))"
        ".filter(row => !row.hidden).map(row => row.textContent)"
    )
    assert shown
    assert len(shown) < every
    assert all("2.15.1" in text and "win_amd64" in text for text in shown)
    assert count.text == "%d of %d rows" % (len(shown), every)
    field.clear()
    field.send_keys("no such thing")
    assert count.text == "0 of %d rows" % every
