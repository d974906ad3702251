"""A real Chromium without a window; nothing is downloaded: the browser and its driver are the system's."""

import shutil
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

ARGUMENTS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
    "--hide-scrollbars",
)  # fmt: skip


class Browser:
    """Opens pages from files at a width, in the light or in the dark, and keeps what the console says."""

    def __init__(self, driver, folder):
        self.driver = driver
        self.folder = folder
        self.pages = 0

    def open(self, html, width=1280, dark=False):
        self.pages += 1
        path = self.folder / ("page-%d.html" % self.pages)
        path.write_text(html, encoding="utf-8")
        return self.visit(path, width, dark)

    def visit(self, path, width=1280, dark=False):
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": [scheme]})
        self.driver.get(path.as_uri())
        return self.driver

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def console(self):
        """Return the new messages of the console."""
        return [entry["message"] for entry in self.driver.get_log("browser")]


@pytest.fixture(scope="session")
def chromium(tmp_path_factory):
    found = {name: shutil.which(name) for name in ("chromium", "chromedriver")}
    missing = [name for name, path in found.items() if path is None]
    if missing:
        pytest.fail("%s not found: apt-get install chromium chromium-driver" % " and ".join(missing))
    options = webdriver.ChromeOptions()
    options.binary_location = found["chromium"]
    for argument in ARGUMENTS:
        options.add_argument(argument)
    options.add_argument("--user-data-dir=%s" % tmp_path_factory.mktemp("profile"))
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(found["chromedriver"]))
    driver.set_page_load_timeout(60)
    yield driver
    driver.quit()


@pytest.fixture
def browser(chromium, tmp_path):
    chromium.get_log("browser")
    return Browser(chromium, Path(str(tmp_path)))
