#!/usr/bin/env python3
"""Traces of ranks, joined: what async-gpu-report makes of those of a program.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    run_traced_ranks.py --bin DIR --launcher FILE [--path whole|around] LIBRARY FILE.mlir
        RANKS MESSAGES COLLECTIVES

LIBRARY is openmpi or mpich. Runs the program with that many ranks, each of which writes
a trace, and joins these, as they are and with clocks that are set differently; and once
more under --trace and --profile of the runner, which join them, too. All
messages have to be matched, as many as given, and so do collective operations; the
clocks have to be found, to within the error that is stated; arrows and slices have to be
as docs/formats.md says. With --path=whole, the critical path has to lead back to
mpi.init, and with --path=around over all ranks, too.
"""

import argparse
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

import run_ranks
import skew_trace

# Of rank R, R times: how far its clock is ahead, and how much faster it is.
OFFSET_NS, DRIFT_PPM = -3_141_592_653, 20
# Slices are cut to a thousandth of a microsecond, and arrows end inside.
SLACK = 0.0021


def run(command, environment=None):
    done = subprocess.run(command, env=dict(os.environ, **(environment or {})),
                          capture_output=True, text=True, timeout=120)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: exit status {done.returncode}\n"
                 f"{done.stdout}{done.stderr}")
    return done


def read_number(path):
    """The process's number, of a dump's header."""
    return struct.unpack_from("<I", path.read_bytes(), 20)[0]


