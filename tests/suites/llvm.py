#!/usr/bin/env python3
"""Runs LLVM's integration tests of MLIR with our tools in the place of theirs.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    tests/suites/llvm.py LLVM-SOURCE

LLVM-SOURCE is a checkout of llvm-project of LLVM 22. Its lit runs the tests below
mlir/test/Integration/Dialect, as they are: what is called `mlir-opt` is async-gpu-opt,
`mlir-runner` is async-gpu-runner, and upstream's asynchronous runtime is ours. Passes
whose names begin with `test-` exist in upstream's mlir-opt alone, which runs the commands
that have one. Tests that need another processor, or bindings, are left out. A test that
fails with upstream's own tools, too, counts as `input`, and one that fails there where
mlir-runner optimises, as async-gpu-runner does, as `upstream`.
"""

import functools
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

import suite

DIALECTS = "mlir/test/Integration/Dialect"
TIMEOUT = 120  # seconds; the longest takes 20
# Other processors and devices, and tests in Python.
LEFT_OUT = re.compile(r"/(ArmSVE|ArmSME|AMX|X86Vector|GPU|python|LevelZero)/|/(XeGPU|XeVM|LLVMIR)/")
SWITCHES = (
    "arm_emulator_executable arm_emulator_lli_executable arm_emulator_options "
    "arm_emulator_mlir_runner_executable arm_emulator_utils_lib_dir "
    "arm_sme_abi_routines_shlib mlir_run_arm_sve_tests mlir_run_arm_sme_tests "
    "mlir_run_amx_tests mlir_run_x86vector_tests enable_cuda_runner enable_bindings_python "
    "enable_levelzero_runner enable_rocm_runner enable_spirv_cpu_runner "
    "enable_sycl_runner enable_vulkan_runner run_xevm_tests "
    "mlir_run_cuda_sm80_tests mlir_run_cuda_sm80_lt_tests mlir_run_cuda_sm90_tests "
    "mlir_run_cuda_tensor_core_tests").split()
CONFIG = '''import lit.formats
config.name = "mlir-integration"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir"]
config.test_source_root = {source!r}
config.test_exec_root = {work!r}
config.mlir_include_integration_tests = True
config.llvm_shlib_ext = ".so"
config.mlir_lib_dir = config.mlir_tools_dir = {libraries!r}
for name in {switches!r}:
    setattr(config, name, "")
config.available_features.add("system-linux")
config.environment["PATH"] = {path!r}
config.environment["ASYNC_GPU_DEVICE"] = "emu"
config.substitutions += {substitutions!r}
'''
TOOL = """#!/bin/sh
# A command with a pass that only upstream has.
for argument; do
  case $argument in
  *test-*) exec timeout {seconds} {theirs} "$@" ;;
  esac
done
exec timeout {seconds} {tool} {level} "$@"
"""


def write_tools(options, folder, is_ours, level):
    """Fills a folder with what the RUN lines call."""
    folder.mkdir()
    for name, ours in (("mlir-opt", "async-gpu-opt"), ("mlir-runner", "async-gpu-runner")):
        theirs = options.llvm / "bin" / name
        tool = options.build / "bin" / ours if is_ours else theirs
        (folder / name).write_text(TOOL.format(
            seconds=TIMEOUT, theirs=shlex.quote(str(theirs)), tool=shlex.quote(str(tool)),
            level=level if name == "mlir-runner" else ""))
        (folder / name).chmod(0o755)


