#!/usr/bin/env -S python3 -B
"""How programs that are split among ranks scale beyond one machine.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    scaling_ranks.py [--build DIR] [--ranks 1,2,4,8,16] [--only NAME,...]
                     [--machines NAME,...] [--scaling weak,strong] [--json FILE]

A FILE that is there keeps its rows, and the others are added.

Three ways, each compared with the one before:

real      the programs of mpi/scaling, compiled and run by this many ranks on the modelled
          clock (docs/modelled-time.md), each rank with a card and a node of its own. Kernels
          run few of their blocks (ASYNC_GPU_EMU_BLOCKS): results are wrong, times are not.
          The time of a round is that from the end of the last but one to the end of the last.
simgrid   mpi/replay.c under SimGrid's smpirun (Debian: libsimgrid-dev): the messages of a
          round of a rank, what it computes between them, and MPI's collectives as SimGrid
          has them, on a network of the same LogGP parameters, with up to 64 ranks.
formula   a round takes a + b/p + n C(p): C(p) is what LogGP says of the round's messages one
          after the other, and n how much of that is not hidden. They are fitted to 2 and 4
          ranks (b to strong scaling, n to weak scaling), and errors at others are kept.

"weak" grows the program with the ranks, "strong" does not. Efficiency is the time of one rank
over that of so many, or over so many times that of so many. "Hidden" is how much of the time in
which messages, or the copies that they need, are under way a kernel runs, too.
"""

import argparse
import json
import math
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import machine
from machine import ROOT, say

sys.path.insert(0, str(ROOT / "tests" / "support"))
import run_ranks  # noqa: E402

HERE = ROOT / "bench" / "mpi"
MODELS = ROOT / "runtime" / "emu" / "models"
ROUNDS = 2  # of the programs
MOST_SIMGRID = 64
PLANS_AT = 4  # ranks with which plans are compared
FAR = (64, 256, 1024, 4096, 10000)
FITTED = (2, 4)
KEYS = ("program", "scaling", "plan", "machine", "ranks")

# A card and a network, of which each rank has one. What an installed model says of its network
# stands there with its source.
MACHINES = {
    "h100-ndr": ("h100", {}),
    "a100-hdr": ("a100", {}),
    # Of 25 Gb/s the payload of TCP in frames of 1,500 bytes, 1,448 of 1,538;
    # btl_tcp_eager_limit of Open MPI; the latency and the overhead are assumed.
    "a100-25gbe": ("a100", {"network_latency": "10 us", "network_overhead": "2 us",
                            "network_gap": "2 us", "network_bandwidth": "2.942 GB/s",
                            "network_rendezvous": "64 KiB"}),
}


def training(ranks, weak):
    return {"BATCH": 1024 * ranks if weak else 4096, "INPUTS": 512, "HIDDEN": 512,
            "OUTPUTS": 512}


def layers(ranks, weak):
    share = ranks if weak else 16
    return {"TOKENS": 512, "WIDTH": 1024, "HEADS": 2 * share if weak else 16,
            "HIDDEN": 512 * share if weak else 4096}


def stencil(ranks, weak):
    rows, columns = 2048 * ranks if weak else 8192, 2048
    return {"PADDED_ROWS": rows + 4, "PADDED_COLUMNS": columns + 4, "ROWS": rows,
            "COLUMNS": columns}


# Of each program its sizes, and options of async-gpu-shard that are compared with the default.
PROGRAMS = {
    "training": (training, ("pieces=1", "pieces=2", "pieces=4", "pieces=8")),
    "layers": (layers, ("pieces=1", "pieces=2", "pieces=4", "pieces=8")),
    "stencil": (stencil, ("interior=never", "interior=always")),
}


# -----------------------------------------------------------------------------
# Runs on the modelled clock
# -----------------------------------------------------------------------------


def write_model(name, folder):
    """The file of that machine, and its network in nanoseconds and bytes."""
    base, network = MACHINES[name]
    text = (MODELS / f"{base}.model").read_text()
    for key, value in {**network, "node_ranks": "1"}.items():
        text = re.sub(rf"(?m)^{key} = .*", f"{key} = {value}", text)
    file = folder / f"{name}.model"
    file.write_text(text)
    factors = {"us": 1e3, "KiB": 1024}
    link = {}
    for key in ("latency", "overhead", "gap", "bandwidth", "rendezvous"):
        value, unit = re.search(rf"(?m)^network_{key} = ([0-9.]+) ?(\S*)", text).groups()
        link[key] = float(value) * factors.get(unit, 1)
    return file, link


