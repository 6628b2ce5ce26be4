"""The runtimes that bench/task_bench.py compares, and how each is built and run.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

All have the same core, as one library, and the flags that the suite's Makefiles have. The
suite's own implementations are taken where Debian has what they need.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from machine import ROOT, use_cpus

sys.path[:0] = [str(ROOT / "tests/suites/task_bench"), str(ROOT / "tests/support")]
import build as suite_build  # noqa: E402
import run_ranks  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
TIMEOUT = 60
ELAPSED = re.compile(r"^Elapsed Time (\S+) seconds$", re.MULTILINE)


class Unavailable(Exception):
    """What a system needs is not installed; says what."""


class System:
    """One implementation. is_ranked: whether it is of processes. `prepare` gives the program
    for a pattern, its words and variables, for processes of so many CPUs."""

    def __init__(self, name, builder, is_ranked=False):
        self.name, self.builder, self.is_ranked = name, builder, is_ranked

    def sample(self, pattern, arguments, cpus, ranks):
        """Seconds of one run of a pattern on these CPUs, or None where it fails."""
        program, words, variables = self.prepare(pattern, arguments,
                                                 max(1, len(cpus) // ranks), ranks)
        variables = {**{k: v for k, v in os.environ.items()
                        if not k.startswith(("ASYNC_GPU_", "OMP_", "STARPU_"))}, **variables}
        command = [str(program), *arguments, *words]
        with tempfile.TemporaryDirectory() as home:
            if self.is_ranked:
                variables.update(run_ranks.ENVIRONMENT["openmpi"], TMPDIR=home)
                # Each rank on a CPU, as on a cluster: left to the system, three of four
                # ranks may share one.
                command = ["mpirun.openmpi", "-n", str(ranks), "--bind-to",
                           "core:overload-allowed", *command]
            try:
                done = subprocess.run(
                    command, env={**variables, "STARPU_HOME": home}, capture_output=True,
                    text=True, errors="replace", timeout=TIMEOUT, check=False,
                    preexec_fn=lambda: use_cpus(cpus))
            except subprocess.TimeoutExpired:
                return None
        found = ELAPSED.search(done.stdout)
        return float(found[1]) if done.returncode == 0 and found else None


class Ours(System):
    """Compiled once for each pattern and number of ranks."""

    def __init__(self, name, builder, is_ranked=False):
        super().__init__(name, builder, is_ranked)
        self.programs = {}

    def prepare(self, pattern, arguments, cpus, ranks):
        key = pattern, ranks
        if key not in self.programs:
            self.programs[key] = self.builder.program(f"ours-{pattern}-{ranks}", arguments, ranks)
        return self.programs[key], [], {
            "ASYNC_GPU_NUM_THREADS": str(cpus), "ASYNC_GPU_DEVICE": "emu"}


class Peer(System):
    """One program for all patterns. words, variables: of the CPUs of a process."""

    def __init__(self, name, builder, program, words=None, variables=None, is_ranked=False):
        super().__init__(name, builder, is_ranked)
        self.program, self.words, self.variables = program, words, variables

    def prepare(self, pattern, arguments, cpus, ranks):
        return (self.program, self.words(cpus) if self.words else [],
                self.variables(cpus) if self.variables else {})


def compile_peer(builder, name, source, compiler, *flags):
    """A program of one source file and the core; raises Unavailable."""
    if not shutil.which(compiler):
        raise Unavailable(compiler)
    output = builder.folder / name
    try:
        suite_build.run(compiler, "-O3", *suite_build.vector_flags(), builder.include, source,
                        *builder.objects, "-o", output, *flags)
    except suite_build.Failed as failed:
        raise Unavailable(failed.done.stderr.strip().splitlines()[0]) from failed
    return output


def suite_file(builder, path):
    return builder.sources.parent / path


def libgomp(builder):
    program = compile_peer(builder, "libgomp", suite_file(builder, "openmp/main.cc"), "g++",
                           "-std=c++11", "-fopenmp")
    return Peer("OpenMP, libgomp", builder, program, lambda cpus: ["-worker", str(cpus)])


def libomp(builder):
    program = compile_peer(builder, "libomp", suite_file(builder, "openmp/main.cc"),
                           "clang++-22", "-std=c++11", "-fopenmp",
                           "-Wl,-rpath,/usr/lib/llvm-22/lib")
    return Peer("OpenMP, libomp", builder, program, lambda cpus: ["-worker", str(cpus)])


def onetbb(builder):
    program = compile_peer(builder, "onetbb", HERE / "onetbb.cpp", "g++", "-std=c++17",
                           builder.shim, "-ltbb")
    return Peer("oneTBB", builder, program,
                variables=lambda cpus: {"TASK_BENCH_THREADS": str(cpus)})


def starpu(builder):
    program = compile_peer(builder, "starpu", suite_file(builder, "starpu/main.cc"),
                           "mpicxx.openmpi", "-std=c++11", "-DADD_",
                           "-I/usr/include/starpu/1.3", suite_file(builder, "starpu/data.cc"),
                           "-lstarpu-1.3", "-lstarpumpi-1.3")
    return Peer("StarPU", builder, program, lambda cpus: ["-core", str(cpus)],
                lambda cpus: {**run_ranks.ENVIRONMENT["openmpi"], "STARPU_SILENT": "1",
                              "STARPU_NCPU": str(cpus), "STARPU_NCUDA": "0",
                              "STARPU_NOPENCL": "0"})


def openmp_mpi(builder):
    program = compile_peer(builder, "forall", suite_file(builder, "mpi_openmp/forall.cc"),
                           "mpicxx.openmpi", "-std=c++11", "-fopenmp")
    return Peer("OpenMP and MPI", builder, program, is_ranked=True,
                variables=lambda cpus: {"OMP_NUM_THREADS": str(cpus)})


def plain_mpi(builder):
    program = compile_peer(builder, "nonblock", suite_file(builder, "mpi/nonblock.cc"),
                           "mpicxx.openmpi", "-std=c++11")
    return Peer("MPI", builder, program, is_ranked=True)


def threaded_mpi(builder):
    """The same at the level of threads that async-gpu asks for."""
    return Peer("MPI, any thread", builder, plain_mpi(builder).program, is_ranked=True,
                variables=lambda cpus: {"OMPI_MPI_THREAD_LEVEL": "3"})


def ranks_of_ours(builder):
    if not shutil.which("mpirun.openmpi"):
        raise Unavailable("mpirun.openmpi")
    return Ours("async-gpu, ranks", builder, is_ranked=True)


MAKERS = [lambda builder: Ours("async-gpu", builder), libgomp, libomp, onetbb, starpu,
          ranks_of_ours, plain_mpi, threaded_mpi, openmp_mpi]
