"use strict";
// A range of time: what ran in it, summed up. And moments as links: the part of
// the page's address behind '#'.

class Range {
  constructor(page) {
    this.page = page;
    this.begin = this.end = null;
  }

  get isOpen() { return this.begin !== null; }

  set(begin, end) {
    this.begin = Math.min(begin, end);
    this.end = Math.max(begin, end);
    this.page.timeline.draw();
  }

  clear() { this.begin = this.end = null; }

  /// [term, text] for each kind of work, and the longest kernels.
  sums() {
    const kinds = new Map(), kernels = new Map(), busy = [];
    const add = (map, key, time) => {
      const sum = map.get(key) || {count: 0, time: 0};
      ++sum.count;
      sum.time += time;
      map.set(key, sum);
    };
    for (const slice of this.page.trace.slices) {
      const begin = Math.max(slice.begin, this.begin), end = Math.min(slice.end, this.end);
      if (end <= begin) continue;
      if (CATEGORY_WORDS[slice.category]) add(kinds, CATEGORY_WORDS[slice.category], end - begin);
      if (slice.category === "kernel") add(kernels, "kernel " + slice.name, end - begin);
      if (WORK.has(slice.category)) busy.push([begin, end]);
    }
    busy.sort((a, b) => a[0] - b[0]);
    let used = 0, last = this.begin;
    for (const [begin, end] of busy) {
      used += Math.max(end - Math.max(begin, last), 0);
      last = Math.max(last, end);
    }
    const all = this.end - this.begin, list = [
      ["from", formatTime(this.begin - this.page.trace.begin)],
      ["lasts", formatTime(all)],
      ["device busy", formatTime(used) + ", " + (100 * used / (all || 1)).toFixed(1) + " %"]];
    for (const map of [kinds, kernels])
      for (const [what, {count, time}] of [...map].sort((a, b) => b[1].time - a[1].time).slice(0, 8))
        list.push([what, formatTime(time) + " in " + count]);
    return list;
  }
}

/// Keeps the address at what is shown, and goes to what an address says:
/// #t=from,to in microseconds, &slice=number, &region=number, &range=from,to.
class Moments {
  constructor(page) {
    this.page = page;
    this.go();
    addEventListener("hashchange", () => {
      if (location.hash.slice(1) !== this.written) this.go();
    });
  }

  /// Soon: browsers refuse to be told too often.
  note() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.write(), 200);
  }

  write() {
    const {timeline, trace, range} = this.page, parts = [];
    const times = (begin, end) => [begin, end]
      .map(time => +(time - trace.begin).toFixed(3)).join(",");
    if (!timeline.showsAll()) parts.push("t=" + times(timeline.begin, timeline.end));
    if (this.page.selectedSlice) parts.push("slice=" + this.page.selectedSlice.number);
    else if (this.page.selectedKey.startsWith("#"))
      parts.push("region=" + this.page.selectedKey.slice(1));
    if (range.isOpen) parts.push("range=" + times(range.begin, range.end));
    const text = parts.join("&");
    if (text === (this.written || "")) return;
    this.written = text;
    try {
      history.replaceState(null, "", text ? "#" + text : location.pathname + location.search);
    } catch { // of pages that have no address of their own
    }
  }

  go() {
    const given = new URLSearchParams(location.hash.slice(1)), {timeline, trace} = this.page;
    const times = key => {
      const [begin, end] = (given.get(key) || "").split(",").map(Number);
      return end > begin ? [begin + trace.begin, end + trace.begin] : null;
    };
    const slice = given.has("slice") && trace.slices[+given.get("slice")];
    if (slice) {
      this.page.select(slice.key, slice);
      timeline.reveal(slice);
    } else if (given.has("region")) {
      this.page.go("#" + given.get("region"));
    }
    if (times("t")) timeline.show(...times("t"));
    if (times("range")) this.page.showRange(...times("range"));
  }
}
