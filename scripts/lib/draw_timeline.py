#!/usr/bin/env python3
"""Draws a trace as an SVG, for pages that show one.

    draw_timeline.py --of TRACE... --plan PLAN -o FILE

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

TRACE is what --trace of the runner has written (docs/tracing.md); of several, that one is
drawn of the shortest tenth in which several streams are at work for the most of the
time: others had to leave the processor to someone else, or to each other. PLAN is what async-gpu-opt prints
with --emit=plan-json: regions have the colours of their streams there, work on streams
that of its own.
Regions, waits, kernels, copies and fills are drawn, and arrows from calls to what
they have enqueued and from spawns to what they have started. Each slice has its
category and name (data-category, data-name), so that a test can compare pictures of
runs that took other times.
"""

import argparse
import bisect
import html
import json
import pathlib
import re

COLOURS = ("#0072b2", "#b34700", "#00755a", "#8f3f71", "#5a5a00", "#3d5a80",
           "#9c2f2f", "#4a3f8f")
HOST = "#5c6370"
WORK = ("kernel", "copy", "fill")
SHOWN = ("program", "region", "wait", "kernel", "copy", "fill", "event")
ARROWS = ("spawn", "resume", "kernel", "copy", "fill")
WIDTH, GUTTER, ROW, GAP, TOP = 960, 130, 18, 6, 22
STYLE = """
text { font: 11px "Helvetica Neue", Helvetica, Arial, sans-serif; fill: #1d2026; }
.slice text.inside { fill: #fff; }
.faint { fill: #5c6370; }
.grid { stroke: #e3e6ea; }
.arrow { fill: none; stroke: #1d2026; stroke-width: 0.8; opacity: 0.55; }
.back { fill: #ffffff; }
.critical rect { stroke: #d93025; stroke-width: 2; }
@media (prefers-color-scheme: dark) {
  text { fill: #e8eaee; } .faint { fill: #a3abb8; } .grid { stroke: #2b303a; }
  .arrow { stroke: #e8eaee; } .back { fill: #16181d; }
}
"""


class Colours:
    """Which colour a slice has: that of its region's stream in the plan."""

    def __init__(self, plan):
        self.places, self.kernels = {}, {}
        for region in plan["regions"]:
            self.add(region["place"], region)
        for region in plan["regions"]:
            for item in region["items"]:
                if item["kind"] != "spawn":
                    self.add(item["place"], region)
                if "kernel" in item:
                    self.kernels.setdefault(item["kernel"], []).append(region)

    def add(self, place, region):
        if place:
            name = pathlib.PurePath(place["file"]).name
            self.places.setdefault((name, place["line"]), region)

    def region_of_kernel(self, name):
        """Of the region that launches it, if that is one."""
        regions = self.kernels.get(name, [])
        return regions[0] if len(regions) == 1 else None

    def region_of(self, text):
        found = re.match(r"(?:.*/)?([^/:]+):(\d+)", text or "")
        return found and self.places.get((found[1], int(found[2])))

    @staticmethod
    def colour_of(region):
        stream = region and region["stream"]
        return HOST if stream is None else COLOURS[stream % len(COLOURS)]


def read(trace):
    """(name of each track, by pid and tid; slices; arrows)"""
    names, order, slices, arrows = {}, {}, [], {}
    for event in trace["traceEvents"]:
        track = event["pid"], event["tid"]
        if event["ph"] == "M" and event["name"] == "thread_name":
            names[track] = event["args"]["name"]
        elif event["ph"] == "M" and event["name"] == "thread_sort_index":
            order[track] = event["args"]["sort_index"]
        elif event["ph"] == "X":
            slices.append({**event, "track": track, "args": event.get("args", {}),
                           "end": event["ts"] + event.get("dur", 0)})
        elif event["ph"] in "sf" and event["cat"] in ARROWS:
            arrows.setdefault((event["cat"], event["id"]), []).append(event)
    used = sorted({one["track"] for one in slices if one["cat"] in SHOWN},
                  key=lambda track: (track[0], order.get(track, 0), track[1]))
    return {track: names.get(track, str(track[1])) for track in used}, slices, arrows


def rows_of(slices):
    """Gives each slice of a track its row; returns how many there are."""
    ends = []
    for one in sorted(slices, key=lambda one: (one["ts"], -one["end"])):
        row = next((row for row, end in enumerate(ends) if end <= one["ts"]),
                   len(ends))
        ends[row:row + 1] = [one["end"]]
        one["row"] = row
    return len(ends)


def inherit_regions(slices, arrows, colours):
    """What a region enqueues is its: by the call's place, and the arrow."""
    by_track = {}
    for one in slices:
        # What a wait says is where it stands; a region's is its name.
        one["region"] = colours.region_of(one["name"]) or colours.region_of(
            one["args"].get("at") if one["cat"] == "enqueue" else None)
        if one["cat"] in ("enqueue", "kernel"):
            one["region"] = one["region"] or colours.region_of_kernel(one["name"])
        by_track.setdefault(one["track"], []).append(one)
    for listed in by_track.values():
        listed.sort(key=lambda one: one["ts"])

    def at(event):
        listed = by_track.get((event["pid"], event["tid"]), [])
        last = bisect.bisect_right([one["ts"] for one in listed], event["ts"])
        return next((one for one in reversed(listed[:last])
                     if one["end"] >= event["ts"]), None)

    ends = []
    for events in arrows.values():
        if len(events) != 2:
            continue
        begin, end = sorted(events, key=lambda event: event["ph"] != "s")
        source, target = at(begin), at(end)
        if source and target:
            ends.append((begin, source, end, target))
            target["region"] = target["region"] or source["region"]
    return ends


