#!/usr/bin/env python3
"""A profile's answer beside what is known, and its prediction beside what comes true.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    check_profile.py --runner FILE FORK.mlir

In the program, the run is as long as one region, and would gain its time but for that
of another one beside it. It then runs without the first one's time. Times are those
of a machine that has other things to do: what is asked is that the answer is right in
one of several tries.
"""

import argparse
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

TRIES = 6
LONG_MS, SHORT_MS, MARGIN_MS = 80, 10, 25


def profile(runner, program, entry, folder):
    path = pathlib.Path(folder, entry + ".json")
    subprocess.run([runner, f"--profile={path}", "--entry-point=" + entry, program],
                   check=True, env=dict(os.environ, ASYNC_GPU_NUM_THREADS="2"),
                   timeout=60)
    return json.loads(path.read_text())


def find_problem(runner, program, folder):
    found = profile(runner, program, "main", folder)
    path = found["critical_path"]
    if not path or path[0]["kind"] != "region":
        return f"the path is {path}"
    first = path[0]
    ms = {key: first[key] / 1e6 for key in ("time_ns", "gain_ns")}
    if not LONG_MS - 1 < ms["time_ns"] < LONG_MS + MARGIN_MS:
        return f"the region on the path takes {ms}"
    gain = LONG_MS - SHORT_MS
    if not gain - MARGIN_MS < ms["gain_ns"] < gain + MARGIN_MS:
        return f"its gain is {ms}, not {gain}"
    if found["left_out"] or found["incomplete"] or found["dropped"]:
        return f"something is missing: {found}"
    whole = sum(part["time_ns"] for part in path)
    if abs(whole - found["span_ns"]) > 0.01 * found["span_ns"]:
        return f"the parts are {whole} ns of {found['span_ns']}"
    predicted = (found["span_ns"] - first["gain_ns"]) / 1e6
    span = profile(runner, program, "short", folder)["span_ns"] / 1e6
    if abs(span - predicted) > MARGIN_MS:
        return f"without the region it takes {span} ms, predicted was {predicted}"
    return None


def find_text_problem(runner, program):
    done = subprocess.run([runner, "--profile", program], check=True, timeout=60,
                          capture_output=True, text=True, errors="replace")
    for expected in ("profile: ", "critical path", "waits of the host", "region "):
        if expected not in done.stderr:
            return f"no '{expected}' in: {done.stderr}"
    if done.stdout:
        return f"standard output has {done.stdout}"
    wrong = subprocess.run([runner, "--profile=/nowhere/p.json", program],
                           capture_output=True, text=True, timeout=60)
    if wrong.returncode != 1 or "cannot be written to '/nowhere/p.json'" not in wrong.stderr:
        return f"a path that is not there: {wrong.returncode} {wrong.stderr}"
    return None


def find_end_problem(runner, program, folder):
    """However a program ends, there is a profile."""
    path = pathlib.Path(folder, "end.json")
    numbered = path.with_name("end-%p.json")
    failed = subprocess.run([runner, f"--profile={numbered}", "--entry-point=fails",
                             program], capture_output=True, text=True, timeout=60)
    if failed.returncode != 1 or "as it has to" not in failed.stderr:
        return f"an error: {failed.returncode} {failed.stderr}"
    (numbered,) = pathlib.Path(folder).glob("end-*.json")
    if not numbered.stem[len("end-"):].isdigit():
        return f"%p became {numbered}"
    ended = json.loads(numbered.read_text())["ended"]
    numbered.unlink()
    if ended != "error":
        return f"an error ends by {ended}"
    slow = subprocess.Popen([runner, f"--profile={path}", "--entry-point=slow",
                             program])
    # Once it runs, the threads of the executor are there.
    tasks = pathlib.Path(f"/proc/{slow.pid}/task")
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and not any(
            "agpu-" in (task / "comm").read_text() for task in tasks.iterdir()):
        time.sleep(0.05)
    time.sleep(0.3)
    slow.send_signal(signal.SIGINT)
    if slow.wait(timeout=60) != -signal.SIGINT:
        return f"SIGINT: {slow.returncode}"
    profile_of_it = json.loads(path.read_text())
    if "SIGINT" not in profile_of_it["ended"]:
        return f"SIGINT ends by {profile_of_it['ended']}"
    if not any(row["kind"] == "region" for row in profile_of_it["rows"]):
        return f"nothing ran until SIGINT: {profile_of_it}"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runner", required=True)
    parser.add_argument("program")
    arguments = parser.parse_args()
    problem = find_text_problem(arguments.runner, arguments.program)
    if problem:
        sys.exit(problem)
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        problem = find_end_problem(arguments.runner, arguments.program, folder)
        if problem:
            sys.exit(problem)
        while len(problems) < TRIES:
            problem = find_problem(arguments.runner, arguments.program, folder)
            if not problem:
                return
            problems.append(problem)
    sys.exit("\n".join(problems))


if __name__ == "__main__":
    main()
