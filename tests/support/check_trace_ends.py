#!/usr/bin/env python3
"""However a program ends, its trace is whole, or there is none and it says so.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    check_trace_ends.py PROGRAM REPORT [--no-forks]

PROGRAM is tests/unit/runtime/async/trace_ends.c, REPORT async-gpu-report.
"""

import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile

import check_trace

FAILED = []
OUTPUT = "output of the program\n"


def expect(what, got, wanted):
    if got != wanted:
        FAILED.append(what)
        print(f"{what}: {got!r}, not {wanted!r}")


class Ran:
    """How PROGRAM has ended, and what files it has left in `folder`."""

    def __init__(self, folder, end, file=None, wait=None, argument=None, **more):
        environment = dict(os.environ, ASYNC_GPU_NUM_THREADS="2", **more.pop("env", {}))
        if file:
            environment["ASYNC_GPU_TRACE"] = file
        command = [PROGRAM, end] + ([argument] if argument else [])
        process = subprocess.Popen(command, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, cwd=folder,
                                   env=environment, text=True,
                                   errors="replace", **more)
        before = ""
        if wait:
            while not before.endswith("ready\n"):
                line = process.stdout.readline()
                if not line:
                    break
                before += line
            process.send_signal(wait)
        output, errors = process.communicate(timeout=60)
        # The line that says where the trace is.
        self.errors = "".join(
            line for line in errors.splitlines(keepends=True)
            if not line.startswith("async-gpu: the trace is in "))
        self.output = before + output
        self.status = process.returncode
        self.number = process.pid
        self.files = sorted(os.listdir(folder))

    def expect(self, what, status, files, errors=""):
        expect(f"{what}: exit status", self.status, status)
        expect(f"{what}: files", self.files, files)
        if errors not in self.errors or (self.errors and not errors):
            expect(f"{what}: standard error", self.errors, errors)


def load(what, folder, name, ended):
    trace = check_trace.load_dump(REPORT, pathlib.Path(folder) / name)
    expect(f"{what}: problems", trace.check(), [])
    expect(f"{what}: ended", trace.other["ended"], ended)
    return trace


def in_folder(test):
    with tempfile.TemporaryDirectory() as folder:
        test(folder)


def ends_by_itself(folder):
    for end, status, ended, errors in (
            ("return", 0, "exit", ""), ("exit", 5, "exit", ""),
            ("error", 1, "error", "here.mlir:1:2: error: that failed"),
            ("abort", -signal.SIGABRT, "signal SIGABRT", "")):
        ran = Ran(folder, end, "run.trace")
        ran.expect(end, status, ["run.trace"], errors)
        expect(f"{end}: output", ran.output, OUTPUT)
        trace = load(end, folder, "run.trace", ended)
        expect(f"{end}: regions", len(trace.regions), 100)
        os.remove(f"{folder}/run.trace")


def is_ended_by_signals(folder):
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        ran = Ran(folder, "waits", "run.trace", wait=number)
        ran.expect(number.name, -number, ["run.trace"])
        trace = load(number.name, folder, "run.trace", f"signal {number.name}")
        expect(f"{number.name}: what waits", len(trace.other["waiting"]), 1)


def handles_a_signal(folder):
    """Its handler is in front: then the trace is that of the whole run."""
    for arguments in ({"file": "run.trace"}, {"argument": "run.trace"}):
        ran = Ran(folder, "handled", wait=signal.SIGINT, **arguments)
        ran.expect("handled", 0, ["run.trace"])
        trace = load("handled", folder, "run.trace", "exit")
        expect("handled: regions", len(trace.regions), 150)
        os.remove(f"{folder}/run.trace")


