#!/usr/bin/env python3
"""Nodes of graphs are in a trace, with the times of their work: those in bodies of
conditional nodes each time that they ran, and those of host code.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    check_graph_trace.py --runner FILE [--model NAME] [--rounds N,N,...] [--region NAME]
      [--opt FILE] KIND PROGRAM.mlir

KIND is what conditional nodes of the program are called, or "host". --rounds: how often
the bodies of those inside of another one ran. --region: the one of the plan that their
nodes belong to. What a trace leaves out of a long loop is counted.
"""

import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

EVENTS = 160  # that a thread keeps; a launch has a 16th of them in bodies


class Run:
    """A run's trace and profile."""

    def __init__(self, options, **environment):
        device = f"--model={options.model}" if options.model else "--device=emu"
        with tempfile.TemporaryDirectory() as folder:
            trace, profile, tables = (pathlib.Path(folder) / name for name in
                                      ("t.json", "p.json", "p.txt"))
            for path in (profile, tables):
                subprocess.run([options.runner, "--graphs=on", device, f"--trace={trace}",
                                f"--profile={path}", options.program], check=True,
                               stdout=subprocess.DEVNULL, timeout=60,
                               env={**os.environ, **environment})
            self.trace, self.tables = json.loads(trace.read_text()), tables.read_text()
            self.profile = json.loads(profile.read_text())
        self.slices = [{"args": {}, **e} for e in self.trace["traceEvents"] if e["ph"] == "X"]
        self.inner = [e for e in self.slices if "round" in e["args"]]
        self.conditional = [e for e in self.slices if e["cat"] == "conditional"]
        self.left_out = sum(e["args"].get("left_out", 0) for e in self.conditional)
        self.notes = self.trace["otherData"]

    def nesting(self):
        """By the nodes' numbers, how much lower that of the node around each is."""
        around = {e["args"]["id"]: self.around(e) for e in self.inner}
        return {number: outer and number - outer["args"]["id"]
                for number, outer in around.items()}

    def around(self, inner):
        """The innermost conditional node that the slice lies in; None: in none."""
        found = [e for e in self.conditional
                 if e is not inner and e["tid"] == inner["tid"] and
                 e["args"]["id"] < inner["args"]["id"] and
                 e["ts"] <= inner["ts"] and ends(inner) <= ends(e) + 1e-3]
        return max(found, key=lambda e: e["args"]["id"], default=None)


def ends(event):
    return event["ts"] + event["dur"]


def check_bodies(run, options):
    """What is wrong with slices inside of conditional nodes."""
    bodies = collections.defaultdict(list)
    for event in run.inner:
        outer = run.around(event)
        if not outer:
            yield f"{event['name']} in round {event['args']['round']} is in no node"
            return
        bodies[run.slices.index(outer)].append(event)
    for index, body in bodies.items():
        rounds = collections.defaultdict(list)
        for event in sorted(body, key=lambda e: e["ts"]):
            rounds[event["args"]["round"]].append(event)
        if list(rounds) != list(range(1, run.slices[index]["args"]["rounds"] + 1)):
            yield f"rounds {list(rounds)}, of {run.slices[index]['args']['rounds']}"
        if len({tuple(sorted(e["args"]["id"] for e in nodes))
                for nodes in rounds.values()}) != 1:
            yield "rounds have different nodes"
        if any(len({e["args"]["id"] for e in nodes}) != len(nodes)
               for nodes in rounds.values()):
            yield "a node runs twice in a round"
        if any(ends(a) > b["ts"] + 1e-3 for nodes in rounds.values()
               for a, b in zip(nodes, nodes[1:])):
            yield "nodes of a round are at the same time"
    for index, event in enumerate(run.slices):
        if event["cat"] == "conditional" and event["args"]["rounds"] and index not in bodies:
            yield f"a {event['name']} of {event['args']['rounds']} rounds is empty"
    if any("at" not in e["args"] for e in run.inner):
        yield "a node inside has no place"
    nested = [e["args"]["rounds"] for e in run.conditional if "round" in e["args"]]
    if options.rounds and nested != [int(n) for n in options.rounds.split(",")]:
        yield f"bodies inside ran {nested} times"
    # Kernels of bodies and the time between them are apart, and all are once on the path.
    rows = {(row["kind"], row["name"]): row for row in run.profile["rows"]}
    for kind in ("kernel", "conditional"):
        counts = collections.Counter(e["name"] for e in run.slices if e["cat"] == kind)
        for name, count in counts.items():
            if rows[kind, name]["count"] != count:
                yield f"{kind} {name}: {rows[kind, name]['count']} of {count} in the profile"
    busy = sum(e["dur"] for e in run.slices if e["cat"] in ("kernel", "copy", "fill",
                                                           "conditional")
               and "round" not in e["args"])
    of_path = sum(part["time_ns"] for part in run.profile["critical_path"]
                  if part["kind"] in ("kernel", "copy", "fill", "conditional")) / 1e3
    if options.model and of_path > busy + 1e-3 * len(run.slices):
        yield f"{of_path} us of the device on the critical path, which was busy {busy} us"


