#!/usr/bin/env -S python3 -B
"""A model of time from what a device was measured to take.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    bench-gpu calibrate --json figures.json                   on the device
    bench/calibrate.py figures.json --base h100 -o mine.model     anywhere
    bench/calibrate.py figures.json --base mine.model --json FILE
        makes no model; keeps what was measured and what the base says

Reads what bench-gpu writes, the results.json of run-on-device, or what --json has kept.
What was not measured stands in the model as in the base. --source says behind each number where it is from
(default: the device's name).

Most numbers come straight from one figure or two. Bandwidths act together with other
numbers: the emulated device is measured with the model so far, in the same way as the
device was, and they change by how far the two are apart, --rounds times (1). At the end
the figures of both stand side by side, those that no number is made of, too.
"""

import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

from machine import ROOT

MODELS = ROOT / "runtime/emu/models"
MIB = 1 << 20
FACTORS = {"B": 1, "KiB": 1024, "MiB": MIB, "ns": 1, "us": 1e3, "ms": 1e6, "GB/s": 1,
           "MB/s": 1e-3, "TB/s": 1e3, "GHz": 1, "MHz": 1e-3, "": 1}
RATES = {"fp32": "fp32_rate", "fp64": "fp64_rate", "integer": "integer_rate",
         "special": "special_rate", "workgroup": "workgroup_access_rate"}
SMALLEST = ("small/stream/4096", "small/graph/4096")
# Sizes of arrays that no cache holds, in those of a large copy.
BEYOND = {"read": (2, 4), "write": (2, 4), "scale": (1,), "triad": (1,)}
LINE = re.compile(r"(\w+) = ([0-9.]+) ?([A-Za-z/]*)( *#.*)?$")


class Model:
    """The lines of a model, by key: values in bytes, nanoseconds, bytes in a
    nanosecond, GHz."""

    def __init__(self, text):
        self.lines = text.splitlines()
        self.values, self.units = {}, {}
        for line in self.lines:
            found = LINE.match(line)
            if found and found[1] != "name":
                self.values[found[1]] = float(found[2]) * FACTORS[found[3]]
                self.units[found[1]] = found[3]

    def write(self, changes):
        """The text with other values: by key a value and where it is from."""
        out = []
        for line in self.lines:
            key = line.partition(" = ")[0]
            if key in changes:
                value, source = changes[key]
                number = f"{value / FACTORS[self.units[key]]:.4g}"
                if "e" in number:
                    number = f"{value / FACTORS[self.units[key]]:.0f}"
                line = f"{key} = {number} {self.units[key]}".rstrip() + f"  # {source}"
            out.append(line)
        return "\n".join(out) + "\n"


class Figures:
    """Nanoseconds by name."""

    def __init__(self, document):
        self.document = document
        self.ns = {name: figure["ns"] for name, figure in document["figures"].items()}
        self.multiprocessors = document["multiprocessors"]
        self.large = document.get("large", 64 * MIB)
        self.cached = 16 * MIB  # as calibrate_kernels.c has it
        while document["l2_kib"] and self.cached * 2 > document["l2_kib"] * 1024:
            self.cached //= 2

    def has(self, *names):
        return all(name in self.ns for name in names)

    def mean(self, *names):
        return statistics.mean(self.ns[name] for name in names)

    def sizes(self, kernel):
        """(bytes of the array, bytes moved, ns) of each sweep, by size."""
        found = [name.split("/") for name in self.ns if name.startswith(kernel + "/")]
        return sorted((int(size), int(moved), self.ns[f"{kernel}/{size}/{moved}"])
                      for _, size, moved in found)

    def bandwidth(self, kernel, is_cached):
        """Bytes in a nanosecond, without what an empty kernel takes."""
        for size, moved, ns in self.sizes(kernel):
            if size == self.cached and is_cached:
                return moved / (ns - self.ns["chain"])
            if size / self.large in BEYOND[kernel] and not is_cached:
                # What is read once more at the end is in the cache.
                arrays = {"scale": 2, "triad": 3}.get(kernel, 1)
                return size * arrays / (ns - self.ns["chain"])
        return None

    def chase(self, is_cached):
        """Nanoseconds from one dependent load to the next."""
        sizes = sorted(int(name.split("/")[1]) for name in self.ns
                       if name.startswith("chase/"))
        size = self.cached // 2 if is_cached else sizes[-1]
        return self.ns[f"chase/{size}"], self.ns[f"warp_read/{size}"]


