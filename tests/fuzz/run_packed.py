#!/usr/bin/env python3
"""Runs the programs that lie beside it, and compares what they print.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    FOLDER/run [--device cuda|emu] [--jobs N] [--seconds N] [--total N] [--json FILE]
               [--under COMMAND] [--only TEXT] [--first-way]

FOLDER is what pack.py has made. Each program runs in each of its settings, all programs
in the first one before any in the second; --jobs processes run them, one after the other
each (run_packed.c). A program has --seconds, and after --total seconds no other begins.
A line for each that differs, and a summary, go to standard output, and all results to
FILE (FOLDER/summary.json): of those that differ with what they have printed. --under runs
the processes by a command, such as "compute-sanitizer --error-exitcode 9". --only takes
the programs with TEXT in their names, and --first-way the first settings alone. The exit
status is 1 if one differs. It needs Python alone.
"""

import argparse
import json
import os
import pathlib
import queue
import re
import select
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
KEPT = 4000  # Characters of what a program has printed.
BEGIN = 120  # Seconds that a process has to begin: a GPU's context takes long.


def problem_of(expected, status, output, error):
    """What is wrong with a run, or None."""
    if status is None:
        return "no end"
    if status != expected["status"]:
        return f"exit status {status}, not {expected['status']}"
    if expected.get("is_checked_elsewhere"):
        return None
    if expected["words"] is not None:
        got = [int(word) for word in re.findall(r"-?\d+", output.partition("data =")[2])]
        wanted = expected["words"]
        if len(got) != len(wanted):
            return f"{len(got)} numbers, not {len(wanted)}"
        wrong = [at for at, (word, want) in enumerate(zip(got, wanted))
                 if want is not None and (word - want) % 2**64]
        if wrong:
            at = wrong[0]
            return (f"{len(wrong)} numbers of {len(got)} differ, number {at} is "
                    f"{got[at] % 2**64:#x}, not {wanted[at] % 2**64:#x}")
    else:
        got, wanted = output.splitlines(), expected["output"].splitlines()
        if expected["is_unordered"]:
            got, wanted = sorted(got), sorted(wanted)
        if got != wanted:
            at = next((at for at, (a, b) in enumerate(zip(got, wanted)) if a != b),
                      min(len(got), len(wanted)))
            shown = [lines[at] if at < len(lines) else "nothing" for lines in (got, wanted)]
            return f"line {at + 1} is {shown[0]}, not {shown[1]}"
    if bool(error) == (expected["status"] == 0) or "alive at the end" in error:
        return "standard error"
    if expected["error"] not in error:
        return f"standard error is not {expected['error']}"
    return None


