#!/usr/bin/env python3
"""Whether traces are what docs/formats.md says.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    check_trace.py [--names] FILE...

The form of each event; slices that nest; arrows that begin and end in slices and go
forward; the lives of regions, whole where nothing was dropped; names for all tracks.
--names lists what regions are called. Ends with 1, and a line for each problem, if
there is one.
"""

import collections
import json
import subprocess
import sys

HEAD = {"ph": str, "pid": int, "tid": int}
TIMED = dict(HEAD, ts=(int, float), cat=str, name=str)
FORMS = {
    "X": dict(TIMED, dur=(int, float)),
    "s": dict(TIMED, id=int),
    "f": dict(TIMED, id=int, bp=str),
    "C": dict(TIMED, args=dict),
    "i": dict(TIMED, s=str),
    "M": dict(HEAD, name=str, args=dict),
}
METADATA = {"process_name": "name", "process_sort_index": "sort_index",
            "thread_name": "name", "thread_sort_index": "sort_index"}
OTHER = {"format": str, "version": int, "process": int, "ended": str, "clock": str,
         "zero_ns": int, "written_at_unix_seconds": int, "events": int,
         "dropped": int, "waiting": list}
ENDS = ("returned", "suspended", "unfinished")
MOST = 20


def ns(time):
    return round(time * 1000)