def find_calls(figures):
    """What stands for itself: by key a value and the figures."""
    pairs = {
        "launch_call": ["launch_call"],
        "copy_call": ["copy_call", "copy_back_call"],
        "event_call": ["record_call", "wait_call"],
        "query_call": ["event_query_call", "stream_query_call"],
        "graph_call": ["graph_call/10"],
        "graph_node_call": ["graph_add_node", "graph_set_node"],
        "graph_instantiate_call": ["graph_instantiate/10"],
        "allocation_call": ["alloc_async_call", "free_async_call"],
        "memory_call": ["alloc_call", "free_call"],
        "other_call": ["get_attribute_call"],
        "wake_latency": ["wake"],
    }
    return {key: (figures.mean(*names), ", ".join(names))
            for key, names in pairs.items() if figures.has(*names)}


def find_launch(figures, empty):
    """What lies between a launch and its begin on an idle device, and between the end
    of work and where a wait for it goes on. The host sees the end in its memory; on the
    emulated device, which writes there at no modelled time, events say the first."""
    ns = figures.ns
    if ns["launch_to_store"] > 0:
        return {"launch_latency": (max(0, ns["launch_to_store"] - empty),
                                   "launch_to_store, less an empty kernel"),
                "synchronize_call": (
                    max(0, ns["long_to_synchronize"] - ns["long_to_store"]),
                    "long_to_synchronize less long_to_store")}
    latency = max(0, ns["idle_launch"] - ns["launch_call"] - empty)
    return {"launch_latency": (latency, "idle_launch, less the call and an empty kernel"),
            "synchronize_call": (
                max(0, ns["launch_to_synchronize"] - latency - empty),
                "launch_to_synchronize, less launch_latency and an empty kernel")}


def find_latencies(figures, values):
    ns, found = figures.ns, {}
    by_rate = ns["block/32"]
    resident = values["warps"] // 32  # blocks of 1,024 threads on a multiprocessor
    start = ns["block/1024"] * resident * figures.multiprocessors
    found["block_rate"] = 1 / by_rate / values["clock"], "block/32"
    found["block_start"] = start, "block/1024, in waves"
    single = ns["events_around_empty"] - ns["events_alone"]
    shortest = min(single, ns.get("graph_chain", single))
    least = max(0, shortest - start)
    empty = least + start
    found["kernel_least"] = least, "an empty kernel, less block_start"
    found["kernel_gap"] = max(0, ns["chain"] - empty), "chain of empty kernels"
    if "graph_chain" in ns:
        found["graph_gap"] = max(0, ns["graph_chain"] - empty), "the same, as a graph"
    found["event_gap"] = (max(0, ns["two_hops"] / 2 - empty),
                          "empty kernels on two streams in turn")
    found.update(find_launch(figures, empty))
    latency, _ = found["launch_latency"]
    found["host_function_latency"] = (max(0, ns["host_function"] - latency),
                                      "host_function, less launch_latency")
    return found


def find_copies(figures, gap, others):
    ns, found = figures.ns, {}
    large = figures.large
    least = max(0, figures.mean("to_device/4", "to_host/4") - gap)
    found["copy_least"] = least, "copies of four bytes"
    for way in ("to_device", "to_host"):
        taken = ns[f"{way}/{large}"] - least - gap
        found[f"{way}_bandwidth"] = large / taken, f"{way} of {large // MIB} MiB"
    taken = figures.mean(f"pageable_to_device/{large}", f"pageable_to_host/{large}")
    found["pageable_bandwidth"] = (large / (taken - least - others),
                                   f"copies of {large // MIB} MiB")
    return found


