#!/usr/bin/env python3
"""Fails when pictures of the documentation are not what programs give now.

    check_pictures.py --source FOLDER --build FOLDER

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

scripts/pictures.sh makes docs/pictures/NAME-plan.svg and NAME-timeline.svg from
examples/NAME.mlir. Of a plan the dot text has to be the same that it was drawn from.
A timeline takes other times in each run: it has to show slices of the same names, on
the same number of streams, as a run now. Every picture is shown on a page, and every
picture that a page shows is there.
"""

import argparse
import hashlib
import html
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SHOWN = ("region", "kernel", "copy", "fill")


def check_plan(opt, program, picture, source):
    dot = subprocess.run([opt, "--emit=plan-dot", program], check=True, cwd=source,
                         capture_output=True).stdout
    drawn = re.search(r"<!-- plan-dot (\w+) -->", picture.read_text())
    return drawn and drawn[1] == hashlib.sha256(dot).hexdigest()


def slices_of_run(runner, program, source):
    """{(category, name)} of a run, and how many streams it had."""
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder) / "trace.json"
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith("ASYNC_GPU_")}
        environment.update(ASYNC_GPU_DEVICE="emu")
        subprocess.run([runner, f"--trace={trace}", program], check=True, cwd=source,
                       env=environment, stdout=subprocess.DEVNULL)
        events = json.loads(trace.read_text())["traceEvents"]
    shown = [event for event in events if event["ph"] == "X"
             and event["cat"] in SHOWN]
    return ({(event["cat"], event["name"]) for event in shown},
            len({event["tid"] for event in shown if event["pid"] > 1}))


def slices_of_picture(picture):
    text = picture.read_text()
    found = re.findall(r'data-category="(\w+)" data-name="([^"]*)"', text)
    streams = len(re.findall(r">stream \d+<", text))
    return ({(category, html.unescape(name)) for category, name in found
             if category in SHOWN}, streams)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    source = arguments.source.resolve()
    problems = []
    pictures = sorted((source / "docs/pictures").rglob("*.svg"))
    shown = set()
    for page in [source / "README.md", *(source / "docs").glob("*.md")]:
        for target in re.findall(r"!\[[^\]]*\]\(([^)\s]+)\)", page.read_text()):
            shown.add((page.parent / target).resolve())
    for path in sorted(shown - set(pictures)):
        problems.append(f"{path} is shown, and not made by scripts/pictures.sh")
    for path in pictures:
        inside = path.relative_to(source / "docs/pictures").with_suffix("")
        name, _, kind = str(inside).rpartition("-")
        program = f"examples/{name}.mlir"
        if path not in shown:
            problems.append(f"{path.name} is on no page")
        if kind == "plan":
            if not check_plan(arguments.build / "bin/async-gpu-opt", program, path,
                              source):
                problems.append(f"{path.name} is of another plan")
        elif kind == "timeline":
            run = slices_of_run(arguments.build / "bin/async-gpu-runner", program,
                                source)
            drawn = slices_of_picture(path)
            if run != drawn:
                problems.append(f"{path.name} shows\n  {drawn}\nand a run has\n  "
                                f"{run}")
        else:
            problems.append(f"{path.name} is made by no script")
    if problems:
        print("\n".join(problems), "scripts/pictures.sh makes them again", sep="\n")
    return 1 if problems or not pictures else 0


if __name__ == "__main__":
    sys.exit(main())
