"use strict";
// What the trace and the plan say, as tables that the rest of the page draws.

const STREAM_COLOURS = ["#0072b2", "#b34700", "#00755a", "#8f3f71", "#5a5a00",
                        "#3d5a80", "#9c2f2f", "#4a3f8f"];

/// What a stream does, by the categories of docs/formats.md. A loop or a branch of
/// the device is around what its body runs.
const WORK = new Set(["kernel", "copy", "fill", "conditional"]);

function isInBody(slice) { return slice.parent && slice.parent.category === "conditional"; }

function colourOfStream(stream) {
  return STREAM_COLOURS[stream % STREAM_COLOURS.length];
}

function formatTime(us) {
  const size = Math.abs(us);
  if (size >= 1e6) return (us / 1e6).toFixed(3) + " s";
  if (size >= 1e3) return (us / 1e3).toFixed(3) + " ms";
  if (size >= 1 || size === 0) return us.toFixed(size >= 100 ? 1 : 2) + " µs";
  return (us * 1e3).toFixed(0) + " ns";
}

/// The same of a round number: no more places than it needs.
function formatTick(us) {
  const text = value => String(+value.toFixed(6));
  if (us >= 1e6) return text(us / 1e6) + " s";
  if (us >= 1e3) return text(us / 1e3) + " ms";
  return us >= 1 || us === 0 ? text(us) + " µs" : text(us * 1e3) + " ns";
}

function formatCount(value) {
  for (const [size, unit] of [[1e9, " G"], [1e6, " M"], [1e4, " k"]])
    if (value >= size) return +(value / (size === 1e4 ? 1e3 : size)).toPrecision(3) + unit;
  return String(value);
}

function baseName(file) { return file.slice(file.lastIndexOf("/") + 1); }

/// "a/b.mlir:38:3 squares" -> {file, line, column, name}; null: it is no place.
function parsePlace(text) {
  const found = /^(.*?):(\d+)(?::(\d+))?(?: (.*))?$/.exec(text || "");
  return found && {file: baseName(found[1]), line: +found[2],
                   column: found[3] ? +found[3] : 0, name: found[4] || ""};
}

// Regions of the plan, found by the places that a trace names.
class Plan {
  constructor(json) {
    this.regions = json.regions || [];
    this.edges = json.edges || [];
    this.byId = new Map(this.regions.map(region => [region.id, region]));
    this.places = new Map();
    for (const region of this.regions) this.addPlace(region.place, region);
    // What stands in a region is the region's; a function's own comes last.
    for (const region of this.regions)
      for (const item of region.items || [])
        if (item.kind !== "spawn") this.addPlace(item.place, region);
    // A kernel that two regions launch is neither's by its name.
    this.kernels = new Map();
    for (const region of this.regions)
      for (const item of region.items || [])
        if (item.kernel)
          this.kernels.set(item.kernel, this.kernels.has(item.kernel) &&
            this.kernels.get(item.kernel) !== region ? null : region);
  }
  addPlace(place, region) {
    if (!place) return;
    const line = baseName(place.file) + ":" + place.line;
    for (const key of [line + ":" + place.column, line])
      if (!this.places.has(key)) this.places.set(key, region);
  }
  find(place) {
    if (!place) return undefined;
    const line = place.file + ":" + place.line;
    return (place.column && this.places.get(line + ":" + place.column)) ||
           this.places.get(line);
  }
  static titleOf(region) {
    const name = region.name || "region " + region.id;
    return region.op === "async.execute" ? name : "@" + name;
  }
}

class Track {
  constructor(key) {
    this.key = key;
    this.name = "";
    this.place = 0;
    this.slices = [];
    this.rows = [];      // of slices that do not overlap, in order of time
    this.counters = new Map();
  }
}

class Trace {
  constructor(json, plan) {
    this.plan = plan;
    this.other = Array.isArray(json) ? {} : json.otherData || {};
    this.tracks = new Map();
    this.groups = new Map();
    this.slices = [];
    this.counters = [];
    this.arrows = [];
    this.keyCache = new Map();
    this.begin = Infinity;
    this.end = -Infinity;
    const events = Array.isArray(json) ? json : json.traceEvents || [];
    this.read(events);
    if (this.begin > this.end) this.begin = this.end = 0;
    this.stack();
    this.bindArrows();
    this.findCritical();
    this.regions = this.collectRegions();
    this.nameStreams();
  }

