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
    this.timeline = new Timeline(this, this.trace);
    this.fillTable();
    this.summarise();
    this.listen();
    this.update();
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
    this.update();
  }

  /// From a region to its first slice.
  go(key, focus) {
    const region = this.trace.regions.get(key), slice = region && region.slices[0];
    this.select(key, slice || null);
    if (!slice) return;
    this.timeline.reveal(slice);
    if (focus) this.timeline.scroller.focus();
  }

  focusRegion() {
    const element = this.drawing.nodes.get(this.selectedKey);
    if (!element) return;
    element.focus();
    element.scrollIntoView({block: "nearest", inline: "nearest"});
  }

  update() {
    const key = this.markedKey();
    this.drawing.mark(key);
    this.drawing.markCritical(this.showsCritical ? this.trace.criticalKeys : new Set());
    for (const row of document.querySelectorAll("#rows tr"))
      row.classList.toggle("marked", key !== "" && row.dataset.key === key);
    this.describe(key, this.slice());
    this.timeline.draw();
  }

  describe(key, slice) {
    const place = document.getElementById("selection");
    const region = this.trace.regions.get(key);
    if (!slice && !region) {
      if (!this.selectedKey && !this.hoveredKey && !place.querySelector("h2")) this.showUse(place);
      return;
    }
    const list = [];
    if (slice) {
      list.push(["track", slice.track.name || slice.track.key],
                ["begins", formatTime(slice.begin - this.trace.begin)],
                ["lasts", formatTime(slice.end - slice.begin)]);
      for (const [name, value] of Object.entries(slice.args))
        list.push([name, typeof value === "object" ? JSON.stringify(value) : String(value)]);
      const name = arrow => [arrow.from, arrow.to].map(end => end ? end.name : "?").join(" → ");
      for (const arrow of [...slice.into || [], ...slice.out || []].slice(0, 12))
        list.push([arrow.name || "arrow", name(arrow)]);
    }
    if (region && region.plan) {
      const plan = region.plan, own = "region " + plan.id;
      list.push([own, region.title + ", " + plan.kind +
                 (plan.stream === null ? "" : ", stream " + plan.stream + " of the plan") +
                 (plan.place ? ", " + plan.place.file + ":" + plan.place.line : "")]);
      for (const edge of this.plan.edges)
        if (edge.to === plan.id)
          list.push(["behind", (edge.from === null ? "perhaps " : "") + this.nameOf(
            edge.from === null ? edge.maybe : edge.from) + ": " + edge.text]);
    }
    if (region)
      list.push(["in all", [["on the host", region.host], ["waiting", region.waits],
                            ["on the device", region.device]]
        .filter(([, time]) => time > 0).map(([where, time]) => formatTime(time) + " " + where)
        .join(", ") || "nothing"]);
    this.fill(place, slice ? slice.name : region.title, list);
  }

  /// What the whole run was, while nothing is marked.
  showUse(place) {
    const used = this.trace.measure(), all = this.trace.end - this.trace.begin || 1;
    const share = time => formatTime(time) + ", " + (100 * time / all).toFixed(1) + " % of the run";
    const list = [["streams at work", share(used.busy)],
                  ["several of them at once", share(used.several)],
                  ["regions of the host meanwhile", share(used.both)]];
    for (const {name, calls, time} of used.kernels.slice(0, 5))
      list.push(["kernel " + name, formatTime(time) + " in " + calls + (calls > 1 ? " launches" : " launch")]);
    if (used.kernels.length > 5) list.push(["", used.kernels.length - 5 + " more kernels"]);
    this.fill(place, "This run", list);
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

  fillTable() {
    const body = document.getElementById("rows");
    const regions = [...this.trace.regions.values()].sort(
      (a, b) => b.host + b.device - a.host - a.device);
    for (const region of regions.slice(0, 1000)) {
      const row = body.insertRow(), button = document.createElement("button");
      row.dataset.key = region.key;
      button.type = "button";
      button.textContent = region.title;
      button.addEventListener("click", () => this.go(region.key));
      button.addEventListener("focus", () => this.select(region.key, null));
      row.addEventListener("pointerenter", () => this.hover(region.key, null));
      row.addEventListener("pointerleave", () => this.hover("", null));
      row.insertCell().append(button);
      const time = value => value > 0 ? formatTime(value) : "";
      for (const text of [region.kind, region.stream ?? "", region.runs || "",
                          time(region.host), time(region.waits), time(region.device)])
        row.insertCell().textContent = text;
    }
  }

  summarise() {
    const trace = this.trace, told = [
      trace.slices.length.toLocaleString("en") + " slices on " + trace.order.length + " tracks",
      formatTime(trace.end - trace.begin)];
    const dropped = trace.other.dropped ?? trace.other.dropped_events;
    if (dropped) told.push(dropped + " events were dropped");
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