def compile_program(name, ranks, weak, options, folder, build):
    sizes = {**PROGRAMS[name][0](ranks, weak), "RANKS": ranks}
    text = (HERE / "scaling" / f"{name}.mlir").read_text()
    code = text[text.index("\n#"):]
    for word in sorted(sizes, key=len, reverse=True):
        code = code.replace(word, str(sizes[word]))
    if ranks == 1:  # no messages, not even with itself
        names = dict(re.findall(r"(%\w+) = shard\.shard (%\w+) to", code))
        lines = [line for line in code.splitlines() if "shard." not in line]
        code = re.sub(r"%\w+", lambda name: names.get(name[0], name[0]), "\n".join(lines))
    source, program = folder / "program.mlir", folder / "program"
    source.write_text(code)
    subprocess.run(
        [f"{build}/bin/async-gpu-opt", *([f"--async-gpu-shard={options}"] if ranks > 1 else []),
         "--async-gpu-from-linalg=memory=discrete device=gpu",
         "--async-gpu-lower=gpu-count=true gpu-targets=native", "--emit=exe", source,
         "-o", program], check=True)
    return program


def run(program, ranks, model, folder, build):
    """The events of all ranks: by rank (begin, end, kind, name, arguments), microseconds."""
    for old in folder.glob("t.*.trace"):
        old.unlink()
    status, _, errors = run_ranks.run(
        ["mpirun.openmpi", "-n", str(ranks), str(program)],
        {**run_ranks.ENVIRONMENT["openmpi"], "ASYNC_GPU_DEVICE": "emu",
         "ASYNC_GPU_NUM_THREADS": "1", "ASYNC_GPU_EMU_THREADS": "1",
         "ASYNC_GPU_EMU_MODEL": str(model), "ASYNC_GPU_EMU_BLOCKS": "few",
         "ASYNC_GPU_TRACE": str(folder / "t.%p.trace")}, 900)
    if status != 0:
        sys.exit(f"{program} on {ranks} ranks ended with status {status}:\n{errors}")
    trace = folder / "t.json"
    subprocess.run([f"{build}/bin/async-gpu-report", f"--json={trace}",
                    *folder.glob("t.*.trace")], check=True)
    events = json.loads(trace.read_bytes())["traceEvents"]
    names = {e["pid"]: e["args"]["name"] for e in events if e.get("name") == "process_name"}
    found = {}
    for e in events:
        if e["ph"] != "X":
            continue
        kind = e["cat"] if e.get("cat") in ("kernel", "copy") else \
            "message" if e["name"].startswith("shard.") else None
        rank = re.match(r"rank (\d+)", names[e["pid"]])
        if kind:
            found.setdefault(int(rank[1]) if rank else 0, []).append(
                (e["ts"], e["ts"] + e["dur"], kind, e["name"], e.get("args", {})))
    return {rank: sorted(of, key=lambda e: e[:2]) for rank, of in found.items()}


def last_round(events):
    """When the last but one and the last round end: what runs once in a round, the last of it."""
    ends = {}
    for _, end, kind, name, _ in events:
        if kind == "kernel":
            ends.setdefault(name, []).append(end)
    last = max((of for of in ends.values() if len(of) == ROUNDS), key=lambda of: of[-1])
    return last[-2], last[-1]


def union(slices, begin, end):
    """Disjoint, in order, within those times."""
    joined = []
    for a, b in sorted((max(a, begin), min(b, end)) for a, b in slices):
        if a < b and joined and a <= joined[-1][1]:
            joined[-1][1] = max(joined[-1][1], b)
        elif a < b:
            joined.append([a, b])
    return joined


def length(slices):
    return sum(b - a for a, b in slices)


def both(a, b):
    return length(a) + length(b) - length(union([*a, *b], -math.inf, math.inf))


def schedule(events, begin, end, ranks):
    """What mpi/replay.c does in a round: computes, starts messages, waits for them."""
    busy = [e[:2] for e in events if e[2] != "message"]
    points, number, period = [], 0, end - begin
    for start, stop, kind, name, words in events:
        if kind == "message" and begin <= start < end and ranks > 1:
            begun = "r" if "reduce" in name else "h"
            points.append((start - begin, f"{begun} {number} {words['bytes']}"))
            points.append(((stop - begin) % period, f"w {number}"))
            number += 1
    lines, now = [], 0.0
    for at, what in sorted([*points, (period, "")]):
        # Until a message begins all is its own; until one is over it may wait.
        gap = at - now if not what.startswith("w") else length(
            union(busy, begin + now, begin + at))
        lines += [f"c {gap:.3f}", what]
        now = at
    return [line for line in lines if line and line != "c 0.000"]


