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
    bench/modelled.py --models FOLDER [--json FILE] [--seconds 300] [--python PYTHON]
                                         models of PyTorch, which bench/card_models_pack.py
                                         --count has put there, beside what an H200 took
                                         (bench/results/card-models.json)
    bench/modelled.py --linalg [NAME...] [--json FILE]
                                         those of them that need no torch; others stay in
                                         the file as the time that an earlier clock gave

Reads bench/modelled/published.json. Each figure is of a kernel or copy that a program
made here repeats on the emulated device, whose time the model of that card keeps: no
clock is read, and a busy machine gives the same figures.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

import card_models_results
from machine import ROOT

sys.path.insert(0, str(ROOT / "bench/modelled"))
import linalg_models  # noqa: E402  (the folder is this one's)
import programs  # noqa: E402

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


# ---------------------------------------------------------------------------
# Models of PyTorch
# ---------------------------------------------------------------------------


CARD_MODELS = ROOT / "bench/results/card-models.json"
SHORT_US = 80


def run_models(arguments, names):
    """By model: nanoseconds that the kernels of one call take together, by the model of
    the card; empty where that took too long on this machine."""
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder) / "models.trace"
        try:
            done = subprocess.run(
                [arguments.python, "-B", arguments.models / "card_models.py", *names,
                 "--work=trace", "--began=0"], check=True, stdout=subprocess.PIPE,
                timeout=arguments.seconds * len(names), text=True,
                env={**os.environ, "ASYNC_GPU_DEVICE": "emu",
                     "ASYNC_GPU_EMU_MODEL": "h200", "ASYNC_GPU_TRACE": str(trace)})
        except subprocess.TimeoutExpired:
            return {}
        if '"failed"' in done.stdout:
            sys.exit(done.stdout)
        kernels = card_models_results.kernels_of(
            pathlib.Path(arguments.runner).parent.parent, trace)
    return {name: kernels[name][0] / card_models_results.TRACED for name in names}


def measure_models(arguments):
    """Each of the models that the card has run: what its kernels took there, and what
    they are modelled to take. Short ones share a process."""
    measured, found = json.loads(CARD_MODELS.read_text()), {}
    if arguments.json and arguments.json.exists():
        found = {each["model"]: each
                 for each in json.loads(arguments.json.read_text())["results"]}
    took = {card["model"]: card["device_us"] for card in measured["results"]}
    launched = {card["model"]: card["launches"] for card in measured["results"]}
    names = arguments.names or list(took)
    groups = [[name] for name in names if took[name] > SHORT_US]
    short = [name for name in names if took[name] <= SHORT_US]
    for group in [short] * bool(short) + groups:
        modelled = run_models(arguments, group)
        for name in group:
            before = found.get(name, {})
            found[name] = {"model": name, "measured_us": float(f"{took[name]:.4g}")}
            if "earlier_us" in before or "modelled_us" in before:
                found[name]["earlier_us"] = before.get("earlier_us", before.get("modelled_us"))
            if name in modelled:
                us = modelled[name] / 1e3
                found[name]["modelled_us"] = float(f"{us:.4g}")
                now = json.loads((arguments.models / f"{name}.json").read_text())
                if now["launches"] == launched[name]:
                    found[name]["error"] = round(us / took[name] - 1, 3)
                else:  # of other kernels
                    found[name]["launches"] = [launched[name], now["launches"]]
            else:
                found[name]["left_out"] = f"takes more than {arguments.seconds} s to run"
            print(" ".join(f"{key}={value}" for key, value in found[name].items()),
                  flush=True)
        if arguments.json:
            arguments.json.write_text(json.dumps(
                {"command": "bench/modelled.py --models FOLDER --json "
                            "bench/results/modelled-models.json",
                 "model": "h200", "device": measured["machine"]["device"],
                 "results": [found[each] for each in took if each in found]},
                indent=1) + "\n")


def run_linalg(runner, name):
    """Nanoseconds that the kernels of the second of two calls take together."""
    text, inputs = linalg_models.build(name)
    with tempfile.TemporaryDirectory() as folder:
        source, trace = pathlib.Path(folder) / "p.mlir", pathlib.Path(folder) / "t.json"
        source.write_text(text)
        subprocess.run(
            [runner, "--device=emu", "--model=h200", f"--trace={trace}", "--entry=forward",
             source, *(f"--input={'x'.join(map(str, shape))}xf32=0.5" for shape in inputs),
             "--repeat=2"], check=True, stdout=subprocess.DEVNULL)
        work = read_work(json.loads(trace.read_bytes())["traceEvents"])
    took = [duration for kind, _, duration in work if kind == "kernel"]
    return sum(took[len(took) // 2:])


def measure_linalg(arguments):
    """Figures that are not measured again are `earlier`, as those before them."""
    document = json.loads(arguments.json.read_text())
    wanted = arguments.names or list(linalg_models.MODELS)
    for result in document["results"]:
        if "error" in result and result["model"] in wanted:
            result.setdefault("earlier_us", result["modelled_us"])
            us = run_linalg(arguments.runner, result["model"]) / 1e3
            result["modelled_us"] = float(f"{us:.4g}")
            result["error"] = round(us / result["measured_us"] - 1, 3)
            print(" ".join(f"{key}={value}" for key, value in result.items()), flush=True)
        elif "error" in result and result["model"] not in linalg_models.MODELS:
            result["earlier_us"] = result.pop("modelled_us")
            del result["error"]
    document["command"] = ("bench/modelled.py --linalg --json "
                           "bench/results/modelled-models.json")
    arguments.json.write_text(json.dumps(document, indent=1) + "\n")


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
    parser.add_argument("--models", type=pathlib.Path)
    parser.add_argument("--linalg", action="store_true")
    parser.add_argument("--seconds", type=int, default=300)
    parser.add_argument("--python", default=sys.executable,
                        help="one that has torch, for --models")
    parser.add_argument("names", nargs="*", metavar="NAME",
                        help="with --models or --linalg: only these; others stay in the file")
    arguments = parser.parse_args()
    if arguments.models:
        measure_models(arguments)
        return
    if arguments.linalg:
        measure_linalg(arguments)
        return
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
