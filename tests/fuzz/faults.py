"""Lets calls of the driver fail in random programs.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

What a program has to do then is what tests/support/check_faults.py says: it ends with the
right output, or with one message that names the error and its place, and gives all back.
"""

import collections
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import check_faults  # noqa: E402
import device_program  # noqa: E402

UNKNOWN, OUT_OF_MEMORY = check_faults.UNKNOWN, check_faults.OUT_OF_MEMORY
CODES = {UNKNOWN: 999, OUT_OF_MEMORY: 2}


def settings_of(arguments, program, seed, threads, fault=None):
    settings = {"ASYNC_GPU_NUM_THREADS": str(threads)}
    if not arguments.ptx:
        settings |= {"ASYNC_GPU_EMU_SEED": str(seed),
                     "ASYNC_GPU_EMU_DEVICES": str(program.devices)}
        if fault:
            settings["ASYNC_GPU_EMU_FAULT"] = check_faults.spell(fault)
        return settings
    settings |= {"ASYNC_GPU_DEVICE": "cuda", "PTX_DEVICE_SEED": str(seed),
                 "PTX_DEVICE_DEVICES": str(program.devices),
                 "LD_LIBRARY_PATH": f"{arguments.ptx}/faulty"}
    if fault:
        settings["FAULTY_CUDA"] = f"{fault.function}:{fault.number}:{CODES[fault.error]}"
    return settings


def draw_fault(draw, counts, has_sticky):
    """One of the calls that the program makes: most often one that is about graphs."""
    graph = sorted(name for name in counts if "Graph" in name)
    name = draw.choice(graph if graph and draw.random() < 0.6 else sorted(counts))
    error = draw.choice([UNKNOWN, UNKNOWN, OUT_OF_MEMORY])
    if has_sticky and name not in check_faults.NO_CONTEXT and draw.random() < 0.2:
        error = draw.choice(check_faults.STICKY)
    return check_faults.Fault(name, draw.randrange(1, counts[name] + 1), error, {})


def find_limit(arguments, made, program):
    """The least memory with which the program runs, or None."""
    limit = None
    for size in () if arguments.ptx else (1 << 13, 1 << 12, 1 << 11, 1 << 10):
        done = device_program.run(made, 120, settings_of(arguments, program, 1, 1) |
                                  {"ASYNC_GPU_EMU_MEMORY_BYTES": str(size)})
        if done.status:
            break
        limit = {"ASYNC_GPU_EMU_MEMORY_BYTES": str(size)}
    return limit


def find_problem(done, fault, rules, is_limited):
    """With little memory a program may also run out of it, in some schedules."""
    for name, _, result, *_ in done.calls:
        if name in check_faults.GIVE_BACK and result.startswith("CUDA_ERROR_INVALID_"):
            return f"{name} gives nothing back: {result}"
    out = is_limited and done.status == 1 and OUT_OF_MEMORY in done.message
    return check_faults.find_problem(
        done, fault._replace(error=OUT_OF_MEMORY) if out else fault,
        rules._replace(usual=rules.usual._replace(status=int(out))))


def run_programs(arguments, make):
    """Returns the number of runs, of failures, and how many calls of what have failed."""
    failed = collections.Counter()
    runs = failures = 0
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "program.mlir"
        for number in range(arguments.first, arguments.first + arguments.count):
            program = make(number)
            path.write_text(program.text())
            made = str(path.with_suffix(""))
            subprocess.run([arguments.opt, "--emit=exe", "--async-gpu-lower=graphs=on",
                            str(path), "-o", made], check=True, timeout=120)
            draw = random.Random(number)
            usual = device_program.run(made, 120, settings_of(arguments, program, 1, 4))
            if usual.status or usual.output.split() != program.expected():
                print(f"program {number}: {usual.output.split()}, not "
                      f"{program.expected()}", usual.message, sep="\n")
                failures += 1
                continue
            rules = check_faults.Rules(usual, False, False, False)
            counts = check_faults.count_calls(usual)
            limit = find_limit(arguments, made, program)
            for seed in range(1, arguments.seeds + 1):
                fault = draw_fault(draw, counts, not arguments.ptx)
                settings = settings_of(arguments, program, seed, draw.randrange(1, 9), fault)
                is_limited = draw.random() < 0.4 and limit is not None
                settings |= limit if is_limited else {}
                done = device_program.run(made, 120, settings)
                runs += 1
                name = check_faults.find_failed(done, fault)
                failed[name] += 1
                problem = find_problem(done, fault, rules, is_limited)
                if problem:
                    failures += 1
                    print(f"program {number}: {problem}, with {settings}", done.message,
                          sep="\n", flush=True)
                    if arguments.keep:
                        (pathlib.Path(arguments.keep) / f"{number}.mlir").write_text(
                            program.text())
    return runs, failures, failed
