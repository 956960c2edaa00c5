"""Against a server that misbehaves: the right file, or one line and no file."""

import errno
import hashlib
import json
import os
import resource
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO

import numpy as np
import pytest

from mlbench.data import catalogue as known
from mlbench.data import fetch
from mlbench.data.catalogue import Entry, FileEntry
from mlbench.data.fetch import Patience, get
from mlbench.errors import DataError
from tests.data import http_server as server

CONTENT = np.random.default_rng(0).bytes(300_000)  # several chunks
OTHER = CONTENT[:-1] + bytes([CONTENT[-1] ^ 1])
HALF = len(CONTENT) // 2


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch):
    monkeypatch.setenv("no_proxy", "*")


@pytest.fixture
def web():
    with server.serving(CONTENT) as state:
        yield state


def entry(url, *mirrors, path="sub/a.arff", content=CONTENT):
    checksum = hashlib.sha256(content).hexdigest()
    file = FileEntry(path, len(content), checksum, url, mirrors)
    return Entry("toy", (file,), 0, 0, 0, 0.0, "mulan")


@pytest.fixture
def fetched(web, tmp_path, monkeypatch):
    """Fetch the toy set; gives the pauses that were made."""

    def run(*addresses, attempts=4, timeout=5.0, **options):
        toy = entry(*(addresses or [f"{web.address}/a"]))
        monkeypatch.setattr(known, "catalogue", lambda: {"toy": toy})
        pauses = []
        patience = Patience(timeout, attempts, pauses.append)
        get(["toy"], tmp_path, patience=patience, **options)
        return pauses

    return run


def place(folder):
    return folder / "sub" / "a.arff"


def names(folder):
    """All that is under the folder, hidden or not."""
    return sorted(path.name for path in (folder / "sub").iterdir())


def assert_right(folder):
    assert place(folder).read_bytes() == CONTENT
    assert names(folder) == ["a.arff"]


def one_line(caught):
    message = str(caught.value)
    assert "\n" not in message
    return message


# --- what goes well


def test_a_missing_file_is_fetched_whole_and_nothing_else_is_left(fetched, tmp_path):
    assert fetched() == []
    assert_right(tmp_path)


def test_the_fetched_files_are_returned_and_the_folder_is_made(
    web, tmp_path, monkeypatch
):
    monkeypatch.setattr(known, "catalogue", lambda: {"toy": entry(web.address)})
    folder = tmp_path / "new" / "data"
    assert get(["toy", "toy"], folder) == [place(folder)]
    assert get(["toy"], folder) == []
    assert len(web.requests) == 1


def test_a_file_that_is_there_never_touches_the_network(web, tmp_path, monkeypatch):
    monkeypatch.setattr(known, "catalogue", lambda: {"toy": entry(web.address)})
    monkeypatch.setattr(fetch, "_opener", None)
    place(tmp_path).parent.mkdir()
    place(tmp_path).write_bytes(CONTENT)
    assert get(["toy"], tmp_path) == []
    assert web.requests == []


def test_progress_ends_at_the_bytes_of_all_files(web, tmp_path, monkeypatch):
    files = [entry(web.address, path=path).files[0] for path in ("a", "b")]
    both = Entry("toy", tuple(files), 0, 0, 0, 0.0, "mulan")
    monkeypatch.setattr(known, "catalogue", lambda: {"toy": both})
    seen = []
    get(["toy"], tmp_path, lambda *counts: seen.append(counts))
    total = 2 * len(CONTENT)
    assert {of for _, of in seen} == {total}
    assert seen[-1] == (total, total)
    assert [here for here, _ in seen] == sorted(here for here, _ in seen)
    assert len(seen) > 4


def test_many_at_once_fetch_it_once(web, tmp_path, monkeypatch):
    monkeypatch.setattr(known, "catalogue", lambda: {"toy": entry(web.address)})
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: get(["toy"], tmp_path), range(4)))
    assert_right(tmp_path)
    assert len(web.requests) == 1


