#!/usr/bin/env python3
"""async-gpu-report's page in a browser, used with the mouse and without.

    check_report.py --report TOOL --opt TOOL --runner TOOL --source FOLDER
      [--keep FOLDER]

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

The page is of the plan of examples/fork_join.mlir and of make_trace.py's trace of
it; others are of runs, one of them of a program of many regions, and of Graphviz's
drawings where it is installed. It must show both, mark a region in both, whether that
is pointed at or gone to with the keyboard, and do so without a word on the console or
a request. Where there
is no browser the pages are made, and the rest is left out with status 77. --keep
leaves the pages and screenshots there. The time that a trace of 100,000 events takes
to be drawn is printed; what is checked is that no more is drawn than can be seen.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import browser as browsers

HERE = pathlib.Path(__file__).parent
SKIPPED = 77


class Check:
    def __init__(self):
        self.failed = 0

    def equal(self, what, actual, expected):
        if actual != expected:
            self.failed += 1
            print(f"{what}: {actual!r}, not {expected!r}")

    def true(self, what, value):
        self.equal(what, bool(value), True)


def make_pages(arguments, folder):
    example = arguments.source / "examples/fork_join.mlir"
    plan = folder / "plan.json"
    subprocess.run([arguments.opt, "--emit=plan-json", example, "-o", plan],
                   check=True)
    for name, rounds in (("small", 3), ("large", 4600)):
        trace = folder / f"{name}.json"
        with open(trace, "w", encoding="utf-8") as file:
            subprocess.run([sys.executable, HERE / "make_trace.py", str(rounds)],
                           stdout=file, check=True)
        subprocess.run([arguments.report, trace, plan, "-o",
                        folder / f"{name}.html"], check=True)
    run = folder / "run.trace"
    subprocess.run([arguments.runner, example], check=True, stdout=subprocess.DEVNULL,
                   env={**os.environ, "ASYNC_GPU_TRACE": str(run),
                        "ASYNC_GPU_DEVICE": "emu"})
    subprocess.run([arguments.report, run, plan, "-o", folder / "run.html"],
                   check=True)
    if shutil.which("dot"):
        drawing = folder / "plan.svg"
        subprocess.run([arguments.opt, "--emit=plan-svg", example, "-o", drawing],
                       check=True)
        subprocess.run([arguments.report, folder / "small.json", drawing, "-o",
                        folder / "drawing.html"], check=True)
    make_chains(arguments, folder)


def make_chains(arguments, folder):
    """A run and the plan of 200 regions on the device, in 4 chains."""
    program = folder / "chains.mlir"
    lines = ["func.func @main() {", "  %f = arith.constant 1.0 : f32"]
    lines += [f"  %m{i} = gpu.alloc () : memref<64xf32>" for i in range(4)]
    for i in range(200):
        waits = f" [%t{i - 4}]" if i >= 4 else ""
        lines.append(f"  %t{i} = async.execute{waits} {{\n    gpu.memset %m{i % 4}, %f : "
                     "memref<64xf32>, f32\n    async.yield\n  }")
    lines += [f"  async.await %t{i} : !async.token" for i in range(196, 200)]
    lines += [f"  gpu.dealloc %m{i} : memref<64xf32>" for i in range(4)]
    program.write_text("\n".join([*lines, "  return", "}", ""]), encoding="utf-8")
    plan, run = folder / "chains.plan.json", folder / "chains.json"
    subprocess.run([arguments.opt, "--emit=plan-json", program, "-o", plan], check=True)
    subprocess.run([arguments.runner, program, "--device=emu", f"--trace={run}"],
                   check=True)
    subprocess.run([arguments.report, run, plan, "-o", folder / "chains.html"], check=True)
    if shutil.which("dot"):
        subprocess.run([arguments.opt, "--emit=plan-svg", program, "-o",
                        folder / "chains.svg"], check=True)


MARKED = "[...document.querySelectorAll('.region.marked')].map(e => e.dataset.key).join()"
ROW = "document.querySelector('#rows tr.marked')?.cells[0].textContent"
TITLE = "document.querySelector('#selection h2')?.textContent"


def place_of_slice(page, name):
    """The middle of the first slice of this name on the screen."""
    return page.ask(
        "(() => { const t = page.timeline, s = page.trace.slices.find("
        f"s => s.name.endsWith({name!r})), b = t.scroller.getBoundingClientRect();"
        "return [b.left + (t.xOf(s.begin) + t.xOf(s.end)) / 2,"
        " b.top + s.track.y - t.top + s.row * 18 + 9]; })()")


def place_of_node(page, key):
    return page.ask(
        "(() => { const b = document.querySelector("
        f"'[data-key=\"{key}\"]').getBoundingClientRect();"
        "return [b.left + b.width / 2, b.top + 8]; })()")


def check_small(check, page, folder):
    page.open(folder / "small.html")
    check.equal("regions drawn",
                page.ask("document.querySelectorAll('#drawing .region').length"), 7)
    check.equal("arrows of the plan",
                page.ask("document.querySelectorAll('#drawing .edge').length"), 8)
    check.equal("summary", page.ask("document.querySelector('#summary').textContent"),
                "42 slices on 5 tracks, 528.0 µs")
    check.equal("critical path", page.ask("page.trace.critical.length"), 9)
    check.equal("critical regions", page.ask(
        "[...document.querySelectorAll('.region.critical')].map(e => e.dataset.key)"
        ".join()"), "#1,#2,#5")

    # The run as a whole: in each round streams work for 4 times 15 + 3 µs, and
    # regions of the host for 64 of these.
    check.equal("the run", page.ask(
        "[...document.querySelectorAll('#selection dd')].slice(0, 6).map("
        "e => e.textContent).join('; ')"),
        "216.0 µs, 40.9 % of the run; 0.00 µs, 0.0 % of the run; "
        "0.00 µs, 0.0 % of the run; 192.0 µs, 36.4 % of the run; "
        "0.00 µs, 0.0 % of the run; 45.00 µs in 3 launches")
    check.true("advice", page.ask("document.querySelectorAll('#selection li').length"))
    # Streams have the plan's numbers: the trace's own begin with 1 here.
    check.equal("streams", page.ask(
        "page.trace.order.filter(t => t.streams).map(t => t.name).join()"),
        "streams 0, 3,stream 1,stream 2")
    check.equal("times of a region", page.ask(
        "[...[...document.querySelectorAll('#rows tr')].find("
        "row => row.dataset.key === '#2').cells].map(c => c.textContent).join()"),
        "squares,2,device,1,3,54.00 µs,,45.00 µs")
    # A counter that is 1 for less than a pixel is 0 behind it.
    check.equal("counter", page.ask(
        "(() => { const t = page.timeline, band = t.bands.find("
        "b => b.counter?.name === 'streams busy');"
        "const row = t.context.getImageData(0, band.y - t.top + 20, t.width, 1).data;"
        "const at = time => [0, 1, 2].map(i => row[4 * Math.floor(t.xOf(time)) + i])"
        ".join();"
        "return [22, 23, 93].map(time => at(time) === at(5)).join(); })()"),
        "false,true,true")

    check.equal("value of a counter", page.ask(
        "(() => { const t = page.timeline, band = t.bands.find("
        "b => b.counter?.name === 'tasks alive');"
        "return [250, 450].map(time => t.valueAt(t.xOf(time), band.y - t.top + 9))"
        ".join(); })()"), "tasks alive: 1 task,tasks alive: 2 tasks")
    check.equal("units", page.ask(
        "[formatValue('device 0: bytes in use', 12288), formatValue('streams busy', 1)]"
        ".join()"), "12 KiB,1 stream")
    check_table(check, page)
    check_range(check, page)

    # The plan is larger and smaller.
    wide = "document.querySelector('#drawing svg').getBoundingClientRect().width"
    before = page.ask(wide)
    page.ask("document.getElementById('plan-in').click()")
    check.equal("larger plan", round(page.ask(wide) / before, 2), 1.25)
    page.ask("document.getElementById('plan-fit').click()")

    # The mouse, in the timeline and in the plan.
    page.move(*place_of_slice(page, "squares"))
    check.equal("marked by its slice", page.ask(MARKED), "#2")
    check.equal("in a colour of its own", page.ask(
        "['.marked', '.critical:not(.marked)'].map(which => getComputedStyle("
        "document.querySelector('.region' + which + ' .box')).stroke).join(' ')"),
        "rgb(26, 95, 180) rgb(179, 38, 30)")
    check.equal("row of the table", page.ask(ROW), "squares")
    check.equal("details", page.ask(TITLE), "fork_join.mlir:42 squares")
    # A kernel is its region's, by the arrow from there.
    page.move(*place_of_slice(page, "kernel_4"))
    check.equal("marked by its kernel", page.ask(MARKED), "#5")
    page.screenshot(folder / "hover.png")
    page.move(*place_of_node(page, "#4"))
    check.equal("marked in the plan", page.ask("page.markedKey()"), "#4")
    check.equal("details of a region", page.ask(TITLE), "sum")
    page.move(5, 5)
    check.equal("nothing is pointed at", page.ask(MARKED), "")

    # The keyboard alone.
    page.ask("document.getElementById('scroller').focus()")
    page.press("ArrowRight")
    check.equal("first slice", page.ask(TITLE), "fork_join.mlir:35 source")
    page.press("ArrowRight")
    check.equal("next slice", page.ask(TITLE), "fork_join.mlir:59 triples")
    page.press("ArrowDown")
    check.equal("slice below", page.ask(TITLE), "fork_join.mlir:42 squares")
    check.equal("marked by the keyboard", page.ask(MARKED), "#2")
    page.press("Enter")
    check.equal("the region has the focus",
                page.ask("document.activeElement.dataset.key"), "#2")
    page.press("Tab")
    check.equal("next region", page.ask(MARKED), "#3")
    page.press("Enter")
    check.equal("back in the timeline", page.ask("document.activeElement.id"),
                "scroller")
    before = page.ask("page.timeline.end - page.timeline.begin")
    page.press("+")
    check.equal("zoom", page.ask("page.timeline.end - page.timeline.begin"),
                before / 2)
    page.press("0")
    page.press("Escape")
    check.equal("nothing is marked", page.ask(MARKED), "")

    page.ask("document.getElementById('find').focus()")
    page.type("checked")
    check.equal("found", page.ask("document.getElementById('found').textContent"),
                "1 of 3 (Enter: next)")
    check.equal("what was found", page.ask(TITLE), "fork_join.mlir:110 checked")

    # Both themes; a narrow screen has one below the other.
    for theme in ("light", "dark"):
        page.prefer(theme)
        page.screenshot(folder / f"{theme}.png")
    check.true("dark", page.ask(
        "getComputedStyle(document.body).backgroundColor") == "rgb(22, 24, 29)")
    page.prefer("light")


def check_table(check, page):
    column = ("[...document.querySelectorAll('#rows tr')].map("
              "row => row.cells[{}].textContent).join()")
    sort = "document.querySelectorAll('#columns button')[{}].click()"
    page.ask(sort.format(1))
    check.equal("from the largest number", page.ask(column.format(1)), "6,5,4,3,2,1,0")
    page.ask(sort.format(1))
    check.equal("from the smallest", page.ask(column.format(1)), "0,1,2,3,4,5,6")
    page.ask(sort.format(0))
    check.equal("by name", page.ask(column.format(0)),
                "@main,checked,joined,source,squares,sum,triples")
    page.ask(sort.format(3))
    check.equal("without a stream last", page.ask(column.format(3)), "3,2,1,0,,,")
    check.equal("said to all", page.ask(
        "[...document.querySelectorAll('#columns th')].map(c => c.ariaSort ?? '').join()"),
        ",,,descending,,,,")


def check_range(check, page):
    def sums():
        return page.ask(
            "[...document.querySelectorAll('#selection dt')].map(e => e.textContent + ': ' + "
            "e.nextSibling.textContent).join('; ')")
    x, y = place_of_slice(page, "kernel_0")
    page.drag((x - 30, y + 60), (x + 30, y + 60), shift=True)
    check.true("a range by the mouse", page.ask("page.range.isOpen"))
    # From the middle of the first kernel, at 22 to 37, to the middle of the second.
    page.ask("page.showRange(page.trace.begin + 29.5, page.trace.begin + 49.5)")
    check.true(sums(), "kernels: 15.00 µs in 2; copies: 3.00 µs in 1" in sums() and
               "device busy: 18.00 µs, 90.0 %" in sums())
    page.ask("page.moments.write()")
    check.equal("a link to it", page.ask("location.hash"), "#range=29.5,49.5")
    page.press("Escape")
    check.equal("no range", page.ask("page.range.isOpen"), False)
    page.ask("new Promise(done => { addEventListener('hashchange', () => done(0), "
             "{once: true}); location.hash = '#t=100,200&slice=2'; })")
    check.equal("shown by a link", page.ask(
        "[page.timeline.begin - page.trace.begin, page.timeline.end - page.trace.begin]"
        ".map(Math.round).join() + page.selectedSlice.number"), "100,2002")
    page.press("Escape")
    page.ask("page.timeline.fit()")


def check_chains(check, page, folder):
    """A large plan, and the critical path of a run that only enqueues."""
    page.open(folder / "chains.html")
    boxes = "document.querySelectorAll('#drawing .region').length"
    check.equal("a box for each chain, and main", page.ask(boxes), 5)
    check.equal("words of a chain", page.ask(
        "document.querySelector('[data-key=\"#1\"] .title').textContent"), "t0 … t196")
    page.ask("document.getElementById('chains').click()")
    check.equal("a box for each region", page.ask(boxes), 201)
    overlaps = ("(() => { const boxes = [...document.querySelectorAll('.region .box')].map("
                "e => e.getBoundingClientRect()); let found = 0;"
                "for (const a of boxes) for (const b of boxes) if (a !== b && "
                "a.left < b.right && b.left < a.right && a.top < b.bottom && "
                "b.top < a.bottom) ++found; return found; })()")
    check.equal("boxes over each other", page.ask(overlaps), 0)
    check.equal("minimap", page.ask("document.getElementById('minimap').hidden"), False)
    page.ask("page.timeline.goTo(page.trace.regions.get('#150').slices[0])")
    page.settle()
    check.true("the plan follows", page.ask(
        "(() => { const a = page.drawing.nodes.get('#150').getBoundingClientRect(),"
        " b = document.getElementById('plan-view').getBoundingClientRect();"
        " return a.top >= b.top && a.bottom <= b.bottom && a.left >= b.left; })()"))
    before = page.ask("document.getElementById('plan-view').scrollTop")
    x, y = page.ask("(() => { const b = document.getElementById('minimap')"
                    ".getBoundingClientRect(); return [b.left + 5, b.top + 3]; })()")
    page.drag((x, y), (x, y + 1))
    check.true("the minimap leads there",
               page.ask("document.getElementById('plan-view').scrollTop") < before / 2)
    # Its parts, the delays among them, are as long as the run.
    check.true("the critical path is whole", page.ask(
        "(() => { const all = page.trace.end - page.trace.begin, sum = page.trace.pathParts()"
        ".reduce((sum, part) => sum + part.time, 0);"
        "return Math.abs(sum - all) < 0.02 * all; })()"))
    page.screenshot(folder / "chains.png")


def check_svg(check, page, folder):
    """Text of a drawing is in its box, also in a font that is a tenth wider."""
    if not (folder / "chains.svg").exists():
        return
    for name, boxes in (("plan.svg", 7), ("chains.svg", 202)):
        page.call("Page.navigate", url=(folder / name).resolve().as_uri())
        for _ in range(100):
            if page.ask("document.querySelectorAll('g.node').length"):
                break
            page.settle()
        check.equal(f"boxes of {name}",
                    page.ask("document.querySelectorAll('g.node').length"), boxes)
        page.ask("for (const text of document.querySelectorAll('text'))"
                 " text.setAttribute('font-size', 1.1 * parseFloat("
                 "text.getAttribute('font-size')))")
        check.equal("text outside of its box", page.ask(
            "[...document.querySelectorAll('g.node')].flatMap(node => {"
            "const box = [...node.querySelectorAll('polygon, path')].map(e => e.getBBox())"
            ".reduce((a, b) => a.width > b.width ? a : b);"
            "return [...node.querySelectorAll('text')].filter(t => {"
            "const own = t.getBBox(); return t.textContent.trim() && "
            "own.x + own.width * t.textContent.trimEnd().length / t.textContent.length >"
            " box.x + box.width + 1; }).map(t => t.textContent); }).join()"), "")
    check.true("it says that it is simple", page.ask(
        "document.documentElement.textContent.includes('201 boxes, in a simple layout')"))
    page.prefer("dark")
    check.equal("dark", page.ask(
        "getComputedStyle(document.querySelector('.graph > polygon')).fill"),
        "rgb(22, 24, 29)")
    page.prefer("light")


def check_run(check, page, folder):
    """What a run is shows, whatever its times."""
    page.open(folder / "run.html")
    for key, name in (("#2", "main_kernel"), ("#5", "main_kernel_1")):
        page.ask("page.timeline.goTo(page.trace.slices.find("
                 f"s => s.category === 'kernel' && s.name === '{name}'))")
        page.settle()
        check.equal(f"region of {name}", page.ask(MARKED), key)
    check.true("critical path", page.ask("page.trace.critical.length"))
    page.screenshot(folder / "run.png")


def check_drawing(check, page, folder):
    """The same with Graphviz's drawing in place of our own."""
    if not (folder / "drawing.html").exists():
        print("left out: a plan that Graphviz has drawn, as it is not installed")
        return
    page.open(folder / "drawing.html")
    check.equal("regions of the drawing", page.ask(
        "[...page.trace.regions.values()].map(r => r.title + r.kind + (r.stream ?? ''))"
        ".sort().join()"), "@mainhost,checkedhost,joineddevice3,sourcedevice0,"
        "squaresdevice1,sumhost,triplesdevice2")
    page.move(*place_of_slice(page, "squares"))
    check.equal("marked in the drawing", page.ask(MARKED), "#2")
    page.move(*place_of_node(page, "#4"))
    check.equal("marked by the drawing", page.ask("page.markedKey()"), "#4")
    page.screenshot(folder / "drawing.png")


