#!/usr/bin/env -S python3 -B
"""Puts what the measurements have kept into pages of docs and README.md.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    bench/report.py                 print the tables
    bench/report.py --write         put them into both
    bench/report.py --check         fail if they are not what stands there

Each part of the document between `<!-- bench/report.py NAME -->` and
`<!-- end -->` is made of the JSON in bench/results, and nothing else there has
figures in it: tables and prose cannot disagree. On the first page those are the rows of its
table that begin as FIRST_PAGE says.
"""

import argparse
import collections
import datetime
import json
import math
import re
import statistics
import sys

import busy
from machine import ROOT
from workloads import (ON_OURS, OURS, SMALL_FIB, WORKLOADS, best_peer,
                       is_safe, ratio_text)

DOCUMENT = ROOT / "docs/performance.md"
GRAPHS = ROOT / "docs/graphs.md"
MODELLED = ROOT / "docs/modelled-time.md"
SHARDING = ROOT / "docs/sharding.md"
SCALING_PAGE = ROOT / "docs/scaling.md"
README = ROOT / "README.md"
RESULTS = ROOT / "bench/results"
PART = re.compile(r"(<!-- bench/report\.py (\S+) -->\n)(.*?)(<!-- end -->\n)",
                  re.DOTALL)

# Debian's packages, by what they are called in the text.
NAMES = {"mlir-22-tools": "MLIR", "libtbb12": "oneTBB",
         "libgomp1": "libgomp of GCC", "libstarpu-1.3-9": "StarPU",
         "pocl-opencl-icd": "PoCL"}


def number(value, factor=1):
    """Three digits that count, with commas between thousands."""
    value = float(f"{value / factor:.3g}")
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:g}"


def table(heads, rows):
    lines = [heads, ["---"] * len(heads), *rows]
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)


def fill(text):
    """Lines of at most 80 characters."""
    lines, line = [], ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > 80:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}".strip()
    return "\n".join([*lines, line]) + "\n"


def cpus_text(count):
    return f"{count} CPU{'s' if count > 1 else ''}"


def where(document):
    """When and where it was measured, as a sentence."""
    on = document["machine"]
    day = datetime.datetime.fromisoformat(document["date"]).date()
    versions = document.get("versions", {})
    said = [f"{name} {re.split('[-+]', versions[package].split(':')[-1])[0]}"
            for package, name in NAMES.items() if package in versions]
    text = (f"Measured on {day}, on {on['cpus']} virtual CPUs of an "
            f"{on['cpu']}, Linux {on['kernel'].split('-')[0]}")
    if said:
        text += f", with {', '.join(said)}"
    return text


# -----------------------------------------------------------------------------
# bench/tasks.py
# -----------------------------------------------------------------------------


def rows_of(document):
    """By workload and number of CPUs, where ours has not failed: ours, and the
    rows of all."""
    found = {}
    for result in document["results"]:
        if "busy" in result:
            continue
        ours = next(row for row in result["rows"] if row["peer"] == OURS)
        if "failure" not in ours:
            found[result["workload"], result["cpus"]] = ours, result["rows"]
    return found


def report_tasks(document):
    found = rows_of(document)
    load = document["machine"]["load"][0]
    text = fill(
        f"{where(document)} (`bench/results/tasks.json`, medians of "
        f"{document['rounds']} rounds"
        + (", before all other work on the machine"
           if document["realtime"] else "")
        + f"; load when it began: {load:g}). Ratios below 1 are ours to the "
          "good:")
    text += f"\n    {document['command']}\n"
    for count in sorted({cpus for _, cpus in found}):
        lines = []
        for workload in WORKLOADS:
            if (workload.name, count) not in found:
                continue
            ours, rows = found[workload.name, count]
            best = best_peer(rows)
            upstream = next((row for row in rows if "failure" not in row and
                             row["peer"].startswith("upstream") and
                             row["peer"] != ON_OURS), None)
            lowered = next((row for row in rows if "failure" not in row and
                            row["peer"] == ON_OURS), None)
            floor = next((row for row in rows if "failure" not in row and
                          row["bound"]), None)
            cells = [workload.title, workload.unit,
                     number(ours["median_ns"], workload.factor)]
            cells += [f"{number(best['median_ns'], workload.factor)} "
                      f"({best['peer']}{'' if is_safe(best) else '*'})",
                      ratio_text(best['ratio'])] if best else ["", ""]
            cells += ([number(upstream["median_ns"], workload.factor),
                       ratio_text(upstream['ratio'])] if upstream else ["", ""])
            cells += [number(row["median_ns"], workload.factor) if row else ""
                      for row in (lowered, floor)]
            lines.append(cells)
        text += f"\n{cpus_text(count)}:\n\n" + table(
            ["workload", "unit", "async-gpu", "best peer", "ours / best",
             "upstream", "ours / upstream", "upstream-lowered on our runtime",
             "floor or serial"], lines)
    return text + "\n" + fill(
        "* a waiting thread runs other tasks on its own stack, so a task that blocks "
        "also blocks the wait below it.")


def report_busy(document):
    """Ours over the best peer, and how long ours took, for each condition."""
    quiet, lines = rows_of(document), []
    results = [result for result in document["results"] if "busy" in result]
    for workload in WORKLOADS:
        of = {(result["busy"], result["nicer"]): result["rows"]
              for result in results if result["workload"] == workload.name}
        if not of:
            continue
        cpus = next(result["cpus"] for result in results)
        all_rows = [quiet.get((workload.name, cpus), (None, []))[1],
                    *(of.get(condition, []) for condition in busy.CONDITIONS)]
        cells = []
        for rows in all_rows:
            ours = next((row for row in rows if row["peer"] == OURS and
                         "failure" not in row), None)
            best = best_peer(rows)
            cells.append(f"{number(ours['median_ns'], workload.factor)}, "
                         f"{ratio_text(best['ratio'])} of {best['peer']}"
                         if ours and best else "")
        lines.append([workload.title, workload.unit, *cells])
    if not lines:
        return "Not measured.\n"
    # A run with --quiet-only may stand beside conditions of an earlier one.
    earlier = document.get("busy")
    return (fill(f"Beside busy processes measured on {earlier['date'][:10]}; quiet as above.") +
            "\n" if earlier else "") + table(
                ["workload", "unit", "quiet", *map(busy.title, busy.CONDITIONS)], lines)


