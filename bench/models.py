#!/usr/bin/env -S python3 -B
"""Programs of front ends: what is made of them, whether it is right, how long it takes.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    bench/models.py FOLDER... [--build build] [--rounds 3] [--calls 5]
                    [--python PYTHON] [--only NAME...] [--json FILE]

A folder holds sequential MLIR, as torch-mlir, Polygeist and others print it:

    NAME.mlir          the program
    NAME.in0.npy ...   what it is given
    NAME.out0.npy ...  what it has to give, by NumPy or PyTorch
    NAME.arg1.npy      what an argument has to be behind the call, if it is written
    NAME.json          {"entry": its function, "passes": what runs first, "flags":
                       what the runner is given}, as far as needed: by default its
                       one public function, and none

Each is run by async-gpu-runner as it is (with --sequential where it has no tensors),
and compared. The plan is counted from the remarks: kernels, regions, streams, copies
that data placement has made; what overlapped is from a profile of one call. Peers,
one process a sample, in turn: the same program without regions; `mlir-opt` and
`mlir-runner` -O3, loops on one CPU; with --python, one that has
iree-base-compiler and iree-base-runtime, IREE for the CPU on its local-task device.
A sample is the median of its calls. A line for each goes to stderr, all to --json
(default: stdout); the exit status is 1 if a result differs or none is made.
"""

import argparse
import ast
import json
import math
import pathlib
import re
import statistics
import struct
import subprocess
import sys
import tempfile
import time

import machine
from machine import ROOT, say

UPSTREAM_OPT = "/usr/lib/llvm-22/bin/mlir-opt"
UPSTREAM_RUNNER = "/usr/lib/llvm-22/bin/mlir-runner"
UTILS = "/usr/lib/llvm-22/lib/libmlir_c_runner_utils.so"
SECONDS = 600
TOLERANCE = 1e-4

LOOPS = ("builtin.module(canonicalize,linalg-fuse-elementwise-ops,"
         "one-shot-bufferize{bufferize-function-boundaries=true "
         "function-boundary-type-conversion=identity-layout-map},"
         "buffer-deallocation-pipeline,convert-bufferization-to-memref,"
         "func.func(convert-linalg-to-loops,lower-affine),"
         "expand-strided-metadata,lower-affine,convert-scf-to-cf,"
         "convert-vector-to-llvm,convert-math-to-llvm,convert-math-to-libm,"
         "convert-arith-to-llvm,convert-index-to-llvm,"
         "finalize-memref-to-llvm,convert-cf-to-llvm,convert-func-to-llvm,"
         "reconcile-unrealized-casts)")

# The least of its calls has a call's time in it alone.
IREE = """
import statistics, sys, time, numpy, iree.runtime
module = iree.runtime.load_vm_flatbuffer_file(sys.argv[1], driver="local-task")
arrays = [numpy.load(path) for path in sys.argv[4:]]
samples = []
for _ in range(int(sys.argv[3])):
    start = time.perf_counter()
    result = module[sys.argv[2]](*arrays)
    for one in result if isinstance(result, tuple) else (result,):
        one.to_host()
    samples.append(time.perf_counter() - start)
print(statistics.median(samples) * 1e3)
"""

FORMATS = {"<f4": "f", "<f8": "d", "<i8": "q", "<i4": "i"}
TYPES = {"<f4": "f32", "<f8": "f64", "<i8": "i64", "<i4": "i32"}


def read_npy(path):
    """Its type, shape and numbers."""
    data = path.read_bytes()
    size = struct.unpack("<H", data[8:10])[0]
    header = ast.literal_eval(data[10:10 + size].decode())
    body = data[10 + size:]
    kind = header["descr"]
    count = math.prod(header["shape"])
    return kind, header["shape"], struct.unpack(
        f"<{count}{FORMATS[kind]}", body[:count * struct.calcsize(FORMATS[kind])])