def test_a_redirect_to_another_http_address_is_followed(fetched, web, tmp_path):
    web.script = [server.status(302, Location=f"{web.address}/b")]
    fetched()
    assert_right(tmp_path)
    assert [path for path, _ in web.requests] == ["/a", "/b"]


# --- what goes wrong for a while


@pytest.mark.parametrize(
    "behaviour",
    [
        server.status(500),
        server.status(503),
        server.status(429),
        server.dropped,
        server.truncated(0),
        server.truncated(HALF),
        server.truncated(len(CONTENT) - 1),
    ],
)
@pytest.mark.parametrize("ranges", [True, False])
def test_a_passing_fault_is_waited_out(fetched, web, tmp_path, behaviour, ranges):
    web.ranges = ranges
    web.script = [behaviour]
    assert fetched() == [1.0]
    assert_right(tmp_path)


@pytest.mark.parametrize("behaviour", [server.silent, server.stalled(HALF)])
def test_silence_is_given_up_and_tried_again(fetched, web, tmp_path, behaviour):
    web.script = [behaviour]
    assert fetched(timeout=0.2) == [1.0]
    assert_right(tmp_path)


def test_a_transfer_goes_on_where_it_stopped(fetched, web, tmp_path):
    web.script = [server.truncated(HALF)]
    fetched()
    assert_right(tmp_path)
    (_, first), (_, second) = web.requests
    assert "Range" not in first
    assert second["Range"] == f"bytes={HALF}-"
    assert second["If-Range"] == web.etag


def test_another_run_goes_on_where_the_first_one_stopped(fetched, web, tmp_path):
    web.script = [server.truncated(HALF)]
    with pytest.raises(DataError, match=f"it ended after {HALF} of {len(CONTENT)} b"):
        fetched(attempts=1)
    assert not place(tmp_path).exists()
    fetched(attempts=1)
    assert web.requests[1][1]["Range"] == f"bytes={HALF}-"
    assert_right(tmp_path)


def test_a_date_marks_the_file_of_a_server_without_tags(fetched, web, tmp_path):
    date = "Mon, 01 Jan 2024 00:00:00 GMT"
    web.tag = ""
    body, length = CONTENT[:HALF], str(len(CONTENT))
    web.script = [server.instead(body, Content_Length=length, Last_Modified=date)]
    fetched()
    assert web.requests[1][1]["If-Range"] == date
    assert_right(tmp_path)


@pytest.mark.parametrize("tag", ["", 'W/"weak"'])
def test_without_a_sure_mark_it_starts_again(fetched, web, tmp_path, tag):
    web.tag = tag
    web.script = [server.truncated(HALF)]
    fetched()
    assert "Range" not in web.requests[1][1]
    assert_right(tmp_path)


def test_a_file_that_changed_between_two_parts_is_not_mixed(fetched, web, tmp_path):
    web.content = OTHER
    web.script = [server.truncated(HALF), server.changed_to(CONTENT)]
    fetched()
    assert web.requests[1][1]["If-Range"] != web.etag
    assert_right(tmp_path)


def test_a_server_that_hides_the_change_is_found_out_by_the_checksum(
    fetched, web, tmp_path
):
    web.tag = '"always the same"'
    web.content = bytes(len(CONTENT))
    web.script = [server.truncated(HALF), server.changed_to(CONTENT)]
    fetched()
    assert "Range" not in web.requests[2][1]
    assert_right(tmp_path)


def test_a_wrong_range_is_thrown_away(fetched, web, tmp_path):
    web.script = [server.truncated(HALF), server.wrong_range]
    fetched()
    assert_right(tmp_path)


def test_a_rest_the_server_cannot_give_is_fetched_anew(fetched, web, tmp_path):
    web.script = [server.truncated(HALF), server.status(416)]
    fetched()
    assert "Range" not in web.requests[2][1]
    assert_right(tmp_path)


