"""What the drivers of public suites share: tables of cases, and running many at once.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

A table has a line for each case that does not pass, `state<TAB>case<TAB>reason`, below
lines that begin with '#': the suite's revision and the totals. A case without a line
passes. A run may only be as the table says, or better:

  ok         the answers are the suite's
  upstream   another answer than the suite's, or an error, and the same of upstream's tools
  input      the suite's own front end does not lower it, or MLIR does not read it
  refused    our tools say why it cannot be lowered
  differs    another answer
  failed     an error while it runs, a crash, or no end
"""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import signal
import subprocess
import sys

STATES = ("ok", "upstream", "input", "refused", "differs", "failed")
ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = pathlib.Path(__file__).resolve().parent


class Result(collections.namedtuple("Result", "state reason")):
    """What came of a case: one of STATES, and the first line of the reason."""


def is_better(new, old):
    """Whether the state `new` is nearer to "ok" than `old`."""
    return STATES.index(new) < STATES.index(old)


def first_error(text):
    """The first line of an error, without the place in a file."""
    lines = text.splitlines()
    line = next((l for l in lines if "error" in l or "crashed" in l), lines[0] if lines else "")
    line = re.sub(r"^.*?error: ", "", line)
    line = re.sub(r"/\S*/", "", line)
    line = re.sub(r"0x[0-9a-f]{6,}", "ADDRESS", line)
    return " ".join(line.split())[:160]


def run(command, timeout, **others):
    """Runs a command in a group of its own, all of which ends with the time."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          errors="replace", start_new_session=True, **others) as process:
        try:
            out, err = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return None
    return subprocess.CompletedProcess(command, process.returncode, out, err)


def what_failed(finished):
    """The result of a command of ours that has not ended with 0; None: no end."""
    if finished is None:
        return Result("failed", "no end within the time")
    if finished.returncode < 0 or finished.returncode > 128:
        number = -finished.returncode if finished.returncode < 0 else finished.returncode - 128
        return Result("failed", f"ended by signal {number}")
    return Result("refused", first_error(finished.stderr))


class Table:
    """The committed table of a suite."""

    def __init__(self, path):
        self.path = path
        self.rows = {}
        if self.path.exists():
            for line in self.path.read_text().splitlines():
                if line and not line.startswith("#"):
                    state, case, reason = line.split("\t")
                    self.rows[case] = Result(state, reason)

    def expected(self, case):
        return self.rows.get(case, Result("ok", ""))

    def write(self, title, revision, results, reference=None):
        """`reference`: names of cases that pass with upstream's tools."""
        totals = collections.Counter(r.state for r in results.values())
        with open(self.path, "w") as file:
            file.write(f"# {title}\n# revision: {revision}\n# cases: {len(results)}\n")
            for state in STATES:
                file.write(f"# {state}: {totals[state]}\n")
            if reference is not None:
                file.write(f"# reference: {len(reference)}\n")
            for case, result in sorted(results.items()):
                if result.state != "ok":
                    file.write(f"{result.state}\t{case}\t{result.reason}\n")


def parser(doc, what):
    """The options that all drivers have."""
    p = argparse.ArgumentParser(description=doc.strip().splitlines()[0],
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("suite", type=pathlib.Path, help=what)
    p.add_argument("--build", type=pathlib.Path, default=ROOT / "build",
                   help="our build (default: build)")
    p.add_argument("-j", type=int, default=os.cpu_count(), help="cases at a time")
    p.add_argument("--only", default="", help="cases whose names match this expression")
    p.add_argument("--update", metavar="REVISION",
                   help="write the table anew, for this revision of the suite")
    p.add_argument("--table", type=pathlib.Path, help="the table (default: the suite's own)")
    p.add_argument("--cases", type=pathlib.Path, help="write a line for each case to this file")
    return p


def find_skip(options, programs):
    """Leaves with 77 and a reason where the suite, or a program, is not there."""
    if not options.suite.is_dir():
        print(f"skipped: there is no folder '{options.suite}'")
        sys.exit(77)
    for program in programs:
        if not pathlib.Path(program).exists():
            print(f"skipped: there is no program '{program}'")
            sys.exit(77)


def judge(title, name, options, cases, run_case, reference=None):
    """Runs all cases, compares with the table, and leaves the process: with 1 where a case
    is worse than the table says. `reference`: a set, to which run_case adds cases that pass
    with upstream's tools, for the table's head."""
    table = Table(options.table or FOLDER / f"{name}.tsv")
    cases = [c for c in cases if re.search(options.only, c)]
    if not cases:
        print(f"error: no case matches '{options.only}'")
        sys.exit(2)
    with concurrent.futures.ThreadPoolExecutor(options.j) as pool:
        results = dict(zip(cases, pool.map(run_case, cases)))
    if options.cases:
        options.cases.write_text("".join(
            f"{r.state}\t{c}\t{r.reason}\n" for c, r in results.items()))
    worse = [c for c in cases if is_better(table.expected(c).state, results[c].state)]
    better = [c for c in cases if is_better(results[c].state, table.expected(c).state)]
    totals = collections.Counter(r.state for r in results.values())
    print(f"{title}: {len(cases)} cases, "
          + ", ".join(f"{totals[s]} {s}" for s in STATES if totals[s])
          + (f"; {len(reference)} pass with upstream's tools" if reference else ""))
    if options.update:
        if options.only:
            print("error: --update takes all cases")
            sys.exit(2)
        table.write(title, options.update, results, reference)
        sys.exit(0)
    for case in better:
        print(f"better: {case}: {results[case].state} (the table: "
              f"{table.expected(case).state}); write the table anew with --update")
    for case in worse:
        print(f"worse: {case}: {results[case].state}: {results[case].reason} (the table: "
              f"{table.expected(case).state})")
    sys.exit(1 if worse else 0)