def analyse(found):
    """Of the rank whose round takes longest: its microseconds, and what is hidden."""
    rounds = {rank: last_round(of) for rank, of in found.items()}
    rank = max(rounds, key=lambda r: rounds[r][1] - rounds[r][0])
    begin, end = rounds[rank]
    kernels = union([e[:2] for e in found[rank] if e[2] == "kernel"], begin, end)
    moved = [e for e in found[rank] if e[2] == "message" or
             (e[2] == "copy" and "device to device" not in e[3])]
    messages = union([e[:2] for e in moved], begin, end)
    under_way = length(messages)
    return {"round_us": round(end - begin, 2), "kernels_us": round(length(kernels), 2),
            "messages_us": round(under_way, 2),
            "hidden": round(both(kernels, messages) / under_way, 3) if under_way else None,
            "schedule": schedule(found[rank], begin, end, len(found))}


# -----------------------------------------------------------------------------
# SimGrid
# -----------------------------------------------------------------------------

# A link to and from a switch for each rank, and none between the halves of one.
PLATFORM = """<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="all" prefix="rank-" suffix="" radical="0-{last}" speed="1Gf"
           bw="{bandwidth}GBps" lat="{latency}ns" loopback_bw="1000GBps" loopback_lat="0ns"/>
</platform>
"""


def simulate(lines, link, ranks, folder):
    """Microseconds of a round; overheads of both sides are part of the latency."""
    program = folder / "replay"
    if not program.exists():
        subprocess.run(["smpicc", "-O2", HERE / "replay.c", "-o", program], check=True)
    (folder / "lines").write_text("\n".join(lines) + "\n")
    (folder / "platform.xml").write_text(PLATFORM.format(
        last=ranks - 1, bandwidth=link["bandwidth"],
        latency=(link["latency"] + 2 * link["overhead"]) / 2))
    (folder / "hosts").write_text("".join(f"rank-{i}\n" for i in range(ranks)) * 2)
    done = subprocess.run(
        ["smpirun", "-np", str(2 * ranks), "-platform", "platform.xml", "-hostfile", "hosts",
         "--log=root.thres:error", "--cfg=smpi/simulate-computation:no",
         "--cfg=smpi/bw-factor:0:1", "--cfg=smpi/lat-factor:0:1",
         "--cfg=smpi/allreduce:rab", program, "lines"],
        check=True, capture_output=True, text=True, cwd=folder)
    return float(done.stdout.split()[-1])


def replay_all(result, folder):
    """SimGrid's time beside ours where there is one, and alone with 64 ranks."""
    rows = []
    for row in result["rows"]:
        if row["ranks"] == 1 or row["scaling"] != "weak":
            continue
        _, link = write_model(row["machine"], folder)
        most = max(r["ranks"] for r in result["rows"] if same(r, row))
        for ranks in (row["ranks"], *([MOST_SIMGRID] if row["ranks"] == most else [])):
            rows.append({**{key: row[key] for key in KEYS[:-1]}, "ranks": ranks,
                         "schedule_of": row["ranks"],
                         "round_us": round(simulate(row["schedule"], link, ranks, folder), 2)})
            say("SimGrid: " + ", ".join(map(str, rows[-1].values())))
    return rows


# -----------------------------------------------------------------------------
# LogGP
# -----------------------------------------------------------------------------


def cost(link, kind, size, ranks):
    """Microseconds of a message of a round, as docs/modelled-time.md has it."""
    step = 2 * link["overhead"] + link["latency"]
    if ranks == 1:
        return 0
    if kind == "h":  # with both neighbours, at the same time
        return (step + size / link["bandwidth"]) / 1e3
    rounds, part = math.ceil(math.log2(ranks)), size * (ranks - 1) / ranks / link["bandwidth"]
    return min(rounds * (step + size / link["bandwidth"]), 2 * (rounds * step + part),
               2 * ((ranks - 1) * step + part)) / 1e3


def fit(points):
    """a and b of a + b x, by least squares; b is 0 where all x are the same."""
    mean_x, mean_y = (sum(of) / len(points) for of in zip(*points))
    square = sum((x - mean_x) ** 2 for x, _ in points)
    b = sum((x - mean_x) * (y - mean_y) for x, y in points) / square if square > 1e-9 else 0
    return mean_y - b * mean_x, b