@pytest.mark.parametrize(
    ("part", "note"),
    [
        (CONTENT[:HALF], None),
        (CONTENT[:HALF], "no JSON"),
        (CONTENT[:HALF], "[1, 2, 3]"),
        (CONTENT[:HALF], '["http://elsewhere.org/a", "x"]'),
        (OTHER[:HALF], "same"),
        (bytes(HALF), "same"),
        (OTHER, "same"),
        (CONTENT + b"more", "same"),
        (CONTENT, "same"),
    ],
)
def test_whatever_an_earlier_run_left_the_file_is_right(
    fetched, web, tmp_path, part, note
):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / ".a.arff.part").write_bytes(part)
    if note is not None:
        text = json.dumps([f"{web.address}/a", web.etag]) if note == "same" else note
        (tmp_path / "sub" / ".a.arff.part.json").write_text(text)
    fetched()
    assert_right(tmp_path)
    if part == CONTENT:
        assert web.requests == []


# --- what stays wrong


@pytest.mark.parametrize(
    ("behaviour", "reason", "requests"),
    [
        (server.status(404), "404 Not Found", 1),
        (server.status(403), "403 Forbidden", 1),
        (server.status(204), "204 No Content", 1),
        (server.status(500), "500 Internal Server Error", 4),
        (server.dropped, "Remote end closed connection without response", 4),
        (server.truncated(0), f"it ended after 0 of {len(CONTENT)} bytes", 4),
        (server.instead(OTHER), "it is not the file of the catalogue", 1),
        (
            server.instead(b"<html>"),
            f"it has 6 bytes, the catalogue's file has {len(CONTENT)}",
            1,
        ),
        (server.instead(CONTENT + b"x", Content_Length=None), "it is not the file", 1),
        (server.endless, "it is not the file of the catalogue", 1),
        (server.status(302, Location="file:///etc/hosts"), "file:///etc/hosts", 1),
        (server.status(302, Location="ftp://x.org/a"), "ftp://x.org/a", 1),
    ],
)
def test_a_lasting_fault_is_one_line_and_no_file(
    fetched, web, tmp_path, behaviour, reason, requests
):
    web.script = [behaviour] * 4
    with pytest.raises(DataError) as caught:
        fetched()
    message = one_line(caught)
    assert message.startswith(f"sub/a.arff cannot be fetched ({web.address}/a: ")
    assert reason in message
    assert len(web.requests) == requests
    assert not place(tmp_path).exists()
    assert all(name.startswith(".a.arff.part") for name in names(tmp_path))


def test_pauses_double_up_to_the_longest(fetched, web, tmp_path, monkeypatch):
    monkeypatch.setattr(fetch, "LONGEST_PAUSE", 3.0)
    web.script = [server.status(503)] * 4
    assert fetched(attempts=5) == [1.0, 2.0, 3.0, 3.0]
    assert_right(tmp_path)


def test_a_server_that_is_not_there_is_one_line(fetched, web, tmp_path):
    with server.serving(b"") as gone:
        address = gone.address
    with pytest.raises(DataError) as caught:
        fetched(f"{address}/a")
    assert f"{address}/a: Connection refused" in one_line(caught)
    assert names(tmp_path) == []


def test_https_is_never_left_for_http():
    redirects = fetch._Redirects()
    asked = fetch.request.Request("https://x.org/a")
    with pytest.raises(fetch._Failure, match="it redirects to 'http://x.org/b'"):
        redirects.redirect_request(asked, BytesIO(), 302, "", {}, "http://x.org/b")


@pytest.mark.parametrize("url", ["file:///etc/hosts", "ftp://x.org/a"])
def test_only_http_addresses_are_opened(fetched, tmp_path, url):
    with pytest.raises(
        DataError, match=f"cannot be fetched by its name, download {url}"
    ):
        fetched(url)
    assert not place(tmp_path).exists()
    assert fetch._opener().open(url) is None


def test_a_set_of_openml_is_answered_with_what_to_do(fetched):
    with pytest.raises(DataError, match="save OpenML's iris, comma-separated with the"):
        fetched("openml:iris")


