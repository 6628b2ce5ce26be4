#!/usr/bin/env python3
"""Nodes of graphs are in a trace, with the times of their work, conditional nodes and
those of host code too.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    check_graph_trace.py --runner FILE [--model NAME] KIND PROGRAM.mlir

KIND is what conditional nodes of the program are called, each of which has the time of
all that the device runs in its body, or "host".
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runner", required=True)
    parser.add_argument("--model")
    parser.add_argument("kind", choices=["branch", "loop", "host"])
    parser.add_argument("program")
    options = parser.parse_args()
    name = "host code" if options.kind == "host" else options.kind
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder) / "trace.json"
        device = f"--model={options.model}" if options.model else "--device=emu"
        subprocess.run([options.runner, "--graphs=on", device, f"--trace={trace}",
                        options.program], check=True, stdout=subprocess.DEVNULL, timeout=60)
        text = trace.read_text()
    events = json.loads(text)
    events = events["traceEvents"] if isinstance(events, dict) else events
    nodes = [e for e in events if e.get("cat") == "kernel" and e.get("name") == name]
    problems = []
    if not nodes:
        problems.append(f"no slice is called '{name}'")
    # Microseconds. A loop has rounds, and some branch is taken.
    if not any(e["dur"] > 0 for e in nodes):
        problems.append(f"no '{name}' took any time")
    if "device times lost" in text:
        problems.append("times of work are lost")
    print("\n".join(problems) or f"{len(nodes)} nodes")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