def find_rates(figures, values):
    ns, found = figures.ns, {}
    for kind, key in RATES.items():
        rate = 1024 / ns[f"of_1024/{kind}"] / values["clock"]
        found[key] = rate, f"of_1024/{kind}"
    found["instruction_latency"] = ns["of_32/fp32"], "of_32/fp32: dependent multiply-adds"
    cached, cached_alone = figures.chase(True)
    missed, missed_alone = figures.chase(False)
    found["l2_latency"] = cached, "chase in the cache"
    found["memory_latency"] = missed, "chase in memory"
    found["loads_in_flight"] = (max(1, missed / missed_alone),
                                "chase beside warp_read, in memory")
    return found


def find_bandwidths(figures, values):
    memory = statistics.mean(figures.bandwidth(kernel, False) for kernel in BEYOND)
    return {"memory_efficiency": (min(1, memory / values["memory_bandwidth"]),
                                  "kernels over large arrays"),
            "l2_bandwidth": (figures.bandwidth("read", True), "reads in the cache"),
            "l2_write_bandwidth": (figures.bandwidth("write", True),
                                   "writes in the cache")}


def find_all(figures, base):
    """The model's keys by what was measured, before any round."""
    values = base.values
    found = find_calls(figures)
    found.update(find_latencies(figures, values))
    others = sum(found[key][0] for key in ("launch_latency", "copy_call",
                                           "synchronize_call"))
    found.update(find_copies(figures, found["kernel_gap"][0], others))
    found.update(find_rates(figures, values))
    found.update(find_bandwidths(figures, values))
    return found


def correct(found, figures, modelled, values):
    """Changes what acts together by how far the emulated device is from the figures."""
    def scale(key, ratio):
        value, source = found[key]
        found[key] = value * ratio, source

    scale("l2_bandwidth", figures.bandwidth("read", True) /
          modelled.bandwidth("read", True))
    scale("l2_write_bandwidth", figures.bandwidth("write", True) /
          modelled.bandwidth("write", True))
    scale("memory_efficiency", statistics.mean(
        figures.bandwidth(kernel, False) / modelled.bandwidth(kernel, False)
        for kernel in BEYOND))
    value, source = found["memory_efficiency"]
    found["memory_efficiency"] = min(1, value), source
    scale("instruction_latency", figures.ns["of_32/fp32"] / modelled.ns["of_32/fp32"])
    # The smallest kernels that access memory take more than empty ones do.
    value, _ = found["kernel_least"]
    more = statistics.mean(figures.ns[name] - modelled.ns[name]
                           for name in SMALLEST if name in figures.ns)
    found["kernel_least"] = max(0, value + more), "chains of the smallest kernels"
    for kind, key in RATES.items():
        scale(key, modelled.ns[f"of_1024/{kind}"] / figures.ns[f"of_1024/{kind}"])


def run_emulated(bench_gpu, model_text, figures):
    """What the emulated device takes with the model, measured in the same way."""
    with tempfile.TemporaryDirectory() as folder:
        model, out = (pathlib.Path(folder) / name for name in ("m.model", "f.json"))
        model.write_text(model_text)
        command = [bench_gpu, "calibrate", "--multiprocessors",
                   str(figures.multiprocessors), "--large", str(figures.large // MIB),
                   "--json", out]
        if figures.document["l2_kib"]:
            command += ["--l2", str(figures.document["l2_kib"])]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              text=True,
                              env={**os.environ, "ASYNC_GPU_DEVICE": "emu",
                                   "ASYNC_GPU_EMU_MODEL": str(model)})
        if done.returncode:
            sys.exit(f"error: bench-gpu calibrate on the emulated device: {done.stderr}")
        return Figures(json.loads(out.read_text()))