def report_aims(document):
    found = rows_of(document)
    counts = sorted({cpus for _, cpus in found})
    lines = []
    for workload in WORKLOADS:
        for aim in workload.aims:
            answers = []
            for count in counts:
                seen = (aim.look(*found[workload.name, count])
                        if (workload.name, count) in found else None)
                answers.append("not measured" if not seen else
                               f"{'yes' if seen[0] else '**no**'}, {seen[1]}")
            lines.append([workload.title, aim.text, *answers])
    if all((SMALL_FIB, count) in found for count in (1, 2)):
        alone, both = (found[SMALL_FIB, count][0]["median_ns"]
                       for count in (1, 2))
        lines.append(["W1 fib(14), once", "at most 1.1 times of one thread",
                      *("" if count == 1 else
                        f"{'yes' if both <= 1.1 * alone else '**no**'}, "
                        f"{both / alone:.2f}" for count in counts)])
    return table(["workload", "aim", *map(cpus_text, counts)], lines)


# -----------------------------------------------------------------------------
# The other measurements
# -----------------------------------------------------------------------------


def report_instructions(document):
    return table(["workload", "instructions a task"],
                 [[name, number(count)] for name, count in
                  document["instructions_per_task"].items()])


SCALING = {"fib": "W1", "tree": "W5, opaque", "loops": "W4, compute-bound",
           "cholesky": "W7"}
SHOWN_WIDTHS = ["1", "2", "4", "8", "12", "16"]
SCALING_AIM = 0.95


def scaling_cases(document):
    """By workload and case: what each program took, and would take."""
    cases = {}
    for part, title in SCALING.items():
        for program in document[part]:
            for row in program["rows"]:
                cases.setdefault((title, row["name"]), {})[
                    program["name"]] = row
    return cases


def scaling_figures(document):
    """What the models have of each program."""
    names = ["task_ns", "more", "start_ns", "lock_ns"]
    sharing = {program["name"]: program["figures"]["sharing_ns"]
               for program in document["loops"]}
    costs = {program["name"]: program["figures"]["task_ns"]
             for program in document["cholesky"]}
    return table(
        ["program", "fib, ns a task", "on two threads times", "us until a second takes part",
         "ns under the lock", "a loop's second thread, ns",
         "Cholesky, ns a task beside the kernel"],
        [[program["name"], *(number(program["figures"][name],
                                    1e3 if name == "start_ns" else 1)
                             for name in names),
          number(sharing[program["name"]]), number(costs[program["name"]])]
         for program in document["fib"] if program["name"] in sharing])


def scaling_errors(cases):
    """How far the models are off on two threads."""
    lines = []
    for (title, case), rows in cases.items():
        cells = []
        for row in rows.values():
            if not row["measured_ns"]:
                continue
            alone, both = (row["measured_ns"][count] for count in "12")
            off = ""
            if row["simulated_ns"] and case != "tree":
                simulated = row["simulated_ns"]["2"]
                off = f", simulated {100 * (simulated / both - 1):+.0f} %"
            cells.append(f"{number(alone, 1e3)}, {number(both, 1e3)}{off}")
        lines.append([title, case, *cells])
    names = [name for name, row in next(iter(cases.values())).items()
             if row["measured_ns"]]
    return table(["workload", "case", *names], lines)


def best_simulated(rows, width):
    """The fastest peer, and what it would take."""
    return min((row["simulated_ns"][width], name) for name, row in rows.items()
               if not name.startswith(OURS))


def scaling_speedups(cases):
    lines, missed = [], []
    for (title, case), rows in cases.items():
        rows = {name: row for name, row in rows.items() if row["simulated_ns"]}
        if not rows:
            continue
        ours = rows[OURS]["simulated_ns"]
        best = {width: best_simulated(rows, width) for width in ours}
        ratios = {width: best[width][0] / ours[width] for width in ours}
        base = min(ours["1"], best["1"][0])
        low = [width for width in ours if ratios[width] < SCALING_AIM]
        if low:
            more = f" to {low[-1]}" if len(low) > 1 else ""
            missed.append(f"{title} {case} on {low[0]}{more}")
        lines.append([f"{title}, {case}", *(
            f"{base / ours[width]:.2f}; {base / best[width][0]:.2f} "
            f"{best[width][1]}; {mark(ratios[width])}"
            for width in SHOWN_WIDTHS)])
    return (table(["case", *map(threads_text, SHOWN_WIDTHS)], lines) + "\n"
            + fill(f"Below {SCALING_AIM}, of all widths from 1 to 16: "
                   + ("; ".join(missed) or "none") + "."))


def scaling_woken(document):
    """Ours over oneTBB if threads were woken as fast, by wakes and case."""
    programs = {program["name"]: {row["name"]: row["simulated_ns"]
                                  for row in program["rows"]}
                for program in document["woken_alike"]}
    peers = [of for name, of in programs.items() if not name.startswith(OURS)]
    return table(
        ["ours over oneTBB", *map(threads_text, SHOWN_WIDTHS)],
        [[f"{name}, {case}", *(mark(peer[case][width] / times[width])
                               for width in SHOWN_WIDTHS)]
         for peer in peers for name, of in programs.items()
         if name.startswith(OURS) for case, times in of.items()])


def mark(ratio):
    return f"{ratio:.2f}" if ratio >= SCALING_AIM else f"**{ratio:.2f}**"


def threads_text(width):
    return "1 thread" if width == "1" else f"{width} threads"


def report_scaling(document):
    cases, assumed = scaling_cases(document), document["assumed"]
    return (fill(f"{where(document)} (`bench/results/scaling.json`): what the "
                 "models are given. A steal is assumed to take "
                 f"{number(assumed['steal_ns'], 1e3)} us, and a cache line "
                 f"{number(assumed['transfer_ns'])} ns to another thread.")
            + "\n" + scaling_figures(document) + "\n"
            + fill("Measured, us on one thread and on two, and how far what "
                   "the models say of two is off; without that what they were "
                   "fitted by:")
            + "\n" + scaling_errors(cases) + "\n"
            + fill("Simulated speed-ups over the fastest program on one thread: "
                   "ours; the best peer's; and ours over that, which is to be "
                   f"{SCALING_AIM} at least:")
            + "\n" + scaling_speedups(cases) + "\n"
            + fill("W1 once more, where all threads sleep at first, and take "
                   f"{number(assumed['woken_ns'], 1e3)} us to wake in both "
                   "programs, as without a virtual machine:")
            + "\n" + scaling_woken(document))


