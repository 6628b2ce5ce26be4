#!/usr/bin/env python3
"""Nodes of graphs are in a trace by events that the graphs record behind them.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    check_node_events.py --runner FILE --driver FOLDER PROGRAM.mlir...

With ASYNC_GPU_TRACE_CLOCK=nodes the work on tracks of streams is that which the
emulated device's own clock shows, but for what is inside of conditional nodes, on the
emulated device and on the PTX interpreter in the DRIVER folder, and so is the programs'
output. Where no events can be had, or no times, the file says so, and the program is
none the worse.
"""

import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

WORK = ("kernel", "copy", "fill", "conditional")
# A call that fails, whether graphs are whole then, and what the file says.
FAULTS = [("cuGraphAddEventRecordNode:2:CUDA_ERROR_NOT_SUPPORTED", True,
           "a graph records no events"),
          ("cuGraphExecEventRecordNodeSetEvent:3:CUDA_ERROR_UNKNOWN", False, None),
          ("cuEventElapsedTime:9:CUDA_ERROR_UNKNOWN", False, "1 measurements")]


def run(options, program, device, **settings):
    """The output, the slices of work, and what the file says."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "t.json"
        done = subprocess.run(
            [options.runner, "--graphs=on", f"--device={device}", f"--trace={path}", program],
            capture_output=True, text=True, timeout=60, env={**os.environ, **settings})
        if done.returncode or done.stderr:
            sys.exit(f"{program} on {device} with {settings}: {done.returncode}\n{done.stderr}")
        trace = json.loads(path.read_text())
    return done.stdout, [e for e in trace["traceEvents"] if e["ph"] == "X" and
                         e["cat"] in WORK], trace["otherData"]


def names(slices):
    """What a copy's direction is called depends on the device."""
    return collections.Counter("copy" if e["cat"] == "copy" else e["name"]
                               for e in slices if "round" not in e["args"])


def overlaps(slices, error_us):
    """Further than two times may be off."""
    tracks = collections.defaultdict(list)
    for event in sorted(slices, key=lambda e: e["ts"]):
        tracks[event["pid"], event["tid"]].append(event)
    return any(a["ts"] + a["dur"] > b["ts"] + 2 * error_us for track in tracks.values()
               for a, b in zip(track, track[1:]))


def check(options, program):
    output, wanted, _ = run(options, program, "emu", ASYNC_GPU_TRACE_CLOCK="auto")
    for device, settings in (("emu", {}), ("emu", {"ASYNC_GPU_EMU_SEED": "5"}),
                             ("cuda", {"LD_LIBRARY_PATH": options.driver})):
        where = f"{program} on {device} {settings}"
        printed, slices, notes = run(options, program, device,
                                     ASYNC_GPU_TRACE_CLOCK="nodes", **settings)
        if printed != output:
            yield f"{where} prints {printed!r}, not {output!r}"
        if names(slices) != names(wanted):
            yield f"{where} has {names(slices)}, not {names(wanted)}"
        if "graph" in names(slices) or any("round" in e["args"] for e in slices):
            yield f"{where} shows a whole graph, or runs in bodies"
        if notes["device clock"] != "events" or "device times lost" in notes:
            yield f"{where}: {notes}"
        if overlaps(slices, int(notes["device clock error ns"]) / 1000):
            yield f"{where}: work of one track is at the same time"
        if not any(e["dur"] > 0 for e in slices):
            yield f"{where}: nothing took any time"
    for fault, is_whole, said in FAULTS:
        printed, slices, notes = run(options, program, "emu", ASYNC_GPU_TRACE_CLOCK="nodes",
                                     ASYNC_GPU_EMU_FAULT=fault)
        if printed != output:
            yield f"{program} with {fault} prints {printed!r}"
        if ("graph" in names(slices)) != is_whole:
            yield f"{program} with {fault}: {names(slices)}"
        lost = notes.get("device times lost", "")
        if (said or "") not in lost or (lost and not said):
            yield f"{program} with {fault}: {lost!r}, not {said!r}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runner", required=True)
    parser.add_argument("--driver", required=True)
    parser.add_argument("programs", nargs="+")
    options = parser.parse_args()
    problems = [problem for program in options.programs for problem in check(options, program)]
    print("\n".join(problems) or "the same nodes")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
