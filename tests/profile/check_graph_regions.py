#!/usr/bin/env python3
"""Work has its region's number in a trace, be it a node of a graph or not.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    check_graph_regions.py --runner FILE --opt FILE PROGRAM.mlir...

How often work of each name ran for each region, and stream of the plan, is the same with
graphs and without, by the device's clock and by events behind nodes; and the profile has
these regions. Code of the host is work in graphs alone.
"""

import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

WORK = ("kernel", "copy", "fill")


def run(options, program, graphs, clock):
    """Work by name, region and stream, the profile's regions, and launches of graphs."""
    with tempfile.TemporaryDirectory() as folder:
        trace, profile = pathlib.Path(folder) / "t.json", pathlib.Path(folder) / "p.json"
        done = subprocess.run(
            [options.runner, f"--graphs={graphs}", "--device=emu", f"--trace={trace}",
             f"--profile={profile}", program], check=True, capture_output=True, text=True,
            timeout=60,
            env={**os.environ, "ASYNC_GPU_TRACE_CLOCK": clock, "ASYNC_GPU_LOG": "driver"})
        events = json.loads(trace.read_text())["traceEvents"]
        rows = json.loads(profile.read_text())["rows"]
    work = [(e["name"], e.get("args", {})) for e in events
            if e["ph"] == "X" and e["cat"] in WORK and e["name"] != "host code"]
    return (collections.Counter((name, args.get("region"), args.get("stream"))
                                for name, args in work),
            {row["region"] for row in rows if row["kind"] in WORK and "region" in row
             and row["name"] != "host code"},
            done.stderr.count("cuGraphLaunch("))


def check(options, program):
    plan = json.loads(subprocess.run([options.opt, "--emit=plan-json", program], check=True,
                                     timeout=60, stdout=subprocess.PIPE).stdout)
    streams = {region["id"]: region["stream"] for region in plan["regions"]}
    wanted, in_profile, launches = run(options, program, "off", "auto")
    if launches:
        yield f"{program}: {launches} launches of graphs, which are off"
    regions = {region for _, region, _ in wanted} - {None}
    if not regions:
        yield f"{program}: no work is of a region"
    for _, region, stream in wanted:
        if region is not None and streams.get(region) != stream:
            yield f"{program}: region {region} is on stream {stream}, in the plan not"
    for clock in ("auto", "nodes"):
        found, of_profile, launches = run(options, program, "on", clock)
        if not launches:
            yield f"{program}, clock {clock}: no graphs"
        if found != wanted:
            yield (f"{program}, clock {clock}: with graphs also {found - wanted}, without "
                   f"{wanted - found}")
        if of_profile != in_profile:
            yield f"{program}, clock {clock}: {of_profile} in the profile, not {in_profile}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runner", required=True)
    parser.add_argument("--opt", required=True)
    parser.add_argument("programs", nargs="+")
    options = parser.parse_args()
    problems = [problem for program in options.programs for problem in check(options, program)]
    print("\n".join(problems) or "the same regions")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
