#!/usr/bin/env python3
"""Models on a GPU, beside PyTorch on the same one.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    FOLDER/card_models.py [NAME...] [--json FILE] [--seconds 80] [--jobs 14]
                          [--traces FOLDER]

Runs what bench/card_models_pack.py has put beside it, NAME.so and NAME.json. Needs
PyTorch and the driver. Weights and inputs are memory of the device that PyTorch has
allocated, so both sides compute on the same.

One process calls each model first, which has the driver compile its PTX, and compares
what it gives with PyTorch. Others meanwhile have torch.compile make its code. Then
one process has the device alone, and measures, and a second one beside torch.compile, as
many models as there is time for. A time is that of a call from Python until its work is
done, the median of calls in turn:

    async-gpu          the function
    async-gpu, graph   the same, compiled with graphs
    eager              PyTorch
    graph              PyTorch's calls, replayed as a CUDA graph
    compile            torch.compile, where that is ready within the time
    eager, TF32        PyTorch, where products may be of less precision

All is fp32 and without TF32 but for the last. --traces: a process more, which writes
a trace of two calls each. Without CUDA (ASYNC_GPU_DEVICE=emu) PyTorch computes on the
CPU, and times mean nothing. A process that dies is a failure of the model it was at.
The exit status is 1 if a result differs or a model has failed.
"""

import argparse
import ctypes
import json
import os
import pathlib
import platform
import re
import shlex
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
TOLERANCE = 1e-4
WARM, ROUNDS, CALLS, SECONDS = 5, 40, 5, 0.3

# What is measured first: time may not be enough for torch.compile of all.
FIRST = ["block_large", "product_4096", "product_1024", "resnet18_large",
         "softmax_large", "norm_large", "block", "mlp", "resnet18", "sums_large",
         "transposed_large", "add_large", "convolution_large", "products_large",
         "attention_large", "vit_large", "vit", "gpt", "llama", "product",
         "softmax", "attention"]


def say(*words):
    print(*words, file=sys.stderr, flush=True)


def names_here(wanted):
    found = {path.stem for path in HERE.glob("*.json")
             if path.with_suffix(".so").exists()}
    unknown = [name for name in wanted if name not in found]
    if unknown:
        sys.exit(f"card_models.py: error: {unknown[0]}.so is not in {HERE}")
    chosen = found if not wanted else set(wanted)
    return sorted(chosen, key=lambda name: (
        FIRST.index(name) if name in FIRST else len(FIRST), name))


def torch_here():
    """PyTorch, told to compute as in fp32, and the models' definitions."""
    import torch
    sys.path.insert(0, str(HERE))
    import torch_models
    use_tf32(torch, False)
    return torch, {**torch_models.models(), **torch_models.large()}, \
        torch_models.build


def use_tf32(torch, whether):
    torch.backends.cuda.matmul.allow_tf32 = whether
    torch.backends.cudnn.allow_tf32 = whether


def descriptor(tensor):
    """The memref of a tensor whose elements lie side by side."""
    if not tensor.is_contiguous():
        raise ValueError(f"a tensor's elements are {tensor.stride()} apart")
    words = [tensor.data_ptr(), tensor.data_ptr(), 0, *tensor.shape,
             *tensor.stride()]
    return (ctypes.c_int64 * len(words))(*words)