class Trace:
    def __init__(self, text):
        self.problems = []
        self.whole = json.loads(text)
        self.events = self.whole["traceEvents"]
        self.other = self.whole["otherData"]
        self.by_phase = collections.defaultdict(list)

    def say(self, problem, event=None):
        if len(self.problems) < MOST:
            self.problems.append(
                problem if event is None else f"{problem}: {json.dumps(event)}")

    def is_whole(self):
        return self.other["dropped"] == 0 and "incomplete" not in self.other

    def check_form(self):
        if set(self.whole) != {"traceEvents", "displayTimeUnit", "otherData"}:
            self.say(f"keys {sorted(self.whole)}")
        for key, kind in OTHER.items():
            if not isinstance(self.other.get(key), kind):
                self.say(f"otherData.{key} is {self.other.get(key)!r}")
        if (self.other["format"], self.other["version"]) != ("async-gpu trace", 1):
            self.say("another format or version")
        for event in self.events:
            form = FORMS.get(event.get("ph"))
            if not form:
                self.say("no phase of ours", event)
                continue
            if any(not isinstance(event.get(key), kind)
                   for key, kind in form.items()):
                self.say("malformed", event)
                continue
            if set(event) - set(form) - {"args"}:
                self.say("has more than it may", event)
            if "ts" in event and event["ts"] < 0 or event.get("dur", 0) < 0:
                self.say("before the begin", event)
            self.by_phase[event["ph"]].append(event)

    def check_tracks(self):
        named = {}
        for event in self.by_phase["M"]:
            key = METADATA.get(event["name"])
            if not key or set(event["args"]) != {key}:
                self.say("metadata", event)
            where = (event["name"], event["pid"], event["tid"])
            if where in named:
                self.say("named twice", event)
            named[where] = True
        for event in self.events:
            if event["ph"] in "MC":
                continue
            if ("thread_name", event["pid"], event["tid"]) not in named:
                self.say("on a track without a name", event)
            if ("process_name", event["pid"], 0) not in named:
                self.say("in a group without a name", event)

    def check_nesting(self):
        self.tracks = collections.defaultdict(list)
        for event in self.by_phase["X"]:
            begin = ns(event["ts"])
            self.tracks[event["pid"], event["tid"]].append(
                (begin, begin + ns(event["dur"]), event))
        for slices in self.tracks.values():
            slices.sort(key=lambda part: (part[0], -part[1]))
            stack = []
            for begin, end, event in slices:
                while stack and stack[-1][1] <= begin:
                    stack.pop()
                if stack and end > stack[-1][1]:
                    self.say(f"does not nest in {json.dumps(stack[-1][2])}", event)
                stack.append((begin, end, event))

    def check_arrows(self):
        self.arrows = {}
        ends = {}
        for event in self.by_phase["f"]:
            if event["id"] in ends:
                self.say("a second end", event)
            ends[event["id"]] = event
        for event in self.by_phase["s"]:
            if event["id"] in self.arrows:
                self.say("a second begin", event)
            end = ends.pop(event["id"], None)
            self.arrows[event["id"]] = (event, end)
            if not end:
                self.say("no end", event)
                continue
            if (end["cat"], end["name"]) != (event["cat"], event["name"]):
                self.say("ends as another", event)
            if ns(end["ts"]) < ns(event["ts"]):
                self.say("goes back in time", event)
        for event in ends.values():
            self.say("no begin", event)
        # One look at a track for all of its arrows: these may be many.
        points = collections.defaultdict(list)
        for event in self.by_phase["s"] + self.by_phase["f"]:
            points[event["pid"], event["tid"]].append(event)
        for track, events in points.items():
            events.sort(key=lambda event: ns(event["ts"]))
            slices, at, reach = self.tracks[track], 0, -1
            for event in events:
                time = ns(event["ts"])
                while at < len(slices) and slices[at][0] <= time:
                    reach = max(reach, slices[at][1])
                    at += 1
                if reach < time:
                    self.say("in no slice", event)

    def check_regions(self):
        self.regions = collections.defaultdict(list)
        for event in self.by_phase["X"]:
            if event["cat"] == "region":
                arguments = event["args"]
                if (not isinstance(arguments.get("run"), int) or
                        not isinstance(arguments.get("part"), int) or
                        arguments.get("ends") not in ENDS):
                    self.say("malformed", event)
                    continue
                self.regions[arguments["run"]].append(event)
        arrived = collections.defaultdict(set)
        for event in self.by_phase["f"]:
            arrived[event["pid"], event["tid"], ns(event["ts"])].add(event["cat"])
        for number, parts in self.regions.items():
            parts.sort(key=lambda part: part["args"]["part"])
            counts = [part["args"]["part"] for part in parts]
            if counts != list(range(1, len(parts) + 1)) and self.is_whole():
                self.say(f"parts {counts} of run {number}")
            for part, following in zip(parts, parts[1:]):
                if part["args"]["ends"] != "suspended":
                    self.say("goes on after its end", part)
                if ns(part["ts"]) > ns(following["ts"]):
                    self.say("goes on before it has begun", part)
            if not self.is_whole():
                continue
            spawner = parts[0]["args"].get("spawned_by")
            if spawner is not None and spawner not in self.regions:
                self.say("nobody spawned it", parts[0])
            if parts[-1]["args"]["ends"] != "returned" and \
                    self.other["ended"] == "exit" and number not in [
                        waiting["run"] for waiting in self.other["waiting"]]:
                self.say("does not end, though the program does", parts[-1])
            for part in parts:
                if part["args"].get("in_spawner"):
                    continue
                place = (part["pid"], part["tid"], ns(part["ts"]))
                wanted = "spawn" if part["args"]["part"] == 1 else "resume"
                if wanted not in arrived[place]:
                    self.say(f"has no arrow {wanted}", part)

    def check_counters(self):
        last = {}
        for event in sorted(self.by_phase["C"], key=lambda event: event["ts"]):
            if not isinstance(event["args"].get("value"), int) or \
                    event["args"]["value"] < 0:
                self.say("counts wrongly", event)
            last[event["pid"], event["name"]] = event
        tasks = last.get((1, "tasks alive"))
        if (tasks and tasks["args"]["value"] and self.is_whole() and
                self.other["ended"] == "exit" and not self.other["waiting"]):
            self.say("tasks are left", tasks)

    def check(self):
        self.check_form()
        if self.problems:
            return self.problems
        self.check_tracks()
        self.check_nesting()
        self.check_arrows()
        self.check_regions()
        self.check_counters()
        return self.problems


def load(path):
    with open(path, encoding="utf-8") as file:
        return Trace(file.read())


def load_dump(report, path):
    """Of what ASYNC_GPU_TRACE has written; `report` is async-gpu-report."""
    return Trace(subprocess.run([report, "--json", path], check=True, timeout=60,
                                capture_output=True, encoding="utf-8").stdout)


def main():
    files = [word for word in sys.argv[1:] if word != "--names"]
    failed = False
    for path in files:
        trace = load(path)
        for problem in trace.check():
            failed = True
            print(f"{path}: {problem}")
        if "--names" in sys.argv:
            for number, parts in sorted(trace.regions.items()):
                print(number, parts[0]["name"], len(parts))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
