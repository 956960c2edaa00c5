"""A server on the loopback that serves one file, and misbehaves as it is told to."""

import hashlib
import re
import threading
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PATIENCE = 30  # seconds a stalled answer waits for the test to end, if nothing ends it


class Server:
    """What is served, how the next requests are answered, and what was asked.

    ``script`` holds one behaviour for each of the next requests; when it is empty, the
    file is served as it should be.
    """

    def __init__(self, address, content):
        self.address = address
        self.content = content
        self.script = []
        self.ranges = True
        self.tag = None  # of the content; "" serves none
        self.requests = []
        self.closed = threading.Event()

    @property
    def etag(self):
        if self.tag is not None:
            return self.tag
        return f'"{hashlib.sha256(self.content).hexdigest()[:8]}"'


@contextmanager
def serving(content):
    """A server of the content, until the block ends."""

    class Handler(_Handler):
        server_state = Server("", content)

    httpd = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    httpd.daemon_threads = False  # joined when it closes: no thread outlives its test
    state = Handler.server_state
    state.address = f"http://127.0.0.1:{httpd.server_address[1]}"
    thread = threading.Thread(target=httpd.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield state
    finally:
        state.closed.set()
        httpd.shutdown()
        thread.join()
        httpd.server_close()


class _Handler(BaseHTTPRequestHandler):
    server_state: Server

    def do_GET(self):  # noqa: N802 - the name that http.server calls
        state = self.server_state
        state.requests.append((self.path, dict(self.headers)))
        behaviour = state.script.pop(0) if state.script else served
        # The other side may have given up, as some tests want it to.
        with suppress(ConnectionError):
            behaviour(self, state)
        self.close_connection = True

    def answer(self, code, body=b"", **headers):
        """Send a whole answer; Content-Length is that of the body unless given."""
        headers = {"Content_Length": str(len(body))} | headers
        self.send_response(code)
        for name, value in headers.items():
            if value is not None:
                self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()

    def log_message(self, *_):
        """Say nothing."""


# --- behaviours


def served(handler, state, *, code=None, body=None, **headers):
    """As it should be: the file, or the rest of it when that is what is asked for."""
    content = state.content
    start = _start(handler, state)
    if state.etag:
        headers = {"ETag": state.etag} | headers
    if start is None:
        handler.answer(code or 200, content if body is None else body, **headers)
    elif start >= len(content):
        handler.answer(416)
    else:
        span = f"bytes {start}-{len(content) - 1}/{len(content)}"
        headers = {"Content_Range": span} | headers
        rest = content[start:] if body is None else body
        handler.answer(code or 206, rest, **headers)


def _start(handler, state):
    """First byte of the range asked for; None when all is to be sent."""
    asked = handler.headers.get("Range")
    current = handler.headers.get("If-Range") == state.etag
    if not (state.ranges and asked and current):
        return None
    return int(re.fullmatch(r"bytes=(\d+)-", asked)[1])


def status(code, **headers):
    """An answer without the file."""
    return lambda handler, state: handler.answer(code, b"no\nfile", **headers)


def truncated(size):
    """The right headers, then so many bytes, then nothing."""

    def behave(handler, state):
        start = _start(handler, state) or 0
        rest = state.content[start:]
        length = str(len(rest))
        served(handler, state, body=rest[:size], Content_Length=length)

    return behave


def stalled(size):
    """So many bytes, and then silence with the connection held open."""

    def behave(handler, state):
        truncated(size)(handler, state)
        state.closed.wait(PATIENCE)

    return behave


def silent(handler, state):
    """No answer at all."""
    state.closed.wait(PATIENCE)


def dropped(handler, state):
    """The connection closed before a word."""


def instead(body, **headers):
    """Other bytes, as if they were the file."""
    return lambda handler, state: handler.answer(200, body, **headers)


def endless(handler, state):
    """More and more bytes, without saying how many."""
    handler.answer(200, Content_Length=None)
    while not state.closed.is_set():
        handler.wfile.write(b"x" * 10_000)


def wrong_range(handler, state):
    """A part that is not the one that was asked for."""
    handler.answer(206, b"?", Content_Range=f"bytes 0-0/{len(state.content)}")


def changed_to(content, then=served):
    """The file is another one from now on."""

    def behave(handler, state):
        state.content = content
        then(handler, state)

    return behave