def report_startup(document):
    seconds = document["median_seconds"]
    return fill(
        f"{where(document)}: `async-gpu-runner` takes "
        f"{number(seconds['async-gpu-runner'], 1e-3)} ms for a small program, "
        f"`mlir-runner` {number(seconds['mlir-runner'], 1e-3)} ms for one of "
        "the same length that was lowered beforehand: a ratio of "
        f"{document['ratio']:.2f}, where 1.3 is aimed for "
        "(`bench/results/startup.json`).")


def report_compile(document):
    by_regions = [row for row in document["results"] if not row.get("grows")]
    median = {(row["row"], row["peer"], row["size"]): row["median_seconds"]
              for row in by_regions}
    sizes = sorted({size for *_, size in median})
    growing = {}
    for row in document["results"]:
        if row.get("grows"):
            growing.setdefault(row["row"], []).append((row["size"], row["median_seconds"]))
    lines = []
    for name in dict.fromkeys(row["row"] for row in by_regions):
        ours = [median[name, "async-gpu", size] for size in sizes]
        ratios = [f"{time / median[name, 'upstream', size]:.2f}"
                  if (name, "upstream", size) in median else ""
                  for time, size in zip(ours, sizes)]
        lines.append([name, *(f"{time:.2f}" for time in ours), *ratios])
    return fill(
        f"{where(document)} (`bench/results/compile.json`, medians of "
        f"{document['rounds']} rounds, beside other work, with a load of "
        f"{document['machine']['load'][0]:g} when it began). Seconds of CPU "
        "time, by the number of regions; ratios below 1 are ours to the "
        "good:") + "\n" + table(
            ["CPU time", *(f"{size:,}, s" for size in sizes),
             *(f"ours / upstream, {size:,}" for size in sizes)], lines) + "\n" + fill(
        "Programs of one thing each, in three sizes (the kinds of `many.py`). Linear is 4 in the "
        "last column, and less where a start that does not grow counts:") + "\n" + table(
            ["CPU time", "n", "n, s", "2 n, s", "4 n, s", "4 n / n"],
            [[name, f"{samples[0][0]:,}", *(f"{time:.2f}" for _, time in samples),
              f"{samples[-1][1] / samples[0][1]:.1f}"] for name, samples in growing.items()])


def report_compile_count(document):
    growing = {}
    for row in document["results"]:
        if row.get("grows"):
            growing.setdefault(row["row"], []).append((row["size"], row["instructions"]))
    lines = []
    for name, counts in growing.items():
        steps = [(counts[i + 1][1] - counts[i][1]) / (counts[i + 1][0] - counts[i][0])
                 for i in range(2)]
        lines.append([name, f"{counts[0][0]:,}",
                      *(f"{count / size / 1e6:.2f}" for size, count in counts),
                      *(f"{step / 1e6:.2f}" for step in steps),
                      f"{steps[1] / steps[0]:.2f}"])
    return fill(
        f"{where(document)} (`bench/results/compile-count.json`, counted by valgrind's "
        "cachegrind, which load does not change). Millions of instructions for each of n, 2 n "
        "and 4 n; then for each that 2 n have more than n, and 4 n more than 2 n, without the "
        "start. Linear is 1 in the last column:") + "\n" + table(
            ["instructions", "n", "n, M each", "2 n, M each", "4 n, M each",
             "n to 2 n, M each", "2 n to 4 n, M each", "ratio"], lines)


# -----------------------------------------------------------------------------
# bench/emulated.py
# -----------------------------------------------------------------------------


def report_emulated(document):
    rows = []
    for result in document["results"]:
        ours, pocl = (row["median_ns"] for row in result["rows"])
        rows.append([result["title"], number(ours, 1e3), number(pocl, 1e3),
                     f"{result['ratio']:.2f}"])
    load = max(document["machine"]["load"][0], document["load_after"][0])
    how = ("before all other work (`--realtime`)" if document["realtime"]
           else "beside other work")
    rounds = len(document["results"][0]["rows"][0]["ns"])
    return fill(
        f"{where(document)} (`bench/results/emulated.json`, medians of "
        f"{rounds} rounds, {document['threads']} threads each, {how}, with a "
        f"load of {load:.1f}).") + "\n" + table(
            ["kernel", "us", "PoCL, us", "ours / PoCL"], rows)


GRAPH_PROGRAMS = {
    "bfs": "a level of a breadth-first search by frontiers, until one is empty",
    "block": "a transformer block of six kernels, called again and again",
    "two in flight": "a request of a model of three kernels, two in flight",
    "shapes": "two kernels, or a fill and a copy, by turns, with another number each time"}
GRAPH_KINDS = {"loop": "kernels", "call": "kernels and a call of a library",
               "call, new arguments": "kernels and a call with other arguments each time",
               "while": "kernels, of a loop that the device ends",
               "branch": "kernels and a branch"}


def span(ratios):
    return " to ".join(dict.fromkeys(f"{ratio:.2f}"
                                     for ratio in (min(ratios), max(ratios))))


def report_graphs(document):
    kinds = ("off", "same", "read", "changed")
    rounds = table(
        ["kernels a round", "streams",
         *(f"{what}, {way}" for what in ("calls", "instructions")
           for way in ("streams", "all the same", "seen to be", "changed"))],
        [[number(row["kernels"]), number(row["streams"]),
          *(number(row[kind]["calls"]) for kind in kinds),
          *(number(row[kind]["instructions"]) for kind in kinds)]
         for row in document["results"]])
    built = table(
        ["nodes", "instructions to build", "a node", "bytes allocated", "a node"],
        [[number(row["nodes"]), number(row["instructions"]),
          number(row["instructions"] / row["nodes"]), number(row["bytes"]),
          number(row["bytes"] / row["nodes"])] for row in document["built"]])
    others = table(
        ["round", "kernels", *(f"{what}, {way}" for what in ("calls", "instructions")
                               for way in ("streams", "graph"))],
        [[GRAPH_KINDS[row["program"]], row["kernels"],
          *(number(row[way]["calls"]) for way in ("off", "on")),
          *(number(max(0, row[way]["instructions"])) for way in ("off", "on"))]
         for row in document["others"]])
    calls = [{row["graphs"]: number(row["calls"]) for row in document[kind]}
             for kind in ("host", "devices")]
    beside = table(["round", "calls, streams", "calls, graph"],
                   [["a kernel, two copies, and a region of the host between these",
                     calls[0]["off"], calls[0]["on"]],
                    ["two kernels and four copies on two devices, and a kernel on a third",
                     calls[1]["off"], calls[1]["on"]],
                    *([GRAPH_PROGRAMS[name], *(number(row["calls"]) for row in document["whole"]
                                               if row["program"] == name)]
                      for name in GRAPH_PROGRAMS)])
    return f"{rounds}\n{others}\n{beside}\n{built}"