  track(event) {
    const key = event.pid + "/" + event.tid;
    let track = this.tracks.get(key);
    if (!track) {
      track = new Track(key);
      track.pid = event.pid;
      track.tid = event.tid;
      this.tracks.set(key, track);
    }
    return track;
  }

  group(pid) {
    let group = this.groups.get(pid);
    if (!group) this.groups.set(pid, group = {name: "process " + pid, place: 0});
    return group;
  }

  read(events) {
    const open = new Map(), flows = new Map(), counters = new Map();
    for (const event of events) {
      const time = event.ts;
      switch (event.ph) {
      case "X": this.addSlice(event, time, event.dur || 0, event.args); break;
      case "B": {
        const key = event.pid + "/" + event.tid;
        if (!open.has(key)) open.set(key, []);
        open.get(key).push(event);
        break;
      }
      case "E": {
        const began = (open.get(event.pid + "/" + event.tid) || []).pop();
        if (began) this.addSlice(began, began.ts, time - began.ts,
                                 Object.assign({}, began.args, event.args));
        break;
      }
      case "i": case "I": case "n": this.addSlice(event, time, 0, event.args); break;
      case "M": this.readName(event); break;
      case "C": this.addCounter(counters, event); break;
      case "s": case "t": case "f": {
        const key = event.cat + "|" + event.name + "|" + event.id;
        if (!flows.has(key)) flows.set(key, []);
        flows.get(key).push(event);
        break;
      }
      }
    }
    for (const left of open.values())
      for (const event of left)
        this.addSlice(event, event.ts, Math.max(this.end - event.ts, 0), event.args);
    this.flows = flows;
  }

  readName(event) {
    const args = event.args || {};
    if (event.name === "process_name") this.group(event.pid).name = args.name;
    if (event.name === "process_sort_index") this.group(event.pid).place = args.sort_index;
    if (event.name === "thread_name") this.track(event).name = args.name;
    if (event.name === "thread_sort_index") this.track(event).place = args.sort_index;
  }

  addSlice(event, begin, length, args) {
    const slice = {name: event.name, category: event.cat || "", begin,
                   end: begin + length, args: args || {}, track: this.track(event),
                   row: 0, key: "", into: null, out: null,
                   number: this.slices.length};
    this.slices.push(slice);
    slice.track.slices.push(slice);
    if (begin < this.begin) this.begin = begin;
    if (slice.end > this.end) this.end = slice.end;
  }

  addCounter(counters, event) {
    for (const [series, value] of Object.entries(event.args || {})) {
      const several = Object.keys(event.args).length > 1;
      const name = several ? event.name + ": " + series : event.name;
      const key = event.pid + "|" + name;
      let counter = counters.get(key);
      if (!counter) {
        counter = {name, pid: event.pid, times: [], values: [], most: 0};
        counters.set(key, counter);
        this.counters.push(counter);
      }
      counter.times.push(event.ts);
      counter.values.push(+value);
      if (+value > counter.most) counter.most = +value;
    }
    if (event.ts < this.begin) this.begin = event.ts;
    if (event.ts > this.end) this.end = event.ts;
  }

