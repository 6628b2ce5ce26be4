#!/usr/bin/env python3
"""A region, and its stream, has one number: in remarks, plan, code, traces and profiles.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    check_numbers.py --opt FILE --runner FILE [--sequential] PROGRAM.mlir

What each of them says of a number is compared by the place in the source.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

REMARK = re.compile(r":(\d+):(\d+): remark: region (\d+): (?:\w+)(?:, stream (?:of operand \d+ or )?(\d+))?")
NAMED = re.compile(r"\bregion (\d+)\b")
FUNCTION = re.compile(r"llvm\.func (?:\w+ )*@\w+?_region_(\d+)\w*\(.*"
                      r"async_gpu\.region = (\d+) : i64")


class Checker:
    def __init__(self, options, folder):
        self.options, self.folder, self.problems = options, folder, []
        self.flags = []
        if options.sequential:
            self.flags = ["sequential=true", "memory=discrete", "host-region-ops=0", "device-region-ops=0"]
        text = self.opt("--async-gpu-lower=" + " ".join(self.flags), "--emit=plan-json").stdout
        self.plan = {region["id"]: region for region in json.loads(text)["regions"]}
        self.spawned = {number for number, region in self.plan.items()
                        if region["op"] == "async.execute"}

    def opt(self, *arguments):
        return subprocess.run([self.options.opt, self.options.program, *arguments],
                              check=True, text=True, capture_output=True, timeout=60)

    def expect(self, who, number, line, column, stream=None, has_stream=True):
        region = self.plan.get(number)
        if not region:
            self.problems.append(f"{who}: region {number} is not in the plan")
            return
        place = region["place"]
        if (place["line"], place["column"]) != (line, column):
            self.problems.append(f"{who}: region {number} is at {line}:{column}, in the "
                                 f"plan at {place['line']}:{place['column']}")
        if has_stream and region["stream"] != stream:
            self.problems.append(f"{who}: region {number} has stream {stream}, in the "
                                 f"plan {region['stream']}")

    def expect_kernel(self, kernel, number, stream):
        region = self.plan.get(number, {"items": [], "stream": None, "kind": ""})
        if stream is None and region["kind"] == "host":
            return  # a function that it calls launches
        if region["stream"] != stream or not any(
                kernel.startswith(item.get("kernel", "?")) for item in region["items"]):
            self.problems.append(f"kernel {kernel} on stream {stream} is none of region "
                                 f"{number}")

    def check_remarks(self):
        said, formed = set(), 0
        for text in self.opt("--async-gpu-lower=remarks=true " + " ".join(self.flags),
                             "-o", "/dev/null").stderr.splitlines():
            if ": remark: " not in text:
                continue
            for number in map(int, NAMED.findall(text)):
                if number not in self.plan:
                    self.problems.append(f"not in the plan: {text}")
            found = REMARK.search(text)
            if not found:
                continue
            line, column, number = map(int, found.groups()[:3])
            # What regions were formed is said before they have streams.
            is_formed = ", which " in text
            formed += is_formed
            stream = None if found[4] is None else int(found[4])
            self.expect("remark", number, line, column, stream, not is_formed)
            said.add(number)
        if self.spawned - said:
            self.problems.append(f"no remark is about regions {self.spawned - said}")
        if bool(formed) != self.options.sequential:
            self.problems.append(f"{formed} regions were formed")

    def check_code(self):
        found = FUNCTION.findall(self.opt("--async-gpu-lower=" + " ".join(self.flags)).stdout)
        if {int(number) for number, _ in found} - self.spawned or not found or \
                any(name != known for name, known in found):
            self.problems.append(f"functions are of regions {found}")

    def check_run(self):
        trace, profile = self.folder / "trace.json", self.folder / "profile.json"
        flags = ["--" + flag for flag in self.flags]
        subprocess.run([self.options.runner, "--device=emu", f"--trace={trace}",
                        f"--profile={profile}", *flags, self.options.program], check=True,
                       stdout=subprocess.DEVNULL, timeout=60)
        ran, launched = set(), set()
        for event in json.loads(trace.read_text())["traceEvents"]:
            args = event.get("args", {})
            if event.get("cat") == "kernel" and "region" in args:
                self.expect_kernel(event["name"], args["region"], args.get("stream"))
                launched.add(args["region"])
            if event.get("cat") != "region":
                continue
            if "region" not in args:
                self.problems.append(f"no region: {event}")
                continue
            self.expect("trace", args["region"], args["line"], args["column"],
                        args.get("stream"))
            ran.add(args["region"])
        with_kernels = {number for number in ran if any(
            item["kind"] == "kernel" for item in self.plan[number]["items"])}
        if with_kernels - launched:
            self.problems.append(f"kernels are of regions {launched}, in the plan of "
                                 f"{with_kernels}")
        rows = [row for row in json.loads(profile.read_text())["rows"]
                if row["kind"] == "region"]
        for row in rows:
            place = self.plan.get(row.get("region"), {"place": {"line": None}})["place"]
            if f":{place['line']} " not in row["name"]:
                self.problems.append(f"in the profile: {row}")
        if not ran or ran - self.spawned or {row.get("region") for row in rows} != ran:
            self.problems.append(f"in the trace are {ran}, in the profile "
                                 f"{[row.get('region') for row in rows]}, in the plan "
                                 f"{self.spawned}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--opt", required=True)
    parser.add_argument("--runner", required=True)
    parser.add_argument("--sequential", action="store_true")
    parser.add_argument("program")
    with tempfile.TemporaryDirectory() as folder:
        checker = Checker(parser.parse_args(), pathlib.Path(folder))
        checker.check_remarks()
        checker.check_code()
        checker.check_run()
    print("\n".join(checker.problems) or f"{len(checker.spawned)} regions agree")
    return 1 if checker.problems else 0


if __name__ == "__main__":
    sys.exit(main())
