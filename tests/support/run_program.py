#!/usr/bin/env python3
"""Runs a program in all the ways that it names, and compares what it does with
what it says (program.py).

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    run_program.py --bin DIR [--sanitizers LIST] [--valgrind FILE] [--list]
                   FILE.mlir
    run_program.py FILE.mlir -- COMMAND...

The first of the ways that a RUN line stands for is async-gpu-runner's, and so are
those with a check of the emulated device that need other code; all others run what
was compiled once, ahead of time. --list names the ways instead. With COMMAND, that
is what has to do what FILE.mlir says of its main; "{device}" there stands for
ASYNC_GPU_TEST_DEVICE, by default emu, where everything runs.

Whatever is expected: tokens, values, groups and frames alive at the end of the
program are a failure, and so is a device that is not given back.
"""

import argparse
import concurrent.futures
import itertools
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import zlib

import check_trace
import compiled
import program

# Names of settings of the environment, without ASYNC_GPU_.
WORKERS = ("NUM_THREADS=1", "NUM_THREADS=2", "NUM_THREADS=3", "NUM_THREADS=8")
SETS = {
    # What a program prints depends on none of these.
    "device": ("", "NUM_THREADS=1", "STREAMS=1", "COMPLETION=poll",
               "EMU_MEMORY_POOLS=0 EMU_MANAGED=exclusive", "EMU_SEED=7 NUM_THREADS=8",
               "EMU_CHECK=races,memory", "NUM_THREADS=3", "SEED=5",
               "NUM_THREADS=64", "SEED=3"),
    # What a kernel computes depends on neither the host's threads nor streams.
    # Loops over threads have taken the place of coroutines where they can.
    "kernel": ("", "--gpu-native-threads=coroutines",
               "EMU_THREADS=3 EMU_MANAGED=exclusive",
               "EMU_SEED=7", "EMU_CHECK=memory,races", "NUM_THREADS=4", "SEED=5",
               "NUM_THREADS=16", "SEED=3"),
    # How it fails, neither.
    "failing": ("", "EMU_SEED=5", "COMPLETION=poll", "COMPLETION=spin",
                "NUM_THREADS=1"),
    "host": ("", "NUM_THREADS=3", "SEED=5", "NUM_THREADS=64", "SEED=3"),
    # Every third seed has turns alone, the next one pauses alone, and the one
    # behind both.
    "workers": (*WORKERS, "NUM_THREADS=1 SEED=3", "NUM_THREADS=3 SEED=4",
                "NUM_THREADS=8 SEED=5", "NUM_THREADS=64"),
    "few-workers": ("NUM_THREADS=1", "NUM_THREADS=3", "NUM_THREADS=64"),
    # Two threads have to be there.
    "two-workers": (*WORKERS[1:], "NUM_THREADS=4 SEED=3", "NUM_THREADS=4 SEED=4"),
    # The device stands still until the host lets it go on.
    "bridge": tuple("NUM_THREADS=2 " + setting for setting in (
        "NUM_THREADS=1", "NUM_THREADS=64", "SEED=3", "COMPLETION=poll",
        "COMPLETION=spin", "STREAMS=1", "EMU_SEED=7")),
    "devices": tuple("EMU_DEVICES=4 " + setting for setting in (
        "", "NUM_THREADS=1", "NUM_THREADS=8", "STREAMS=1", "COMPLETION=poll",
        "EMU_MEMORY_POOLS=0", "EMU_CHECK=races")),
}
# In turn; not a multiple of three, as kinds of seeds are.
THREADS = (1, 2, 3, 4, 8, 16, 2)
MAX_REPORTS = 5
DEVICE = os.environ.get("ASYNC_GPU_TEST_DEVICE", "emu")


def variable(name):
    return name[4:] if name.startswith("env:") else "ASYNC_GPU_" + name


# What a sanitizer says of an allocation that rightly fails, and QEMU of a process
# that rightly ends by a signal.
OTHERS_SAY = re.compile(r"==\d+==WARNING: \w+ failed to allocate |"
                            r"qemu: uncaught target signal ")


