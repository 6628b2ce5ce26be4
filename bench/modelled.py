#!/usr/bin/env -S python3 -B
"""Modelled times beside published measurements of cards.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    bench/modelled.py                    print each figure and its error
    bench/modelled.py --json FILE        write them to FILE, too
    bench/modelled.py --suite NAME       only those of one suite
    bench/modelled.py --quick            only those whose arrays are small
    bench/modelled.py --check FILE       fail if they are not those of FILE
    bench/modelled.py --write-programs FOLDER
                                         the programs, for a card
    bench/modelled.py --model h200 --pack FOLDER
                                         the programs of one model's suites as
                                         executables; FOLDER/run on the machine with the
                                         card runs them, and writes FOLDER/traces
    bench/modelled.py --traces FOLDER    beside each modelled figure what the card's
                                         traces say

Reads bench/modelled/published.json. Each figure is of a kernel or copy that a program
made here repeats on the emulated device, whose time the model of that card keeps: no
clock is read, and a busy machine gives the same figures.
"""

import argparse
import collections
import json
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

from machine import ROOT

sys.path.insert(0, str(ROOT / "bench/modelled"))
import programs  # noqa: E402  (the folder is this one's)

PUBLISHED = ROOT / "bench/modelled/published.json"
SMALL = 1 << 19  # elements
MODELS = ROOT / "runtime/emu/models"


RUN = """#!/bin/sh
# Runs each program ROUNDS times (3) on the device that ASYNC_GPU_DEVICE chooses, and
# keeps the traces.
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
mkdir -p "$here/traces"
round=0
while [ "$round" -lt "${ROUNDS:-3}" ]; do
  for program in "$here"/programs/*.exe; do
    name=$(basename "$program" .exe)
    ASYNC_GPU_TRACE="$here/traces/$name.$round.trace" timeout 120 "$program" \\
      >/dev/null || echo "$name: exit status $?" >&2
  done
  round=$((round + 1))
done
"""


# A card's first runs of a kernel are slow, and these programs run each once.
REPEATED, REPEATS = ("gpu-stream", "gpu-roofline", "STREAM"), 5


def repeat(text):
    return text.replace("func.func @main()", "func.func @once()") + f"""\
func.func @main() {{
  %first = arith.constant 0 : index
  %last = arith.constant {REPEATS} : index
  %step = arith.constant 1 : index
  scf.for %round = %first to %last step %step {{
    func.call @once() : () -> ()
  }}
  return
}}
"""


def read_workgroup_memory(model):
    text = (MODELS / f"{model}.model").read_text()
    return int(re.search(r"^workgroup_memory = (\d+) KiB", text, re.MULTILINE)[1]) << 10


def name_batch(suite, model, number):
    return f"{suite}-{model}-{number}"


def pack(opt, folder, groups):
    """Executables, the library that they need, and what runs them."""
    for name in ("programs", "lib"):
        (folder / name).mkdir(parents=True)
    for name in ("libasync_gpu_runtime.so.0", "libasync_gpu_emu.so.0"):
        shutil.copy(opt.parent.parent / "lib" / name, folder / "lib")
    for (suite, model), figures in groups.items():
        for i, batch in enumerate(programs.SUITES[suite](figures)):
            path = folder / "programs" / name_batch(suite, model, i)
            source = path.with_suffix(".mlir")
            text = programs.for_card(batch.text, read_workgroup_memory(model))
            source.write_text(repeat(text) if suite in REPEATED else text)
            subprocess.run([opt, "--emit=exe",
                            "--async-gpu-lower=" + " ".join(
                                ["gpu-count=true",
                                 *(option.removeprefix("--")
                                   for option in batch.options)]),
                            source, "-o", path.with_suffix(".exe")], check=True)
    script = folder / "run"
    script.write_text(RUN)
    script.chmod(0o755)


def read_work(events):
    """What a device did, in its order: (kind, begin, duration), in nanoseconds."""
    work = [(event["cat"], event["ts"] * 1e3, event["dur"] * 1e3) for event in events
            if event.get("cat") in ("kernel", "copy") and event["ph"] == "X"]
    return sorted(work, key=lambda each: each[1])


