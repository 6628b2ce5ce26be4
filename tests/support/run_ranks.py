#!/usr/bin/env python3
"""Runs a program of several ranks under an MPI library's launcher, in all the ways
that it names, and compares what it does with what it says (program.py).

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    run_ranks.py --bin DIR --launcher FILE [--shim FILE] [--driver DIR] LIBRARY FILE.mlir

LIBRARY is openmpi or mpich. RUN lines have a word more here:

    ranks=1,2,4,7         with so many ranks, once each
    shim:NAME=a|b         a setting of the profiling layer (tests/mpi/shim.c), which
                          is loaded in front of the library then
    dies                  a rank is gone without a word: the launcher says so and
                          ends the others, which is all that is looked at

Standard output is that of all ranks. What the launcher itself says of ranks that
failed is not looked at. The first way of all is the runner's too.
"""

import argparse
import itertools
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

import compiled
import program

# Where /sys is not mounted (a chroot), hwloc says so in each process.
HWLOC = {"HWLOC_HIDE_ERRORS": "2"}

# Few CPUs, many ranks, and tests that root runs.
ENVIRONMENT = {
    "openmpi": {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                "OMPI_MCA_rmaps_base_oversubscribe": "1",
                "OMPI_MCA_hwloc_base_binding_policy": "none",
                "OMPI_MCA_mpi_yield_when_idle": "1", "OMPI_MCA_pml": "ob1",
                "OMPI_MCA_btl": "self,vader", "OMPI_MCA_osc": "^ucx",
                "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
                "OMPI_MCA_plm_rsh_agent": "sh",
                "HWLOC_COMPONENTS": "-opencl", **HWLOC},
    "mpich": {"HYDRA_LAUNCHER": "fork", "UCX_TLS": "self,sm",
              "UCX_WARN_UNUSED_ENV_VARS": "n", "UCX_LOG_LEVEL": "fatal",
              "UCX_HANDLE_ERRORS": "none",
              # It would rewrite the C library's brk while threads allocate.
              "UCX_MEM_EVENTS": "n",
              # Each rank would load the OpenCL that is installed: of pocl 60 MB, with
              # an LLVM of its own, threads and signal handlers.
              "HWLOC_COMPONENTS": "-opencl", **HWLOC},
}
# Lines that launchers and libraries write about ranks that end.
NOISE = re.compile(
    r"^(-+|=+|=   .*|\s*|MPI_ABORT was invoked.*|with errorcode.*|"
    r"NOTE: invoking MPI_Abort.*|You may or may not see.*|exactly when Open MPI.*|"
    r"Abort\(\d+\) on node.*|.*\bmpirun.*|.*\bmpiexec.*|Primary job +terminated.*|"
    r"a non-zero exit code.*|YOUR APPLICATION TERMINATED.*|This typically refers.*|"
    r"Please see the FAQ.*|\[.*\] \d+ more process.* MPI_ABORT.*|"
    r"\[.*\] Set MCA parameter.*|\[proxy:.*|.*ORTE_ERROR_LOG.*)$")

# Open MPI 4's launcher now and then crashes at its own end where it has to end ranks,
# and says where in such lines.
LAUNCHER_CRASH = re.compile(r"libpmix\.so.*\(PMIx_server_finalize\+")
LAUNCHER_SAYS = re.compile(r"^\[[^\]]+:\d+\] ")

# MPICH's launcher may print this on standard output where ranks are ended: whether it
# does depends on which of a rank's end and its MPI_Abort it hears of first.
BANNER = re.compile(r"\n=+\n=   BAD TERMINATION .*?\n(?:=   .*\n)+=+\n"
                    r"YOUR APPLICATION TERMINATED .*\n"
                    r"(?:This typically refers .*\n)?(?:Please see the FAQ .*\n)?")

# How they say that a rank is gone. Of one that leaves with an exit status of its
# own MPICH's says nothing, and ends with that.
LEFT = 3
DEATH = {
    "openmpi": re.compile(r"process rank \d+ .*(?:exited on signal 9|on$)|"
                          r"Exit code: +3$"),
    "mpich": re.compile(r"BAD TERMINATION"),
}


def run(command, environment, seconds):
    """(status, output, errors); the status is None where time was up."""
    folder = tempfile.mkdtemp()
    environment = dict(os.environ, **environment, TMPDIR=folder)
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, text=True,
                               errors="replace", stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, env=environment,
                               start_new_session=True)
    status = None
    try:
        output, errors = process.communicate(timeout=seconds)
        status = process.returncode
    except subprocess.TimeoutExpired:
        # The launcher passes this on to the ranks, which the next does not.
        process.terminate()
        try:
            output, errors = process.communicate(timeout=5)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, errors = process.communicate()
    shutil.rmtree(folder, ignore_errors=True)
    return status, output, errors