def room_of(one, shown, x):
    """Where the next slice of the row begins."""
    return min((x(other["ts"]) for other in shown
                if other["track"] == one["track"] and other["row"] == one["row"]
                and other["ts"] > one["ts"]), default=WIDTH)


def text_of(label, left, width, y, room):
    """Inside of the slice, or behind it, or nowhere."""
    needed = 6.2 * len(label) + 4
    if width > needed:
        return (f'<text class="inside" x="{left + 3}" y="{y}">'
                f"{html.escape(label)}</text>")
    if left + width + needed < room:
        return f'<text x="{left + width + 3}" y="{y}">{html.escape(label)}</text>'
    return ""


def draw(trace, plan):
    tracks, slices, arrows = read(trace)
    colours = Colours(plan)
    ends = inherit_regions(slices, arrows, colours)
    shown = [one for one in slices if one["cat"] in SHOWN]
    # Threads may take a while to begin and to end.
    begin = min(one["ts"] for one in shown if one["cat"] != "program")
    length = max(one["end"] for one in shown if one["cat"] != "program") - begin
    for one in shown:
        one["ts"] = max(one["ts"], begin)
        one["end"] = min(one["end"], begin + length)

    def x(time):
        return round(GUTTER + (time - begin) / length * (WIDTH - GUTTER - 8), 1)

    top, y, labels = {}, TOP, []
    for track, name in tracks.items():
        top[track] = y
        labels.append(f'<text x="4" y="{y + 13}">{html.escape(name)}</text>')
        y += rows_of([one for one in shown if one["track"] == track]) * ROW + GAP
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y}" '
           f'width="{WIDTH}" height="{y}" role="img" aria-label="timeline">',
           f"<style>{STYLE}</style>",
           f'<rect class="back" width="{WIDTH}" height="{y}"/>']
    step = 10 ** len(str(int(length / 8)))
    step = next(part for part in (step / 10, step / 5, step / 2, step)
                if length / part <= 9)
    for tick in range(int(length / step) + 1):
        at = x(begin + tick * step)
        out.append(f'<path class="grid" d="M{at},{TOP - 4}V{y}"/><text class="faint" '
                   f'x="{at + 2}" y="12">{tick * step:g} µs</text>')
    for one in sorted(shown, key=lambda one: (one["cat"] != "program", one["ts"])):
        left, width = x(one["ts"]), max(round(x(one["end"]) - x(one["ts"]), 1), 1.5)
        stream = re.fullmatch(r"stream (\d+)", tracks[one["track"]])
        colour = (COLOURS[int(stream[1]) % len(COLOURS)]
                  if stream and one["cat"] in WORK else colours.colour_of(one["region"]))
        quiet = one["cat"] in ("program", "wait", "event")
        label = one["name"].partition(" ")[2] if one["cat"] == "region" else one["name"]
        title = html.escape(one["name"])
        extra = " critical" if one["args"].get("critical") and not quiet else ""
        out.append(
            f'<g class="slice{extra}" data-category="{one["cat"]}" '
            f'data-name="{title}"><title>{title}, {one["end"] - one["ts"]:.1f} µs'
            f'</title><rect x="{left}" y="{top[one["track"]] + one["row"] * ROW + 1}" '
            f'width="{width}" height="{ROW - 2}" fill="{colour}"'
            + (' opacity="0.45"' if quiet else "") + "/>"
            + text_of(label, left, width, top[one["track"]] + one["row"] * ROW + 13,
                      room_of(one, shown, x)) + "</g>")
    for first, source, last, target in ends:
        if source["track"] not in top or target["track"] not in top:
            continue
        a = x(first["ts"]), top[source["track"]] + (source.get("row", 0) + 0.5) * ROW
        b = x(last["ts"]), top[target["track"]] + (target.get("row", 0) + 0.5) * ROW
        if "row" in target:
            out.append(f'<path class="arrow" d="M{a[0]},{a[1]} '
                       f'C{a[0] + 14},{a[1]} {b[0] - 14},{b[1]} {b[0]},{b[1]}"/>')
    out.append(f'<rect class="back" width="{GUTTER - 4}" height="{y}"/>')
    return "\n".join(out + labels) + "\n</svg>\n"


def measure(trace):
    """(its length, the share of it with several streams at work)"""
    slices = [event for event in trace["traceEvents"]
              if event["ph"] == "X" and event["cat"] in SHOWN[1:]]
    begin = min(event["ts"] for event in slices)
    length = max(event["ts"] + event["dur"] for event in slices) - begin
    marks = sorted((event["ts"] + end * event["dur"], 1 - 2 * end)
                   for event in slices if event["cat"] in WORK for end in (0, 1))
    several = at_work = before = 0
    for time, by in marks:
        several += (time - before) * (at_work > 1)
        at_work += by
        before = time
    return length, several / length


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--of", type=pathlib.Path, nargs="+", required=True)
    parser.add_argument("--plan", type=pathlib.Path, required=True)
    parser.add_argument("-o", dest="output", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    runs = sorted((*measure(trace), number, trace) for number, trace in enumerate(
        json.loads(path.read_text()) for path in arguments.of))
    trace = max(runs[:1 + len(runs) // 10], key=lambda run: run[1])[-1]
    arguments.output.write_text(draw(trace, json.loads(arguments.plan.read_text())))


if __name__ == "__main__":
    main()