def read_traces(report, folder, suite, model, figures):
    """Gives each figure what the median of the traces says."""
    for i, batch in enumerate(programs.SUITES[suite](figures)):
        found = []
        name = name_batch(suite, model, i)
        for trace in sorted((folder / "traces").glob(f"{name}.*.trace")):
            text = subprocess.run([report, trace, "--json"], check=True,
                                  stdout=subprocess.PIPE).stdout
            work = read_work(json.loads(text)["traceEvents"])
            if suite in REPEATED:
                work = work[-(len(work) // REPEATS):]
            try:
                found.append(list(batch.judge(work)))
            except (IndexError, statistics.StatisticsError):
                print(f"{trace}: too little work in it", file=sys.stderr)
        for figure, values in zip(batch.figures, zip(*found)):
            figure["measured"] = float(f"{statistics.median(values):.4g}")


def run(runner, model, batch):
    """What a device did, in modelled order: (kind, begin, duration), in nanoseconds."""
    with tempfile.TemporaryDirectory() as folder:
        source, trace, machine = (pathlib.Path(folder) / name
                                  for name in ("p.mlir", "t.json", "m.model"))
        source.write_text(batch.text)
        text = (MODELS / f"{model}.model").read_text()
        for key, value in batch.changes.items():
            text = re.sub(rf"^{key} = .*", f"{key} = {value}", text, flags=re.MULTILINE)
        machine.write_text(text)
        subprocess.run([runner, "--device=emu", f"--model={machine}", f"--trace={trace}",
                        "--entry-point=main", *batch.options, source],
                       check=True, stdout=subprocess.DEVNULL)
        events = json.loads(trace.read_bytes())["traceEvents"]
    return read_work(events)


def measure(runner, suite, model, figures):
    """Gives each figure what the model says, in the unit of its suite."""
    for batch in programs.SUITES[suite](figures):
        work = run(runner, model, batch)
        for figure, found in zip(batch.figures, batch.judge(work)):
            figure["modelled"] = float(f"{found:.4g}")
            figure["error"] = round(found / figure["published"] - 1, 3)


def find_changed(figures, recorded):
    """Those that differ from what is recorded by more than a change of some instructions
    does."""
    def key(figure):
        return figure["suite"], figure["model"], describe(figure)
    old = {key(figure): figure["modelled"] for figure in recorded}
    return [f"{' '.join(key(figure))}: {figure['modelled']:g}, recorded is "
            f"{old.get(key(figure))}" for figure in figures
            if abs(figure["modelled"] / old.get(key(figure), 1e9) - 1) > 0.05]


def describe(figure):
    known = ("suite", "published", "modelled", "error", "fitted", "measured")
    return " ".join(f"{key}={value}" for key, value in figure.items()
                    if key not in known)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runner", default=ROOT / "build/bin/async-gpu-runner")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--check", type=pathlib.Path)
    parser.add_argument("--suite")
    parser.add_argument("--model", choices=sorted(
        path.stem for path in MODELS.glob("*.model")))
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--write-programs", type=pathlib.Path)
    parser.add_argument("--pack", type=pathlib.Path)
    parser.add_argument("--traces", type=pathlib.Path)
    arguments = parser.parse_args()
    published = json.loads(PUBLISHED.read_text())
    groups = collections.defaultdict(list)
    for figure in published["figures"]:
        is_quick = figure.get("size", SMALL + 1) <= SMALL
        if (arguments.suite in (None, figure["suite"]) and
                arguments.model in (None, figure["model"]) and
                is_quick >= arguments.quick):
            groups[figure["suite"], figure["model"]].append(figure)
    if arguments.write_programs:
        arguments.write_programs.mkdir(parents=True)
        for (suite, model), figures in groups.items():
            for i, batch in enumerate(programs.SUITES[suite](figures)):
                (arguments.write_programs / f"{suite}-{model}-{i}.mlir").write_text(
                    batch.text)
        return
    tools = pathlib.Path(arguments.runner).parent
    if arguments.pack:
        pack(tools / "async-gpu-opt", arguments.pack, groups)
        return
    for (suite, model), figures in groups.items():
        if arguments.traces:
            read_traces(tools / "async-gpu-report", arguments.traces, suite, model,
                        figures)
        measure(arguments.runner, suite, model, figures)
        for figure in figures:
            print(f"{suite:18} {describe(figure):48} {figure['published']:8g} "
                  f"{figure['modelled']:8g} {figure['error']:+7.1%}"
                  f"{'  fitted' if figure.get('fitted') else ''}"
                  + (f"  measured here: {figure['measured']:g}"
                     if "measured" in figure else ""), flush=True)
    figures = [figure for group in groups.values() for figure in group]
    errors = [abs(figure["error"]) for figure in figures if not figure.get("fitted")]
    print(f"{len(errors)} figures that no model was fitted to: median error "
          f"{statistics.median(errors):.1%}, worst {max(errors):.1%}")
    if arguments.json:
        arguments.json.write_text(json.dumps(
            {"command": "bench/modelled.py --json bench/results/modelled.json",
             "suites": published["suites"], "figures": figures}, indent=1) + "\n")
    if arguments.check:
        changed = find_changed(figures, json.loads(arguments.check.read_text())["figures"])
        if changed:
            sys.exit("\n".join(changed))


if __name__ == "__main__":
    main()
