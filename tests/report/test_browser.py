#!/usr/bin/env python3
"""The report of a real failure in Chromium: no errors, the player and its marked lines, search, keyboard, light and
dark, two widths, and valid HTML. HEDDLE_SCREENSHOTS=DIR keeps a picture of each."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

HEDDLE = os.environ["HEDDLE"]
KERNELS = pathlib.Path(os.environ["KERNELS"])
SOURCES = pathlib.Path(os.environ["KERNEL_SOURCES"])
KERNEL = os.environ.get("REPORTED_KERNEL", "Account")
# A race in a file, a function and a variable whose names try to break out of the page.
EVIL = "x</script><script>document.title='injected'</script><img src=x onerror=document.title='injected'>'&\u202e"
HOSTILE_SOURCE = f"""#include <cassert>
#include <thread>
#line 1 "{EVIL}\\"\\n.cpp"
long amount __asm__("amount {EVIL}\\"");
void __attribute__((noinline)) add() __asm__("add {EVIL}\\"");
void add() {{ amount = amount + 1; }}
int main() {{
  std::thread first(add), second(add);
  first.join();
  second.join();
  assert(amount == 2);
}}
"""


def start_browser():
    options = webdriver.ChromeOptions()
    options.binary_location = os.environ["CHROMIUM"]
    for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                 "--disable-background-networking", "--no-first-run"):
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options, service=Service(os.environ["CHROMEDRIVER"]))


OVERLAPS = """
const boxes = [...document.querySelectorAll(
    'header > *, h2, .orders > div, .controls > *, .interleaving, .scroll, .pane, #commands, #figures')]
  .filter((node) => node.offsetParent !== null && node.getClientRects().length)
  .map((node) => [node, node.getBoundingClientRect()]);
const bad = [];
for (let i = 0; i < boxes.length; ++i) {
  for (let j = i + 1; j < boxes.length; ++j) {
    const [a, p] = boxes[i], [b, q] = boxes[j];
    if (a.contains(b) || b.contains(a)) continue;
    const width = Math.min(p.right, q.right) - Math.max(p.left, q.left);
    const height = Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top);
    const name = box => box.id || box.className || box.tagName;
    if (width > 1 && height > 1) bad.push(name(a) + ' and ' + name(b));
  }
}
if (document.documentElement.scrollWidth > window.innerWidth) bad.push('the page is wider than the window');
return bad;
"""


class Browser(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        done = subprocess.run([HEDDLE, "hunt", "--json", "--quiet", "--first", "--time", "10s", "--out", scratch.name,
                               "--", KERNELS / KERNEL / "kernel"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               text=True,
                              timeout=300)
        bug = json.loads(done.stdout)["bugs"][0]
        cls.page = pathlib.Path(bug["report"])
        cls.index = cls.page.parent / "index.html"
        cls.document = json.loads(cls.page.with_suffix(".json").read_text())
        cls.browser = start_browser()
        cls.addClassCleanup(cls.browser.quit)

    def setUp(self):
        self.resize(1280)
        self.browser.get(self.page.as_uri())

    def resize(self, width):
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                     {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})

    def colours(self, scheme):
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia",
                                     {"features": [{"name": "prefers-color-scheme", "value": scheme}]})

    def step(self):
        text = self.browser.find_element(By.ID, "position").text
        return int(text.split()[1]) - 1

    def press(self, *keys):
        self.browser.find_element(By.ID, "interleaving").send_keys(*keys)

    def keep(self, name):
        folder = os.environ.get("HEDDLE_SCREENSHOTS")
        if folder:
            self.browser.save_screenshot(str(pathlib.Path(folder) / f"{KERNEL}-{name}.png"))

    def test_opens_without_errors(self):
        self.keep("light")
        self.assertEqual([entry for entry in self.browser.get_log("browser")
                          if entry["level"] in ("SEVERE", "WARNING")], [])
        kind = self.document["cause"]["kind"].replace("_", " ")
        self.assertIn(kind, self.browser.find_element(By.ID, "cause").text)
        self.browser.get(self.index.as_uri())
        self.browser.find_element(By.LINK_TEXT, self.document["outcome"]["signature"]).click()
        self.assertEqual(self.browser.current_url, self.page.as_uri())
        self.assertEqual([entry for entry in self.browser.get_log("browser") if entry["level"] == "SEVERE"], [])

    def test_every_step_marks_the_line_it_is_at(self):
        steps = self.document["steps"]
        self.press(Keys.HOME)
        sources = {}
        for index, step in enumerate(steps):
            self.assertEqual(self.step(), index)
            if step.get("file") and step.get("line"):
                marked = self.browser.find_elements(By.CSS_SELECTOR, f".pane[data-thread='{step['thread']}'] code.at")
                if pathlib.Path(step["file"]).is_file():
                    text = sources.setdefault(step["file"], pathlib.Path(step["file"]).read_text().splitlines())
                    self.assertEqual(len(marked), 1, step)
                    shown = marked[0].get_attribute("textContent")
                    self.assertEqual(int(shown[:5]), step["line"])
                    self.assertEqual(shown[7:], text[step["line"] - 1].replace("\t", "    "))
            self.press(Keys.ARROW_RIGHT)
        self.assertEqual(self.step(), len(steps) - 1)

    def test_keyboard_goes_back_and_to_switches_and_causes(self):
        steps = self.document["steps"]
        self.press(Keys.END)
        self.press("k")
        self.assertEqual(self.step(), len(steps) - 2)
        self.press(Keys.HOME)
        self.press("n")
        self.assertEqual(steps[self.step()]["step"], "switch")
        self.press(Keys.HOME)
        self.press("c")
        self.assertTrue(steps[self.step()].get("in_cause") or steps[self.step()]["step"] == "failure")

    def test_buttons_do_what_the_keys_do(self):
        self.browser.find_element(By.ID, "to-first").click()
        self.browser.find_element(By.ID, "forward").click()
        self.assertEqual(self.step(), 1)
        self.browser.find_element(By.ID, "back").click()
        self.assertEqual(self.step(), 0)
        self.browser.find_element(By.ID, "to-last").click()
        self.assertEqual(self.step(), len(self.document["steps"]) - 1)

    def test_search_goes_to_the_next_match(self):
        self.press(Keys.HOME)
        self.press("/")
        search = self.browser.find_element(By.ID, "search")
        self.assertEqual(self.browser.switch_to.active_element, search)
        rows = self.browser.find_element(By.ID, "steps").find_elements(By.XPATH, "./*")
        matches = [index for index, row in enumerate(rows) if "join" in row.get_attribute("textContent").lower()]
        self.assertGreater(len(matches), 0)
        search.send_keys("join", Keys.ENTER)
        self.assertEqual(self.step(), next((index for index in matches if index > 0), matches[0]))

    def test_light_and_dark_differ(self):
        backgrounds = set()
        for scheme in ("light", "dark"):
            self.colours(scheme)
            self.browser.get(self.page.as_uri())
            self.keep(scheme)
            backgrounds.add(self.browser.execute_script("return getComputedStyle(document.body).backgroundColor"))
        self.colours("light")
        self.assertEqual(len(backgrounds), 2)

    def test_nothing_overlaps_at_two_widths(self):
        for width in (1280, 400):
            self.resize(width)
            self.browser.get(self.page.as_uri())
            self.keep(str(width))
            self.assertEqual(self.browser.execute_script(OVERLAPS), [], width)

    def test_the_html_is_valid(self):
        for page in (self.page, self.index):
            checked = subprocess.run([os.environ["TIDY"], "-q", "-e", "--drop-empty-elements", "no", page],
                                     stderr=subprocess.PIPE, text=True)
            self.assertEqual(checked.stderr, "", page)


class Hostile(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        (self.folder / "race.cpp").write_text(HOSTILE_SOURCE)
        subprocess.run([pathlib.Path(HEDDLE).parent / "heddle-c++", "-g", "-O1", "-o", self.folder / "race",
                        self.folder / "race.cpp", "-pthread"], check=True, timeout=300)

    def test_names_are_shown_and_not_obeyed(self):
        out = self.folder / f"out {EVIL}\n".replace("/", "_")
        found = subprocess.run([HEDDLE, "hunt", "--json", "--quiet", "--first", "--time", "10s", "--out", out,
                                "--sarif", self.folder / "found.sarif", "--junit", self.folder / "found.xml", "--",
                                self.folder / "race"],
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, timeout=300)
        bug = json.loads(found.stdout)["bugs"][0]
        self.assertTrue(any(EVIL in (access["file"] or "") for access in bug["cause"]["accesses"]), bug["cause"])
        self.assertIn(EVIL, json.dumps(json.loads((self.folder / "found.sarif").read_text()), ensure_ascii=False))
        xml.etree.ElementTree.parse(self.folder / "found.xml")
        browser = start_browser()
        self.addCleanup(browser.quit)
        for page in (pathlib.Path(bug["report"]), out / "index.html"):
            browser.get(page.as_uri())
            self.assertNotEqual(browser.title, "injected")
            self.assertEqual(browser.execute_script("return document.images.length"), 0)
            self.assertEqual([entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"], [])
        browser.get(pathlib.Path(bug["report"]).as_uri())
        self.assertEqual(browser.execute_script("return document.scripts.length"), 2)
        self.assertIn("x</script>", browser.find_element(By.TAG_NAME, "main").text)
        self.assertNotIn("\u202e", browser.find_element(By.TAG_NAME, "main").text)


class Sliced(unittest.TestCase):
    def test_what_the_failure_does_not_depend_on_is_pale(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        folder = pathlib.Path(scratch.name)
        subprocess.run([pathlib.Path(HEDDLE).parent / "heddle-c++", "-std=c++20", "-g", "-O1", "-UNDEBUG", "-o",
                        folder / "account", SOURCES / "Account" / "kernel.cpp", "-pthread"], check=True, timeout=300,
                       env={**os.environ, "HEDDLE_HOOKS": "branches"})
        found = subprocess.run([HEDDLE, "hunt", "--json", "--quiet", "--first", "--time", "10s", "--out",
                                folder / "out", "--",
                                folder / "account"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                                timeout=300)
        page = pathlib.Path(json.loads(found.stdout)["bugs"][0]["report"])
        steps = json.loads(page.with_suffix(".json").read_text())["steps"]
        browser = start_browser()
        self.addCleanup(browser.quit)
        browser.get(page.as_uri())
        rows = browser.find_elements(By.CSS_SELECTOR, "#steps li")
        pale = [index for index, row in enumerate(rows) if "irrelevant" in row.get_attribute("class").split()]
        self.assertEqual(pale, [index for index, step in enumerate(steps) if step.get("relevant") is False])
        self.assertTrue(pale)
        other = next(index for index, step in enumerate(steps) if step.get("relevant") and not step["in_cause"])
        self.assertNotEqual(rows[pale[0]].value_of_css_property("color"), rows[other].value_of_css_property("color"))
        self.assertIn("the failure depends on", browser.find_element(By.ID, "figures").text)


if __name__ == "__main__":
    unittest.main()
