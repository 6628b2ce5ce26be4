#!/usr/bin/env -S python3 -B
"""How fast kernels are on the emulated device, beside PoCL.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    bench/emulated.py [--rounds 9] [--cpus 2] [--only saxpy,sums] [--peers ...]
                      [--json FILE] [--scale S] [--realtime] [--build build]

The same kernels (emulated/kernels.mlir, emulated/kernels.cl) with the same
grids and blocks, on this project's emulated device and on PoCL, an OpenCL
device of host threads:

    apt-get install --no-install-recommends pocl-opencl-icd ocl-icd-opencl-dev \\
        opencl-c-headers

Both are compiled for the CPU at hand, without leave to reorder or contract
floating point, before anything is timed; both get the same CPUs and as many
threads. A sample is one process: it looks at all results of a first launch,
and then times launches, each from the call to its end. The programs run in
turn, A B A B. The table has the medians of the samples' medians, and the median
of the ratios within a round. It goes to stderr, all samples as JSON to --json
(default: stdout).
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

import machine
from machine import ROOT, say
from programs import Unavailable, can_link, find, run

SOURCES = ROOT / "bench/emulated"
OURS, POCL = "async-gpu", "pocl"
FLAGS = ["-std=gnu11", "-O2", "-ffp-contract=off", "-Wall", "-Wextra"]

# Name, title, size at scale 1, launches of a sample.
WORKLOADS = [
    ("saxpy", "saxpy, 4 M elements", 1 << 22, 20),
    ("product", "tiled matrix product, 512 x 512", 512, 5),
    ("sums", "block sums, 4 M elements", 1 << 22, 5),
    ("stencil", "five-point stencil, 2048 x 2048", 2048, 8),
    ("histogram", "histogram, 4 M elements", 1 << 22, 5),
    ("small", "one block of 32 threads", 7, 300),
]


class Builder:
    """Builds the programs into a folder."""

    def __init__(self, build, folder):
        self.build, self.folder = build.resolve(), pathlib.Path(folder)
        self.compiler = find("a C compiler", "clang-22", "cc", "gcc", "clang")

    def link(self, name, *inputs):
        program = self.folder / name
        run(self.compiler, *FLAGS, SOURCES / "main.c", *inputs, "-lm",
            "-o", program)
        return program

    def async_gpu(self):
        kernels = self.folder / "kernels.o"
        run(self.build / "bin/async-gpu-opt", "--async-gpu-lower",
            "--gpu-targets=native", "--emit=obj", "--mcpu=native", "-O3",
            SOURCES / "kernels.mlir", "-o", kernels)
        libraries = self.build / "lib"
        return self.link(OURS, SOURCES / "ours.c", kernels, f"-L{libraries}",
                         f"-Wl,-rpath,{libraries}", "-lasync_gpu_runtime")

    def pocl(self):
        if not can_link(self.compiler, "c", "CL/cl.h", "-lOpenCL"):
            raise Unavailable("no OpenCL headers and loader")
        program = self.link(POCL, SOURCES / "opencl.c", "-lOpenCL")
        if not machine.packages("pocl-opencl-icd"):
            raise Unavailable("no pocl-opencl-icd")
        return program


PROGRAMS = {OURS: Builder.async_gpu, POCL: Builder.pocl}


def size_of(name, size, scale):
    """Smaller or larger, and still one that the kernels take."""
    if name == "small" or scale == 1:
        return size
    if name in ("product", "stencil"):
        return max(16, int(size * scale ** 0.5) // 16 * 16)
    return max(256, int(size * scale) // 256 * 256)


def environment(cpus, cache):
    variables = {name: value for name, value in os.environ.items()
                 if not name.startswith(("ASYNC_GPU_", "POCL_"))}
    variables.update(ASYNC_GPU_DEVICE="emu", OCL_ICD_VENDORS="pocl.icd",
                     ASYNC_GPU_EMU_THREADS=str(len(cpus)),
                     POCL_MAX_PTHREAD_COUNT=str(len(cpus)),
                     POCL_CACHE_DIR=str(cache))
    return variables


def sample(program, workload, cpus, cache, arguments):
    """The times of one process's launches, in nanoseconds."""
    name, _, size, launches = workload
    command = [program, name, size_of(name, size, arguments.scale),
               max(1, int(launches * min(1, arguments.scale))),
               SOURCES / "kernels.cl"]
    done = subprocess.run(
        list(map(str, command)), env=environment(cpus, cache), text=True,
        capture_output=True, timeout=120,
        preexec_fn=lambda: machine.use_cpus(cpus, arguments.realtime))
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: exit status "
                 f"{done.returncode}\n{done.stdout}{done.stderr}")
    return [int(line) for line in done.stdout.split()]


def measure(workload, programs, cpus, cache, arguments):
    """A result of the document."""
    samples = {name: [] for name in programs}
    for _ in range(arguments.rounds):
        for name, program in programs.items():
            samples[name].append(statistics.median(
                sample(program, workload, cpus, cache, arguments)))
    rows = [{"peer": name, "median_ns": statistics.median(times),
             "min_ns": min(times), "max_ns": max(times), "ns": times}
            for name, times in samples.items()]
    result = {"workload": workload[0], "title": workload[1], "rows": rows}
    if len(samples) == 2:
        result["ratio"] = statistics.median(
            a / b for a, b in zip(samples[OURS], samples[POCL]))
    return result


def print_result(result):
    times = ", ".join(f"{row['peer']} {row['median_ns'] / 1000:,.1f} us"
                      for row in result["rows"])
    ratio = f": {result['ratio']:.3f}" if "ratio" in result else ""
    say(f"{result['title']}: {times}{ratio}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--cpus", type=int, help="how many; default: all")
    parser.add_argument("--only", help="workloads, separated by commas")
    parser.add_argument("--peers", default=",".join(PROGRAMS))
    parser.add_argument("--scale", type=float, default=1)
    parser.add_argument("--realtime", action="store_true",
                        help="before all other work (as root)")
    parser.add_argument("--json", help="file for all samples")
    arguments = parser.parse_args()
    machine.require(arguments.build, "bin/async-gpu-opt", "lib/libasync_gpu_runtime.so")
    document = machine.header("emulated")
    cpus = sorted(os.sched_getaffinity(0))[:arguments.cpus]

    with tempfile.TemporaryDirectory() as folder:
        builder = Builder(arguments.build, folder)
        programs = {}
        for name in arguments.peers.split(","):
            try:
                programs[name] = PROGRAMS[name](builder)
            except Unavailable as reason:
                say(f"{name} is left out: {reason}")
        cache = pathlib.Path(folder) / "cache"
        cache.mkdir()
        results = []
        for workload in WORKLOADS:
            if arguments.only and workload[0] not in arguments.only.split(","):
                continue
            results.append(measure(workload, programs, cpus, cache, arguments))
            print_result(results[-1])

    document.update(
        versions=machine.packages("pocl-opencl-icd", "llvm-22"),
        threads=len(cpus), realtime=arguments.realtime, results=results,
        load_after=[round(load, 2) for load in os.getloadavg()])
    machine.save(document, arguments.json)


if __name__ == "__main__":
    main()