def report_graph_times(document):
    """What graphs take beside none: the range over the models."""
    rounds = sorted({row["rounds"] for row in document["times"]})
    found, lost = {}, 0
    for row in document["times"]:
        what = GRAPH_KINDS[row["program"]]
        if row.get("given") == "changed":
            what += ", given another number each"
        if row.get("streams", 1) > 1:
            what += f", on {row['streams']} streams"
        ratios = {way: [took[way] / took["off"] for took in row["took"].values()]
                  for way in ("auto", "on")}
        found.setdefault((what, row["kernels"]), {})[row["rounds"]] = ratios
        lost += max(ratios["auto"]) > 1.005
    rows = [[what, kernels, *(span(of[count][way]) for way in ("auto", "on")
                              for count in rounds)]
            for (what, kernels), of in found.items()]
    heads = [f"`{way}`, {count} rounds" for way in ("auto", "on") for count in rounds]
    return table(["round", "kernels", *heads], rows) + "\n" + fill(
        f"Time of the whole run beside that without graphs, on models of "
        f"{', '.join(f'`{model}`' for model in document['times'][0]['took'])}. "
        f"`auto` loses in {lost} of {len(document['times'])}.")


# -----------------------------------------------------------------------------
# bench/models.py, bench/sequential.py
# -----------------------------------------------------------------------------


def report_models(document):
    rows, failed = [], 0
    for result in document["results"]:
        name = f"{result['model']} ({result['front_end']})"
        if "failed" in result:
            rows.append([name, result["failed"]] + [""] * 9)
            failed += 1
            continue
        took = result["milliseconds"]
        rows.append([
            name, f"{result['difference']:.0e}", result["kernels"],
            result["regions"], result["streams"], result["copies"],
            f"{100 * result['beside_stream']:.0f} %",
            *(number(took[peer]) if peer in took else "" for peer in
              ("async-gpu", "mlir-runner", "IREE")),
            number(result["compile_seconds"]) + (
                f", {number(result['iree_compile_seconds'])}"
                if "iree_compile_seconds" in result else "")])
    load = document["machine"]["load"][0]
    busy_with = "" if load < 1 else f", beside other work (load {load:.0f})"
    beside = [result["milliseconds"] for result in document["results"]
              if "IREE" in result.get("milliseconds", ())]
    ratios = sorted(took["async-gpu"] / took["IREE"] for took in beside)
    return fill(
        f"{where(document)}{busy_with}, medians "
        f"(`bench/results/models.json`). {len(rows) - failed} of {len(rows)} "
        "give what NumPy or PyTorch does." + (
            f" The time of a call over IREE's, of {len(ratios)}: geometric mean "
            f"{statistics.geometric_mean(ratios):.2f}, median "
            f"{statistics.median(ratios):.2f}, "
            f"{ratios[0]:.2f} to {ratios[-1]:.2f}; "
            f"{sum(ratio > 2 for ratio in ratios)} are above 2."
            if ratios else "")) + (
            f"\n    {document['command']}\n\n") + table(
            ["program", "differs by", "kernels", "regions", "streams",
             "copies", "busy beside another stream", "ms", "mlir-runner, ms",
             "IREE, ms", "compiling, s, and IREE's"], rows)


def beside_text(results, peer):
    """Ours over a peer's time, of the models that both have run."""
    ratios = sorted(result["us"]["async-gpu"] / result["us"][peer]
                    for result in results if peer in result.get("us", ()))
    return "" if not ratios else (
        f" {statistics.geometric_mean(ratios):.2f} times {peer} "
        f"({ratios[0]:.2f} to {ratios[-1]:.2f}, of {len(ratios)})")


def report_card_models(document):
    on, results = document["machine"], document["results"]
    peers = ["async-gpu", "async-gpu, graph", "eager", "graph", "compile",
             "eager, TF32"]
    rows, right = [], 0
    for result in results:
        took = result.get("us", {})
        right += "failed" not in result
        rows.append([
            result["model"],
            f"{result['difference']:.0e}" if "difference" in result
            else result["failed"].split(":")[0],
            result["launches"],
            *(number(result[key]) if key in result else ""
              for key in ("first_ms", "device_us")),
            *(number(took[peer]) if peer in took else "" for peer in peers),
            f"{took['async-gpu'] / took['eager']:.2f}" if took else ""])
    timed = [result for result in results if "us" in result]
    large = [result for result in timed if result["model"].startswith("product_")
             or result["model"].endswith("_large")]
    small = [result for result in timed if result not in large]
    said = "; ".join(
        f"of {what} models" + ",".join(
            beside_text(of, peer) for peer in ("eager", "graph"))
        for what, of in (("small", small), ("large", large)) if of)
    return fill(
        f"{where(document)}, with an {on['device']}, driver {on['driver']}, PyTorch "
        f"{on['torch']} (`bench/results/card-models.json`). {right} of "
        f"{len(results)} give what PyTorch does. {len(timed)} were timed before the "
        f"time of `{document['command']}` was over. The time of a call, geometric "
        f"means: {said}.") + "\n" + table(
        ["model", "differs by", "kernels", "first call, ms", "on the device, us",
         *(f"{peer}, us" for peer in peers), "over eager"], rows)


def report_sequential(document):
    sizes = sorted({result["elements"] for result in document["results"]})
    rows = {}
    for result in document["results"]:
        rows.setdefault(result["program"], {})[result["elements"]] = (
            f"{number(result['formed_ms'])} ms, {result['ratio']:.2f}")
    return fill(
        f"{where(document)}, beside other work (load "
        f"{document['machine']['load'][0]:.0f}), by elements of each buffer "
        "(`bench/results/sequential.json`): milliseconds with regions, and the "
        "median of their ratio to the program's order.") + "\n" + table(
            ["program", *(f"{size:,}" for size in sizes)],
            [[program, *(cells.get(size, "") for size in sizes)]
             for program, cells in rows.items()])


