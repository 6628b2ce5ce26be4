#!/usr/bin/env python3
"""Streams in a trace, with all clocks of devices, and where these fail.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    check_device_trace.py --runner FILE --driver FOLDER --cupti FOLDER PROGRAM.mlir

Runs the program on the emulated device and on the PTX interpreter in the DRIVER folder,
with CUPTI's stand-in from the CUPTI folder beside it and without. Each time its output
is the same, and the trace has all of its work, each piece behind the call that enqueued
it and before the host has learned of it, in the order of its stream. Where calls of the
clock fail, the file says what is missing, and the program is none the worse.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

WORK = ("kernel", "copy", "fill")

# Environment; the clock that is used; what lines of the file say; whether all times
# are there.
EMULATED = [
    ("", "emulated device", {}, True),
    ("ASYNC_GPU_TRACE_CLOCK=events", "events",
     {"device clock not CUPTI": "ASYNC_GPU_TRACE_CLOCK"}, True),
    ("ASYNC_GPU_EMU_SEED=5", "emulated device", {}, True),
    ("ASYNC_GPU_TRACE_CLOCK=events "
     "ASYNC_GPU_EMU_FAULT=cuEventElapsedTime:1:CUDA_ERROR_UNKNOWN", "events",
     {"device times lost": "CUDA_ERROR_UNKNOWN"}, False),
    ("ASYNC_GPU_TRACE_CLOCK=events "
     "ASYNC_GPU_EMU_FAULT=cuEventCreate:1:CUDA_ERROR_OUT_OF_MEMORY", "events",
     {"device times lost": "an event before work"}, False),
    ("ASYNC_GPU_TRACE_CLOCK=events "
     "ASYNC_GPU_EMU_FAULT=cuEventRecord:1:CUDA_ERROR_UNKNOWN", "events",
     {"device times lost": "an event before work"}, False),
    # The anchors have six; the first piece of work, two more.
    ("ASYNC_GPU_TRACE_CLOCK=events "
     "ASYNC_GPU_EMU_FAULT=cuEventCreate:7:CUDA_ERROR_OUT_OF_MEMORY", "events",
     {"device times lost": "creating an event"}, False),
    ("ASYNC_GPU_TRACE_CLOCK=events "
     "ASYNC_GPU_EMU_FAULT=cuEventRecord:7:CUDA_ERROR_UNKNOWN", "events",
     {"device times lost": "an event before work"}, False),
    ("ASYNC_GPU_TRACE_CLOCK=events "
     "ASYNC_GPU_EMU_FAULT=cuEventRecord:8:CUDA_ERROR_UNKNOWN", "events",
     {"device times lost": "an event behind work"}, False),
]
INTERPRETED = [
    ("", "CUPTI", {}, True),
    ("PTX_DEVICE_DELAY=2000 PTX_DEVICE_SEED=3", "CUPTI", {}, True),
    ("ASYNC_GPU_TRACE_CLOCK=events", "events", {}, True),
    ("FAKE_CUPTI_FAIL=ActivityEnable", "events",
     {"device clock not CUPTI": "CUPTI error 999"}, True),
    ("FAKE_CUPTI_FAIL=ActivityRegisterCallbacks", "events",
     {"device clock not CUPTI": "CUPTI error 999"}, True),
    ("FAKE_CUPTI_FAIL=ActivityPushExternalCorrelationId", "CUPTI",
     {"device times lost": "pieces of work"}, False),
    ("FAKE_CUPTI_FAIL=ActivityFlushAll", "CUPTI",
     {"device times lost": "flushing the records"}, False),
    ("FAKE_CUPTI_FAIL=ActivityGetNextRecord", "CUPTI",
     {"device times lost": "reading records"}, False),
    ("FAKE_CUPTI_DROP=2", "CUPTI", {"device times lost": "measurements"}, False),
]


class Trace:
    def __init__(self, path):
        everything = json.loads(path.read_text())
        events = everything["traceEvents"]
        self.notes = everything["otherData"]
        self.slices = [event for event in events if event["ph"] == "X"]
        self.busy = [event["args"]["value"] for event in events
                     if event["ph"] == "C" and event["name"] == "streams busy"]
        self.used = [event["args"]["value"] for event in events
                     if event["ph"] == "C" and "bytes in use" in event["name"]]
        self.of = {category: [event for event in self.slices
                              if event["cat"] == category]
                   for category in {event["cat"] for event in self.slices}}
        starts = {event["id"]: event for event in events if event["ph"] == "s"}
        self.arrows = [(starts[event["id"]], event) for event in events
                       if event["ph"] == "f"]


def end(event):
    return event["ts"] + event["dur"]


def find_problems(trace, clock, notes, is_whole):
    error_us = int(trace.notes["device clock error ns"]) / 1000
    if trace.notes.get("device clock") != clock:
        yield f"the clock is {trace.notes.get('device clock')}, not {clock}"
    if error_us > 50000:
        yield f"times are off by {error_us} us"
    for key, text in notes.items():
        if text not in trace.notes.get(key, ""):
            yield f"'{key}' is {trace.notes.get(key)}"
    if is_whole and "device times lost" in trace.notes:
        yield f"lost: {trace.notes['device times lost']}"

    calls = {event["args"]["id"]: event for event in trace.of["enqueue"]}
    work = [event for event in trace.slices if event["cat"] in WORK]
    if sorted(calls) != sorted(event["args"]["id"] for event in work):
        yield "calls and work differ"
        return
    if len(trace.of["kernel"]) != 3 or len(trace.of["copy"]) != 2:
        yield f"{len(trace.of['kernel'])} kernels, {len(trace.of['copy'])} copies"
    # A copy may be shorter than what events tell apart, which is half a microsecond.
    timed = [event for event in work
             if not is_whole or clock != "events" or event["cat"] != "copy"]
    if is_whole != all(event["dur"] > 0 for event in timed):
        yield f"lengths are {[event['dur'] for event in work]}"
    for event in work:
        call = calls[event["args"]["id"]]
        if event["tid"] != call["args"]["track"]:
            yield f"{event} is on the track of another call: {call}"
        if event["dur"] > 0 and event["ts"] < call["ts"] - error_us:
            yield f"{event} begins before {call}"
        if event["name"] != call["name"]:
            yield f"{event} is called otherwise than {call}"
    for event in trace.of["kernel"]:
        sizes = [event["args"][key] for key in ("grid_x", "grid_y", "grid_z",
                                                "block_x", "block_y", "block_z")]
        if sizes != [4, 1, 1, 256, 1, 1]:
            yield f"{event} has sizes {sizes}"
    if sorted(event["args"]["bytes"] for event in trace.of["copy"]) != [4096, 4096]:
        yield f"copies: {trace.of['copy']}"
    for event in trace.of["copy"]:
        rate = event["args"]["bytes_per_second"]
        if event["dur"] > 0 and abs(rate / (4096e6 / event["dur"]) - 1) > 0.1:
            yield f"{event} has another bandwidth"
    measured = sum(event["dur"] > 0 for event in work)
    if len(trace.busy) != 2 * measured or (measured and (
            trace.busy[-1] != 0 or not 1 <= max(trace.busy) <= 4)):
        yield f"busy streams: {trace.busy}"
    if max(trace.used) < 3 * 4096 or trace.used[-1] != 0:
        yield f"bytes in use: {trace.used}"
    yield from find_order_problems(trace, work, error_us)


def find_order_problems(trace, work, error_us):
    streams = {}
    for event in sorted(work, key=lambda event: event["args"]["id"]):
        streams.setdefault((event["pid"], event["tid"]), []).append(event)
    for events in streams.values():
        for first, second in zip(events, events[1:]):
            if second["dur"] > 0 and second["ts"] < end(first) - error_us:
                yield f"{second} begins before the end of {first}"
    arrows = {kind: [pair for pair in trace.arrows if pair[1]["cat"] == kind]
              for kind in ("kernel", "copy", "stream wait", "learn")}
    # Two kernels wait for the copy, and one for both of these. Where clocks differ, an
    # arrow that would go back is left out.
    if error_us == 0 and (len(arrows["kernel"]) < 3 or not arrows["stream wait"] or not
                          arrows["learn"]):
        yield f"arrows: {[(kind, len(found)) for kind, found in arrows.items()]}"
    for begin, finish in trace.arrows:
        if finish["ts"] < begin["ts"]:
            yield f"an arrow goes back: {begin} {finish}"
    if not any(event["args"].get("critical") for event in trace.slices
               if "args" in event):
        yield "nothing is critical"


def run(runner, program, settings, folder, extra):
    path = pathlib.Path(folder, "trace.json")
    environment = dict(os.environ, **extra)
    environment.update(setting.split("=", 1) for setting in settings.split())
    done = subprocess.run([runner, f"--trace={path}", program], env=environment, timeout=100,
                          capture_output=True, text=True)
    return done, Trace(path) if path.exists() else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runner", required=True)
    parser.add_argument("--driver", required=True)
    parser.add_argument("--cupti", required=True)
    parser.add_argument("program")
    arguments = parser.parse_args()
    emulated = {"ASYNC_GPU_DEVICE": "emu"}
    interpreted = {"ASYNC_GPU_DEVICE": "cuda",
                   "LD_LIBRARY_PATH": f"{arguments.driver}:{arguments.cupti}"}
    expected = subprocess.run([arguments.runner, arguments.program], check=True,
                              env=dict(os.environ, **emulated), timeout=100,
                              capture_output=True, text=True).stdout
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        for cases, extra in ((EMULATED, emulated), (INTERPRETED, interpreted)):
            for settings, clock, notes, is_whole in cases:
                done, trace = run(arguments.runner, arguments.program, settings,
                                  folder, extra)
                problems = []
                if done.returncode or done.stdout != expected or done.stderr:
                    problems.append(f"status {done.returncode}, printed "
                                    f"{done.stdout}{done.stderr}")
                problems += (find_problems(trace, clock, notes, is_whole) if trace
                             else ["there is no trace"])
                for problem in problems:
                    print(f"{extra['ASYNC_GPU_DEVICE']} {settings}: {problem}")
                    failed = True
    sys.exit(failed)


if __name__ == "__main__":
    main()