class Joined:
    """A trace of ranks."""

    # What the runtime calls itself, as the program does not.
    placeless = ()

    def __init__(self, folder, name, make_command, environment=None):
        """`make_command` gives the command that writes two files."""
        self.problems = []
        self.name = name
        trace, profile = folder / f"{name}.json", folder / f"{name}-profile.json"
        done = run(make_command(trace, profile), environment)
        if done.stderr:
            self.problem(f"the tool said {done.stderr!r}")
        self.trace = json.loads(trace.read_text())
        self.profile = json.loads(profile.read_text())
        self.other = self.trace["otherData"]
        self.slices = [event for event in self.trace["traceEvents"]
                       if event["ph"] == "X"]

    def problem(self, text):
        self.problems.append(f"{self.name}: {text}")

    def expect(self, what, actual, expected):
        if actual != expected:
            self.problem(f"{what} is {actual}, not {expected}")

    def of(self, category):
        return [event for event in self.slices if event["cat"] == category]

    def check_counts(self, ranks, messages, collectives):
        self.expect("messages", self.other["messages"], messages)
        self.expect("collectives", self.other["collectives"], collectives)
        for key in ("unmatched_sends", "unmatched_receives", "contradictions"):
            self.expect(key, self.other[key], 0)
        self.expect("ranks", [rank["rank"] for rank in self.other["ranks"]],
                    list(range(ranks)))
        self.expect("sends", len(self.of("send")), messages)
        self.expect("receives", len(self.of("receive")), messages)
        self.expect("slices of collectives", len(self.of("collective")),
                    ranks * collectives)
        self.expect("arrows", len(self.arrows()), messages)
        groups = {event["pid"] for event in self.slices}
        self.expect("hosts", sorted(pid for pid in groups if pid % 1000 == 1),
                    [1000 * rank + 1 for rank in range(ranks)])

    def arrows(self):
        """{id: (begin, end)} of messages."""
        ends = {}
        for event in self.trace["traceEvents"]:
            if event["ph"] in "sf" and event["cat"] == "message":
                ends.setdefault(event["id"], {})[event["ph"]] = event
        return {number: (end["s"], end["f"]) for number, end in ends.items()}

    def find(self, point, category):
        """The slice of a request that an arrow begins or ends in."""
        found = [event for event in self.of(category)
                 if (event["pid"], event["tid"]) == (point["pid"], point["tid"])
                 and event["ts"] - SLACK <= point["ts"]
                 <= event["ts"] + event["dur"] + SLACK]
        return found[0] if found else None

    def check_arrows(self):
        for begin, end in self.arrows().values():
            send, receive = self.find(begin, "send"), self.find(end, "receive")
            if not send or not receive:
                self.problem(f"an arrow from {begin} to {end} leaves its slices")
                continue
            if end["ts"] < begin["ts"]:
                self.problem(f"{receive} ends before {send} begins")
            sender, receiver = begin["pid"] // 1000, end["pid"] // 1000
            for what, actual, expected in (
                    ("the receiver", send["args"]["peer"], receiver),
                    ("the sender", receive["args"]["peer"], sender),
                    *((key, send["args"][key], receive["args"][key])
                      for key in ("tag", "communicator", "number", "bytes"))):
                self.expect(f"{what} of {send} and {receive}", actual, expected)
            if not receive["args"]["at"].rpartition(".mlir:")[0]:
                self.problem(f"{receive} has no place")

    def check_lanes(self):
        """No two requests of a track overlap."""
        by_track = {}
        for category in ("send", "receive", "collective"):
            for event in self.of(category):
                by_track.setdefault((event["pid"], event["tid"]), []).append(event)
        for track, events in by_track.items():
            events.sort(key=lambda event: event["ts"])
            for first, second in zip(events, events[1:]):
                if first["ts"] + first["dur"] > second["ts"] + SLACK:
                    self.problem(f"{first} and {second} overlap on {track}")

    def check_profile(self, ranks, way):
        profile = self.profile
        self.expect("dependencies left out", profile["left_out"], 0)
        self.expect("ranks of the profile",
                    [rank["rank"] for rank in profile["ranks"]], list(range(ranks)))
        path = sum(step["time_ns"] for step in profile["steps"])
        # Steps of a nanosecond are none.
        if abs(path - profile["span_ns"]) > 2 * len(profile["steps"]):
            self.problem(f"the path is {path} long, and the run {profile['span_ns']}")
        # All that a rank does is behind it: the path has no gap.
        if way and not any(step["name"] == "mpi.init" for step in profile["steps"]):
            self.problem(f"the path does not lead to mpi.init: {profile['steps'][:3]}")
        crossed = {step["rank"] for step in profile["steps"] if "rank" in step}
        if way == "around" and len(crossed) < ranks:
            self.problem(f"the critical path stays on {crossed}")
        for row in profile["rows"]:
            if row["kind"] in ("message", "collective") and not (
                    0 <= row["late_ns"] <= row["total_ns"] and
                    ("place" in row or row["name"] in self.placeless)):
                self.problem(f"{row} is late for longer than it took, or nowhere")

    def check_clocks(self, ppm):
        for rank in self.other["ranks"]:
            number = rank["rank"]
            # At the first event; until the last one it drifts on.
            expected = number * OFFSET_NS
            drifted = number * ppm * self.profile["span_ns"] // 1_000_000
            error = rank["clock_error_ns"]
            wrong = abs(rank["clock_offset_ns"] - expected)
            if not 0 <= error < 1_000_000_000 or wrong > error + drifted:
                self.problem(f"the clock of rank {number} is {expected} ahead, and "
                             f"{rank['clock_offset_ns']} was found, to within {error}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    parser.add_argument("--launcher", required=True)
    parser.add_argument("--path", choices=("whole", "around"))
    parser.add_argument("library", choices=sorted(run_ranks.ENVIRONMENT))
    parser.add_argument("file")
    parser.add_argument("ranks", type=int)
    parser.add_argument("messages", type=int)
    parser.add_argument("collectives", type=int)
    arguments = parser.parse_args()
    if not os.path.exists(arguments.launcher):
        print(f"left out: {arguments.library} is not installed")
        return 77
    report = arguments.bin / "async-gpu-report"
    if "mpi.finalize" not in pathlib.Path(arguments.file).read_text():
        Joined.placeless = ("mpi.finalize",)
    problems = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        runner = [arguments.launcher, "-n", str(arguments.ranks),
                  arguments.bin / "async-gpu-runner"]
        environment = {"ASYNC_GPU_DEVICE": "emu", "TMPDIR": name,
                       **run_ranks.ENVIRONMENT[arguments.library]}
        run([*runner, arguments.file],
            {**environment, "ASYNC_GPU_TRACE": f"{folder}/%p.trace"})

        def join(name, pattern):
            return Joined(folder, name, lambda trace, profile: [
                report, f"--json={trace}", f"--profile={profile}",
                *sorted(folder.glob(pattern))])

        dumps = sorted(folder.glob("*.trace"))
        plain = join("one-clock", "*.trace")
        numbers = {rank["process"]: rank["rank"] for rank in plain.other["ranks"]}
        for path in dumps:
            rank = numbers[read_number(path)]
            for suffix, ppm in ((".skewed", 0), (".drifting", rank * DRIFT_PPM)):
                data = bytearray(path.read_bytes())
                skew_trace.skew(data, rank * OFFSET_NS, ppm)
                path.with_suffix(suffix).write_bytes(data)
        skewed = join("skewed", "*.skewed")
        drifting = join("drifting", "*.drifting")
        before = set(folder.iterdir())
        at_once = Joined(folder, "at-once", lambda trace, profile: [
            *runner, f"--trace={trace}", f"--profile={profile}", arguments.file],
            environment)
        left = sorted(path.name for path in set(folder.iterdir()) - before)
        at_once.expect("what the run leaves", left,
                       ["at-once-profile.json", "at-once.json"])
        for rank in plain.other["ranks"]:
            plain.expect("the error of one clock", rank["clock_error_ns"], 0)
        skewed.check_clocks(0)
        drifting.check_clocks(DRIFT_PPM)
        for joined in (plain, skewed, drifting, at_once):
            joined.check_counts(arguments.ranks, arguments.messages,
                                arguments.collectives)
            joined.check_arrows()
            joined.check_lanes()
            joined.check_profile(arguments.ranks, arguments.path)
            problems += joined.problems
    print("".join(f"problem: {each}\n" for each in problems[:40]), end="")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