def extend(result, folder):
    """By program, machine and scaling: what the formula is off by, and what it says."""
    found, slopes = [], {}
    default = [row for row in result["rows"] if row["plan"] == "default"]
    for scaling in ("weak", "strong"):
        for name in PROGRAMS:
            for at in MACHINES:
                rows = {row["ranks"]: row for row in default if
                        (row["program"], row["machine"], row["scaling"]) == (name, at, scaling)}
                if not {1, *FITTED} <= set(rows):
                    continue
                _, link = write_model(at, folder)
                messages = [line.split() for line in rows[FITTED[-1]]["schedule"]
                            if line[0] in "rh"]

                def all_of(ranks):
                    return sum(cost(link, kind, float(size), ranks) for kind, _, size in messages)
                if len({all_of(p) for p in FAR}) == 1:  # of as many neighbours
                    a, b, n = rows[FITTED[-1]]["round_us"], 0, 0
                elif scaling == "weak":
                    a, n = fit([(all_of(p), rows[p]["round_us"]) for p in FITTED])
                    slopes[name, at] = n
                    b = 0
                else:
                    n = slopes.get((name, at), 1)
                    a, b = fit([(1 / p, rows[p]["round_us"] - n * all_of(p)) for p in FITTED])

                def time(ranks):
                    return a + b / ranks + n * all_of(ranks)
                alone = rows[1]["round_us"]
                found.append({
                    "program": name, "machine": at, "scaling": scaling,
                    "a_us": round(a, 2), "b_us": round(b, 2), "n": round(n, 3),
                    "off": {str(p): round(time(p) / rows[p]["round_us"] - 1, 3)
                            for p in rows if p > FITTED[-1]},
                    "efficiency": {str(p): round(
                        alone / time(p) / (1 if scaling == "weak" else p), 3) for p in FAR}})
    return found


# -----------------------------------------------------------------------------
# All of it
# -----------------------------------------------------------------------------


def wanted(arguments):
    """What is to be run: (program, scaling, plan, machine, ranks)."""
    for name in arguments.only.split(","):
        for at in arguments.machines.split(","):
            for scaling in arguments.scaling.split(","):
                for ranks in map(int, arguments.ranks.split(",")):
                    yield name, scaling, "default", at, ranks
            for plan in PROGRAMS[name][1] if PLANS_AT in map(int, arguments.ranks.split(",")) \
                    and "weak" in arguments.scaling else ():
                yield name, "weak", plan, at, PLANS_AT


def measure(result, arguments, folder):
    """Adds rows of real runs that `result` does not have."""
    have = {tuple(row[key] for key in KEYS) for row in result["rows"]}
    compiled = None
    for what in sorted(set(wanted(arguments)) - have,
                       key=lambda w: (list(PROGRAMS).index(w[0]), w[1:3], w[4], w[3])):
        name, scaling, plan, at, ranks = what
        if compiled != (name, scaling, plan, ranks):
            compiled = name, scaling, plan, ranks
            program = compile_program(name, ranks, scaling == "weak",
                                      "" if plan == "default" else plan, folder, arguments.build)
        model, _ = write_model(at, folder)
        found = run(program, ranks, model, folder, arguments.build)
        row = {**dict(zip(KEYS, what)), **analyse(found)}
        result["rows"].append(row)
        say(", ".join(str(row[key]) for key in row if key != "schedule"))
        save(result, arguments)


def same(a, b):
    """Whether two rows differ by their ranks alone."""
    return all(a[key] == b[key] for key in KEYS[:-1])


def save(result, arguments):
    if arguments.json:
        machine.save(result, arguments.json)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=str(ROOT / "build"))
    parser.add_argument("--ranks", default="1,2,4,8,16")
    parser.add_argument("--only", default=",".join(PROGRAMS))
    parser.add_argument("--machines", default=",".join(MACHINES))
    parser.add_argument("--scaling", default="weak,strong")
    parser.add_argument("--json")
    arguments = parser.parse_args()
    machine.require(arguments.build, "bin/async-gpu-opt", "bin/async-gpu-report")
    if not shutil.which("mpirun.openmpi"):
        print("left out: Open MPI is not installed")
        return 77
    result = {**machine.header("scaling_ranks"), "rows": []}
    if arguments.json and pathlib.Path(arguments.json).exists():
        before = json.loads(pathlib.Path(arguments.json).read_text())
        result |= {key: before[key] for key in ("rows", "formula", "simgrid") if key in before}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        measure(result, arguments, folder)
        result["formula"] = extend(result, folder)
        if shutil.which("smpirun") and shutil.which("smpicc"):
            result["simgrid"] = replay_all(result, folder)
        else:
            say("left out: SimGrid is not installed")
    machine.save(result, arguments.json)
    return 0


if __name__ == "__main__":
    sys.exit(main())