  /// Gives slices rows: inside of what holds them, and never on each other.
  stack() {
    this.bodies = new Map();  // what is in each loop and branch
    for (const track of this.tracks.values()) {
      track.slices.sort((a, b) => a.begin - b.begin || b.end - a.end || a.number - b.number);
      const open = [], ends = [];
      for (const slice of track.slices) {
        while (open.length && open[open.length - 1].end <= slice.begin) open.pop();
        let row = open.length ? open[open.length - 1].row + 1 : 0;
        while (ends[row] > slice.begin) ++row;
        slice.row = row;
        ends[row] = Math.max(slice.end, slice.begin);
        slice.parent = open.length ? open[open.length - 1] : null;
        if (isInBody(slice)) {
          if (!this.bodies.has(slice.parent)) this.bodies.set(slice.parent, []);
          this.bodies.get(slice.parent).push(slice);
        }
        if (slice.end > slice.begin) open.push(slice);
        (track.rows[row] = track.rows[row] || []).push(slice);
        slice.key = this.keyOf(slice);
      }
    }
    for (let row of this.tracks.values())
      for (let i = 0; i < row.rows.length; ++i) row.rows[i] = row.rows[i] || [];
    const place = track => this.group(track.pid).place;
    this.order = [...this.tracks.values()].filter(track => track.slices.length)
      .sort((a, b) => place(a) - place(b) || a.pid - b.pid || a.place - b.place ||
                      a.tid - b.tid);
  }

  /// What a slice is marked with: a region of the plan ("#3"), or what it calls
  /// itself by file and line; what a region does is the region's.
  keyOf(slice) {
    const args = slice.args, known = this.plan.byId.get(args.region);
    if (known && known.place && known.place.line === args.line) return "#" + known.id;
    const exact = args.file && args.line
      ? args.file + ":" + args.line + (args.column ? ":" + args.column : "") : null;
    for (const text of [exact, slice.name, args.place, args.at]) {
      if (typeof text !== "string") continue;
      let key = this.keyCache.get(text);
      if (key === undefined) {
        const place = parsePlace(text), region = this.plan.find(place);
        key = region ? "#" + region.id : place && place.name ? text : "";
        this.keyCache.set(text, key);
      }
      if (key) return key;
    }
    return slice.parent ? slice.parent.key : "";
  }

  sliceAt(track, time) {
    for (let row = track.rows.length; row-- > 0;) {
      const slices = track.rows[row];
      const slice = slices[lastBefore(slices, time)];
      if (slice && slice.end >= time) return slice;
    }
    return null;
  }

  bindArrows() {
    const order = {s: 0, t: 1, f: 2};
    for (const flow of this.flows.values()) {
      flow.sort((a, b) => a.ts - b.ts || order[a.ph] - order[b.ph]);
      for (let i = 1; i < flow.length; ++i) {
        const from = this.track(flow[i - 1]), to = this.track(flow[i]);
        const arrow = {name: flow[i].name, fromTime: flow[i - 1].ts, toTime: flow[i].ts,
                       from: this.sliceAt(from, flow[i - 1].ts),
                       to: this.sliceAt(to, flow[i].ts), fromTrack: from, toTrack: to};
        this.arrows.push(arrow);
        if (arrow.from) (arrow.from.out = arrow.from.out || []).push(arrow);
        if (arrow.to) (arrow.to.into = arrow.to.into || []).push(arrow);
      }
    }
    this.flows = null;
    // A kernel that no place names is its region's, by the arrow from there.
    for (const arrow of this.arrows)
      if (arrow.to && arrow.from && !arrow.to.key) arrow.to.key = arrow.from.key;
    // Or by its name, where that says it.
    for (const slice of this.slices) {
      const region = !slice.key && /^(kernel|enqueue)$/.test(slice.category) &&
                     this.plan.kernels.get(slice.name);
      if (region) slice.key = "#" + region.id;
    }
  }

  findCritical() {
    this.critical = this.slices.filter(
      slice => slice.args.critical || /\bcritical/.test(slice.category) ||
               /critical path/i.test(slice.track.name));
    this.critical = this.critical.flatMap(
      slice => slice.category === "conditional" ? this.betweenBodies(slice) : [slice]);
    this.critical.sort((a, b) => a.begin - b.begin);
    this.addProgram();
    this.criticalKeys = new Set(this.critical.map(slice => slice.key).filter(Boolean));
  }

  /// The parts of a loop or a branch in which nothing of its body runs.
  betweenBodies(slice) {
    const parts = [];
    let begin = slice.begin;
    for (const inner of [...this.bodies.get(slice) || [], {begin: slice.end, end: slice.end}]) {
      if (inner.begin > begin) parts.push({...slice, begin, end: inner.begin});
      begin = Math.max(begin, inner.end);
    }
    return parts;
  }