def test_the_next_mirror_is_asked_when_one_has_not_the_file(fetched, web, tmp_path):
    web.script = [server.status(404), server.instead(OTHER)]
    fetched("openml:iris", *(f"{web.address}/{name}" for name in "abc"))
    assert [path for path, _ in web.requests] == ["/a", "/b", "/c"]
    assert_right(tmp_path)


def test_what_came_from_one_address_is_not_continued_from_another(
    fetched, web, tmp_path
):
    web.script = [server.truncated(HALF)]
    fetched(f"{web.address}/a", f"{web.address}/b", attempts=1)
    assert "Range" not in web.requests[1][1]
    assert_right(tmp_path)


def test_one_set_that_fails_does_not_keep_the_others(web, tmp_path, monkeypatch):
    sets = {
        "bad": entry(f"{web.address}/bad", path="bad.arff"),
        "good": entry(f"{web.address}/good", path="good.arff"),
    }
    monkeypatch.setattr(known, "catalogue", lambda: sets)
    web.script = [server.status(404)]
    with pytest.raises(DataError, match=r"^bad\.arff cannot be fetched"):
        get(sets, tmp_path)
    assert (tmp_path / "good.arff").read_bytes() == CONTENT


def test_an_unknown_set_is_refused_before_anything_is_fetched(web, tmp_path):
    with pytest.raises(DataError, match="did you mean 'emotions'"):
        get(["emotion"], tmp_path)


# --- the folder


def test_another_edition_is_kept_unless_it_may_be_overwritten(fetched, web, tmp_path):
    place(tmp_path).parent.mkdir()
    place(tmp_path).write_bytes(OTHER)
    with pytest.raises(DataError, match="is there with another checksum") as caught:
        fetched()
    one_line(caught)
    assert place(tmp_path).read_bytes() == OTHER
    assert web.requests == []
    web.script = [server.status(404)]
    with pytest.raises(DataError, match="404"):
        fetched(overwrite=True)
    assert place(tmp_path).read_bytes() == OTHER
    fetched(overwrite=True)
    assert_right(tmp_path)


@pytest.mark.parametrize(
    "path",
    [
        "../a",
        "/etc/a",
        "a/../../b",
        "",
        ".",
        "..",
        "a\\..\\..\\b",
        "C:/a",
        "C:a",
        "a\0",
    ],
)
def test_no_path_leads_out_of_the_folder(web, tmp_path, monkeypatch, path):
    toy = entry(web.address, path=path)
    monkeypatch.setattr(known, "catalogue", lambda: {"toy": toy})
    with pytest.raises(
        DataError, match="is not the name of a file inside of"
    ) as caught:
        get(["toy"], tmp_path)
    one_line(caught)
    assert web.requests == []


def test_a_file_in_the_place_of_the_folder_is_one_line(fetched, tmp_path):
    (tmp_path / "sub").write_text("")
    with pytest.raises(DataError, match=r"a\.arff: cannot be written \(") as caught:
        fetched()
    one_line(caught)


def test_a_folder_in_the_place_of_the_file_is_one_line(fetched, tmp_path):
    place(tmp_path).mkdir(parents=True)
    with pytest.raises(DataError) as caught:
        fetched()
    one_line(caught)
    with pytest.raises(DataError, match=r"cannot be written \(Is a directory\)"):
        fetched(overwrite=True)


def test_a_read_only_folder_is_one_line(fetched, tmp_path, monkeypatch):
    def read_only(*_, **__):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(fetch, "FileLock", read_only)  # the first file that is written
    with pytest.raises(DataError, match=r"cannot be written \(Read-only file system\)"):
        fetched()
    assert names(tmp_path) == []


def test_a_full_disk_is_one_line_and_is_not_kept_full(fetched, web, tmp_path):
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, hard))
    try:
        with pytest.raises(DataError, match=r"cannot be written \(") as caught:
            fetched()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    one_line(caught)
    assert len(web.requests) == 1
    assert names(tmp_path) == []