class Model:
    """A model for both sides, on the device."""

    def __init__(self, torch, known, build, name):
        self.torch, self.name = torch, name
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        model, inputs = build(known[name])
        self.module = model.to(self.device)
        self.inputs = [value.to(self.device) for value in inputs]
        self.described = json.loads((HERE / f"{name}.json").read_text())

    def synchronize(self):
        if self.device == "cuda":
            self.torch.cuda.synchronize()

    def eager(self):
        result = self.module(*self.inputs)
        self.synchronize()
        return result

    def load(self):
        """Loads the library. What it is given, and what it is to write."""
        import numpy
        library = ctypes.CDLL(str(HERE / f"{self.name}.so"))
        state = {**dict(self.module.named_parameters()),
                 **dict(self.module.named_buffers())}
        constants = HERE / f"{self.name}.constants.npz"
        constants = numpy.load(constants) if constants.exists() else {}
        tensors = []
        for kind, which, order in self.described["arguments"]:
            value = self.inputs[which] if kind == "input" else \
                state[which] if kind == "state" else \
                self.torch.from_numpy(constants[which]).to(self.device)
            value = value.detach()
            tensors.append((value.permute(order) if order else value).contiguous())
        with self.torch.no_grad():
            results = self.eager()
        self.expected = results if isinstance(results, tuple) else (results,)
        self.results = [self.torch.full_like(value, 7).contiguous()
                        for value in self.expected]
        self.tensors = tensors + self.results
        types = self.described["types"]
        if len(types) != len(self.tensors):
            raise ValueError(f"{len(self.tensors)} tensors, of {len(types)}")
        for tensor, kind in zip(self.tensors, types):
            sizes = kind[len("memref<"):].rpartition("x")[0]
            if sizes != "x".join(map(str, tensor.shape)):
                raise ValueError(f"{tuple(tensor.shape)} is no {kind}")
        self.kept = [descriptor(tensor) for tensor in self.tensors]
        self.values = (ctypes.c_void_p * len(self.kept))(
            *map(ctypes.addressof, self.kept))
        self.call = getattr(library, f"{self.name}_call")
        self.call_graph = getattr(library, f"{self.name}_call_graph")
        self.synchronize()

    def move(self):
        """Has the function work on memory of the emulated device, not on PyTorch's."""
        runtime = ctypes.CDLL(str(HERE / "libasync_gpu_runtime.so.0"))
        address, size = ctypes.c_void_p, ctypes.c_size_t
        runtime.mgpuStreamCreate.restype = address
        runtime.mgpuMemAlloc.restype = address
        runtime.mgpuMemAlloc.argtypes = [size, address, ctypes.c_bool]
        runtime.mgpuMemcpy.argtypes = [address, address, size, address]
        runtime.mgpuStreamSynchronize.argtypes = [address]
        stream = runtime.mgpuStreamCreate()
        for tensor, words in zip(self.tensors, self.kept):
            place = runtime.mgpuMemAlloc(max(tensor.nbytes, 1), stream, False)
            runtime.mgpuMemcpy(place, tensor.data_ptr(), tensor.nbytes, stream)
            words[0] = words[1] = place
        runtime.mgpuStreamSynchronize(stream)

    def ours(self):
        self.call(self.values)

    def ours_graph(self):
        self.call_graph(self.values)

    def difference(self):
        """The largest one, of the largest number, of results just written."""
        worst = 0.0
        for ours, theirs in zip(self.results, self.expected):
            scale = theirs.abs().max().item() or 1
            difference = ((ours - theirs).abs().max() / scale).item()
            # No number is larger than another that is none.
            worst = difference if difference != difference else \
                max(worst, difference)
            ours.fill_(7)
        self.synchronize()
        return worst


def timed(call):
    begin = time.perf_counter_ns()
    call()
    return (time.perf_counter_ns() - begin) / 1e3


# ---------------------------------------------------------------------------
# What the processes do: each prints a line of JSON for a model.
# ---------------------------------------------------------------------------


def check(model, _arguments):
    """The first calls, and whether what they give is right."""
    model.load()
    entry = {"first_ms": timed(model.ours) / 1e3,
             "difference": model.difference(),
             "second_us": timed(model.ours)}
    model.difference()
    # The third round is one of the graph.
    entry["graph_difference"] = max(
        (timed(model.ours_graph), model.difference())[1] for _ in range(4))
    return entry


def warm(model, _arguments):
    """Fills the caches of torch.compile."""
    begin = time.perf_counter()
    compiled = model.torch.compile(model.module)
    for _ in range(2):
        compiled(*model.inputs)
    model.synchronize()
    return {"torch_compile_seconds": time.perf_counter() - begin}


def trace(model, _arguments):
    model.load()
    if model.device == "cpu":
        model.move()
    for _ in range(3):
        model.ours()
    return {}


def captured(model):
    """PyTorch's calls as a CUDA graph; None where they cannot be one."""
    torch = model.torch
    try:
        graph = torch.cuda.CUDAGraph()
        # Threads of other libraries may call the driver meanwhile.
        with torch.cuda.graph(graph, capture_error_mode="thread_local"):
            model.kept_result = model.module(*model.inputs)
    except Exception as error:
        say(f"{model.name}: no graph of PyTorch: {str(error)[:200]}")
        return None

    def replay():
        graph.replay()
        model.synchronize()
    return replay


def measure(model, arguments):
    torch = model.torch
    model.load()
    peers = {"async-gpu": model.ours, "async-gpu, graph": model.ours_graph,
             "eager": model.eager}
    entry = {"cached_first_ms": timed(model.ours) / 1e3}
    if model.device == "cuda":
        replay = captured(model)
        if replay:
            peers["graph"] = replay

        def with_tf32():
            use_tf32(torch, True)
            model.eager()
            use_tf32(torch, False)
        peers["eager, TF32"] = with_tf32
    if arguments.warmed:
        peers = {name: peers[name] for name in ("async-gpu", "eager")}
        module = torch.compile(model.module)

        def compiled():
            result = module(*model.inputs)
            model.synchronize()
            return result
        begin = time.perf_counter()
        compiled()
        entry["torch_compile_cached_seconds"] = time.perf_counter() - begin
        peers["compile"] = compiled
    samples = {name: [] for name in peers}
    for call in peers.values():
        for _ in range(WARM):
            call()
    end = time.perf_counter() + SECONDS
    for number in range(ROUNDS):
        for name, call in peers.items():
            samples[name] += [timed(call) for _ in range(CALLS)]
        if time.perf_counter() > end and number >= 1:
            break
    entry["us"] = {name: statistics.median(of) for name, of in samples.items()}
    entry["quartiles"] = {name: statistics.quantiles(of, n=4)
                          for name, of in samples.items()}
    entry["calls"] = len(samples["eager"])
    model.ours()
    entry["difference_after"] = model.difference()
    return entry