def report_task_bench(document, file="task-bench.json"):
    """A table for each number of CPUs and ranks."""
    rows = document["results"]
    rounds = ("One round" if document["rounds"] == 1
              else f"Medians of {document['rounds']} rounds")
    text = fill(f"{where(document)}. METG(50 %) in nanoseconds "
                f"(`bench/results/{file}`), {document['label']}. {rounds}, "
                f"{document['width']} points.")
    for cpus, ranks in dict.fromkeys((r["cpus"], r["ranks"]) for r in rows):
        here = [r for r in rows if (r["cpus"], r["ranks"]) == (cpus, ranks)]
        names = list(dict.fromkeys(r["system"] for r in here))
        found = {(r["pattern"], r["system"]):
                 number(r["metg_ns"]) if "metg_ns" in r else r["failure"] for r in here}
        head = f"{cpus_text(cpus)}, {ranks} ranks" if ranks > 1 else cpus_text(cpus)
        text += "\n" + table([head, *names], [
            [pattern, *(found[pattern, name] for name in names)]
            for pattern in dict.fromkeys(r["pattern"] for r in here)])
    return text


def report_modelled(document):
    """A row for each suite and card, and one for all together."""
    cards = collections.defaultdict(list)
    for figure in document["figures"]:
        cards[figure["suite"], figure["model"]].append(figure)
    rows, all_errors = [], []
    for (suite, model), figures in cards.items():
        errors = [abs(figure["error"]) for figure in figures if not figure.get("fitted")]
        all_errors += errors
        worst = max(errors)
        named = next(figure for figure in figures if abs(figure["error"]) == worst)
        unit = document["suites"][suite]["unit"]
        rows.append([suite, f"`{model}`", len(errors), f"{statistics.median(errors):.0%}",
                     f"{worst:.0%}: {number(named['published'])} {unit} published, "
                     f"{number(named['modelled'])} modelled"])
    text = table(["suite", "model", "figures", "median error", "worst"], rows)
    about = "; ".join(f"{name}: {suite['about']} ({suite['source']})"
                      for name, suite in document["suites"].items())
    return text + "\n" + fill(
        f"All {len(all_errors)}: median {statistics.median(all_errors):.0%}, "
        f"{sum(error <= 0.4 for error in all_errors)} of them within 40 %. "
        f"{len(document['figures']) - len(all_errors)} more were used to fit "
        f"the models, and do not count here. {about}.")


def report_modelled_models(document):
    """A row for each model of PyTorch, and one sentence for all."""
    results = document["results"]
    shown = [result for result in results
             if "left_out" not in result or "earlier_us" in result]
    timed = [result for result in shown if "error" in result]
    reasons = collections.defaultdict(list)
    for result in results:
        if "left_out" in result:
            reasons[result["left_out"]].append(f"`{result['model']}`")
    left_out = " ".join(f"Left out, as each {reason} on the emulated device: "
                        f"{', '.join(names)}." for reason, names in reasons.items())

    def beside(result, key):
        if key not in result:
            return ["", ""]
        return [number(result[key]), f"{result[key] / result['measured_us'] - 1:+.0%}"]

    def describe(of, key):
        errors = {result["model"]: result[key] / result["measured_us"] - 1
                  for result in of}
        worst = max(errors, key=lambda name: abs(errors[name]))
        return (f"median {statistics.median(map(abs, errors.values())):.0%}, "
                f"{sum(abs(error) <= 0.4 for error in errors.values())} of them within "
                f"40 %, worst {errors[worst]:+.0%} ({worst})")

    said = f"All {len(timed)}: {describe(timed, 'modelled_us')}."
    before = [result for result in shown if "earlier_us" in result]
    if before:
        again = [result for result in timed if "earlier_us" in result]
        others = len([result for result in shown if "launches" in result])
        said = (f"The {len(again)} with the kernels that were measured: before "
                f"{describe(again, 'earlier_us')}; now {describe(again, 'modelled_us')}. "
                f"The {others} that launch other kernels now do not count. "
                f"All {len(before)} before: {describe(before, 'earlier_us')}.")
    return table(
        ["model", "measured, µs", "before, µs", "beside it", "modelled, µs", "beside it",
         "kernels, then and now"],
        [[result["model"], number(result["measured_us"]), *beside(result, "earlier_us"),
          *beside(result, "modelled_us"), " and ".join(map(str, result.get("launches", [])))]
         for result in shown]) + "\n" + fill(
        f"{said} {left_out}")


# What kinds of figures there are of modelled time: those of suites, and of models.
MODELLED_KINDS = {
    "kernels that wait for memory": ("gpu-stream", "STREAM"),
    "chains of small kernels": ("gpu-small-kernels",),
    "kernels that compute": ("gpu-roofline",),
    "products on tensor cores": ("peakflops",),
    "kernels of linalg": (),
    "copies": ("cuda-memcpy",)}
LEAST_FIGURES, HELD, ERROR_STEP = 10, 0.9, 0.05


def report_modelled_error(document):
    """How far each kind of figure is off, and the error that a profile prints: what 9 of
    10 stay within of each kind with enough figures. The models have to have it."""
    linalg = json.loads((RESULTS / "modelled-models.json").read_text())["results"]
    rows, bounds = [], []
    for kind, suites in MODELLED_KINDS.items():
        errors = sorted(
            [abs(figure["error"]) for figure in document["figures"]
             if figure["suite"] in suites and not figure.get("fitted")] if suites else
            [abs(result["error"]) for result in linalg if "error" in result])
        bound = errors[math.ceil(HELD * len(errors)) - 1]
        rows.append([kind, len(errors), f"{statistics.median(errors):.0%}",
                     f"{bound:.0%}", f"{errors[-1]:.0%}"])
        if len(errors) >= LEAST_FIGURES:
            bounds.append(bound)
    error = math.ceil(max(bounds) / ERROR_STEP) * ERROR_STEP
    for path in sorted((ROOT / "runtime/emu/models").glob("*.model")):
        found = re.search(r"(?m)^error = (\S+)", path.read_text())[1]
        if abs(float(found) - error) > 1e-9:
            sys.exit(f"{path.name}: error = {found}, and the figures say {error:.2f}")
    return table(["", "figures", "median error", f"{HELD:.0%} are within", "worst"],
                 rows) + "\n" + fill(
        f"A profile prints {error:.0%}: what {HELD:.0%} of the figures are within, of each "
        f"kind of which there are {LEAST_FIGURES} or more, in steps of {ERROR_STEP:.0%}.")