def forks(folder):
    # In the child, a sanitizer takes what its parent's threads have for lost.
    whole = {"ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}
    Ran(folder, "fork", "run.trace", env=whole).expect("fork", 0, ["run.trace"])
    trace = load("fork", folder, "run.trace", "exit")
    expect("fork: regions", len(trace.regions), 110)
    os.remove(f"{folder}/run.trace")
    ran = Ran(folder, "fork", "%p-%%.trace", env=whole)
    counts = {}
    for name in ran.files:
        trace = load("fork %p", folder, name, "exit")
        expect("fork %p: name", name, f"{trace.other['process']}-%.trace")
        counts[trace.other["process"] == ran.number] = len(trace.regions)
    expect("fork %p: regions", counts, {True: 110, False: 10})


def keeps_what_was_there(folder):
    """A file that cannot be written whole stays as it was."""
    path = pathlib.Path(folder) / "run.trace"
    path.write_text("before")
    ran = Ran(folder, "return", "run.trace", preexec_fn=lambda: (
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN),
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))))
    ran.expect("too large", 1, ["run.trace"],
               "error: the trace was not written to")
    expect("too large: output", ran.output, OUTPUT)
    expect("too large: file", path.read_text(), "before")
    os.remove(path)


def follows_links(folder):
    """A link stays, and what it leads to gets the trace; no name is guessed."""
    folder = pathlib.Path(folder)
    (folder / "link.trace").symlink_to("other.trace")
    (folder / "other.trace").symlink_to("run.trace")
    Ran(folder, "return", "link.trace").expect(
        "link", 0, ["link.trace", "other.trace", "run.trace"])
    load("link", folder, "run.trace", "exit")
    expect("link: is one", (folder / "link.trace").is_symlink(), True)
    for path in folder.iterdir():
        path.unlink()
    # The name beside it that another user of the folder would expect.
    (folder / "precious").write_text("before")
    ran = subprocess.run(
        ["sh", "-c", 'ln -s precious "run.trace.$$.tmp"; exec "$@"', "sh", PROGRAM,
         "return"], cwd=folder, check=False, stdout=subprocess.DEVNULL,
        env=dict(os.environ, ASYNC_GPU_TRACE="run.trace"))
    expect("guessed: status", ran.returncode, 0)
    expect("guessed: file", (folder / "precious").read_text(), "before")


def cannot_be_written(folder):
    path = pathlib.Path(folder) / "program.mlir"
    path.write_text("before")
    Ran(folder, "return", "program.mlir").expect(
        "another name", 1, ["program.mlir"], "name a file that ends in .trace, of which async-gpu-report --json makes JSON")
    expect("another name: file", path.read_text(), "before")
    path.unlink()
    ran = Ran(folder, "return", "/dev/full")
    ran.expect("full", 1, [], "No space left on device")
    expect("full: output", ran.output, OUTPUT)
    for file, why in (("nowhere/run.trace", "No such file or directory"),
                      ("..", "Is a directory"), ("x" * 5000, "too long")):
        ran = Ran(folder, "return", file)
        ran.expect(file[:20], 1, [], why)
        expect(f"{file[:20]}: output", ran.output, "")
    ran = Ran(folder, "return", argument="nowhere/run.trace")
    ran.expect("by a call", 3, [], "No such file or directory")
    Ran(folder, "return", "/dev/null").expect("null", 0, [])


def writes_into_pipes(folder):
    """A pipe has no name, and a link that leads to none."""
    for file in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
        ran = Ran(folder, "return", file)
        ran.expect(file, 0, [])
        for text in (OUTPUT, "AGPUDUMP"):
            expect(f"{file}: writes {text}", text in ran.output, True)


def drops_what_is_too_much(folder):
    ran = Ran(folder, "return", "run.trace",
              env={"ASYNC_GPU_TRACE_EVENTS": "64"})
    ran.expect("few", 0, ["run.trace"])
    trace = load("few", folder, "run.trace", "exit")
    expect("few: drops", trace.other["dropped"] > 0, True)


PROGRAM, REPORT = map(os.path.abspath, sys.argv[1:3])
for test in (ends_by_itself, is_ended_by_signals, handles_a_signal, forks,
             keeps_what_was_there, follows_links, cannot_be_written,
             writes_into_pipes, drops_what_is_too_much):
    # Thread sanitizer has no threads in the children of threads.
    if test is not forks or "--no-forks" not in sys.argv:
        in_folder(test)
sys.exit(1 if FAILED else 0)
