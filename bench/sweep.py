#!/usr/bin/env -S python3 -B
"""How far the defaults are from the best, by modelled time.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    bench/sweep.py                 print, for each model and program, what each setting
                                   takes, and the default beside the best
    bench/sweep.py --json FILE     write it to FILE, too

Programs are chains of short kernels, a loop of so many rounds of so many kernels, with
graphs on, off and chosen by the program (auto); and regions that are independent, with so
many streams. No clock is read: the emulated device keeps the time of the models.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from machine import ROOT

sys.path.insert(0, str(ROOT / "bench/modelled"))
import programs  # noqa: E402  (the folder is this one's)

MODELS = ("t4", "a100", "h100", "gh200")
ROUNDS, KERNELS = (4, 16, 64, 256), (1, 2, 4, 16)
GRAPHS = {way: [f"--graphs={way}"] for way in ("off", "auto", "on")}
REGIONS, LENGTHS = (4, 16, 64), (1, 4)
STREAMS = {str(count): {"ASYNC_GPU_STREAMS": str(count)} for count in (1, 2, 4, 8, 16, 32)}


def chain(rounds, kernels):
    size = 4096
    body, _ = programs.streaming("scale", size)
    return programs.program(
        programs.constants(c0=0, c1=1, rounds=rounds) + programs.allocate("ab", size) +
        "  scf.for %round = %c0 to %rounds step %c1 {\n" +
        programs.number([programs.launch(16, 256, body)] * kernels) + "  }\n" +
        programs.free("ab", size))


def fan_out(regions, kernels):
    """Regions that fill an eighth of a device or so, of so many kernels one after the
    other."""
    size = 1 << 14
    body = programs.streaming("scale", size)[0]
    launches = "".join(
        programs.launch(16, 256, body).format(n=n).replace("\n  ", "\n    ")
        for n in range(kernels))
    return programs.program(
        programs.constants(c0=0, c1=1, count=regions) +
        "  %group = async.create_group %count : !async.group\n"
        "  scf.for %r = %c0 to %count step %c1 {\n"
        "    %token = async.execute {\n" + programs.allocate("ab", size) + launches +
        programs.free("ab", size) +
        "      async.yield\n    }\n"
        "    %n = async.add_to_group %token, %group : !async.token\n"
        "  }\n  async.await_all %group\n")


def span(runner, model, text, options=(), environment=()):
    """Microseconds of the whole run, by its profile."""
    with tempfile.TemporaryDirectory() as folder:
        source, profile = (pathlib.Path(folder) / name for name in ("p.mlir", "p.json"))
        source.write_text(text)
        subprocess.run([runner, "--device=emu", f"--model={model}", f"--profile={profile}",
                        "--entry-point=main", *options, source],
                       check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, "ASYNC_GPU_NUM_THREADS": "1",
                            **dict(environment)})
        return json.loads(profile.read_bytes())["span_ns"] / 1e3


def sweep(runner, models):
    for model in models:
        for rounds in ROUNDS:
            for kernels in KERNELS:
                text = chain(rounds, kernels)
                yield {"model": model, "program": "chain", "rounds": rounds,
                       "kernels": kernels, "default": "off",
                       "took": {way: span(runner, model, text, options)
                                for way, options in GRAPHS.items()}}
        for regions in REGIONS:
            for kernels in LENGTHS:
                text = fan_out(regions, kernels)
                took = {count: span(runner, model, text, (), environment)
                        for count, environment in STREAMS.items()}
                took["default"] = span(runner, model, text)
                yield {"model": model, "program": "regions", "regions": regions,
                       "kernels": kernels, "default": "default", "took": took}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runner", default=ROOT / "build/bin/async-gpu-runner")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--model", action="append")
    arguments = parser.parse_args()
    rows = []
    for row in sweep(arguments.runner, arguments.model or MODELS):
        rows.append(row)
        best = min(row["took"].values())
        sizes = " ".join(f"{key}={row[key]}" for key in ("rounds", "regions", "kernels")
                         if key in row)
        took = " ".join(f"{way}:{time:.1f}" for way, time in row["took"].items())
        print(f"{row['model']:6} {row['program']:8} {sizes:24} {took}  default beside best "
              f"{row['took'][row['default']] / best:.2f}", flush=True)
    if arguments.json:
        arguments.json.write_text(json.dumps(
            {"command": "bench/sweep.py --json bench/results/sweep.json", "rows": rows},
            indent=1) + "\n")


if __name__ == "__main__":
    main()
