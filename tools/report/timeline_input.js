"use strict";
// What the mouse and the keys do in the timeline.

class Timeline extends TimelineDrawing {
  /// The counter's value at a place on the screen, as words; or "".
  valueAt(x, y) {
    const band = this.bands.find(band => band.counter && y >= AXIS &&
      y + this.top >= band.y && y + this.top < band.y + band.height);
    if (!band || x < GUTTER) return "";
    const {counter} = band, time = this.timeOf(x);
    let index = counter.times.length;
    while (index > 0 && counter.times[index - 1] > time) --index;
    return counter.name + ": " + formatValue(counter.name, index ? counter.values[index - 1] : 0);
  }

  hit(x, y) {
    if (x < GUTTER || y < AXIS) return null;
    const time = this.timeOf(x), near = 2 * (this.end - this.begin) / (this.width - GUTTER);
    for (const band of this.bands) {
      const inside = y + this.top - band.y;
      if (!band.track || inside < 0 || inside >= band.height) continue;
      const slices = band.track.rows[Math.floor(inside / ROW)];
      const index = lastBefore(slices, time + near);
      const slice = slices[index];
      if (slice && slice.end + near >= time) return slice;
    }
    return null;
  }

  listen() {
    const view = this.scroller;
    let drag = null, moved = false, rangeFrom = null;
    const timeAt = event =>
      this.timeOf(Math.max(event.clientX - view.getBoundingClientRect().left, GUTTER));
    view.addEventListener("scroll", () => this.draw());
    view.addEventListener("wheel", event => {
      const x = event.clientX - view.getBoundingClientRect().left;
      if (event.ctrlKey || event.metaKey)
        this.zoom(Math.pow(1.002, event.deltaY), this.timeOf(x));
      else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
        this.pan((event.deltaX || event.deltaY) / this.width);
      else return;
      event.preventDefault();
    }, {passive: false});
    view.addEventListener("pointerdown", event => {
      const isRange = event.button === 0 && event.shiftKey;
      rangeFrom = isRange ? timeAt(event) : null;
      drag = event.button === 0 && !isRange ? event.clientX : null;
      moved = isRange;
    });
    window.addEventListener("pointerup", () => { drag = rangeFrom = null; });
    view.addEventListener("pointermove", event => {
      const box = view.getBoundingClientRect();
      if (rangeFrom !== null && event.buttons) {
        if (timeAt(event) !== rangeFrom) this.page.showRange(rangeFrom, timeAt(event));
        return;
      }
      if (drag !== null && event.buttons) {
        if (Math.abs(event.clientX - drag) > 2 || moved) {
          moved = true;
          this.pan((drag - event.clientX) / (this.width - GUTTER));
          drag = event.clientX;
        }
        return;
      }
      const x = event.clientX - box.left, y = event.clientY - box.top;
      const slice = this.hit(x, y);
      this.page.hover(slice ? slice.key : "", slice);
      const words = slice ? slice.name + ", " + formatTime(slice.end - slice.begin)
                          : this.valueAt(x, y);
      this.tip.hidden = !words;
      if (words) {
        this.tip.textContent = words;
        this.tip.style.left = Math.min(x + 12, Math.max(box.width - 260, 0)) + "px";
        this.tip.style.top = y + 16 + "px";
      }
    });
    view.addEventListener("pointerleave", () => {
      this.tip.hidden = true;
      this.page.hover("", null);
    });
    view.addEventListener("click", event => {
      if (moved) return;
      const box = view.getBoundingClientRect();
      const slice = this.hit(event.clientX - box.left, event.clientY - box.top);
      this.page.range.clear();
      this.page.select(slice ? slice.key : "", slice);
      if (slice) this.page.follow(slice.key);
    });
    view.addEventListener("keydown", event => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const keys = {ArrowLeft: () => this.step(-1), ArrowRight: () => this.step(1),
                    ArrowUp: () => this.climb(-1), ArrowDown: () => this.climb(1),
                    "+": () => this.zoom(0.5), "=": () => this.zoom(0.5),
                    "-": () => this.zoom(2), "0": () => this.fit(),
                    a: () => this.pan(-0.2), d: () => this.pan(0.2),
                    f: () => this.page.slice() && this.reveal(this.page.slice(), true),
                    r: () => this.page.slice() && this.page.showRange(
                      this.page.slice().begin, this.page.slice().end),
                    Enter: () => this.page.focusRegion()};
      if (!keys[event.key]) return;
      keys[event.key]();
      event.preventDefault();
    });
  }

  /// The slice that arrow keys start from.
  start() {
    const slice = this.page.selectedSlice;
    if (slice) return slice;
    const track = this.trace.order[0];
    return track ? track.rows[0][Math.max(lastBefore(track.rows[0], this.begin), 0)] : null;
  }

  goTo(slice) {
    if (!slice) return;
    this.page.select(slice.key, slice);
    this.reveal(slice);
    this.page.follow(slice.key);
  }

  step(by) {
    const slice = this.start();
    if (!slice || !this.page.selectedSlice) return this.goTo(slice);
    const row = slice.track.rows[slice.row];
    this.goTo(row[row.indexOf(slice) + by]);
  }

  /// The row above or below that has a slice near in time.
  climb(by) {
    const slice = this.start();
    if (!slice || !this.page.selectedSlice) return this.goTo(slice);
    const time = Math.min(Math.max(slice.begin, this.begin), this.end);
    let track = slice.track, row = slice.row + by, at = this.trace.order.indexOf(track);
    for (;;) {
      if (row < 0 || row >= track.rows.length) {
        track = this.trace.order[at += by];
        if (!track) return;
        row = by > 0 ? 0 : track.rows.length - 1;
      }
      const slices = track.rows[row], index = lastBefore(slices, time);
      const found = slices[Math.max(index, 0)];
      if (found) return this.goTo(found);
      row += by;
    }
  }
}
