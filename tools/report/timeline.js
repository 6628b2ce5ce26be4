"use strict";
// The timeline on a canvas. However many slices there are, no row takes more
// steps to draw than it has pixels: what is narrower than one is passed over by
// a binary search.

const GUTTER = 190, AXIS = 24, ROW = 18, GAP = 6, COUNTER = 34, GROUP = 20;

class TimelineDrawing {
  constructor(page, trace) {
    this.page = page;
    this.trace = trace;
    this.scroller = document.getElementById("scroller");
    this.canvas = document.getElementById("canvas");
    this.tip = document.getElementById("tip");
    this.context = this.canvas.getContext("2d");
    this.drawn = 0;
    this.lay();
    this.fit();
    this.listen();
    new ResizeObserver(() => this.draw()).observe(this.scroller);
  }

  /// Where each track and counter stands, from the top of all.
  lay() {
    let y = AXIS, pid;
    this.bands = [];
    const counters = at => {
      for (const counter of this.trace.counters)
        if (counter.pid === at) {
          this.bands.push({counter, y, height: COUNTER});
          y += COUNTER + GAP;
        }
    };
    const shown = new Set();
    for (const track of this.trace.order) {
      if (track.pid !== pid) {
        if (pid !== undefined) counters(pid);
        pid = track.pid;
        shown.add(pid);
        this.bands.push({group: this.trace.group(pid).name, y, height: GROUP});
        y += GROUP;
      }
      track.y = y;
      track.height = track.rows.length * ROW;
      this.bands.push({track, y, height: track.height});
      y += track.height + GAP;
    }
    if (pid !== undefined) counters(pid);
    for (const counter of this.trace.counters)
      if (!shown.has(counter.pid)) {
        shown.add(counter.pid);
        counters(counter.pid);
      }
    this.height = y;
  }

  fit() {
    const length = this.trace.end - this.trace.begin || 1;
    this.show(this.trace.begin - length * 0.01, this.trace.end + length * 0.01);
  }

  show(begin, end) {
    const all = this.trace.end - this.trace.begin || 1;
    const length = Math.min(Math.max(end - begin, all * 1e-7, 1e-3), all * 1.5);
    const middle = (begin + end) / 2;
    this.begin = Math.max(middle - length / 2, this.trace.begin - all * 0.25);
    this.end = this.begin + length;
    this.draw();
    if (this.page.moments) this.page.moments.note();
  }

  showsAll() {
    return this.begin <= this.trace.begin && this.end >= this.trace.end;
  }

  zoom(factor, at) {
    if (at === undefined) at = (this.begin + this.end) / 2;
    this.show(at - (at - this.begin) * factor, at + (this.end - at) * factor);
  }

  pan(part) {
    const by = (this.end - this.begin) * part;
    this.show(this.begin + by, this.end + by);
  }

  /// Brings a slice into view, and makes it wide enough to be read.
  reveal(slice, close) {
    const length = this.end - this.begin;
    const own = Math.max(slice.end - slice.begin, 1e-3);
    if (close || own > length) {
      this.show(slice.begin - own, slice.end + own);
    } else if (slice.end < this.begin || slice.begin > this.end) {
      const middle = (slice.begin + slice.end) / 2;
      this.show(middle - length / 2, middle + length / 2);
    }
    const top = slice.track.y + slice.row * ROW - AXIS, view = this.scroller;
    if (top < view.scrollTop) view.scrollTop = Math.max(top - ROW, 0);
    else if (top + ROW + AXIS > view.scrollTop + view.clientHeight)
      view.scrollTop = top + 2 * ROW + AXIS - view.clientHeight;
    this.draw();
  }

  xOf(time) {
    return GUTTER + (time - this.begin) / (this.end - this.begin) * (this.width - GUTTER);
  }
  timeOf(x) {
    return this.begin + (x - GUTTER) / (this.width - GUTTER) * (this.end - this.begin);
  }