def difference(ours, theirs):
    """The largest one, of the largest number."""
    scale = max(map(abs, theirs), default=0) or 1
    return max((abs(a - b) for a, b in zip(ours, theirs)), default=0) / scale


class Model:
    def __init__(self, source, arguments, folder):
        self.name, self.source = source.stem, source
        self.arguments, self.folder = arguments, folder
        settings = source.with_suffix(".json")
        settings = json.loads(settings.read_text()) if settings.exists() else {}
        self.inputs = self.files("in")
        self.outputs, self.written = self.files("out"), self.files("arg")
        self.program = source
        if "passes" in settings:
            self.program = folder / source.name
            subprocess.run([arguments.build / "bin/async-gpu-opt", source,
                            f"--pass-pipeline=builtin.module({settings['passes']})",
                            "-o", self.program], check=True)
        self.has_tensors = "tensor<" in source.read_text()
        self.flags = settings.get("flags", [])
        self.entry = settings.get("entry") or self.only_function()

    def files(self, kind):
        """By number."""
        found = {}
        for path in self.source.parent.glob(f"{self.name}.{kind}*.npy"):
            number = path.name[len(self.name) + 1 + len(kind):-len(".npy")]
            if number.isdigit():
                found[int(number)] = path
        return dict(sorted(found.items()))

    def only_function(self):
        done = subprocess.run(
            [self.arguments.build / "bin/async-gpu-runner", self.program,
             "--print-signature"], capture_output=True, text=True, check=True)
        names = re.findall(r"^(\w+)\(", done.stdout, re.MULTILINE)
        return names[0] if len(names) == 1 else "forward"

    def command(self, sequential=True):
        command = [self.arguments.build / "bin/async-gpu-runner", self.program,
                   f"--entry={self.entry}", *self.flags,
                   *(f"--input={path}" for path in self.inputs.values())]
        if not self.has_tensors:
            command.append("--sequential")
        if not sequential:
            command += ["--host-region-ops=1000000000000000",
                        "--device-region-ops=1000000000000000"]
        return command

    def check(self):
        """What it gives, beside what it has to; the largest difference."""
        command, compared = self.command(), []
        for number, expected in self.outputs.items():
            result = self.folder / f"{self.name}.result{number}.npy"
            command.append(f"--output={result}")
            compared.append((result, expected))
        for number, expected in self.written.items():
            result = self.folder / f"{self.name}.argument{number}.npy"
            command.append(f"--output=arg{number}={result}")
            compared.append((result, expected))
        subprocess.run(command, check=True, capture_output=True, text=True,
                       timeout=SECONDS)
        worst = 0
        for result, expected in compared:
            ours, theirs = read_npy(result), read_npy(expected)
            if math.prod(ours[1]) != math.prod(theirs[1]):
                return math.inf
            worst = max(worst, difference(ours[2], theirs[2]))
        return worst

    def plan(self):
        """What the remarks say, counted, and what one call's profile does."""
        profile = self.folder / "profile.json"
        done = subprocess.run(
            [*self.command(), "--async-gpu-remarks", f"--profile={profile}"],
            capture_output=True, text=True, timeout=SECONDS, check=True)
        said = done.stderr
        found = {"kernels": len(re.findall(r"remark: a kernel with", said)),
                 "copies": sum(map(int, re.findall(
                     r"remark: .* has a buffer on the device: (\d+) cop",
                     said))),
                 "regions": sum(map(int, re.findall(
                     r"tasks form (\d+) regions", said))),
                 "streams": len(set(re.findall(
                     r"remark: region \d+: \w+, stream (\d+)", said)))}
        if not found["kernels"]:
            found["kernels"] = self.program.read_text().count("gpu.launch ")
        overlap = json.loads(profile.read_text())["overlap"]
        busy = overlap["busy_ns"] or 1
        found["beside_stream"] = overlap["beside_stream_ns"] / busy
        found["beside_host"] = overlap["beside_host_ns"] / busy
        return found

    def sample(self, sequential=True):
        report = self.folder / "report.json"
        subprocess.run([*self.command(sequential),
                        f"--repeat={self.arguments.calls}",
                        f"--report={report}",
                        *(f"--output={self.folder}/ignored{number}.npy"
                          for number in self.outputs)],
                       check=True, capture_output=True, timeout=SECONDS)
        said = json.loads(report.read_text())
        return (said["entries"][0]["median_ms"],
                (said["parse_ms"] + said["lower_ms"] + said["compile_ms"]) / 1e3)