def run_all(options, cases, is_ours, level=""):
    """A dictionary of cases: lit's code and output."""
    if not cases:
        return {}
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        write_tools(options, work / "tools", is_ours, level)
        libraries = options.llvm / "lib"
        runtime = (options.build / "lib/libasync_gpu_runtime.so" if is_ours
                   else libraries / "libmlir_async_runtime.so")
        substitutions = [(f"%mlir_{n}", str(libraries / f"libmlir_{n}.so")) for n in
                         ("c_runner_utils", "runner_utils", "apfloat_wrappers", "float16_utils")]
        substitutions += [("%mlir_async_runtime", str(runtime)),
                          ("%mlir_native_utils_lib_dir", str(libraries)),
                          ("%mlir_src_dir", str(options.suite / "mlir")),
                          ("%mlir_lib_dir", str(libraries)), ("%shlibext", ".so"),
                          ("%lli", str(options.llvm / "bin/lli"))]
        source = options.suite / "mlir/test"
        (work / "lit.cfg").write_text(CONFIG.format(
            source=str(source), work=str(work / "out"), libraries=str(libraries),
            switches=SWITCHES, substitutions=substitutions,
            path=f"{work / 'tools'}:{options.llvm / 'bin'}:/usr/bin:/bin"))
        # lit takes the configuration that it is told of for the one of the suite.
        main = (f"import sys; sys.path.insert(1, {str(options.lit)!r}); import lit.main; "
                "lit.main.main({'config_map': {" f"{str(source / 'lit.cfg.py')!r}: "
                f"{str(work / 'lit.cfg')!r}" "}})")
        done = subprocess.run([options.python, "-c", main, f"-j{options.j}", "-a", "--output",
                               work / "results.json",
                               *(options.suite / c for c in cases)],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                              check=False)
        if not (work / "results.json").exists():
            sys.exit(f"error: lit has no results: {done.stderr}")
        tests = json.loads((work / "results.json").read_text())["tests"]
    return {t["name"].split(" :: ")[1]: (t["code"], t["output"]) for t in tests}


PASSED = ("PASS", "FLAKYPASS")


def classify(ours, theirs, optimised):
    """The result of a case, by lit's results with our tools, with upstream's, and with
    mlir-runner -O2 among these."""
    code, output = ours
    if code in PASSED:
        return suite.Result("ok", "")
    if theirs[0] not in PASSED:
        return suite.Result("input", "fails with upstream's tools, too")
    if optimised[0] not in PASSED:
        return suite.Result("upstream", "fails with upstream's mlir-runner -O2, too")
    if "exit status: 124" in output:
        return suite.Result("failed", "no end within the time")
    said = [l for l in output.splitlines() if re.search(r"async-gpu-\w+: error|: error: (?!.*CHECK)"
                                                        r"|crashed|LLVM ERROR", l)]
    said = [l for l in said if not re.search(r"(CHECK|expected string not found)", l)]
    if any("crashed" in l or "LLVM ERROR" in l for l in said):
        return suite.Result("failed", suite.first_error(said[0]))
    if said:
        return suite.Result("refused", suite.first_error(said[0].lstrip("# |")))
    return suite.Result("differs", "what is printed is not what the test expects")


def main():
    p = suite.parser(__doc__, "a checkout of llvm-project")
    p.add_argument("--llvm", type=pathlib.Path, default=pathlib.Path("/usr/lib/llvm-22"),
                   help="where upstream's tools and libraries are (default: /usr/lib/llvm-22)")
    p.add_argument("--lit", type=pathlib.Path, help="the folder of the Python module lit")
    p.add_argument("--python", default="python3")
    options = p.parse_args()
    options.build, options.suite = options.build.resolve(), options.suite.resolve()
    options.lit = options.lit or options.llvm / "utils/lit"
    suite.find_skip(options, [options.build / "bin/async-gpu-runner", options.lit,
                              options.suite / DIALECTS, options.suite / "mlir/test/lit.cfg.py"])
    files = sorted((options.suite / DIALECTS).rglob("*.mlir"))
    cases = [str(f.relative_to(options.suite)) for f in files]
    cases = [c for c in cases if not LEFT_OUT.search(c) and "RUN:" in (options.suite / c).read_text()]
    cases = [c for c in cases if re.search(options.only, c)]
    ours = run_all(options, cases, True)
    names = {c: c.removeprefix("mlir/test/") for c in cases}
    failed = [c for c in cases if ours[names[c]][0] not in (*PASSED, "UNSUPPORTED")]
    theirs = run_all(options, failed, False)
    optimised = run_all(options, failed, False, "-O2")

    def result(case):
        name, none = names[case], ("", "")
        return classify(ours[name], theirs.get(name, none), optimised.get(name, none))

    suite.judge("LLVM's integration tests", "llvm", options,
                [c for c in cases if ours[names[c]][0] != "UNSUPPORTED"], result)


if __name__ == "__main__":
    main()