class Done:
    """How a command has ended."""

    def __init__(self, command, settings, seconds):
        self.command = command
        self.settings = settings
        self.late = False
        environment = dict(os.environ, ASYNC_GPU_DEVICE=DEVICE)
        environment.update((variable(name), value)
                           for name, value in settings.items())
        log = environment.get("ASYNC_GPU_LOG", "").split(",")
        # These tell what is left at the end.
        environment["ASYNC_GPU_LOG"] = ",".join(
            sorted({*filter(None, log), "async", "device"}))
        with tempfile.TemporaryFile() as output, \
                tempfile.TemporaryFile() as errors:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL,
                                       stdout=output, stderr=errors,
                                       env=environment)
            timer = threading.Timer(seconds, self.end, [process])
            timer.start()
            _, status, usage = os.wait4(process.pid, 0)
            timer.cancel()
            process.returncode = os.waitstatus_to_exitcode(status)
            self.status = process.returncode
            self.peak_mib = usage.ru_maxrss / 1024
            output.seek(0)
            errors.seek(0)
            self.output = output.read().decode(errors="replace")
            lines = errors.read().decode(errors="replace")
        logged = ("async: ",) if "device" in log else ("async: ", "device: ")
        logged += ("async-gpu: the trace is in ",)
        self.log = self.errors = ""
        for line in lines.splitlines(keepends=True):
            if line.startswith(logged):
                self.log += line
            elif OTHERS_SAY.match(line):
                pass
            else:
                self.errors += line

    def end(self, process):
        self.late = True
        process.kill()

    def find_problems(self, case, words, in_runner):
        if self.late:
            return ["does not end in time; standard output so far:\n" +
                    self.output]
        problems = []
        # However a program ends, unless a signal ends it.
        if ("using the" in self.log and self.status >= 0 and
                "endless" not in words and
                "released all devices" not in self.log):
            problems.append("devices were not given back")
        if re.search("emu: device .* is left with|alive at the end", self.log):
            problems.append("something was left:\n" + self.log)
        if self.status != program.status_of(case):
            problems.append(f"exit status {self.status}")
        problems.append(program.find_wrong_output(case, self.output, in_runner))
        problems.append(program.find_wrong_errors(case, self.errors))
        limit = words.get("peak-mib")
        if limit and self.peak_mib > limit:
            problems.append(f"{self.peak_mib:.1f} MiB of memory, "
                            f"{limit:g} are allowed")
        return [problem for problem in problems if problem]


class Run:
    """One run of a program: its name, its settings, and how it is made."""

    def __init__(self, way, words, number):
        self.way = way
        self.settings = dict(word.split("=", 1) for word in words
                             if not word.startswith("-"))
        self.options = [*way.options,
                        *(word for word in words if word.startswith("-"))]
        checks = self.settings.get("EMU_CHECK")
        self.in_runner = "ahead-of-time" not in way.words and (
            number == 0 or "runner" in way.words or
            bool(checks) and way.function == "main" or
            self.options != way.options)
        if not self.in_runner and checks:
            self.options.append("--async-gpu-lower=check-accesses=true")
        self.name = " ".join([f"@{way.function}", *way.options, *words,
                              "(runner)" if self.in_runner else ""]).strip()


def graphs_of(path):
    """A set for programs that go round: what repeats itself becomes graphs, in a
    schedule that the program's name draws, under both checks every other time."""
    text = path.read_text()
    if not re.search(r"scf\.(for|while)|cf\.br", text) or "--graphs" in text:
        return ()
    seed = zlib.crc32(path.name.encode()) % 1000
    check = " EMU_CHECK=races,memory" if seed % 2 else ""
    return (f"--graphs=on EMU_SEED={seed}{check}",)


