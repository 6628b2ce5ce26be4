"""A headless browser, driven through the DevTools protocol over two pipes.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Nothing listens on a port, and nothing but Python's library is needed.
"""

import base64
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")


def find():
    """The browser's path, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """One page. `problems`: what it logged or requested that it should not."""

    def __init__(self, executable, width=1400, height=900):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_browser, self.out = os.pipe()
        self.into, from_browser = os.pipe()

        def place_pipes():
            # The browser reads from 3 and writes to 4.
            read = os.dup(to_browser)
            write = os.dup(from_browser)
            os.dup2(read, 3)
            os.dup2(write, 4)

        self.process = subprocess.Popen(
            [executable, "--headless", "--no-sandbox", "--disable-gpu",
             "--disable-dev-shm-usage", "--no-first-run",
             "--disable-background-networking", "--remote-debugging-pipe",
             f"--user-data-dir={self.folder.name}",
             f"--window-size={width},{height}", "about:blank"],
            close_fds=False, preexec_fn=place_pipes,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": self.folder.name,
                 "TMPDIR": self.folder.name})
        os.close(to_browser)
        os.close(from_browser)
        self.number, self.session, self.buffer = 0, None, b""
        self.answers, self.problems = {}, []
        target = next(info for info in
                      self.call("Target.getTargets")["targetInfos"]
                      if info["type"] == "page")
        self.session = self.call("Target.attachToTarget", flatten=True,
                                 targetId=target["targetId"])["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width,
                  height=height, deviceScaleFactor=1, mobile=False)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        try:
            self.session = None
            self.call("Browser.close")
            self.process.wait(20)
        except (RuntimeError, TimeoutError, OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.out)
        os.close(self.into)
        self.folder.cleanup()

    def read(self, seconds):
        ready, _, _ = select.select([self.into], [], [], seconds)
        if not ready:
            raise TimeoutError("the browser does not answer")
        got = os.read(self.into, 1 << 20)
        if not got:
            raise RuntimeError("the browser has ended")
        *messages, self.buffer = (self.buffer + got).split(b"\0")
        for text in messages:
            message = json.loads(text)
            if "id" in message:
                self.answers[message["id"]] = message
            else:
                self.note(message["method"], message.get("params", {}))

    def note(self, method, params):
        if method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.problems.append(details.get("exception", {}).get(
                "description", details["text"]))
        elif method == "Runtime.consoleAPICalled":
            self.problems.append(f"console: {params['type']} {params['args']}")
        elif method == "Log.entryAdded":
            self.problems.append(f"log: {params['entry']['text']}")
        elif method == "Network.requestWillBeSent":
            url = params["request"]["url"]
            if not url.startswith("file:"):
                self.problems.append(f"request: {url}")

    def call(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + 60
        while self.number not in self.answers:
            self.read(max(deadline - time.monotonic(), 0))
        answer = self.answers.pop(self.number)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def ask(self, expression):
        """The value of JavaScript in the page."""
        result = self.call("Runtime.evaluate", expression=expression,
                           returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def open(self, path):
        """Shows a file; returns how many milliseconds it took to be drawn."""
        self.call("Page.navigate", url=pathlib.Path(path).resolve().as_uri())
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            ready = self.ask("document.documentElement?.dataset.ready")
            if ready or self.problems:
                return float(ready or 0)
            time.sleep(0.02)
        raise TimeoutError("the page is not drawn")

    def settle(self):
        """Waits until what was asked for has been drawn."""
        self.ask("new Promise(done => requestAnimationFrame(() => "
                 "requestAnimationFrame(() => done(0))))")

    def move(self, x, y):
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        self.settle()

    def drag(self, start, end, shift=False):
        """With the left button, from one place to another."""
        for kind, (x, y), buttons in (("mousePressed", start, 1), ("mouseMoved", end, 1),
                                      ("mouseReleased", end, 0)):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left",
                      buttons=buttons, clickCount=1, modifiers=8 if shift else 0)
            self.settle()

    def press(self, key):
        codes = {"Tab": 9, "Enter": 13, "Escape": 27, "ArrowLeft": 37,
                 "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}
        text = {"text": key} if len(key) == 1 else {}
        if key == "Enter":
            text = {"text": "\r"}
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key,
                      windowsVirtualKeyCode=codes.get(key, 0),
                      **(text if kind == "keyDown" else {}))
        self.settle()

    def type(self, text):
        self.call("Input.insertText", text=text)
        self.settle()

    def screenshot(self, path):
        image = self.call("Page.captureScreenshot", format="png")["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(image))

    def prefer(self, scheme):
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": scheme}])
        self.settle()
