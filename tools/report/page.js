"use strict";
// What is marked, and where that shows: in the timeline, the plan, the table
// and in words.

class Page {
  constructor() {
    const data = id => document.getElementById(id).textContent;
    const text = data("plan-data");
    const given = text ? JSON.parse(text) : {};
    const drawn = typeof given === "string";
    this.plan = new Plan(drawn ? PlanDrawing.read(given) : given);
    this.trace = new Trace(JSON.parse(data("trace-data")), this.plan);
    this.hoveredKey = this.selectedKey = "";
    this.hoveredSlice = this.selectedSlice = null;
    this.showsCritical = this.trace.critical.length > 0;
    this.drawing = new PlanDrawing(this, this.plan, document.getElementById("drawing"));
    if (drawn) this.drawing.adopt(given);
    else if (this.plan.regions.length) this.drawing.draw();
    else document.getElementById("drawing").textContent =
      "No plan was given: async-gpu-opt --emit=plan-json writes one.";
    this.range = new Range(this);
    this.timeline = new Timeline(this, this.trace);
    this.table = new RegionTable(this);
    this.summarise();
    this.listen();
    this.update();
    this.moments = new Moments(this);
  }

  theme() {
    const style = getComputedStyle(document.documentElement), of = name =>
      style.getPropertyValue("--" + name).trim();
    return {back: of("back"), panel: of("panel"), text: of("text"), faint: of("faint"),
            line: of("line"), grid: of("grid"), mark: of("mark"), focus: of("focus"), host: of("host"),
            other: of("other"), dim: +of("dim")};
  }

  markedKey() { return this.hoveredKey || this.selectedKey; }
  slice() { return this.hoveredSlice || (this.hoveredKey ? null : this.selectedSlice); }

  hover(key, slice) {
    if (key === this.hoveredKey && slice === this.hoveredSlice) return;
    this.hoveredKey = key;
    this.hoveredSlice = slice;
    this.update();
  }

  select(key, slice) {
    this.selectedKey = key;
    this.selectedSlice = slice;
    if (key) this.range.clear();
    this.update();
    if (this.moments) this.moments.note();
  }

  /// Scrolls the plan and the table to what was chosen in the timeline.
  follow(key) {
    this.drawing.reveal(key);
    this.table.reveal(key);
  }

  showRange(begin, end) {
    this.hoveredKey = this.selectedKey = "";
    this.hoveredSlice = this.selectedSlice = null;
    this.range.set(begin, end);
    this.update();
    if (this.moments) this.moments.note();
  }

  /// From a region to its first slice.
  go(key, focus) {
    const region = this.trace.regions.get(key), slice = region && region.slices[0];
    this.select(key, slice || null);
    this.follow(key);
    if (!slice) return;
    this.timeline.reveal(slice);
    if (focus) this.timeline.scroller.focus();
  }

  focusRegion() {
    this.drawing.reveal(this.selectedKey);
    this.drawing.nodes.get(this.selectedKey)?.focus({preventScroll: true});
  }

  update() {
    const key = this.markedKey();
    this.drawing.mark(key);
    this.drawing.markCritical(this.showsCritical ? this.trace.criticalKeys : new Set());
    this.table.mark();
    this.describe(key, this.slice());
    this.timeline.draw();
  }

  describe(key, slice) {
    const place = document.getElementById("selection");
    const region = this.trace.regions.get(key);
    if (!slice && !region) {
      if (this.range.isOpen) this.fill(place, "Range of time", this.range.sums());
      else if (!this.selectedKey && !this.hoveredKey &&
               (!place.querySelector("h2") || place.dataset.shows === "range"))
        this.showUse(place);
      place.dataset.shows = this.range.isOpen ? "range" : "";
      return;
    }
    const list = [];
    if (slice) {
      list.push(["track", slice.track.name || slice.track.key],
                ["begins", formatTime(slice.begin - this.trace.begin)],
                ["lasts", formatTime(slice.end - slice.begin)]);
      if (slice.track.streams && slice.track.name !== slice.track.driverName)
        list.push(["in the trace", slice.track.driverName]);
      list.push(...wordsOf(slice, number => this.trace.nameOfRun(number)));
      // Both ends of a launch have the kernel's name: then where they are says more.
      const name = ({from, to, fromTrack, toTrack}) => from && to && from.name !== to.name
        ? from.name + " → " + to.name
        : (fromTrack.name || fromTrack.key) + " → " + (toTrack.name || toTrack.key);
      for (const arrow of [...slice.into || [], ...slice.out || []].slice(0, 12))
        list.push([arrow.name || "arrow", name(arrow)]);
    }
    if (region && region.plan) {
      const plan = region.plan, own = "region " + plan.id;
      list.push([own, region.title + ", " + plan.kind +
                 (plan.stream === null ? "" : ", stream " + plan.stream) +
                 (plan.place ? ", " + plan.place.file + ":" + plan.place.line : "")]);
      for (const edge of this.plan.edges)
        if (edge.to === plan.id)
          list.push(["depends on", (edge.from === null ? "perhaps " : "") + this.nameOf(
            edge.from === null ? edge.maybe : edge.from) + ": " + edge.text]);
    }
    if (region)
      list.push(["in all", [["on the host", region.host], ["waiting", region.waits],
                            ["on the device", region.device]]
        .filter(([, time]) => time > 0).map(([where, time]) => formatTime(time) + " " + where)
        .join(", ") || "nothing"]);
    this.fill(place, slice ? slice.name : region.title, list);
  }

