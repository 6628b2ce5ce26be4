"""What the measurements here share: one process a sample, and what is kept of
the machine they ran on.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import datetime
import json
import os
import pathlib
import platform
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def first_line(command):
    """The first line that a command prints, or None where it cannot run."""
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except OSError:
        return None
    lines = done.stdout.splitlines()
    return lines[0].strip() if done.returncode == 0 and lines else None


def require(build, *files):
    """Ends the program where the build tree lacks one of the files, and says what
    makes them."""
    for file in files:
        if not (pathlib.Path(build) / file).exists():
            sys.exit(f"{pathlib.Path(sys.argv[0]).name}: error: {build}/{file} is "
                     f"missing; build everything with: cmake --build {build}")


def packages(*names):
    """Versions of the Debian packages that are installed."""
    versions = {}
    for name in names:
        version = first_line(["dpkg-query", "-W", "-f", "${Version}", name])
        if version:
            versions[name] = version
    return versions


def describe():
    """The machine, as far as it explains a figure."""
    cpu = platform.processor()
    try:
        with open("/proc/cpuinfo") as file:
            cpu = re.search(r"model name\s*: (.*)", file.read())[1]
    except (OSError, TypeError):
        pass
    return {
        "cpu": cpu,
        "cpus": len(os.sched_getaffinity(0)),
        "kernel": platform.release(),
        "load": [round(load, 2) for load in os.getloadavg()],
    }


def header(benchmark):
    """How each JSON file starts."""
    return {
        "benchmark": benchmark,
        "date": datetime.datetime.now().astimezone().isoformat("T", "minutes"),
        "command": shlex.join(
            [os.path.relpath(sys.argv[0], ROOT), *sys.argv[1:]]),
        "commit": first_line(["git", "-C", str(ROOT), "describe", "--always",
                              "--dirty"]),
        "machine": describe(),
    }


def rounded(value):
    """The same with six digits of each number that has more: no measurement is
    better than that."""
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [rounded(item) for item in value]
    return value


def compact(value, indent=0):
    """JSON that a person can read and a diff can show: what holds no objects
    stands on one line."""
    is_object = isinstance(value, dict)
    items = list(value.values() if is_object else value) \
        if isinstance(value, (dict, list)) else []
    if not any(isinstance(item, dict) or
               isinstance(item, list) and any(isinstance(i, dict) for i in item)
               for item in items):
        return json.dumps(value)
    inner = ",\n".join(
        " " * (indent + 1) + (f"{json.dumps(key)}: " if is_object else "") +
        compact(item, indent + 1)
        for key, item in (value.items() if is_object else enumerate(value)))
    begin, end = "{}" if is_object else "[]"
    return f"{begin}\n{inner}\n{' ' * indent}{end}"


def save(result, path):
    """Writes JSON to a file, or to stdout where there is no path."""
    text = compact(rounded(result)) + "\n"
    if not path:
        sys.stdout.write(text)
        return
    path = pathlib.Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def use_cpus(cpus, realtime=False):
    """For a new process, before it runs its program: these CPUs, and if wanted
    before all other work there is (as root)."""
    os.sched_setaffinity(0, cpus)
    if realtime:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))


def can_use_realtime():
    """Whether this user may do that."""
    return subprocess.run(
        [sys.executable, "-c", "import os; os.sched_setscheduler(0, "
         "os.SCHED_RR, os.sched_param(1))"],
        capture_output=True).returncode == 0


def say(*words):
    """A line for the user, beside the JSON on stdout."""
    print(*words, file=sys.stderr, flush=True)