class Host:
    """A process that runs programs, begun again where one has ended it."""

    def __init__(self, arguments, folder):
        self.arguments, self.process = arguments, None
        self.said = []  # By the tool that it runs under.
        self.output, self.error = folder / "out", folder / "err"

    def begin(self, environment, keeps):
        """Whether it is ready."""
        command = [*shlex.split(self.arguments.under), str(HERE / "run_packed")]
        command += ["keep"] * keeps + [str(self.output), str(self.error)]
        self.key = environment, keeps
        self.output.write_text("")
        self.error.write_text("")
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0,
            stderr=subprocess.DEVNULL, start_new_session=True,
            env={**os.environ, "ASYNC_GPU_DEVICE": self.arguments.device,
                 "ASYNC_GPU_LOG": "async", **environment})
        return self.answer(BEGIN) == "ready"

    def answer(self, seconds):
        """The next line that it says; None: none in time, "" where it has ended. What
        NVIDIA's tools print stands among its lines."""
        end = time.monotonic() + seconds
        line = b""
        while True:
            ready, _, _ = select.select([self.process.stdout], [], [],
                                        max(0, end - time.monotonic()))
            if not ready:
                return None
            read = os.read(self.process.stdout.fileno(), 1)
            if not read:
                return ""
            if read != b"\n":
                line += read
            elif line.startswith(b"===="):
                if not re.search(rb"= *$|COMPUTE-SANITIZER|ERROR SUMMARY", line):
                    self.said.append(line.decode(errors="replace"))
                line = b""
            else:
                return line.decode()

    def end(self):
        """Its exit status."""
        if not self.process:
            return None
        process, self.process = self.process, None
        process.stdin.close()
        try:
            status = process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            status = process.wait()
        process.stdout.close()
        return status

    def kill(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.end()

    def run(self, name, expected, way):
        """The exit status of the program, None: no end; and the seconds that it took."""
        environment = expected.get("environment", {})
        is_card = self.arguments.device == "cuda"
        # What fails ends its process, and needs no context that others use, too.
        keeps = is_card and expected["status"] == 0
        if self.process and self.key != (environment, keeps):
            self.end()
        begin = time.monotonic()
        if not self.process and not self.begin(environment, keeps):
            self.kill()
            return "no beginning", time.monotonic() - begin
        self.said = []
        begin = time.monotonic()
        settings = "".join(f" ASYNC_GPU_{setting}" for setting in way.split())
        self.process.stdin.write(f"{HERE / 'programs' / name}{settings}\n".encode())
        seconds = self.arguments.seconds + (BEGIN if is_card and not keeps else 0)
        answer = self.answer(seconds)
        taken = time.monotonic() - begin
        if answer is None:
            self.kill()
            return None, taken
        status = int(answer) if answer else self.end()
        if status and self.process:
            self.end()  # What has failed on a GPU fails for the rest of the process.
        return status, taken


class Results:
    def __init__(self, arguments):
        self.arguments, self.lock, self.all = arguments, threading.Lock(), []

    def add(self, name, way, expected, status, seconds, output, error, said=()):
        problem = status if isinstance(status, str) else \
            problem_of(expected, status, output, error) or "".join(said[:1])
        result = {"name": name, "way": way, "result": problem or "ok",
                  "seconds": round(seconds, 3)}
        if problem or expected.get("is_checked_elsewhere"):
            kept = 50 * KEPT if expected.get("is_checked_elsewhere") else KEPT
            result.update(status=status, output=output[:kept], error=error[:KEPT],
                          said="\n".join(said)[:KEPT])
        with self.lock:
            self.all.append(result)
            if problem and problem != "left out":
                print(f"{name} [{way or 'default'}]: {problem}", flush=True)
            if len(self.all) % 50 == 0:
                self.write()

    def write(self):
        """Also before the end, in case that does not come."""
        of = [result["result"] for result in self.all]
        summary = {"device": self.arguments.device, "under": self.arguments.under,
                   "runs": len(of), "right": of.count("ok"),
                   "left_out": of.count("left out"),
                   "seconds": round(time.monotonic() - self.arguments.begin, 1),
                   "results": self.all}
        self.arguments.json.write_text(json.dumps(summary, indent=1))
        return summary


def work_off(arguments, work, results):
    with tempfile.TemporaryDirectory() as folder:
        host = Host(arguments, pathlib.Path(folder))
        while True:
            try:
                name, expected, way = work.get_nowait()
            except queue.Empty:
                host.end()
                return
            if time.monotonic() > arguments.begin + arguments.total:
                results.add(name, way, expected, "left out", 0, "", "")
                continue
            status, seconds = host.run(name, expected, way)
            output, error = (path.read_bytes().decode(errors="replace")
                             for path in (host.output, host.error))
            results.add(name, way, expected, status, seconds, output, error, host.said)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cuda", choices=["cuda", "emu"])
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--seconds", type=float, default=20, help="of a program")
    parser.add_argument("--total", type=float, default=1e6, help="seconds of all")
    parser.add_argument("--json", type=pathlib.Path, default=HERE / "summary.json")
    parser.add_argument("--under", default="", help="a command that runs each")
    parser.add_argument("--only", default="", help="part of the programs' names")
    parser.add_argument("--first-way", action="store_true")
    arguments = parser.parse_args()
    arguments.begin = time.monotonic()
    programs = {name: expected for name, expected in
                json.loads((HERE / "programs.json").read_text()).items()
                if arguments.only in name}
    most = 1 if arguments.first_way else max((len(p["ways"]) for p in programs.values()),
                                             default=0)
    # Those that end their process come last, in each way.
    names = sorted(programs, key=lambda name: programs[name]["status"] != 0)
    work = queue.Queue()
    for at in range(most):
        for name in names:
            if at < len(programs[name]["ways"]):
                work.put((name, programs[name], programs[name]["ways"][at]))
    results = Results(arguments)
    threads = [threading.Thread(target=work_off, args=(arguments, work, results))
               for _ in range(arguments.jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    summary = results.write()
    differ = summary["runs"] - summary["right"] - summary["left_out"]
    print(f"on {arguments.device}: {len(programs)} programs, {summary['right']} of "
          f"{summary['runs']} runs agree, {differ} differ, {summary['left_out']} left out, "
          f"{summary['seconds']} s; {arguments.json}")
    return 1 if differ or not summary["right"] else 0


if __name__ == "__main__":
    sys.exit(main())