  /// A trace marks slices, and what the program's own thread does between them is
  /// none: the parts of it that are on the path, too, where it did not wait.
  addProgram() {
    const main = this.slices.filter(slice => slice.category === "program")
      .reduce((a, b) => !a || b.end - b.begin > a.end - a.begin ? b : a, null);
    if (!main || !this.critical.length) return;
    const waits = main.track.slices.filter(slice => slice.category === "wait"), parts = [];
    const add = (begin, end) => {
      if (end > begin) parts.push({...main, begin, end, args: {}, key: ""});
    };
    let before = {end: main.begin, track: main.track};
    for (const slice of [...this.critical, {begin: main.end, end: main.end, track: main.track}]) {
      // Back from where the thread goes on to what was over before.
      let at = slice.begin;
      if (slice.track === main.track && at > before.end) {
        for (let i = lastBefore(waits, at); i >= 0 && waits[i].end > before.end; --i) {
          if (waits[i].end > at) continue;
          add(waits[i].end, at);
          at = Math.max(waits[i].begin, before.end);
        }
        add(before.end, at);
      }
      if (slice.end > before.end) before = slice;
    }
    this.critical = [...this.critical, ...parts].sort((a, b) => a.begin - b.begin);
  }

  /// For each key: what it is called and how long its slices were.
  collectRegions() {
    const regions = this.keyedTimes = new Map();
    for (const region of this.plan.regions) {
      const key = "#" + region.id;
      regions.set(key, {key, title: Plan.titleOf(region), kind: region.kind,
                        stream: region.stream, plan: region, slices: [],
                        host: 0, waits: 0, device: 0, runs: 0});
    }
    for (const slice of this.slices) {
      if (!slice.key) continue;
      let region = regions.get(slice.key);
      if (!region) {
        const place = parsePlace(slice.key);
        region = {key: slice.key, title: place ? place.name : slice.key, kind: "",
                  stream: null, plan: null, slices: [], host: 0, waits: 0, device: 0,
                  runs: 0};
        regions.set(slice.key, region);
      }
      region.slices.push(slice);
      this.addTimes(region, slice);
    }
    return regions;
  }

  /// A slice's time is work of a stream, or of a thread, less what that waits.
  addTimes(region, slice) {
    const time = slice.end - slice.begin;
    const inside = slice.parent && slice.parent.key === slice.key;
    if (WORK.has(slice.category)) {
      region.device += time;
      const outer = isInBody(slice) && this.keyedTimes.get(slice.parent.key);
      if (outer) outer.device -= time;
    } else if (slice.category === "wait") {
      region.waits += time;
      if (inside) region.host -= time;
    } else if (slice.category === "region") {
      // What runs on top of another region is not that one's.
      region.host += time;
      if (slice.args.part === undefined || slice.args.part === 1) ++region.runs;
      for (let at = slice.parent; at; at = at.parent)
        if (at.category === "region") {
          const outer = this.keyedTimes.get(at.key);
          if (outer) outer.host -= time;
          break;
        }
    } else if (slice.category === "enqueue" && !inside) {
      region.host += time;
    }
  }

  /// A device's streams by the plan's numbers, where their work says which. The
  /// driver's streams, which tracks are of, have other numbers.
  nameStreams() {
    const uses = new Map(), tracks = this.order.filter(track => /^(driver )?stream \d+$/.test(track.name));
    for (const track of tracks) {
      const numbers = new Set();
      for (const slice of track.slices) {
        const region = WORK.has(slice.category) && this.regions.get(slice.key);
        if (region && region.stream !== null) numbers.add(region.stream);
      }
      track.driverName = track.name;
      track.streams = [...numbers].sort((a, b) => a - b);
    }
    if (!tracks.some(track => track.streams.length)) return; // no plan, or of another program
    for (const track of tracks) {
      const several = track.streams.length > 1, shown = track.streams.slice(0, 4).join(", ");
      const name = !track.streams.length ? "stream of no region" : several
        ? "streams " + shown + (track.streams.length > 4 ? ", …" : "") : "stream " + shown;
      const use = (uses.get(track.pid + name) || 0) + 1;
      uses.set(track.pid + name, use);
      track.name = name + (use > 1 ? " (" + use + ")" : "");
    }
  }