  /// What the whole run was, while nothing is marked, and what to try.
  showUse(place) {
    const used = this.trace.measure(), all = this.trace.end - this.trace.begin || 1;
    const share = time => formatTime(time) + ", " + (100 * time / all).toFixed(1) + " % of the run";
    const list = [["device busy", share(used.busy)],
                  ["several streams at once", share(used.several)],
                  ["copies beside kernels", share(used.beside)],
                  ["host beside device", share(used.both)],
                  ["host waits, idle", share(used.idle)]];
    for (const {name, calls, time} of used.kernels.slice(0, 5))
      list.push(["kernel " + name, formatTime(time) + " in " + countOf(calls, "launch").replace(/hs$/, "hes")]);
    if (used.kernels.length > 5) list.push(["", used.kernels.length - 5 + " more kernels"]);
    this.fill(place, "This run", list);
    const advice = adviceOf(this.trace, used), items = document.createElement("ol");
    if (!advice.length) return;
    for (const text of advice) {
      const item = document.createElement("li");
      item.textContent = text;
      items.append(item);
    }
    const heading = document.createElement("h2");
    heading.textContent = "What to try";
    place.append(heading, items);
  }

  fill(place, heading, list) {
    place.textContent = "";
    const title = document.createElement("h2"), entries = document.createElement("dl");
    title.textContent = heading;
    for (const [term, text] of list) {
      const left = document.createElement("dt"), right = document.createElement("dd");
      left.textContent = term;
      right.textContent = text;
      entries.append(left, right);
    }
    place.append(title, entries);
  }

  nameOf(id) {
    const region = this.plan.byId.get(id);
    return region ? Plan.titleOf(region) : "an argument";
  }

  summarise() {
    const trace = this.trace, told = [
      trace.slices.length.toLocaleString("en") + " slices on " + trace.order.length + " tracks",
      formatTime(trace.end - trace.begin)];
    const dropped = trace.other.dropped ?? trace.other.dropped_events;
    if (dropped) told.push(dropped + " events were dropped");
    const leftOut = trace.slices.reduce((sum, slice) => sum + (slice.args.left_out || 0), 0);
    if (leftOut)
      told.push(leftOut + " runs of nodes in loops and branches of the device are not shown");
    if (trace.other.incomplete) told.push("incomplete: " + trace.other.incomplete);
    document.getElementById("summary").textContent = told.join(", ");
  }

  find(text, next) {
    const found = document.getElementById("found");
    if (!text) {
      found.textContent = "";
      return;
    }
    if (this.findText !== text) {
      const small = text.toLowerCase();
      this.findText = text;
      this.findIndex = -1;
      this.matches = this.trace.slices.filter(
        slice => String(slice.name).toLowerCase().includes(small));
      this.matches.sort((a, b) => a.begin - b.begin);
    }
    if (this.matches.length && (next || this.findIndex < 0)) {
      this.findIndex = (this.findIndex + 1) % this.matches.length;
      this.timeline.goTo(this.matches[this.findIndex]);
    }
    found.textContent = this.matches.length
      ? this.findIndex + 1 + " of " + this.matches.length + " (Enter: next)" : "nothing";
  }

  listen() {
    const at = id => document.getElementById(id), find = at("find");
    find.addEventListener("input", () => this.find(find.value, false));
    find.addEventListener("keydown", event => {
      if (event.key === "Enter") this.find(find.value, true);
    });
    at("zoom-in").addEventListener("click", () => this.timeline.zoom(0.5));
    at("zoom-out").addEventListener("click", () => this.timeline.zoom(2));
    at("zoom-fit").addEventListener("click", () => this.timeline.fit());
    const critical = at("critical");
    critical.hidden = !this.trace.critical.length;
    critical.setAttribute("aria-pressed", this.showsCritical);
    critical.addEventListener("click", () => {
      this.showsCritical = !this.showsCritical;
      critical.setAttribute("aria-pressed", this.showsCritical);
      this.update();
    });
    at("plan-in").addEventListener("click", () => this.drawing.zoom(1.25));
    at("plan-out").addEventListener("click", () => this.drawing.zoom(0.8));
    at("plan-fit").addEventListener("click", () => this.drawing.zoom(0));
    at("chains").hidden = !this.drawing.hasChains;
    at("chains").setAttribute("aria-pressed", this.drawing.collapses);
    at("chains").addEventListener("click", () => {
      this.drawing.collapse(!this.drawing.collapses);
      at("chains").setAttribute("aria-pressed", this.drawing.collapses);
      this.update();
    });
    const theme = at("theme"), themes = ["system", "light", "dark"];
    theme.addEventListener("click", () => {
      const now = document.documentElement.dataset.theme || "system";
      const next = themes[(themes.indexOf(now) + 1) % themes.length];
      if (next === "system") delete document.documentElement.dataset.theme;
      else document.documentElement.dataset.theme = next;
      theme.textContent = "theme: " + next;
      this.timeline.draw();
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change",
      () => this.timeline.draw());
    document.addEventListener("keydown", event => {
      if (event.key !== "Escape") return;
      this.hoveredKey = "";
      this.hoveredSlice = null;
      this.range.clear();
      document.getElementById("selection").textContent = "";
      this.select("", null);
    });
  }
}

const page = new Page();
// For tests: how long it took from the beginning of the page, in milliseconds.
requestAnimationFrame(() => requestAnimationFrame(() => {
  document.documentElement.dataset.ready = Math.round(performance.now());
}));
