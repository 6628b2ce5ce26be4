#!/usr/bin/env python3
"""Plans, judged by the modelled time of a card: no clock is read.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    check_plans.py --runner FILE --bench-gpu FILE plans.mlir

Each plan has to be as good as it should be, and the same plan made worse by hand (a stream
too few, an event too many, a wait too early, no graph) has to be seen to be worse. Regions
take at most 5 % more than the same calls of the driver by hand. Two runs give work the same
times. Only blocks that are counted run: results do not matter here.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

WORK = ("kernel", "copy", "fill")


class Run:
    """One run: its trace, its profile, and what these say."""

    def __init__(self, self_of, entry, options=(), **environment):
        with tempfile.TemporaryDirectory() as folder:
            trace, profile = (pathlib.Path(folder) / name
                              for name in ("t.json", "p.json"))
            subprocess.run(
                [self_of.runner, "--device=emu", "--model=h100", f"--trace={trace}",
                 f"--profile={profile}", f"--entry-point={entry}", *options,
                 self_of.program], check=True, timeout=100, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "ASYNC_GPU_NUM_THREADS": "1",
                     "ASYNC_GPU_EMU_BLOCKS": "counted", **environment})
            self.files = trace.read_bytes(), profile.read_bytes()
        self.profile = json.loads(self.files[1])
        self.work = [event for event in json.loads(self.files[0])["traceEvents"]
                     if event.get("cat") in WORK and event["ph"] == "X"]

    def span(self):
        """Microseconds from the first begin of work to its last end."""
        return (max(e["ts"] + e["dur"] for e in self.work) -
                min(e["ts"] for e in self.work))

    def busy(self, name):
        """The same of all work that is called so, one after the other."""
        return sum(e["dur"] for e in self.work if name in e["name"])


class Worse:
    """The program with changes by hand."""

    def __init__(self, of, folder):
        self.runner = of.runner
        text = pathlib.Path(of.program).read_text()
        # The second kernel waits for an event behind the first.
        busy = re.search(r"func.func private @busy\(.*?\n}\n", text, re.DOTALL)[0]
        fork = re.search(r"func.func @fork_join\(.*?\n}\n", text, re.DOTALL)[0]
        head, tail = fork.replace("@fork_join", "@extra_event").split("%b = ")
        text += (busy.replace("@busy(", "@after(%on: !async.token, ")
                 .replace("async.execute {", "async.execute [%on] {") + head + "%b = " +
                 tail.replace("@busy(", "@after(%a, ").replace("(index", "(!async.token, index"))
        # The host waits for each part before it begins the next.
        text = text.replace("    %n = async.add_to_group",
                            "    async.await %token : !async.token\n"
                            "    %n = async.add_to_group")
        self.program = pathlib.Path(folder) / "worse.mlir"
        self.program.write_text(text)


def check_overlap(of, **worse):
    """Copies in, kernels and copies out of independent parts, each beside the others:
    ideal is the busiest of the three, and the first and last part of the others."""
    run = Run(of, "overlap", **worse)
    each = {name: run.busy(name) for name in ("to device", "kernel", "to host")}
    count = sum("to device" in e["name"] for e in run.work)
    most = max(each, key=each.get)
    ideal = each[most] + sum(time for name, time in each.items() if name != most) / count
    return ideal / run.span() >= 0.95


def check_fork_join(of, entry="fork_join", **worse):
    run = Run(of, entry, **worse)
    longest = max(e["dur"] for e in run.work)
    return run.span() <= 1.15 * longest


def check_critical(of, entry="uneven", **worse):
    """The longer kernel is what the run is as long as."""
    run = Run(of, entry, **worse)
    kernels = sorted(e["dur"] for e in run.work if e["cat"] == "kernel")
    on_path = sum(p["time_ns"] for p in run.profile["critical_path"]
                  if p.get("kind") == "kernel") / 1e3
    return on_path < sum(kernels) - 0.9 * kernels[0]


def check_chain(of, graphs="on"):
    """Launches of short kernels cost the host more than one of a graph."""
    plain = Run(of, "chain", ["--graphs=off"])
    other = Run(of, "chain", [f"--graphs={graphs}"])
    return other.profile["span_ns"] < 0.97 * plain.profile["span_ns"]


def check_halo(of, **worse):
    """The edge is exchanged while the inside is computed."""
    run = Run(of, "halo", **worse)
    return run.span() <= 1.2 * run.busy("inside")


def check_by_hand(of, workload, *options, plan="async-gpu", **worse):
    """What bench-gpu's regions take, or its calls of another plan, and its own calls of
    the driver. Threads that wait ask, as on a GPU: a host function would take longer."""
    def take(who, **more):
        done = subprocess.run(
            [of.bench_gpu, "sample", workload, who, *options], check=True, timeout=100, text=True,
            stdout=subprocess.PIPE,
            env={**os.environ, "ASYNC_GPU_DEVICE": "emu", "ASYNC_GPU_EMU_MODEL": "h100",
                 "ASYNC_GPU_NUM_THREADS": "1", "ASYNC_GPU_COMPLETION": "poll", **more})
        return float(dict(line.split() for line in done.stdout.splitlines())["device_ns"])
    return take(plan, **worse) <= 1.05 * take("by-hand")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runner", required=True)
    parser.add_argument("--bench-gpu", required=True)
    parser.add_argument("program")
    of = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        return report(of, Worse(of, folder))


def report(of, worse):
    one_stream = {"ASYNC_GPU_STREAMS": "1"}
    expected = [
        ("copies beside kernels", check_overlap(of), True),
        ("the same on one stream", check_overlap(of, **one_stream), False),
        ("the same on a stream too few", check_overlap(of, ASYNC_GPU_STREAMS="2"), False),
        ("the same with waits too early", check_overlap(worse), False),
        ("fork and join", check_fork_join(of), True),
        ("the same on one stream", check_fork_join(of, **one_stream), False),
        ("the same with a wait too early", check_fork_join(of, "early_wait"), False),
        ("the same with an event too many", check_fork_join(worse, "extra_event"), False),
        ("the critical path", check_critical(of), True),
        ("the same on one stream", check_critical(of, **one_stream), False),
        ("a halo beside the inside", check_halo(of), True),
        ("the same on one stream", check_halo(of, **one_stream), False),
        ("fork and join beside calls by hand", check_by_hand(of, "fork-join"), True),
        ("the same with word of the end by a host function",
         check_by_hand(of, "fork-join", ASYNC_GPU_COMPLETION="hostfunc"), False),
        ("a chain of regions beside calls by hand",
         check_by_hand(of, "chain-of-regions", "--small"), True),
        ("the same with a stream and a wait of the host for each region",
         check_by_hand(of, "chain-of-regions", "--small", plan="upstream"), False),
        ("a pipeline beside calls by hand", check_by_hand(of, "pipeline", "--small"), True),
        ("the same on one stream", check_by_hand(of, "pipeline", "--small", **one_stream), False),
        ("a chain as a graph", check_chain(of), True),
        ("the same without one", check_chain(of, "off"), False),
        ("two runs the same", Run(of, "fork_join").span() == Run(of, "fork_join").span(),
         True)]
    problems = [f"{what}: {'passes' if found else 'fails'}"
                for what, found, wanted in expected if found != wanted]
    print("\n".join(problems) or "all plans are what they should be")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