def runs_of(way, number, path):
    """All runs of a way, the first of a program's in the runner."""
    sets = [SETS[name] for name in way.sets] or [("",)]
    if "device" in way.sets:
        sets.append(graphs_of(path))
    products = [[f"{name}={value}" for value in values]
                for name, values in way.settings]
    # A device whose managed memory is exclusive is not unified.
    left_out = {"EMU_MANAGED=exclusive"} if "--memory=unified" in way.options else ()
    for from_set in itertools.chain(*sets):
        words = [word for word in from_set.split() if word not in left_out]
        for settings in itertools.product(*products):
            yield Run(way, [*settings, *words], number)
            number += 1


class Tester:
    def __init__(self, arguments, tested):
        self.tested = tested
        self.arguments = arguments
        self.slower = 5 if arguments.sanitizers else 1
        self.problems = 0

    def path(self, run_options, function):
        path = compiled.program(
            f"{self.arguments.bin}/async-gpu-opt", self.tested.path,
            [*self.tested.options, *run_options], function != "main")
        return [path] if function == "main" else [path, function]

    def runner(self, run):
        command = [f"{self.arguments.bin}/async-gpu-runner",
                   f"--device={DEVICE}", *self.tested.flags, *run.options]
        command += [option for option in self.tested.options
                    if option.startswith("--gpu")]
        if "LINK" in self.tested.keys:
            library = os.path.splitext(self.tested.keys["LINK"])[0]
            command.append(f"--shared-libs={self.arguments.bin}/../lib/"
                           f"lib{library}.so")
        if run.way.function != "main":
            command.append(f"--entry-point={run.way.function}")
        return [*command, str(self.tested.path)]

    def report(self, name, done, problems):
        self.problems += 1
        if self.problems > MAX_REPORTS:
            return
        settings = "".join(f"{variable(key)}={value} "
                           for key, value in done.settings.items())
        print(f"{self.tested.name} {name}\n"
              f"command: {settings}{' '.join(done.command)}")
        for problem in problems:
            print("problem: " + problem)
        if done.errors:
            print("--- standard error:\n" + done.errors)

    def run(self, case, run):
        words = run.way.words
        command = self.runner(run) if run.in_runner else \
            self.path(run.options, run.way.function)
        limits = {key: value for key, value in words.items()
                  if key != "peak-mib" or not
                  (run.in_runner or self.arguments.sanitizers)}
        done = Done(command, run.settings,
                    words.get("seconds", 30) * self.slower)
        problems = done.find_problems(case, limits, run.in_runner)
        if problems:
            self.report(run.name, done, problems)

    def run_schedules(self, case, way, word, count):
        """As many at a time as there are CPUs. Failures name the seed, which
        repeats the schedule."""
        settings = dict((name, values[0]) for name, values in way.settings)
        command = self.path(way.options, way.function)

        def once(seed):
            drawn = dict(settings, EMU_SEED=str(seed))
            if word == "host-schedules":
                drawn.update(SEED=str(seed),
                             NUM_THREADS=str(THREADS[seed % len(THREADS)]))
            done = Done(command, drawn, 20 * self.slower)
            return done, done.find_problems(case, {}, False)

        jobs = len(os.sched_getaffinity(0))
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            for done, problems in pool.map(once, range(1, int(count) + 1)):
                if problems:
                    self.report(word, done, problems)

    def run_valgrind(self, case, way):
        """No invalid access, and all memory is given back."""
        done = Done([self.arguments.valgrind, "-q", "--error-exitcode=9",
                     "--leak-check=full", *self.path(way.options, way.function)],
                    {"NUM_THREADS": "2"}, 110)
        problems = done.find_problems(case, {}, False)
        if problems:
            self.report("valgrind", done, problems)

    def run_traced(self, case, way):
        """Once, with a number of workers and of events that the name draws."""
        drawn = zlib.crc32(f"{self.tested.name} {way.function}".encode())
        # What the program has to have, then what the line says.
        settings = {name: self.tested.keys[key] for name, key in (
            ("NUM_THREADS", "THREADS"), ("EMU_DEVICES", "DEVICES"))
            if key in self.tested.keys}
        settings.update((name, values[0]) for name, values in way.settings)
        settings.setdefault("NUM_THREADS", str((1, 2, 8)[drawn % 3]))
        settings["TRACE_EVENTS"] = ("65536", "16384", "512")[drawn // 3 % 3]
        checks = ["--async-gpu-lower=check-accesses=true"] \
            if "EMU_CHECK" in settings else []
        with tempfile.TemporaryDirectory() as folder:
            settings["TRACE"] = f"{folder}/run.trace"
            done = Done(self.path([*way.options, *checks], way.function), settings,
                        way.words.get("seconds", 30) * self.slower)
            limits = {key: value for key, value in way.words.items()
                      if key != "peak-mib"}
            problems = done.find_problems(case, limits, False)
            # SIGSEGV and its like leave none.
            if not problems and done.status >= 0:
                problems = self.find_in_trace(folder, done)
        if problems:
            self.report("traced", done, problems)

    def find_in_trace(self, folder, done):
        if os.listdir(folder) != ["run.trace"]:
            return [f"files of the trace: {os.listdir(folder)}"]
        trace = check_trace.load_dump(f"{self.arguments.bin}/async-gpu-report",
                                      f"{folder}/run.trace")
        problems = trace.check()
        if trace.other["ended"] not in (["exit"] if done.status == 0 else
                                        ["exit", "error"]):
            problems.append(f"the trace has ended by {trace.other['ended']!r}")
        return problems

    def more_of(self, way):
        """Names of what is done of a way beside its runs."""
        for word in ("schedules", "host-schedules"):
            if word in way.words:
                yield word
        if "LOWER" not in self.tested.keys and not way.words.keys() & {
                "endless", "runner"}:
            yield "traced"
        if ("valgrind" in way.words and self.arguments.valgrind and
                not self.arguments.sanitizers):
            yield "valgrind"

    def is_left_out(self, way):
        sanitizers = self.arguments.sanitizers
        wanted = way.words.get("not")
        return bool(sanitizers) and (wanted == "sanitizer" or
                                     wanted in sanitizers.split(","))

    def all(self):
        """(case, way, runs, names of more) of all that is to be done"""
        number = 0
        for case in self.tested.cases:
            for way in case.ways:
                runs = list(runs_of(way, number, self.tested.path))
                number += len(runs)
                if "LOWER" in self.tested.keys:
                    runs = [] # of the runner; schedules show all else
                if not self.is_left_out(way):
                    yield case, way, runs, list(self.more_of(way))

    def test(self):
        for case, way, runs, more in self.all():
            for run in runs:
                self.run(case, run)
            for word in more:
                if word == "valgrind":
                    self.run_valgrind(case, way)
                elif word == "traced":
                    self.run_traced(case, way)
                else:
                    self.run_schedules(case, way, word, way.words[word])
        if self.problems:
            print(f"{self.problems} runs went wrong")
        return 1 if self.problems else 0


def check_command(tested, command):
    """What is not our runner, or not our compiler, does the same."""
    command = [part.replace("{device}", DEVICE) for part in command]
    done = Done(command, {}, 50)
    in_runner = any("runner" in part for part in command)
    problems = done.find_problems(tested.main(), {}, in_runner)
    if problems:
        print("command: " + " ".join(command))
        for problem in problems:
            print("problem: " + problem)
        print("--- standard error:\n" + done.errors)
    return 1 if problems else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin")
    parser.add_argument("--sanitizers", default="")
    parser.add_argument("--valgrind")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("file")
    parser.add_argument("command", nargs="*")
    arguments = parser.parse_args()
    try:
        tested = program.Program(arguments.file, SETS)
    except program.Malformed as error:
        sys.exit(f"{arguments.file}: {error}")
    if not tested.cases:
        sys.exit(f"{arguments.file} has no RUN line: it would never be run")
    if arguments.command:
        return check_command(tested, arguments.command)
    tester = Tester(arguments, tested)
    if arguments.list:
        for _, _, runs, more in tester.all():
            print("\n".join([run.name for run in runs] + more))
        return 0
    try:
        return tester.test()
    except compiled.NeedsToolkit:
        print("skipped: no CUDA toolkit was found")
        return 77


if __name__ == "__main__":
    sys.exit(main())