def rate_of(figures, name):
    """Comparable between devices that move other amounts: nanoseconds for a byte of a
    sweep, and nanoseconds of all else."""
    parts = name.split("/")
    if len(parts) == 3 and parts[0] in ("read", "write", "scale", "triad"):
        return figures.ns[name] / int(parts[2])
    return figures.ns[name]


def list_beside(figures, modelled):
    """(figure, measured, modelled) of all that both have."""
    def key(name):
        parts = name.split("/")
        return "/".join(parts[:2]) if parts[0] in BEYOND else name

    names = {key(name): name for name in modelled.ns}
    return [(key(name), rate_of(figures, name), rate_of(modelled, names[key(name)]))
            for name in figures.ns if key(name) in names and figures.ns[name] > 0]


def print_beside(rows):
    print(f"\n{'figure':30} {'measured':>12} {'modelled':>12}")
    for name, theirs, ours in rows:
        print(f"{name:30} {theirs:12.4g} {ours:12.4g} {ours / theirs - 1:+8.1%}")


def read_figures(path):
    document = json.loads(path.read_text())
    document = document.get("calibration", document)
    if document and "all" in document:
        attributes = document["attributes"]
        document = {**document, "figures": document["all"],
                    "multiprocessors": attributes["MULTIPROCESSOR_COUNT"],
                    "l2_kib": attributes["L2_CACHE_SIZE"] // 1024}
    if not document or "figures" not in document:
        sys.exit(f"error: {path} has no figures of 'bench-gpu calibrate'")
    return Figures(document)


def read_base(name):
    path = MODELS / f"{name}.model"
    path = path if path.exists() else pathlib.Path(name)
    if not path.exists():
        names = ", ".join(sorted(each.stem for each in MODELS.glob("*.model")))
        sys.exit(f"error: there is no model '{name}'; there are {names}, and files")
    return Model(path.read_text())


def fit(arguments, figures, base):
    """Writes a model, and gives the figures of the emulated device with it."""
    source = arguments.source or f"measured on {figures.document['device']}"
    found = find_all(figures, base)

    def text():
        return base.write({key: (value, f"{source}: {what}")
                           for key, (value, what) in found.items()})

    modelled = None
    for i in range(arguments.rounds + 1 if arguments.rounds else 0):
        modelled = run_emulated(arguments.bench_gpu, text(), figures)
        if i < arguments.rounds:
            correct(found, figures, modelled, base.values)
    arguments.output.write_text(text())
    for key, (value, what) in found.items():
        print(f"{key:24} {base.values[key]:12.4g} {value:12.4g}  {what}")
    return modelled


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("figures", type=pathlib.Path)
    parser.add_argument("--base", default="h200")
    parser.add_argument("-o", dest="output", type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--date", help="of the measurement")
    parser.add_argument("--source")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--bench-gpu", default=ROOT / "build/bin/bench-gpu")
    arguments = parser.parse_args()
    figures, base = read_figures(arguments.figures), read_base(arguments.base)
    if arguments.output:
        modelled = fit(arguments, figures, base)
    else:
        modelled = run_emulated(arguments.bench_gpu, base.write({}), figures)
    rows = list_beside(figures, modelled) if modelled else []
    print_beside(rows)
    if arguments.json:
        document = {key: figures.document[key]
                    for key in ("device", "driver_version", "attributes")}
        arguments.json.write_text(json.dumps(
            {"date": arguments.date or figures.document.get("date"),
             "command": "bench-gpu calibrate", "model": arguments.base, **document,
             "figures": [{"name": name, "measured": float(f"{measured:.4g}"),
                          "modelled": float(f"{modelled:.4g}")}
                         for name, measured, modelled in rows],
             "all": figures.document["figures"]}, indent=1) + "\n")


if __name__ == "__main__":
    main()