def loops_of(model):
    """The program with a main that calls it and prints a call's milliseconds, in
    the LLVM dialect by upstream's loops; None where upstream cannot."""
    text = model.source.read_text()
    kinds = [read_npy(path)[:2] for path in model.inputs.values()]
    signature = subprocess.run(
        [model.arguments.build / "bin/async-gpu-runner", model.source,
         "--print-signature"], capture_output=True, text=True, check=True).stdout
    line = next(line for line in signature.splitlines()
                if line.startswith(f"{model.entry}("))
    takes, _, gives = line[len(model.entry):].partition(" -> ")
    parameters = re.findall(r"[\w.]+(?:<[^>]*>)?", takes)
    results = re.findall(r"[\w.]+(?:<[^>]*>)?", gives)
    body = []
    for number, ((kind, shape), parameter) in enumerate(zip(kinds, parameters)):
        fixed = f"<{'x'.join([*map(str, shape), TYPES[kind]])}>"
        value = "0.5" if kind[1] == "f" else "1"
        if "<" not in parameter:
            body.append(f"%v{number} = arith.constant {value} : {parameter}")
            continue
        container = parameter.partition("<")[0]
        body.append(f"%t{number} = arith.constant dense<{value}> : tensor{fixed}")
        name = f"t{number}"
        if container == "memref":
            body += [f"%buffer{number} = bufferization.to_buffer %{name} : "
                     f"tensor{fixed} to memref{fixed}",
                     f"%m{number} = memref.alloc() : memref{fixed}",
                     f"memref.copy %buffer{number}, %m{number} : memref{fixed} to "
                     f"memref{fixed}"]
            name = f"m{number}"
        body.append(f"%v{number} = {container}.cast %{name} : {container}{fixed} "
                    f"to {parameter}")
    count = model.arguments.calls
    call = ", ".join(f"%v{number}" for number in range(len(kinds)))
    given = f"%r:{len(results)} = " if results else ""
    main = f"""
func.func private @rtclock() -> f64
func.func private @printF64(f64)
func.func private @printNewline()
func.func @main() {{
  {chr(10).join(body)}
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant {count} : index
  %big = arith.constant 1.0e30 : f64
  %least = scf.for %i = %c0 to %n step %c1 iter_args(%so_far = %big) -> f64 {{
    %start = func.call @rtclock() : () -> f64
    {given}func.call @{model.entry}({call}) : ({', '.join(parameters)}) -> ({', '.join(results)})
    %end = func.call @rtclock() : () -> f64
    %took = arith.subf %end, %start : f64
    %less = arith.minimumf %took, %so_far : f64
    scf.yield %less : f64
  }}
  %thousand = arith.constant 1000.0 : f64
  %ms = arith.mulf %least, %thousand : f64
  func.call @printF64(%ms) : (f64) -> ()
  func.call @printNewline() : () -> ()
  return
}}
"""
    module = re.search(r"^module.*\{$", text, re.MULTILINE)
    end = module.end() if module else len(text)
    whole = text[:end] + main + text[end:]
    source = model.folder / f"{model.name}.loops.mlir"
    source.write_text(whole)
    lowered = source.with_suffix(".llvm.mlir")
    done = subprocess.run([UPSTREAM_OPT, source, f"--pass-pipeline={LOOPS}", "-o",
                           lowered], capture_output=True, text=True)
    if done.returncode:
        say(f"{model.name}: mlir-opt:", done.stderr.strip().splitlines()[0][-160:])
        return None
    return lowered


