"""Runs modules of torch-mlir's e2e suite, each in a process of its own.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    torch_mlir_case.py TORCH-MLIR --list
    torch_mlir_case.py TORCH-MLIR SECONDS

TORCH-MLIR is a checkout of torch-mlir. With --list the names of the modules are
printed. Otherwise lines `WHEN NAME` are read, and for each a line of JSON is printed: what
comes of the module with ours, a state and a reason (see suite.py), and with torch-mlir's
reference backend, or null. WHEN says whether that runs `always` or if ours `failed`.
"""

import gc
import importlib.util
import json
import os
import pathlib
import re
import signal
import sys
import tempfile
import types
import unittest.mock

# The folder of this file has a torch_mlir.py, which is not the package.
sys.path.pop(0)
ROOT = pathlib.Path(sys.argv[1]) / "projects/pt1/python"
sys.path.insert(0, str(ROOT))

import torch
import torch_mlir.fx

# The wheel lacks this module, which the suite asks for torch's version.
spec = importlib.util.spec_from_file_location("torch_mlir._version",
                                              ROOT / "torch_mlir/_version.py")
sys.modules[spec.name] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(sys.modules[spec.name])

# Nor has it what some of the suite's configurations need, which the package imports all.
configs = types.ModuleType("torch_mlir_e2e_test.configs")
configs.__path__ = [str(ROOT / "torch_mlir_e2e_test/configs")]
sys.modules[configs.__name__] = configs

from torch_mlir_e2e_test import framework, reporting
from torch_mlir_e2e_test.configs.fx_importer_backend import FxImporterTestConfig
from torch_mlir_e2e_test.linalg_on_tensors_backends.refbackend import (
    RefBackendLinalgOnTensorsBackend)
from torch_mlir_e2e_test.registry import GLOBAL_TEST_REGISTRY
from torch_mlir_e2e_test.test_suite import register_all_tests
from torch_mlir.extras.fx_decomp_util import get_decomposition_table

import async_gpu


class Ours:
    """Ours, as the suite's interface of backends. It remembers what it was given, and goes
    no further where it has crashed before."""

    def __init__(self, has_crashed):
        self._has_crashed = has_crashed
        self.modules = []

    def compile(self, module):
        self.modules.append(module)
        if self._has_crashed:
            raise RuntimeError("a crash")
        return async_gpu.compile(module.operation.get_asm())

    def load(self, compiled):
        return Loaded(compiled)


class Loaded:
    """A program whose functions are called as the suite does it."""

    def __init__(self, program):
        self._program = program

    def __getattr__(self, name):
        return self._program[name].run


def shorten(what, line):
    """`what` and a line of an error, without places and addresses."""
    line = re.sub(r"^.*?error: ", "", line)
    line = re.sub(r"/\S*/|0x[0-9a-f]{6,}", "", line)
    return " ".join(f"{what}: {line}".split())[:160]


def first_line(error):
    """The line of an error that says most."""
    lines = [l.strip() for l in str(error).splitlines() if l.strip()]
    line = next((l for l in lines if "error: " in l), lines[0] if lines else "")
    return shorten(type(error).__name__, line)


def run_backend(backend, test, golden):
    """A state and a reason."""
    config = FxImporterTestConfig(backend)
    trace = config.run(config.compile(test.program_factory()), golden)
    result = framework.TestResult(test.unique_name, None, None, trace, golden)
    report = reporting.SingleTestReport(result, reporting.ErrorContext.empty())
    if not report.failed:
        return "ok", ""
    said = [l for l in report.error_str().splitlines() if l.startswith("ERROR: ")]
    return "differs", said[0].removeprefix("ERROR: ")[:160]


def run_ours(test, golden, has_crashed):
    """A state and a reason, the programs that torch.export has made, one a call of the
    module, and what torch-mlir has made of them."""
    ours, exported = Ours(has_crashed), []
    export = torch.export.export

    def record(*arguments, **options):
        exported.append(export(*arguments, **options))
        return exported[-1]

    try:
        with unittest.mock.patch("torch.export.export", record):
            result = run_backend(ours, test, golden)
    except Exception as error:
        state = ("input" if not ours.modules else
                 "failed" if isinstance(error, async_gpu.RunError) else "refused")
        result = state, first_line(error)
    return result, exported, ours.modules


def run_reference(test, golden, exported, modules):
    """A state and a reason, of what torch-mlir has made already."""
    try:
        with unittest.mock.patch("torch.export.export", side_effect=exported), \
             unittest.mock.patch("torch_mlir.fx.export_and_import", side_effect=modules):
            return run_backend(RefBackendLinalgOnTensorsBackend(), test, golden)
    except Exception as error:
        return "failed", first_line(error)


def run_case(when, test, has_crashed, answer):
    """Gives `answer` the two results of a module, the first as soon as it is there."""
    try:
        golden = framework.generate_golden_trace(test)
    except Exception as error:
        answer(("input", first_line(error)))
        return
    ours, exported, modules = run_ours(test, golden, has_crashed)
    answer(ours)
    if len(modules) == len(golden) and (when == "always" or ours[0] != "ok"):
        answer(run_reference(test, golden, exported, modules))


def run_in_child(when, test, seconds, has_crashed=False):
    """The results that a process has given before it ended, and how it ended, or ""."""
    with tempfile.TemporaryFile() as said:
        here, there = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(here)
            os.dup2(said.fileno(), 2)
            os.dup2(said.fileno(), 1)
            signal.alarm(seconds)
            gc.disable()
            run_case(when, test, has_crashed,
                     lambda result: os.write(there, json.dumps(result).encode() + b"\n"))
            os._exit(0)
        os.close(there)
        with os.fdopen(here, "rb") as pipe:
            answers = [json.loads(line) for line in pipe]
        status = os.waitpid(child, 0)[1]
        return answers, how_ended(status, said) if status else ""


def run_both(when, test, seconds):
    """What comes of a module with ours, and with the reference backend or None."""
    answers, end = run_in_child(when, test, seconds)
    if end and not answers:
        # Was it ours, or did it get no further than torch-mlir?
        again, end_again = run_in_child(when, test, seconds, has_crashed=True)
        answers = [("failed" if again else "input", end), *again[1:]]
        end = end_again if again else ""
    if end:
        answers.append(("failed", end))
    return (answers + [None])[:2]


def how_ended(status, said):
    """What is known of a process that has not ended with 0, and what it said."""
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM:
        return "no end within the time"
    said.seek(0)
    lines = [l for l in said.read().decode(errors="replace").splitlines()
             if "error: " in l or "Assertion" in l or "LLVM ERROR" in l]
    how = (f"ended by signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status)
           else f"ended with {os.WEXITSTATUS(status)}")
    return shorten(how, lines[0]) if lines else how


class Sum(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x) + 1


def warm_up():
    """Has PyTorch import what it imports late, for all children. Without torch-mlir,
    whose threads a child would lack."""
    exported = torch.export.export(Sum(), (torch.ones(2, 3),), strict=True)
    exported.run_decompositions(get_decomposition_table())


def main():
    torch.set_num_threads(1)
    register_all_tests()
    tests = {t.unique_name: t for t in GLOBAL_TEST_REGISTRY}
    if sys.argv[2] == "--list":
        print("\n".join(sorted(tests)))
        return
    warm_up()
    gc.freeze()
    answers = os.dup(1)
    for line in sys.stdin:
        when, name = line.split()
        answer = json.dumps(run_both(when, tests[name], int(sys.argv[2])))
        os.write(answers, answer.encode() + b"\n")


if __name__ == "__main__":
    main()
