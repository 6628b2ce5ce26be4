#!/usr/bin/env python3
"""Calls of libraries in graphs are work of their own in traces, with modelled time.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    check_graph_calls.py --runner FILE --library FILE PROGRAM.mlir

What is captured has not run, so no work takes no time; a call that runs as a child graph
is one slice; other work of the program is what it is without graphs; and two runs have the
same trace.
"""

import argparse
import collections
import json
import pathlib
import subprocess
import sys
import tempfile

WORK = ("kernel", "copy", "fill")
OWN = ("scale", "fill", "copy device to host")  # not the library's


def run(options, graphs):
    """The trace's text, and the durations of its work by name."""
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder) / "t.json"
        subprocess.run([options.runner, f"--graphs={graphs}", "--device=emu", "--model=h100",
                        "--model-cpus=1", f"--shared-libs={options.library}",
                        f"--trace={trace}", options.program], check=True,
                       stdout=subprocess.DEVNULL, timeout=60)
        text = trace.read_text()
    found = collections.defaultdict(list)
    for event in json.loads(text)["traceEvents"]:
        if event["ph"] == "X" and event["cat"] in WORK:
            found[event["name"]].append(event["dur"])
    return text, found


def check(options):
    _, plain = run(options, "off")
    text, found = run(options, "on")
    if run(options, "on")[0] != text:
        yield "two runs have other traces"
    yield from (f"{name} takes no time" for name, times in found.items() if min(times) <= 0)
    if "call" in plain or not found["call"]:
        yield f"{len(found['call'])} calls with graphs, {len(plain['call'])} without"
    yield from (f"{name}: {found[name]} with graphs, {plain[name]} without"
                for name in OWN if not plain[name] or found[name] != plain[name])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runner", required=True)
    parser.add_argument("--library", required=True)
    parser.add_argument("program")
    problems = list(check(parser.parse_args()))
    print("\n".join(problems) or "calls are work of their own")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