# Figures of bench-gpu calibrate, and what they are called.
CALIBRATED = {
    "launch_call": "call that launches a kernel", "copy_call": "call that copies",
    "record_call": "call that records an event", "event_query_call": "query of an event",
    "synchronize_idle": "wait for work that is over",
    "host_function_call": "call that enqueues a host function",
    "graph_call/10": "launch of a graph of 10 kernels",
    "graph_call/1000": "launch of a graph of 1,000",
    "graph_instantiate/10": "instantiation of a graph of 10",
    "graph_instantiate/100": "instantiation of a graph of 100",
    "alloc_async_call": "allocation from a pool", "alloc_call": "`cuMemAlloc`",
    "launch_to_synchronize": "launch until the host goes on",
    "long_to_synchronize": "launch of 100 µs of work until the host goes on",
    "host_function": "host function on an idle device",
    "chain": "empty kernel behind another",
    "graph_chain": "the same in a graph",
    "two_hops": "empty kernels on two streams in turn, two",
    "small/stream/4096": "kernel that scales 4,096 `f64`, behind another",
    "small/graph/4096": "the same in a graph",
    "small/stream/67031": "67,031 `f64`", "small/graph/67031": "the same in a graph",
    "to_device/4": "copy of 4 bytes to the device", "to_host/4": "to the host",
    "to_device/67108864": "copy of 64 MiB to the device",
    "pageable_to_device/67108864": "the same from pageable memory",
    "pageable_to_host/67108864": "to pageable memory",
    "copy_on_device/134217728": "copy of 128 MiB on the device",
    "read/16777216": "reads of 16 MiB in the cache",
    "write/16777216": "writes of 16 MiB in the cache",
    "scale/16777216": "scale, two arrays of 16 MiB",
    "scale/33554432": "scale, two of 32 MiB", "triad/16777216": "triad, three of 16 MiB",
    "scale/67108864": "scale, two of 64 MiB", "triad/67108864": "triad, three of 64 MiB",
}


# Why a figure is far from what the model says, by the figures that share the reason.
CALIBRATION_REASONS = {
    "the card's machine was a virtual one; the model's launch is that of published chains":
        ("launch_call", "wall_chain"),
    "a fill takes what a launch does": ("fill_call", "fill/4"),
    "what only looks up something in the process is free": ("get_current_call",),
    "the two calls take their mean": ("alloc_async_call", "free_async_call"),
    "a graph takes what one of ten nodes does, however many it has":
        ("graph_call/1000", "graph_instantiate/1", "graph_instantiate/100",
         "graph_instantiate/1000"),
    "a wait that blocks takes what one that spins does": ("long_to_blocking",),
    "not modelled: a kernel's store comes when this machine executes it":
        ("launch_to_store", "long_to_store"),
    "not modelled: the program's own threads are woken by this machine": ("wake",),
    "events take the device no time": ("events_alone", "events_around_empty"),
    "empty kernels take what the smallest ones that access memory do":
        ("chain", "graph_chain", "graph_of_100", "two_hops"),
    "the two ways take their mean":
        ("to_device/4", "to_host/4", "pageable_to_device/67108864",
         "pageable_to_host/67108864"),
    "all instructions have the latency of those of `f32`":
        ("of_32/fp64", "of_32/special", "of_32/workgroup"),
    "loads that need each other are taken for such that do not": ("chase/8388608",),
    "as many loads are on their way as where they wait for memory":
        ("warp_read/8388608",),
}
FAR = 0.25


def list_far(document):
    """A row for each reason: figures that are off by more than FAR."""
    errors = {figure["name"]: figure["modelled"] / figure["measured"] - 1
              for figure in document["figures"]}
    far = {name for name, error in errors.items() if abs(error) > FAR}
    unknown = far.difference(*CALIBRATION_REASONS.values())
    if unknown:
        sys.exit(f"report.py has no reason for how far {', '.join(sorted(unknown))} are "
                 "from the model")
    return [[reason, ", ".join(f"`{name}` {errors[name]:+.0%}"
                               for name in names if name in far)]
            for reason, names in CALIBRATION_REASONS.items() if far.intersection(names)]


def report_calibration(document):
    """What the card took, and what its model says."""
    figures = {figure["name"]: figure for figure in document["figures"]}

    def show(name, value):
        if name.split("/")[0] in ("read", "write", "scale", "triad"):
            return f"{number(1 / value)} GB/s"
        return f"{number(value / 1000)} µs"

    def factor(name, figure):
        return (figure["modelled"] / figure["measured"] - 1) * 100

    rows = [[what, show(name, figures[name]["measured"]), show(name, figures[name]["modelled"]),
             f"{factor(name, figures[name]):+.0f}%"]
            for name, what in CALIBRATED.items()]
    return table(["", "measured", "modelled", "its time beside"], rows) + "\n" + fill(
        f"On an {document['device'].replace('NVIDIA ', '')}, {document['date']}, "
        f"driver for CUDA {document['driver_version'] // 1000}. Of the "
        f"{len(document['figures'])} figures that `bench-gpu calibrate` has of both, these are "
        f"off by more than {FAR:.0%}:") + "\n" + table(
            ["why", "figures"], list_far(document))