def process(arguments):
    """One of the processes."""
    torch, known, build = torch_here()
    work = {"check": check, "warm": warm, "measure": measure,
            "trace": trace}[arguments.work]
    for name in arguments.names:
        print(json.dumps({"model": name}), flush=True)
        try:
            with torch.no_grad():
                entry = work(Model(torch, known, build, name), arguments)
        except Exception as error:
            entry = {"failed": f"{type(error).__name__}: {str(error)[:500]}"}
        entry["at_seconds"] = time.time() - arguments.began
        print(json.dumps({"model": name, **entry}), flush=True)
        if torch.cuda.is_available():
            torch.cuda.empty_cache()


# ---------------------------------------------------------------------------
# The parent
# ---------------------------------------------------------------------------


class Worker:
    """A process at some models, started again behind one at which it has died."""

    def __init__(self, work, names, arguments, more=(), environment=None):
        self.work, self.names, self.arguments = work, list(names), arguments
        self.more, self.environment = list(more), environment
        self.results, self.process = {}, None
        of = f"{work}{len(self.more)}-{self.names[0] if self.names else ''}"
        self.output = arguments.scratch / of
        self.start()

    def start(self):
        if not self.names:
            return
        self.log = open(f"{self.output}.log", "ab")
        self.process = subprocess.Popen(
            [sys.executable, "-B", __file__, *self.names, f"--work={self.work}",
             f"--began={self.arguments.began}", *self.more],
            stdout=open(self.output, "wb"), stderr=self.log,
            env={**os.environ, **(self.environment or {})})

    def read(self):
        """Reads what has been printed. The model it is at."""
        at = None
        if not self.output.exists():
            return at
        for line in self.output.read_text().splitlines():
            entry = json.loads(line)
            name = entry.pop("model")
            at = None if entry else name
            if entry:
                self.results[name] = entry
        return at

    def is_over(self):
        """True once there is no more to come."""
        if not self.process:
            return True
        status = self.process.poll()
        if status is None:
            return False
        at = self.read()
        if status:
            said = pathlib.Path(f"{self.output}.log").read_text(errors="replace")
            reason = f"exit status {status}: {said.strip()[-400:]}"
            self.results[at or self.names[0]] = {"failed": reason}
            say(f"{self.work}, {at}: {reason}")
        self.process = None
        if status:
            self.names = [name for name in self.names if name not in self.results]
            self.start()
        return self.process is None

    def wait(self, until):
        while not self.is_over() and time.time() < until:
            time.sleep(0.05)
        if self.process:
            say(f"{self.work}: ended before {self.read()} was over")
            self.process.kill()
            self.process.wait()
            self.process = None
        self.read()
        return self.results


def describe():
    """The machine, as bench/machine.py says it, and the device."""
    text = ("import json, torch; c = torch.cuda.is_available(); print(json.dumps("
            "{'torch': torch.__version__, 'device': torch.cuda.get_device_name() "
            "if c else 'cpu'}))")
    done = subprocess.run([sys.executable, "-c", text], capture_output=True,
                          text=True, check=True)
    found = json.loads(done.stdout.splitlines()[-1])
    with open("/proc/cpuinfo") as file:
        cpu = re.search(r"model name\s*: (.*)", file.read())
    try:
        with open("/proc/driver/nvidia/version") as file:
            found["driver"] = re.search(r"\s([0-9.]+)\s", file.read())[1]
    except (OSError, TypeError):
        pass
    return {**found, "cpu": cpu[1] if cpu else platform.processor(),
            "cpus": len(os.sched_getaffinity(0)), "kernel": platform.release(),
            "load": [round(load, 2) for load in os.getloadavg()]}


