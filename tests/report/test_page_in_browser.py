"""The page in a real browser: opened from disk, read, sorted, filtered, switched.

Chromium is driven through its own protocol over two pipes, so that the tests need
nothing but Chromium (Debian: ``apt-get install chromium``).
"""

import fcntl
import json
import os
import select
import shutil
import time
from pathlib import Path

import pytest
import yaml

from mlbench.config import load_experiment
from mlbench.report.build import build
from mlbench.report.page import INDEX, PAGE, index, page
from mlbench.store import Store

FLAGS = (
    "--headless=new",
    "--no-sandbox",  # there is none for root, as in a container
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--remote-debugging-pipe",
)
PATIENCE = 30  # seconds for one answer; a stuck browser is a failure, not a hang
AWAY = 10  # above the file descriptors 3 and 4 that the protocol prescribes


class Browser:
    """One tab of a headless Chromium, and all it complained of or asked for."""

    def __init__(self, program: str, folder: Path):
        reads, self._out = (_away(fd) for fd in os.pipe())
        self._in, writes = (_away(fd) for fd in os.pipe())
        quiet = os.open(os.devnull, os.O_RDWR)
        moves = [(quiet, 0), (quiet, 1), (quiet, 2), (reads, 3), (writes, 4)]
        self._process = os.posix_spawn(
            program,
            [program, *FLAGS, f"--user-data-dir={folder}", "about:blank"],
            os.environ | {"HOME": str(folder)},
            file_actions=[(os.POSIX_SPAWN_DUP2, old, new) for old, new in moves],
        )
        for end in (quiet, reads, writes):
            os.close(end)
        self._rest, self._count = b"", 0
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self._session = None
        tab = self.call("Target.createTarget", url="about:blank")["targetId"]
        answer = self.call("Target.attachToTarget", targetId=tab, flatten=True)
        self._session = answer["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def close(self) -> None:
        """End the process, and wait for it."""
        self._session = None
        self.call("Browser.close")
        os.waitpid(self._process, 0)
        os.close(self._out)
        os.close(self._in)

    def call(self, method: str, **params):
        """Ask for one thing and wait for its answer."""
        self._count += 1
        asked = {"id": self._count, "method": method, "params": params}
        if self._session:
            asked["sessionId"] = self._session
        os.write(self._out, json.dumps(asked).encode() + b"\0")
        while True:
            heard = self._hear()
            if heard.get("id") == asked["id"]:
                assert "error" not in heard, (method, heard["error"])
                return heard["result"]
            self._note(heard)

    def _hear(self) -> dict:
        until = time.monotonic() + PATIENCE
        while b"\0" not in self._rest:
            left = max(0, until - time.monotonic())
            ready, _, _ = select.select([self._in], [], [], left)
            assert ready, f"no answer from Chromium within {PATIENCE} s"
            got = os.read(self._in, 1 << 20)
            assert got, "Chromium ended"
            self._rest += got
        message, _, self._rest = self._rest.partition(b"\0")
        return json.loads(message)

    def _note(self, event: dict) -> None:
        about = event.get("params", {})
        if event.get("method") == "Network.requestWillBeSent":
            self.requests.append(about["request"]["url"])
        elif event.get("method") == "Runtime.exceptionThrown":
            self.complaints.append(str(about["exceptionDetails"]))
        elif event.get("method") == "Runtime.consoleAPICalled":
            self.complaints.append(str(about["args"]))
        elif event.get("method") == "Log.entryAdded":
            self.complaints.append(about["entry"]["text"])

    def run(self, script: str):
        """What an expression in the page comes to, once it is settled."""
        answer = self.call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def open(self, path: Path, width: int = 1200, **media: str) -> None:
        """Load a file at a width of window; ``media`` are features of the system."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=900,
            deviceScaleFactor=1,
            mobile=False,
        )
        features = [{"name": k, "value": v} for k, v in media.items()]
        self.call("Emulation.setEmulatedMedia", media="screen", features=features)
        self.complaints.clear()
        self.requests.clear()
        self.call("Page.navigate", url=path.as_uri())
        self.run(
            "new Promise(done => document.readyState === 'complete' ? done() "
            ": addEventListener('load', () => done()))"
        )
        self.frame()

    def frame(self) -> None:
        """Wait until what was asked for is drawn."""
        self.run("new Promise(d => requestAnimationFrame(() => setTimeout(d)))")

    def press(self, key: str) -> None:
        """Press and release a key."""
        for kind in ("keyDown", "keyUp"):
            text = {"text": "\r"} if key == "Enter" and kind == "keyDown" else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=key, **KEYS[key], **text)
        self.frame()

    def write(self, text: str) -> None:
        """Type into what has the focus."""
        self.call("Input.insertText", text=text)
        self.frame()

    def point(self, selector: str, across: float = 0.5, down: float = 0.5) -> list:
        """Move the pointer over an element, at a share of its width and height."""
        place = self.run(
            f"{{const e = document.querySelector({json.dumps(selector)});"
            "e.scrollIntoView({block: 'center', behavior: 'instant'});"
            "const b = e.getBoundingClientRect();"
            f"[b.left + b.width * {across}, b.top + b.height * {down}]}}"
        )
        self._mouse("mouseMoved", place)
        self.frame()
        return place

    def click(self, selector: str) -> None:
        """Click in the middle of an element."""
        place = self.point(selector)
        for kind in ("mousePressed", "mouseReleased"):
            self._mouse(kind, place, button="left", clickCount=1)
        self.frame()

    def _mouse(self, kind: str, place: list, **more) -> None:
        x, y = place
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)


KEYS = {
    "Tab": {"windowsVirtualKeyCode": 9},
    "Enter": {"windowsVirtualKeyCode": 13},
    "End": {"windowsVirtualKeyCode": 35},
    "Home": {"windowsVirtualKeyCode": 36},
    "ArrowRight": {"windowsVirtualKeyCode": 39},
    "Escape": {"windowsVirtualKeyCode": 27},
}


def _away(fd: int) -> int:
    """The same pipe under a number that is not in the way."""
    moved = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, AWAY)
    os.close(fd)
    return moved


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        pytest.skip("no Chromium here (Debian: apt-get install chromium)")
    started = Browser(program, tmp_path_factory.mktemp("chromium"))
    yield started
    started.close()


@pytest.fixture(scope="session")
def files(tmp_path_factory):
    """A page and an index, with names that would be markup if they could."""
    folder = tmp_path_factory.mktemp("pages")
    config = folder / "toy.yaml"
    config.write_text(yaml.safe_dump(CONFIG, sort_keys=False))
    with Store(folder / "toy").writing() as store:
        store.append(records())
    made = build(load_experiment(config), folder)
    written = {"page": folder / "toy" / PAGE, "index": folder / INDEX}
    written["page"].write_text(page(made, store.records().values()), "utf-8")
    written["index"].write_text(index([made]), "utf-8")
    single = [r for r in store.records().values() if r["request"] != "4"]
    with Store(folder / "flat" / "toy").writing() as store:
        store.append(single)
    made = build(load_experiment(config), folder / "flat")
    written["flat"] = folder / "flat" / PAGE
    written["flat"].write_text(page(made, single), "utf-8")
    return written


EVIL, ODD = "<script>alert(1)</script>", "a_b%c&d"
CONFIG = {
    "title": EVIL,
    "datasets": ["emotions", "yeast", "scene"],
    "split": {"kind": "random", "train": 0.5, "repeats": 50},
    "dims": "2,4",
    "methods": {"ORI": "none", EVIL: "pca", ODD: "mddm"},
    "metrics": ["hamming_loss", "average_precision"],
    "published": [
        {
            "where": "Table 1",
            "dataset": name,
            "offset": {"hamming_loss": 1},
            "values": {"hamming_loss": {"ORI": 1.5}},
        }
        for name in ("emotions", "scene")
    ],
}


def records():
    """Fifty splits of two data sets; yeast has one that failed."""
    for place, dataset in enumerate(["emotions", "scene"]):
        for column, method in enumerate(CONFIG["methods"]):
            for request in ["1.0"] if method == "ORI" else ["2", "4"]:
                loss = 0.3 - 0.1 * place - 0.05 * column + 0.01 * float(request)
                for repeat in range(50):
                    yield record(dataset, method, repeat, request, loss)
    yield record("yeast", ODD, 0, "2", 0) | {
        "status": "failed",
        "metrics": {},
        "error": f"ValueError: {EVIL}",
    }


def record(dataset, method, repeat, request, loss):
    return {
        "dataset": dataset,
        "method": method,
        "repeat": repeat,
        "request": request,
        "setting": {},
        "dim": int(float(request)),
        "status": "ok",
        "key": f"{dataset} {method} {repeat} {request}",
        "parts": {},
        "metrics": {"hamming_loss": loss, "average_precision": 1 - loss},
        "seconds": {"fit": 0.5},
        "peak_mb": 100.0 + repeat,
    }


@pytest.fixture
def quiet(browser):
    """The browser; whatever was done, it had nothing to say and nothing to fetch."""
    yield browser
    assert browser.complaints == []
    assert [url for url in browser.requests if not url.startswith("file://")] == []
    assert len(browser.requests) == 1


def column(browser, part, number):
    """The text of one column of a table, row by row."""
    return browser.run(
        f"[...document.querySelectorAll('{part} tbody tr:not(.inside)')]"
        f".map(row => row.cells[{number}].textContent)"
    )


def pick(browser, part, label, option):
    """Choose from a list as the keyboard would."""
    browser.run(
        f"{{const l = [...document.querySelectorAll('{part} label')]"
        f".find(e => e.firstChild.textContent === {json.dumps(label)});"
        "const s = l.querySelector('select');"
        "s.value = [...s.options]"
        f".find(o => o.textContent === {json.dumps(option)}).value;"
        "s.dispatchEvent(new Event('change'))}"
    )
    browser.frame()


@pytest.mark.parametrize("name", ["page", "index", "flat"])
@pytest.mark.parametrize("width", [1200, 360])
def test_opens_from_disk_and_fits_the_window(quiet, files, name, width):
    quiet.open(files[name], width)
    assert quiet.run("document.querySelectorAll('tbody tr').length") > 0
    assert quiet.run("document.documentElement.scrollWidth") <= width


def test_names_are_shown_as_they_are(quiet, files):
    quiet.open(files["page"])
    assert quiet.run("document.querySelector('h1').textContent") == EVIL
    heads = quiet.run(
        "[...document.querySelectorAll('#results th button')].map(b => b.textContent)"
    )
    assert heads == ["data set", "dim", "ORI", EVIL, ODD]
    assert quiet.run("document.querySelectorAll('main script, main b').length") == 0


def test_a_heading_sorts_up_then_down_then_back(quiet, files):
    quiet.open(files["page"])
    before = column(quiet, "#results", 4)
    head = "#results th:nth-child(5)"
    seen = []
    for _ in range(3):
        quiet.click(f"{head} button")
        order = quiet.run(f"document.querySelector('{head}').getAttribute('aria-sort')")
        seen.append((order, column(quiet, "#results", 4)))
    assert seen == [
        ("ascending", sorted(before)),
        ("descending", sorted(before, reverse=True)),
        (None, before),
    ]
    assert before not in (sorted(before), sorted(before, reverse=True))


def test_lists_and_text_filter_and_last_when_the_metric_changes(quiet, files):
    quiet.open(files["page"])
    pick(quiet, "#results", "data set", "scene")
    pick(quiet, "#results", "dim", "4")
    assert column(quiet, "#results", 0) == ["scene"]
    loss = float(column(quiet, "#results", 2)[0].split()[0])
    pick(quiet, "#results", "metric", "Average precision")
    assert column(quiet, "#results", 0) == ["scene"]
    precision = float(column(quiet, "#results", 2)[0].split()[0])
    assert loss + precision == pytest.approx(1)
    pick(quiet, "#results", "data set", "all")
    pick(quiet, "#results", "method", ODD)
    quiet.click("#results input")
    quiet.write("EMO")
    assert column(quiet, "#results", 0) == ["emotions"]
    assert quiet.run("document.querySelectorAll('#results thead th').length") == 3
    status = quiet.run("document.querySelector('#results .status').textContent")
    assert status == "1 of 6"


def test_published_numbers_are_filtered_by_data_set(quiet, files):
    quiet.open(files["page"])
    assert column(quiet, "[data-part=against]", 1) == ["emotions", "scene"]
    pick(quiet, "#published", "data set", "scene")
    assert column(quiet, "[data-part=against]", 4) == ["1.5"]


def tip(browser, number=1):
    """What a figure reads out."""
    return browser.run(
        f"document.querySelector('.chart:nth-of-type({number}) .tip').innerText"
    ).split()


def test_a_figure_tells_its_values_to_the_pointer(quiet, files):
    quiet.open(files["page"])
    assert tip(quiet) == []
    quiet.point(".chart svg", across=0.95)
    said = tip(quiet)
    assert said[0] == "4"
    assert said[1:3] == [ODD, "0.1900"]  # the best first: 0.3 - 0.05 - 0.1 + 0.04
    assert EVIL in said
    quiet.point("h1")
    assert tip(quiet) == []


def test_a_figure_tells_its_values_to_the_keyboard(quiet, files):
    quiet.open(files["page"])
    quiet.run("document.querySelector('.legend button:last-child').focus()")
    quiet.press("Tab")
    assert quiet.run("document.activeElement.matches('.chart svg')")
    assert tip(quiet)[0] == "2"
    quiet.press("ArrowRight")
    assert tip(quiet)[0] == "4"
    quiet.press("ArrowRight")
    assert tip(quiet)[0] == "4"
    quiet.press("Home")
    assert tip(quiet)[0] == "2"
    quiet.press("Escape")
    assert tip(quiet) == []


def test_a_method_can_be_taken_out_of_the_figures(quiet, files):
    quiet.open(files["page"])
    paths = "document.querySelectorAll('.chart:first-child .line').length"
    assert quiet.run(paths) == 3
    quiet.click(".legend button:first-child")
    assert quiet.run(paths) == 2
    quiet.point(".chart svg")
    assert "ORI" not in tip(quiet)


def test_without_a_sweep_there_are_marks_for_each_data_set(quiet, files):
    quiet.open(files["flat"])
    assert quiet.run("document.querySelectorAll('.chart .line').length") == 0
    first = ".chart:first-child .mark"
    measured = quiet.run(f"document.querySelectorAll('{first}:not(.printed)').length")
    assert measured == 3 * 3  # methods; two data sets and their mean
    assert quiet.run(f"document.querySelectorAll('{first}.printed').length") == 2
    quiet.point(".chart svg", down=0.1)
    assert tip(quiet)[0] == "emotions"
    assert tip(quiet)[-2:] == ["published", "0.5"]  # 1.5, counted from 0


def test_trials_are_made_when_asked_for_and_a_page_at_a_time(quiet, files):
    quiet.open(files["page"])
    assert column(quiet, "#trials", 1) == []
    quiet.click("#trials summary")
    assert len(column(quiet, "#trials", 1)) == 100
    quiet.click("#trials .pages button:last-child")
    assert "page 2 of 6" in quiet.run(
        "document.querySelector('#trials .pages').textContent"
    )
    quiet.click("#trials input")
    quiet.write("valueerror")
    assert column(quiet, "#trials", 1) == ["yeast"]
    quiet.click("#trials tbody button")
    inside = quiet.run("document.querySelector('#trials .inside').innerText")
    assert f"ValueError: {EVIL}" in inside
    quiet.click("#trials tbody button")
    assert quiet.run("document.querySelector('#trials .inside')") is None


def test_dark_follows_the_system_until_the_button_says_otherwise(quiet, files):
    def dark():
        colour = quiet.run("getComputedStyle(document.body).backgroundColor")
        pressed = quiet.run("document.getElementById('theme').ariaPressed")
        return colour != "rgb(255, 255, 255)", pressed

    quiet.open(files["page"], **{"prefers-color-scheme": "light"})
    assert dark() == (False, "false")
    quiet.click("#theme")
    assert dark() == (True, "true")
    quiet.click("#theme")
    assert dark() == (False, "false")
    quiet.open(files["page"], **{"prefers-color-scheme": "dark"})
    assert dark() == (True, "true")


def test_the_keyboard_skips_to_the_results_and_sorts(quiet, files):
    quiet.open(files["index"])
    quiet.press("Tab")
    assert quiet.run("document.activeElement.textContent") == "Skip to the results"
    quiet.press("Enter")
    assert quiet.run("document.activeElement.id") == "main"
    quiet.run("document.querySelector('th button').focus()")
    quiet.press("Enter")
    assert quiet.run("document.querySelector('th').ariaSort") == "ascending"


def test_what_is_not_of_the_page_is_refused(browser, files):
    browser.open(files["page"])
    browser.run(
        "{const s = document.createElement('script'); s.textContent = 'window.bad = 1';"
        "document.body.append(s)}"
    )
    assert browser.run("window.bad") is None
    refused = browser.run("fetch('http://127.0.0.1:9/').then(() => 'sent', () => 'no')")
    assert refused == "no"
    complaints = [c for c in browser.complaints if "Content Security Policy" in c]
    assert any("inline script" in each for each in complaints)
    assert any("http://127.0.0.1:9/" in each for each in complaints)