def report_gpu(document):
    """What the host's side takes on a GPU: by hand, and what the others take of it in
    the same round. The waits first, which have no peer."""
    took = {(figure["workload"], figure["peer"]): figure
            for figure in document["figures"] if "ns" in figure}

    def ratio(workload, peer):
        figure = took.get((workload, peer), {})
        by_hand = figure.get("by_hand_ns") or took.get((workload, "by-hand"), {}).get("ns")
        if not figure or not by_hand or peer == "by-hand":
            return ""
        return f"{statistics.median(a / b for a, b in zip(figure['ns']['samples'], by_hand['samples'])):.2f}"

    waits = [[peer, number(figure["ns"]["median"] / 1e3),
              number(figure["cpu_share"]["median"]) if "cpu_share" in figure else ""]
             for (workload, peer), figure in took.items() if workload == "completion"]
    names = list(dict.fromkeys(name for name, _ in took if name != "completion"))
    rows = []
    for name in names:
        own = took.get((name, "async-gpu"), {})
        by_hand = own.get("by_hand_ns") or took[name, "by-hand"]["ns"]
        rows.append([f"`{name}`", number(by_hand["median"] / 1e3),
                     *(ratio(name, peer) for peer in ("async-gpu", "upstream", "graph"))])
    return fill(f"{document['device']}, {document['machine']}, "
                f"{document['date'][:10]}: `{document['command']}`.") + "\n" + table(
        ["what waits for a kernel", "us until it goes on", "CPUs while it waits"],
        waits) + "\n" + table(
        ["workload", "by hand, us", "async-gpu", "upstream's calls", "a graph"], rows)


MODELS_OF_SWEEP = ("t4", "a100", "h100", "gh200")


def report_sweep(document):
    """What auto takes beside off, by rounds and kernels a round, and what the number of
    streams does: the range over the models."""
    chains, regions, products, kernels = {}, [], {}, {}
    for row in document["rows"]:
        took = row["took"]
        if row["program"] == "chain":
            chains.setdefault((row["rounds"], row["kernels"]), []).append(
                (took["auto"] / took["off"], took["on"] / took["off"]))
        elif row["program"] == "products":
            best = min(took, key=took.get)
            products.setdefault(row["shapes"], {})[row["model"]] = (
                f"{took[row['default']] / took[best]:.2f} ({best})")
        elif row["program"] == "sequential":
            kernels.setdefault((f"{row['threads']:,}", row["length"]), {})[row["model"]] = (
                f"{took['all'] / took['none']:.2f}, "
                f"{took['default'] / min(took.values()):.2f}")
        elif row["program"] == "regions":
            regions.append(took["default"] / min(took.values()))

    rows = [[rounds, kernels, *map(span, zip(*ratios))]
            for (rounds, kernels), ratios in chains.items()]
    beside = {}
    for row in document["rows"]:
        beside.setdefault(row["program"], []).append(
            row["took"][row["default"]] / min(row["took"].values()))
    means = [[name, f"{statistics.geometric_mean(of):.2f}", f"{max(of):.2f}"]
             for name, of in beside.items()]
    return table(["program", "default beside the best, geometric mean", "worst"],
                 means) + "\n" + table(["rounds", "kernels in each", "`auto`, beside `off`", "`on`, beside `off`"],
                 rows) + "\n" + fill(
        f"Independent regions with their default streams take {span(regions)} times what "
        f"they take with the best of 1 to 32 streams. Kernels side by side, as regions beside "
        f"in sequence, and what `--sequential` decides beside the best:") + "\n\n" + table(
            ["threads", "operations of each", *(f"`{name}`" for name in MODELS_OF_SWEEP)],
            [[*sizes, *(of[name] for name in MODELS_OF_SWEEP)]
             for sizes, of in kernels.items()]) + "\n" + table(
            ["product", *(f"`{name}`" for name in next(iter(products.values())))],
            [[shapes, *of.values()] for shapes, of in products.items()])


# -----------------------------------------------------------------------------
# bench/sharded.py
# -----------------------------------------------------------------------------


def report_sharded(document):
    libraries = {"openmpi": "Open MPI", "mpich": "MPICH"}
    found = {(row["program"], row["ranks"], row["library"]): row
             for row in document["rows"]}
    cases = dict.fromkeys((row["program"], row["ranks"]) for row in document["rows"])
    there = [library for library in libraries
             if any(row["library"] == library for row in document["rows"])]

    def cells(row):
        if not row:
            return ["", "", ""]
        return [number(row["median_ms"]["ours"]),
                *(number(row["ratio"][peer]) if peer in row["ratio"] else ""
                  for peer in ("blocking", "numpy"))]
    heads = [f"{libraries[library]}: {what}" for library in there
             for what in ("ms", "blocking", "NumPy")]
    rows = [[f"`{program}`", ranks, *(cell for library in there for cell in
                                      cells(found.get((program, ranks, library))))]
            for program, ranks in cases]
    said = fill(f"{where(document)} (`bench/results/sharded.json`, medians of "
                f"{document['rounds']} processes, of {document['calls'] - 1} calls each).")
    return f"{table(['program', 'ranks', *heads], rows)}\n{said}"


# -----------------------------------------------------------------------------
# bench/scaling_ranks.py
# -----------------------------------------------------------------------------


def percent(part):
    return "" if part is None else f"{100 * part:.0f}%"


def rows_by(document, *keys):
    """The rows, by these keys."""
    return {tuple(row[key] for key in keys): row for row in document["rows"]}


def report_scaling_ranks(document):
    found = rows_by(document, "program", "machine", "scaling", "plan", "ranks")
    rows = []
    for (name, at, scaling, plan, ranks), row in found.items():
        alone = found.get((name, at, scaling, "default", 1))
        if plan == "default" and alone and ranks > 1:
            times = 1 if scaling == "weak" else ranks
            rows.append([f"`{name}`", f"`{at}`", scaling, ranks, number(alone["round_us"]),
                         number(row["round_us"]),
                         percent(alone["round_us"] / row["round_us"] / times),
                         percent(row["hidden"])])
    return table(["program", "machine", "scaling", "ranks", "one rank: µs", "µs of a round",
                  "efficiency", "hidden"], sorted(rows, key=lambda row: row[:4]))


def report_scaling_plans(document):
    plans = {}
    for row in document["rows"]:
        if row["scaling"] == "weak":
            plans.setdefault((row["program"], row["machine"], row["ranks"]), {})[
                row["plan"]] = row
    rows = [[f"`{name}`", f"`{at}`", ranks, f"`{plan}`", number(row["round_us"]),
             number(row["kernels_us"]), number(row["messages_us"]), percent(row["hidden"])]
            for (name, at, ranks), of in plans.items() if len(of) > 1
            for plan, row in of.items() if plan != "default"]
    return table(["program", "machine", "ranks", "option", "µs of a round", "kernels, µs",
                  "messages, µs", "hidden"], sorted(rows))