  draw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => { this.waiting = false; this.drawNow(); });
  }

  drawNow() {
    const ratio = window.devicePixelRatio || 1;
    this.width = this.scroller.clientWidth;
    this.view = this.scroller.clientHeight;
    // A view without height, printed say, shows all.
    if (!this.width) return;
    const height = Math.max(this.view, 60);
    if (this.canvas.width !== Math.round(this.width * ratio) ||
        this.canvas.height !== Math.round(height * ratio)) {
      this.canvas.width = Math.round(this.width * ratio);
      this.canvas.height = Math.round(height * ratio);
      this.canvas.style.height = height + "px";
    }
    document.getElementById("extent").style.height =
      Math.max(this.height + GAP - height, 0) + "px";
    const theme = this.theme = this.page.theme(), context = this.context;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = theme.back;
    context.fillRect(0, 0, this.width, height);
    context.font = "12px system-ui, 'Helvetica Neue', Arial, sans-serif";
    context.textBaseline = "middle";
    this.top = this.scroller.scrollTop;
    this.drawn = 0; // for tests: the slices of this picture
    this.drawGrid(height);
    context.save();
    context.beginPath();
    context.rect(GUTTER, AXIS, this.width - GUTTER, height - AXIS);
    context.clip();
    const marked = this.page.markedKey();
    for (const band of this.bands) {
      const y = band.y - this.top;
      if (y + band.height < AXIS || y > height) continue;
      if (band.track) this.drawTrack(band.track, y, marked);
      if (band.counter) this.drawCounter(band.counter, y);
    }
    if (marked) this.drawMarked(marked);
    this.drawRange(height);
    this.drawArrows();
    if (this.page.showsCritical) this.drawCritical();
    context.restore();
    this.drawLabels(height);
    this.drawAxis();
  }

  ticks() {
    const wide = (this.end - this.begin) * 110 / Math.max(this.width - GUTTER, 1);
    const power = Math.pow(10, Math.floor(Math.log10(wide)));
    const step = [1, 2, 5, 10].map(by => by * power).find(size => size >= wide);
    const found = [], zero = this.trace.begin;
    for (let at = Math.ceil((this.begin - zero) / step); at * step + zero <= this.end; ++at)
      found.push(at * step);
    return found;
  }

  drawGrid(height) {
    this.context.fillStyle = this.theme.grid;
    for (const tick of this.ticks())
      this.context.fillRect(this.xOf(tick + this.trace.begin), AXIS, 1, height);
  }

  drawRange(height) {
    const {range} = this.page, context = this.context;
    if (!range.isOpen) return;
    const x = this.xOf(range.begin), end = this.xOf(range.end);
    context.globalAlpha = 0.12;
    context.fillStyle = this.theme.focus;
    context.fillRect(x, AXIS, end - x, height);
    context.globalAlpha = 1;
    for (const side of [x, end]) context.fillRect(side, AXIS, 1, height);
  }

  drawAxis() {
    const context = this.context;
    context.fillStyle = this.theme.panel;
    context.fillRect(0, 0, this.width, AXIS);
    context.fillStyle = this.theme.text;
    for (const tick of this.ticks()) {
      const x = this.xOf(tick + this.trace.begin);
      if (x < GUTTER) continue;
      context.fillRect(x, AXIS - 6, 1, 6);
      context.fillText(formatTick(tick), x + 3, AXIS / 2);
    }
    context.fillStyle = this.theme.line;
    context.fillRect(0, AXIS - 1, this.width, 1);
  }

  drawLabels(height) {
    const context = this.context, theme = this.theme;
    context.fillStyle = theme.panel;
    context.fillRect(0, AXIS, GUTTER, height);
    context.fillStyle = theme.line;
    context.fillRect(GUTTER - 1, AXIS, 1, height);
    for (const band of this.bands) {
      const y = band.y - this.top;
      if (y + band.height < AXIS || y > height) continue;
      context.fillStyle = band.track ? theme.text : theme.faint;
      const text = band.group ||
        (band.track ? band.track.name || "thread " + band.track.tid : band.counter.name);
      const middle = band.track ? y + ROW / 2 : y + band.height / 2;
      const most = band.counter ? formatValue(band.counter.name, band.counter.most) : "";
      // The largest value has a line of its own, where the counter reaches it.
      context.fillText(this.cut(text, GUTTER - (band.group ? 12 : 24)),
                       band.group ? 6 : 16, most ? y + band.height - 8 : middle);
      if (most)
        context.fillText(most, GUTTER - context.measureText(most).width - 8, y + 8);
    }
  }

  /// `text` as far as `width` goes.
  cut(text, width) {
    const context = this.context;
    if (context.measureText(text).width <= width) return text;
    let low = 0, high = text.length;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (context.measureText(text.slice(0, middle) + "…").width <= width) low = middle;
      else high = middle - 1;
    }
    return low ? text.slice(0, low) + "…" : "";
  }

  /// Calls `visit` with one slice for each pixel that has any.
  each(slices, visit) {
    const pixel = (this.end - this.begin) / Math.max(this.width - GUTTER, 1);
    let index = Math.max(lastBefore(slices, this.begin), 0);
    while (index < slices.length && slices[index].begin <= this.end) {
      const slice = slices[index];
      const wide = slice.end - slice.begin >= pixel;
      if (slice.end >= this.begin) visit(slice);
      index = wide ? index + 1
                   : Math.max(index + 1, lastBefore(slices, slice.begin + pixel) + 1);
    }
  }

  drawTrack(track, y, marked) {
    const context = this.context, theme = this.theme;
    for (let row = 0; row < track.rows.length; ++row) {
      const top = y + row * ROW;
      this.each(track.rows[row], slice => {
        const x = Math.max(this.xOf(slice.begin), GUTTER - 2);
        const width = Math.max(Math.min(this.xOf(slice.end), this.width + 2) - x, 1);
        context.globalAlpha = marked && slice.key !== marked ? theme.dim : 1;
        context.fillStyle = this.trace.colourOf(slice, theme);
        context.fillRect(x, top + 1, width > 2 ? width - 0.5 : width, ROW - 2);
        if (width > 34) {
          context.fillStyle = "#fff";
          context.fillText(this.cut(this.titleOf(slice), width - 8), x + 4, top + ROW / 2);
        }
        ++this.drawn;
      });
    }
    context.globalAlpha = 1;
  }

  /// What fits into a slice: the place of a region says less than its name.
  titleOf(slice) {
    const place = parsePlace(slice.name);
    return place && place.name ? place.name : slice.name;
  }

  outline(slice, colour, thick) {
    const y = slice.track.y - this.top + slice.row * ROW;
    const x = Math.max(this.xOf(slice.begin), GUTTER - 4);
    const end = Math.min(this.xOf(slice.end), this.width + 4);
    if (end < GUTTER - 4 || x > this.width + 4) return;
    this.context.strokeStyle = colour;
    this.context.lineWidth = thick;
    this.context.strokeRect(x, y + 1, Math.max(end - x, 2), ROW - 2);
  }

  drawMarked(marked) {
    const region = this.trace.regions.get(marked);
    for (const slice of region ? region.slices.slice(0, 5000) : [])
      this.outline(slice, this.theme.focus, 1.5);
    const slice = this.page.slice();
    if (slice) this.outline(slice, this.theme.focus, 3);
  }

  drawCounter(counter, y) {
    const context = this.context, pixel = (this.end - this.begin) / (this.width - GUTTER);
    const scale = (COUNTER - 4) / (counter.most || 1), base = y + COUNTER - 1;
    context.fillStyle = this.theme.other;
    let low = 0, high = counter.times.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (counter.times[middle] < this.begin) low = middle + 1;
      else high = middle;
    }
    for (let i = Math.max(low - 1, 0); i < counter.times.length &&
         counter.times[i] <= this.end;) {
      // Of all values in a pixel, the greatest; behind it the last one goes on.
      let next = i + 1, value = counter.values[i];
      while (next < counter.times.length && counter.times[next] < counter.times[i] + pixel)
        value = Math.max(value, counter.values[next++]);
      const x = Math.max(this.xOf(counter.times[i]), GUTTER), last = counter.values[next - 1];
      const end = next < counter.times.length ? this.xOf(counter.times[next])
                                              : this.xOf(this.trace.end);
      context.fillRect(x, base - value * scale, 1, value * scale);
      if (end > x + 1)
        context.fillRect(x + 1, base - last * scale, end - x - 1, last * scale);
      i = next;
    }
    context.fillRect(GUTTER, base, this.width, 1);
  }

  pointOf(slice, track, time) {
    return {x: this.xOf(time), y: track.y - this.top + (slice ? slice.row + 0.5 : 0.5) * ROW};
  }

  curve(from, to, colour) {
    const context = this.context, bend = Math.min(Math.abs(to.x - from.x) / 2 + 8, 60);
    context.strokeStyle = context.fillStyle = colour;
    context.lineWidth = 1.5;
    context.beginPath();
    context.moveTo(from.x, from.y);
    context.bezierCurveTo(from.x + bend, from.y, to.x - bend, to.y, to.x, to.y);
    context.stroke();
    context.beginPath();
    context.moveTo(to.x, to.y);
    context.lineTo(to.x - 7, to.y - 3.5);
    context.lineTo(to.x - 7, to.y + 3.5);
    context.fill();
  }

  /// Arrows of the slice that is marked.
  drawArrows() {
    const slice = this.page.slice();
    if (!slice) return;
    for (const arrow of [...slice.into || [], ...slice.out || []].slice(0, 200))
      this.curve(this.pointOf(arrow.from, arrow.fromTrack, arrow.fromTime),
                 this.pointOf(arrow.to, arrow.toTrack, arrow.toTime), this.theme.text);
  }

  /// Frames where they can be told apart, else a line below; a dashed line where
  /// the path waits for nothing but a delay; arrows from track to track as long
  /// as they are not too many to be followed.
  drawCritical() {
    const seen = new Map(), arrows = [];
    let before = null;
    for (const slice of this.trace.critical) {
      const last = before;
      before = slice;
      if (last) this.drawDelay(last, slice);
      if (slice.end < this.begin || slice.begin > this.end) continue;
      const row = slice.track.key + "/" + slice.row, x = this.xOf(slice.begin);
      const width = this.xOf(slice.end) - x;
      if (last && last.track !== slice.track && (width > 3 || x - this.xOf(last.end) > 12))
        arrows.push([last, slice]);
      if (width > 3) {
        this.outline(slice, this.theme.mark, 2.5);
      } else if (!(x < seen.get(row) + 1)) {
        seen.set(row, x);
        this.context.fillStyle = this.theme.mark;
        this.context.fillRect(x, slice.track.y - this.top + (slice.row + 1) * ROW - 4,
                              Math.max(width, 1.5), 4);
      }
    }
    for (const [from, to] of arrows.length > 400 ? [] : arrows)
      this.curve(this.pointOf(from, from.track, from.end),
                 this.pointOf(to, to.track, to.begin), this.theme.mark);
  }

  drawDelay(from, to) {
    const context = this.context, x = Math.max(this.xOf(from.end), GUTTER);
    const end = Math.min(this.xOf(to.begin), this.width);
    if (end - x < 6) return;
    const y = to.track.y - this.top + (to.row + 0.5) * ROW;
    context.strokeStyle = context.fillStyle = this.theme.mark;
    context.lineWidth = 1.5;
    context.setLineDash([5, 4]);
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(end, y);
    context.stroke();
    context.setLineDash([]);
    const words = formatTime(to.begin - from.end) + " " + wordsOfDelay(from, to);
    const fits = context.measureText(words).width < end - x - 12;
    if (fits || end - x > 80)
      context.fillText(fits ? words : formatTime(to.begin - from.end), x + 6, y - 8);
  }
}
