#!/usr/bin/env -S python3 -B
"""How far the defaults are from the best, by modelled time.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    bench/sweep.py                 print, for each model and program, what each setting
                                   takes, and the default beside the best
    bench/sweep.py --json FILE     write it to FILE, too
    bench/sweep.py --program NAME  only chain, regions, connections, sequential or products;
                                   others stay in FILE

Programs are chains of short kernels, a loop of so many rounds of so many kernels, with
graphs on, off and chosen by the program (auto); regions that are independent, with so many
streams, or so many connections of the host with the device; kernels that are independent and
stand one after the other, with regions made of all of them (--device-region-ops=0), of none,
and of those that are long enough; and products of matrices of f32, for so many blocks
(blocks=N of --async-gpu-map-linalg). No clock is read: the emulated device keeps the time of the models.
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
import linalg_models  # noqa: E402  (the folder is this one's)
import programs  # noqa: E402

MODELS = ("t4", "a100", "h100", "gh200")
ROUNDS, KERNELS = (4, 16, 64, 256), (1, 2, 4, 16)
GRAPHS = {way: [f"--graphs={way}"] for way in ("off", "auto", "on")}
REGIONS, LENGTHS = (4, 16, 64), (1, 4)
# Shapes of the factors.
PRODUCTS = (((256, 256), (256, 256)), ((512, 512), (512, 512)), ((2048, 128), (128, 128)),
            ((128, 4096), (4096, 128)), ((24, 256, 64), (24, 64, 256)))
BLOCKS, DEFAULT_BLOCKS = (32, 64, 128, 256), "128"
# Of a kernel: threads, and rounds of a loop with an operation on f32.
SEQUENTIAL = ((256, 4), (256, 256), (256, 2048), (32768, 4), (32768, 256), (32768, 2048),
              (1 << 20, 4), (1 << 20, 256))
FORMED = {"none": ["--sequential", f"--device-region-ops={10 ** 15}"],
          "all": ["--sequential", "--device-region-ops=0"], "default": ["--sequential"]}
CONNECTIONS = {str(count): {"CUDA_DEVICE_MAX_CONNECTIONS": str(count)}
               for count in (1, 2, 4, 8, 16, 32)}
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


def side_by_side(threads, length):
    """Rounds of two kernels, each on a buffer of its own."""
    body = (f"    %x = memref.load %NAME[%i] : {programs.array(threads, 'f32')}\n"
            f"    %length = arith.constant {length} : index\n"
            "    %y = scf.for %k = %c0 to %length step %c1 iter_args(%z = %x) -> (f32) {{\n"
            "      %w = math.fma %z, %z, %x : f32\n      scf.yield %w : f32\n    }}\n"
            f"    memref.store %y, %NAME[%i] : {programs.array(threads, 'f32')}\n")
    return programs.program(
        programs.constants(c0=0, c1=1, rounds=8) + programs.allocate("ab", threads, "f32") +
        "  scf.for %round = %c0 to %rounds step %c1 {\n" +
        programs.number([programs.launch(threads // 256, 256, body.replace("NAME", name))
                         for name in "ab"]) + "  }\n" +
        programs.free("ab", threads, "f32"))


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


def time_product(runner, model, shapes, blocks):
    """Microseconds of its kernel."""
    made = linalg_models.Program()
    text = made.finish(made.product(*(made.input(*shape) for shape in shapes)))
    with tempfile.TemporaryDirectory() as folder:
        source, lower, trace = (pathlib.Path(folder) / name
                                for name in ("p.mlir", "l.mlir", "t.json"))
        source.write_text(text)
        subprocess.run([pathlib.Path(runner).parent / "async-gpu-opt",
                        f"--async-gpu-from-linalg=device=gpu memory=discrete blocks={blocks}",
                        source, "-o", lower], check=True)
        subprocess.run([runner, "--device=emu", f"--model={model}", f"--trace={trace}",
                        "--entry=forward", lower,
                        *(f"--input={'x'.join(map(str, shape))}xf32=0.5"
                          for shape in shapes)], check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, "ASYNC_GPU_NUM_THREADS": "1"})
        return sum(event["dur"] for event in json.loads(trace.read_bytes())["traceEvents"]
                   if event.get("cat") == "kernel" and event["ph"] == "X")


def sweep_products(runner, models):
    for model in models:
        for shapes in PRODUCTS:
            yield {"model": model, "program": "products",
                   "shapes": " by ".join("x".join(map(str, shape)) for shape in shapes),
                   "default": DEFAULT_BLOCKS,
                   "took": {str(blocks): time_product(runner, model, shapes, blocks)
                            for blocks in BLOCKS}}


def sweep_chains(runner, models):
    for model in models:
        for rounds in ROUNDS:
            for kernels in KERNELS:
                text = chain(rounds, kernels)
                yield {"model": model, "program": "chain", "rounds": rounds,
                       "kernels": kernels, "default": "off",
                       "took": {way: span(runner, model, text, options)
                                for way, options in GRAPHS.items()}}


def sweep_regions(runner, models):
    for model in models:
        for regions in REGIONS:
            for kernels in LENGTHS:
                text = fan_out(regions, kernels)
                took = {count: span(runner, model, text, (), environment)
                        for count, environment in STREAMS.items()}
                took["default"] = span(runner, model, text)
                yield {"model": model, "program": "regions", "regions": regions,
                       "kernels": kernels, "default": "default", "took": took}


def sweep_connections(runner, models):
    """Who waits is told by host functions, which hold up what is behind them in their
    connection."""
    for model in models:
        for regions in REGIONS:
            text = fan_out(regions, 4)
            took = {count: span(runner, model, text, (), environment)
                    for count, environment in CONNECTIONS.items()}
            took["default"] = span(runner, model, text)
            yield {"model": model, "program": "connections", "regions": regions,
                   "default": "default", "took": took}


def sweep_sequential(runner, models):
    for model in models:
        for threads, length in SEQUENTIAL:
            text = side_by_side(threads, length)
            yield {"model": model, "program": "sequential", "threads": threads,
                   "length": length, "default": "default",
                   "took": {way: span(runner, model, text, ["--graphs=off", *options],
                                      {"ASYNC_GPU_EMU_BLOCKS": "few"})
                            for way, options in FORMED.items()}}


SWEEPS = {"chain": sweep_chains, "regions": sweep_regions, "connections": sweep_connections,
          "sequential": sweep_sequential, "products": sweep_products}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runner", default=ROOT / "build/bin/async-gpu-runner")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--model", action="append")
    parser.add_argument("--program", choices=SWEEPS)
    arguments = parser.parse_args()
    wanted = [arguments.program] if arguments.program else list(SWEEPS)
    rows = []
    if arguments.json and arguments.json.exists():
        rows = [row for row in json.loads(arguments.json.read_text())["rows"]
                if row["program"] not in wanted]
    for row in (row for name in wanted
                for row in SWEEPS[name](arguments.runner, arguments.model or MODELS)):
        rows.append(row)
        best = min(row["took"].values())
        sizes = " ".join(f"{key}={row[key]}" for key in ("rounds", "regions", "kernels", "threads",
                                                      "length", "shapes")
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