def report(entry):
    us = entry.get("us", {})
    if entry.get("failed"):
        return f"{entry['model']}: FAILED: {entry['failed'].splitlines()[0]}"
    ours = us.get("async-gpu")
    return (f"{entry['model']}: differs by {entry.get('difference', -1):.1e}; "
            f"first call {entry.get('first_ms', 0):.0f} ms; " +
            ", ".join(f"{name} {value:.1f}" for name, value in us.items()) + " us" +
            (f"; over eager {ours / us['eager']:.2f}" if ours else ""))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=80)
    parser.add_argument("--jobs", type=int, default=14,
                        help="processes for torch.compile; 0: without that")
    parser.add_argument("--traces", type=pathlib.Path)
    parser.add_argument("--scratch", type=pathlib.Path)
    parser.add_argument("--work", help=argparse.SUPPRESS)
    parser.add_argument("--began", type=float, default=time.time(),
                        help=argparse.SUPPRESS)
    parser.add_argument("--warmed", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    arguments.names = names_here(arguments.names)
    if arguments.work:
        return process(arguments)
    return run(arguments)


def run(arguments):
    import tempfile
    end = arguments.began + arguments.seconds
    with tempfile.TemporaryDirectory() as name:
        arguments.scratch = pathlib.Path(name)
        # The emulated device reaches what PyTorch has allocated, as one of CUDA does.
        os.environ.setdefault("ASYNC_GPU_EMU_MEMORY", "unified")
        os.environ.update(TORCHINDUCTOR_CACHE_DIR=f"{name}/inductor",
                          TRITON_CACHE_DIR=f"{name}/triton",
                          CUDA_CACHE_PATH=f"{name}/cuda",
                          TORCHINDUCTOR_COMPILE_THREADS="1")
        names, jobs = arguments.names, arguments.jobs
        checking = Worker("check", names, arguments)
        warming = [Worker("warm", names[i::jobs], arguments)
                   for i in range(min(jobs, len(names)))]
        document = {"benchmark": "card models", "machine": describe(),
                    "date": time.strftime("%Y-%m-%dT%H:%M%z"),
                    "command": shlex.join(["card_models.py", *sys.argv[1:]]),
                    "device_setting": os.environ.get("ASYNC_GPU_DEVICE", "")}
        checked = checking.wait(arguments.began + 0.5 * arguments.seconds)
        warmed = {}
        for worker in warming:
            warmed.update(worker.wait(arguments.began + 0.5 * arguments.seconds))
        document["prepared_seconds"] = time.time() - arguments.began
        ready = [name for name, entry in warmed.items() if "failed" not in entry]
        right = [name for name in names if checked.get(name, {}).get(
            "difference", float("inf")) <= TOLERANCE]
        traced = 8 if arguments.traces else 0
        measured = Worker("measure", right, arguments).wait(end - traced)
        # As many as there is time for.
        for name, entry in Worker("measure", [name for name in right if name in ready],
                                  arguments, ["--warmed"]).wait(end - traced).items():
            us = entry.get("us", {})
            if "compile" in us and "us" in measured.get(name, {}):
                measured[name]["us"]["compile"] = us["compile"]
                measured[name]["beside_compile"] = us
        if arguments.traces and right:
            arguments.traces.mkdir(parents=True, exist_ok=True)
            folder = next(iter(pathlib.Path(sys.prefix).glob(
                "lib/python*/site-packages/nvidia/*/lib/libcupti.so.*")), None)
            path = os.environ.get("LD_LIBRARY_PATH", "")
            Worker("trace", right, arguments, environment={
                "ASYNC_GPU_TRACE": str((arguments.traces / "models.trace").resolve()),
                "ASYNC_GPU_TRACE_EVENTS": "0",
                "LD_LIBRARY_PATH": f"{folder.parent}:{path}" if folder else path,
            }).wait(time.time() + 20)
        logs = {path.name: path.read_text(errors="replace")[-2000:]
                for path in arguments.scratch.glob("*.log") if path.stat().st_size}
    results = []
    for name in names:
        described = json.loads((HERE / f"{name}.json").read_text())
        entry = {"model": name, "kernels": described["kernels"],
                 "launches": described["launches"]}
        for of in (warmed, checked, measured):
            own = dict(of.get(name, {}))
            if "failed" in own and of is warmed:
                own = {"torch_compile_failed": own["failed"]}
            entry.update(own)
        if name not in checked:
            entry["failed"] = "time was up"
        results.append(entry)
        say(report(entry))
    document.update(results=results, logs=logs,
                    seconds=time.time() - arguments.began)
    text = json.dumps(document, indent=1)
    if arguments.json:
        arguments.json.write_text(text)
    else:
        print(text)
    bad = [entry["model"] for entry in results if "failed" in entry or not all(
        entry.get(key, 0) <= TOLERANCE
        for key in ("difference", "graph_difference", "difference_after"))]
    say(f"{len(results) - len(bad)} of {len(results)} right"
        + (f"; not: {', '.join(bad)}" if bad else "")
        + f"; {document['seconds']:.0f} s")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