def find_problems(case, status, output, errors):
    expected = program.status_of(case)
    if status is None:
        return ["it did not end in time"]
    lines = [line for line in errors.splitlines() if not NOISE.match(line)]
    if expected and status < 0 and LAUNCHER_CRASH.search(errors):
        status = expected
        lines = [line for line in lines if not LAUNCHER_SAYS.match(line)]
    if expected:
        output = BANNER.sub("", output)
    problems = [line for line in lines if line.startswith("async: ")
                and not expected]
    lines = [line for line in lines if not line.startswith(("async: ", "device: "))]
    if status != expected:
        problems.append(f"exit status {status} in place of {expected}")
    problems += filter(None, [
        program.find_wrong_output(case, output),
        program.find_wrong_errors(case, "\n".join(lines))])
    return problems


def find_problems_of_death(library, status, output, errors):
    if status is None:
        return ["it did not end in time"]
    problems = [] if status else ["exit status 0"]
    said = any(DEATH[library].search(line)
               for line in (errors + output).splitlines())
    if not said and (library, status) != ("mpich", LEFT):
        problems.append("the launcher does not say that a rank is gone")
    return problems


def ways_of(way):
    """(ranks, settings of the environment), all of them."""
    names = [name for name, _ in way.settings]
    for ranks in way.words["ranks"].split(","):
        for values in itertools.product(*(values for _, values in way.settings)):
            yield int(ranks), dict(zip(names, values))


def variable(name):
    kind, colon, rest = name.partition(":")
    return {"env": rest, "shim": "MPI_SHIM_" + rest}[kind] if colon else \
        "ASYNC_GPU_" + name


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--launcher", required=True)
    parser.add_argument("--shim")
    parser.add_argument("--driver", help="folder of a driver of CUDA")
    parser.add_argument("library", choices=sorted(ENVIRONMENT))
    parser.add_argument("file")
    arguments = parser.parse_args()
    if not os.path.exists(arguments.launcher):
        print(f"left out: {arguments.library} is not installed")
        return 77
    tested = program.Program(arguments.file)
    if not tested.cases:
        sys.exit(f"{arguments.file} has no RUN line: it would never be run")
    opt = os.path.join(arguments.bin, "async-gpu-opt")
    runner = os.path.join(arguments.bin, "async-gpu-runner")
    failed = count = left_out = 0
    for case in tested.cases:
        for way in case.ways:
            executable = compiled.program(opt, tested.path,
                                          [*tested.options, *way.options],
                                          of_functions=way.function != "main")
            argument = [way.function] if way.function != "main" else []
            for ranks, settings in ways_of(way):
                commands = [[executable, *argument]]
                if not count and way.function == "main":
                    commands.append([runner, *way.options, str(tested.path)])
                environment = {
                    "ASYNC_GPU_DEVICE": "emu", "ASYNC_GPU_LOG": "async",
                    **ENVIRONMENT[arguments.library],
                    **{variable(name): value for name, value in settings.items()}}
                if environment["ASYNC_GPU_DEVICE"] == "cuda":
                    environment["LD_LIBRARY_PATH"] = ":".join(filter(None, [
                        arguments.driver, os.environ.get("LD_LIBRARY_PATH")]))
                prefix = []
                if any(name.startswith("shim:") for name in settings):
                    if not os.path.exists(arguments.shim or ""):
                        left_out += 1
                        continue
                    # Of the ranks, not of the launcher.
                    prefix = ["env", "LD_PRELOAD=" + ":".join(filter(None, [
                        os.environ.get("LD_PRELOAD"), arguments.shim]))]
                for command in commands:
                    count += 1
                    command = prefix + command
                    done = run([arguments.launcher, "-n", str(ranks), *command],
                               environment, way.words.get("seconds", 60))
                    problems = find_problems_of_death(arguments.library, *done) \
                        if "dies" in way.words else find_problems(case, *done)
                    if not problems:
                        continue
                    failed += 1
                    print(f"--- {arguments.library}, {ranks} ranks, {settings}: "
                          + " ".join(command))
                    print("\n".join("problem: " + each for each in problems))
                    print("--- standard error:\n" + done[2])
    if left_out:
        print(f"left out: {left_out} ways that take the profiling layer, for which "
              f"{arguments.library}'s mpi.h is needed")
    if failed:
        print(f"{failed} of {count} runs went wrong")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