def report_scaling_simgrid(document):
    ours = rows_by(document, "program", "machine", "plan", "scaling", "ranks")
    rows = []
    for row in document.get("simgrid", []):
        own = ours.get((row["program"], row["machine"], row["plan"], row["scaling"],
                        row["ranks"]))
        rows.append([f"`{row['program']}`", f"`{row['machine']}`", row["plan"], row["ranks"],
                     number(own["round_us"]) if own else "", number(row["round_us"]),
                     f"{100 * (row['round_us'] / own['round_us'] - 1):+.0f}%" if own else ""])
    return table(["program", "machine", "plan", "ranks", "modelled clock: µs", "SimGrid: µs",
                  "SimGrid beside it"], sorted(rows, key=lambda row: row[:4]))


def report_scaling_far(document):
    rows = []
    for row in document.get("formula", []):
        off = ", ".join(f"{100 * part:+.0f}% at {ranks}" for ranks, part in row["off"].items())
        rows.append([f"`{row['program']}`", f"`{row['machine']}`", row["scaling"], off,
                     *map(percent, row["efficiency"].values())])
    heads = list(document["formula"][0]["efficiency"]) if document.get("formula") else []
    return table(["program", "machine", "scaling", "off", *(f"{int(p):,}" for p in heads)], rows)


REPORTS = {
    "tasks": ("tasks.json", report_tasks),
    "aims": ("tasks.json", report_aims),
    "busy": ("tasks.json", report_busy),
    "instructions": ("instructions.json", report_instructions),
    "scaling": ("scaling.json", report_scaling),
    "startup": ("startup.json", report_startup),
    "compile": ("compile.json", report_compile),
    "compile-count": ("compile-count.json", report_compile_count),
    "emulated": ("emulated.json", report_emulated),
    "graphs": ("graphs.json", report_graphs),
    "graph-times": ("graphs.json", report_graph_times),
    "models": ("models.json", report_models),
    "gpu": ("gpu-poll.json", report_gpu),
    "gpu-before": ("gpu-hostfunc.json", report_gpu),
    "card-models": ("card-models.json", report_card_models),
    "sequential": ("sequential.json", report_sequential),
    "task-bench": ("task-bench.json", report_task_bench),
    "task-bench-ranks": ("task-bench-ranks.json", lambda document: report_task_bench(
        document, "task-bench-ranks.json")),
    "modelled": ("modelled.json", report_modelled),
    "modelled-error": ("modelled.json", report_modelled_error),
    "modelled-models": ("modelled-models.json", report_modelled_models),
    "calibration": ("calibration-h200.json", report_calibration),
    "sweep": ("sweep.json", report_sweep),
    "sharded": ("sharded.json", report_sharded),
    "scaling-ranks": ("scaling-ranks.json", report_scaling_ranks),
    "scaling-plans": ("scaling-ranks.json", report_scaling_plans),
    "scaling-simgrid": ("scaling-ranks.json", report_scaling_simgrid),
    "scaling-far": ("scaling-ranks.json", report_scaling_far),
}
# Where a part stands, if it is not the page of measurements.
ELSEWHERE = {"graph-times": GRAPHS, "modelled": MODELLED, "modelled-error": MODELLED,
             "modelled-models": MODELLED,
             "calibration": MODELLED, "sweep": MODELLED,
             "sharded": SHARDING,
             **dict.fromkeys(("scaling-ranks", "scaling-plans", "scaling-simgrid",
                              "scaling-far"), SCALING_PAGE)}


FIRST_PAGE = {
    "fib": "spawn a task and await its result, on two CPUs "
           "([W1](docs/performance.md#where-it-stands))",
    "fan-out-opaque": "spawn a task that may block, into a group, on two CPUs "
                      "(W2 opaque)",
}


def first_page_row(name, found):
    """Upstream and the best peer, and ours; with two CPUs, and with one where its best
    peer does not do what ours does."""
    peers, ours = [], []
    for cpus in (2, 1):
        own, rows = found[name, cpus]
        best = best_peer(rows)
        took = f"{number(best['median_ns'])} ns"
        peer = {"onetbb": "oneTBB"}.get(best["peer"].split(",")[0], best["peer"])
        if cpus == 2:
            upstream = next(row for row in rows if row["peer"] == "upstream")
            peers = [f"{number(upstream['median_ns'])} ns; {peer} {took}"]
        elif name == "fib":
            break
        else:
            # The star leads to a note below the table: it runs the task inline.
            peers.append(f"on one CPU {peer}\\* {took}")
        ours.append(f"{'' if cpus == 2 else 'on one CPU '}"
                    f"{number(own['median_ns'])} ns")
    return f"| {FIRST_PAGE[name]} | {'; '.join(peers)} | {'; '.join(ours)} |"


def fill_in_first_page(text):
    found = rows_of(json.loads((RESULTS / "tasks.json").read_text()))
    for name, cell in FIRST_PAGE.items():
        row = first_page_row(name, found)
        text, count = re.subn(rf"(?m)^\| {re.escape(cell)} \|.*$",
                              lambda _, row=row: row, text)
        if count != 1:
            sys.exit(f"{README.name} has no row '{cell}'")
    return text


def make(name):
    file, report = REPORTS[name]
    if not (RESULTS / file).exists():
        return "Not measured yet.\n"
    return report(json.loads((RESULTS / file).read_text()))


def fill_in(page, text):
    """The page with its parts made anew."""
    missing = {name for name in REPORTS if ELSEWHERE.get(name, DOCUMENT) == page}
    missing -= {part[1] for part in PART.findall(text)}
    if missing:
        sys.exit(f"{page.name} has no part {', '.join(sorted(missing))}")
    return PART.sub(lambda part: f"{part[1]}\n{make(part[2])}\n{part[4]}",
                    text)


def main():
    parser = argparse.ArgumentParser(
        description="Puts what was measured into the pages.")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--write", action="store_true")
    what.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    if not arguments.write and not arguments.check:
        for name in REPORTS:
            print(f"{name}\n\n{make(name)}")
        return 0
    for page in (DOCUMENT, GRAPHS, MODELLED, SHARDING, SCALING_PAGE, README):
        text = page.read_text()
        filled = fill_in_first_page(text) if page == README else fill_in(page, text)
        if arguments.write:
            page.write_text(filled)
        elif filled != text:
            sys.exit(f"{page.name} is not what bench/results says: run "
                     "bench/report.py --write")
    return 0


if __name__ == "__main__":
    sys.exit(main())