def check_region(run, options):
    plan = json.loads(subprocess.run(
        [options.opt, "--emit=plan-json", options.program], check=True, timeout=60,
        stdout=subprocess.PIPE).stdout)
    wanted = {r["id"] for r in plan["regions"] if r["name"] == options.region}
    found = {e["args"].get("region") for e in run.inner}
    if found != wanted:
        yield f"nodes inside are of regions {found}, not of {wanted}"


def check_limit(whole, options):
    run = Run(options, ASYNC_GPU_TRACE_EVENTS=str(EVENTS))
    outer = max(run.conditional, key=lambda e: e["args"].get("left_out", 0))
    id_of = outer["args"]["id"]
    total = sum(1 for e in whole.inner)
    if len(run.inner) + run.left_out != total:
        yield f"{len(run.inner)} runs and {run.left_out} left out, of {total}"
    # The nodes around the last one, too.
    shown = [e for e in run.inner if e["args"]["id"] > id_of]
    if not EVENTS // 16 <= len(shown) <= EVENTS // 16 + 2 or not run.left_out:
        yield f"{len(shown)} runs are shown of a launch, and {run.left_out} are not"
    nesting = whole.nesting()
    if any(nesting.get(number) != by for number, by in run.nesting().items()):
        yield "a run that is shown is not in the node that it is in"
    said = f"{run.left_out} runs"
    if not run.notes.get("device nodes left out", "").startswith(said):
        yield f"the trace does not say that {said} are left out"
    if f"\n{said} of nodes in loops" not in run.tables:
        yield f"the tables do not say that {said} are left out"
    if run.profile["nodes_left_out"] != run.left_out:
        yield f"the profile says {run.profile['nodes_left_out']} are left out"
    if "device nodes left out" in whole.notes or whole.profile["nodes_left_out"]:
        yield "runs are left out of a trace that has room"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runner", required=True)
    parser.add_argument("--opt")
    parser.add_argument("--model")
    parser.add_argument("--rounds")
    parser.add_argument("--region")
    parser.add_argument("kind", choices=["branch", "loop", "host"])
    parser.add_argument("program")
    options = parser.parse_args()
    run = Run(options)
    is_host = options.kind == "host"
    name, category = ("host code", "kernel") if is_host else (options.kind, "conditional")
    nodes = [e for e in run.slices if e["cat"] == category and e["name"] == name]
    problems = []
    if not nodes:
        problems.append(f"no slice is called '{name}'")
    # Microseconds. A loop has rounds, and some branch is taken.
    if not any(e["dur"] > 0 for e in nodes):
        problems.append(f"no '{name}' took any time")
    if "device times lost" in run.notes:
        problems.append("times of work are lost")
    if not is_host:
        problems += check_bodies(run, options)
    if options.region:
        problems += check_region(run, options)
    if options.kind == "loop":
        problems += check_limit(run, options)
    print("\n".join(problems) or f"{len(nodes)} nodes, {len(run.inner)} runs inside")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