def run_loops(lowered):
    done = subprocess.run(
        [UPSTREAM_RUNNER, lowered, "-O3", "-e", "main",
         "--entry-point-result=void", f"--shared-libs={UTILS}"],
        capture_output=True, text=True, timeout=SECONDS)
    return float(done.stdout.split()[-1]) if done.returncode == 0 else None


def compile_iree(model):
    """The compiled file and the seconds that took; None where IREE cannot."""
    code = model.folder / f"{model.name}.vmfb"
    start = time.perf_counter()
    done = subprocess.run(
        [model.arguments.python.parent / "iree-compile", model.source, "-o", code,
         "--iree-hal-target-device=local",
         "--iree-hal-local-target-device-backends=llvm-cpu",
         "--iree-llvmcpu-target-cpu=host"], capture_output=True, text=True)
    if done.returncode:
        say(f"{model.name}: iree-compile:",
            (done.stderr.strip().splitlines() or [""])[0][-160:])
        return None, None
    return code, time.perf_counter() - start


def run_iree(model, code):
    done = subprocess.run(
        [model.arguments.python, "-c", IREE, code, model.entry,
         str(model.arguments.calls), *model.inputs.values()],
        capture_output=True, text=True, timeout=SECONDS)
    return float(done.stdout) if done.returncode == 0 else None


def measure(model):
    entry = {"model": model.name, "front_end": model.source.parent.name}
    try:
        entry["difference"] = model.check()
        entry.update(model.plan())
    except subprocess.CalledProcessError as error:
        lines = (error.stderr or "").strip().splitlines()
        say(f"{model.name}: FAILED: {(lines or ['?'])[0]}")
        return {**entry, "failed": (lines or ["?"])[0].rpartition("/")[2]}
    loops = loops_of(model)
    code, seconds = (compile_iree(model) if model.arguments.python and
                     model.has_tensors else (None, None))
    samples = {"async-gpu": [], "in order": [], "mlir-runner": [], "IREE": []}
    compile_seconds = []
    for _ in range(model.arguments.rounds):
        took, compiled = model.sample()
        samples["async-gpu"].append(took)
        compile_seconds.append(compiled)
        if not model.has_tensors:
            samples["in order"].append(model.sample(sequential=False)[0])
        if loops:
            samples["mlir-runner"].append(run_loops(loops))
        if code:
            samples["IREE"].append(run_iree(model, code))
    entry["milliseconds"] = {
        peer: statistics.median(of) for peer, of in samples.items()
        if of and None not in of}
    entry["samples"] = {peer: of for peer, of in samples.items() if of}
    entry["compile_seconds"] = statistics.median(compile_seconds)
    if seconds:
        entry["iree_compile_seconds"] = seconds
    say(f"{model.name}: differs by {entry['difference']:.1e}; "
        f"{entry['kernels']} kernels, {entry['regions']} regions, "
        f"{entry['streams']} streams, {entry['copies']} copies, "
        f"{100 * entry['beside_stream']:.0f} % beside another stream; "
        + ", ".join(f"{peer} {ms:.3g} ms"
                    for peer, ms in entry["milliseconds"].items())
        + f"; compiled in {entry['compile_seconds']:.2f} s"
        + (f", IREE {seconds:.2f} s" if seconds else ""))
    return entry


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--calls", type=int, default=5)
    parser.add_argument("--python", type=pathlib.Path)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--json", help="file for all samples")
    arguments = parser.parse_args()
    machine.require(arguments.build, "bin/async-gpu-opt", "bin/async-gpu-runner")
    document = machine.header("models")
    with tempfile.TemporaryDirectory() as name:
        sources = [source for folder in arguments.folders
                   for source in sorted(folder.glob("*.mlir"))
                   if not arguments.only or source.stem in arguments.only]
        document["results"] = [
            measure(Model(source, arguments, pathlib.Path(name)))
            for source in sources]
    machine.save(document, arguments.json)
    bad = [entry for entry in document["results"]
           if "failed" in entry or not entry["difference"] <= TOLERANCE]
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