  /// The run of a region that has this number, in words.
  nameOfRun(number) {
    if (!this.runs) {
      this.runs = new Map();
      for (const slice of this.slices)
        if (slice.category === "region" && slice.args.run !== undefined)
          this.runs.set(slice.args.run, slice);
    }
    const slice = this.runs.get(number), place = slice && parsePlace(slice.name);
    return slice ? (place && place.name || slice.name) + ", run " + number : "run " + number;
  }

  /// How the devices and the host were used: how long any stream was at work,
  /// several were, copies and kernels were at once, regions of the host ran
  /// meanwhile, and how long no region ran while a thread waited; and kernels by
  /// name.
  measure() {
    const marks = [], kernels = new Map();
    const used = {busy: 0, several: 0, both: 0, beside: 0, idle: 0, copies: 0, launches: 0};
    for (const slice of this.slices) {
      const isBody = slice.category === "conditional";
      const kind = slice.category === "kernel" || isBody ? 0 : WORK.has(slice.category) ? 1
        : slice.category === "region" ? 2 : slice.category === "wait" ? 3 : -1;
      if (kind < 0 || slice.end <= slice.begin) continue;
      if (!isInBody(slice)) marks.push([slice.begin, kind, 1], [slice.end, kind, -1]);
      if (kind === 1) used.copies += slice.end - slice.begin;
      if (kind !== 0 || isBody) continue;
      ++used.launches;
      const known = kernels.get(slice.name) || {name: slice.name, calls: 0, time: 0};
      ++known.calls;
      known.time += slice.end - slice.begin;
      kernels.set(slice.name, known);
    }
    marks.sort((a, b) => a[0] - b[0]);
    const now = [0, 0, 0, 0];
    let before = 0;
    for (const [time, kind, by] of marks) {
      const passed = time - before, streams = now[0] + now[1];
      if (streams > 0) used.busy += passed;
      if (streams > 1) used.several += passed;
      if (streams > 0 && now[2] > 0) used.both += passed;
      if (now[0] > 0 && now[1] > 0) used.beside += passed;
      if (!now[2] && now[3] > 0) used.idle += passed;
      now[kind] += by;
      before = time;
    }
    used.kernels = [...kernels.values()].sort((a, b) => b.time - a.time);
    return used;
  }

  /// The critical path by what it consists of, the longest first; delays by why
  /// there is one.
  pathParts() {
    const parts = new Map(), add = (name, time, isDelay) => {
      const part = parts.get(name) || {name, time: 0, isDelay};
      part.time += time;
      parts.set(name, part);
    };
    let last = null;
    for (const slice of this.critical) {
      const from = last ? Math.max(slice.begin, last.end) : slice.begin;
      if (last && slice.begin > last.end)
        add(wordsOfDelay(last, slice), slice.begin - last.end, true);
      const place = parsePlace(slice.name);
      add(slice.category === "program" ? "the program's own thread"
        : (slice.category === "region" ? "region " : slice.category === "kernel" ? "kernel " : "")
        + (place && place.name || slice.name), Math.max(slice.end - from, 0), false);
      if (!last || slice.end > last.end) last = slice;
    }
    return [...parts.values()].sort((a, b) => b.time - a.time);
  }

  /// A region and its work have the colour of its stream in the plan.
  colourOf(slice, theme) {
    const region = this.regions.get(slice.key);
    const own = /^(?:driver )?stream (\d+)/.exec(slice.track.driverName || "");
    if (slice.category === "event" || slice.category === "wait") return theme.other;
    // Without a plan there is one number, the driver's.
    if (own && WORK.has(slice.category) && !this.plan.regions.length)
      return colourOfStream(+own[1]);
    if (region && region.stream !== null && region.stream !== undefined)
      return colourOfStream(region.stream);
    return region ? theme.host : theme.other;
  }
}

/// The index of the last of `slices`, in order, that begins by `time`; -1: none.
function lastBefore(slices, time) {
  let low = 0, high = slices.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (slices[middle].begin <= time) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