def check_large(check, page, folder):
    took = page.open(folder / "large.html")
    slices = page.ask("page.trace.slices.length")
    print(f"a trace of {page.ask('page.trace.slices.length + 2 * page.trace.arrows.length + page.trace.counters[0].times.length')} "
          f"events was drawn after {took:.0f} ms")
    pixels = page.ask("page.timeline.width * page.trace.order.length")
    drawn = page.ask("page.timeline.drawn")
    check.true(f"{drawn} of {slices} slices for {pixels} pixels",
               0 < drawn <= pixels < slices)
    page.screenshot(folder / "large.png")


def main():
    parser = argparse.ArgumentParser()
    for name in ("report", "opt", "runner", "source"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    parser.add_argument("--keep", type=pathlib.Path)
    arguments = parser.parse_args()
    executable = browsers.find()
    check = Check()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep or pathlib.Path(temporary)
        folder.mkdir(exist_ok=True)
        make_pages(arguments, folder)
        if not executable:
            print("skipped: there is no browser (apt-get install chromium); the "
                  "pages were made, and not opened")
            return SKIPPED
        try:
            browser = browsers.Browser(executable)
        except (RuntimeError, TimeoutError, OSError) as error:
            print(f"skipped: {executable} does not start here: {error}")
            return SKIPPED
        with browser as page:
            check_small(check, page, folder)
            check_run(check, page, folder)
            check_drawing(check, page, folder)
            check_chains(check, page, folder)
            check_svg(check, page, folder)
            check_large(check, page, folder)
            check.equal("problems in the browser", page.problems, [])
    return 1 if check.failed else 0


if __name__ == "__main__":
    sys.exit(main())
