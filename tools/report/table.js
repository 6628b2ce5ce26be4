"use strict";
// The table of regions, sorted by any of its columns.

const COLUMNS = [
  {title: "region", of: region => region.title},
  {title: "no.", hint: "Its number in the plan and in remarks", number: true,
   of: region => region.plan ? region.plan.id : null},
  {title: "kind", of: region => region.kind},
  {title: "stream", hint: "Its number in the plan and in remarks", number: true,
   of: region => region.stream},
  {title: "runs", hint: "How often it began", number: true, of: region => region.runs || null},
  {title: "on host", hint: "Of threads, without waits", time: true, of: region => region.host},
  {title: "waiting", hint: "Of threads that wait there", time: true, of: region => region.waits},
  {title: "on device", hint: "Its kernels, copies and fills", time: true,
   of: region => region.device},
];
const MOST_ROWS = 1000;

class RegionTable {
  constructor(page) {
    this.page = page;
    this.head = document.getElementById("columns");
    this.body = document.getElementById("rows");
    // First those that work longest; waits are no work.
    this.regions = [...page.trace.regions.values()]
      .sort((a, b) => b.host + b.device - a.host - a.device);
    COLUMNS.forEach((column, i) => {
      const cell = document.createElement("th"), button = document.createElement("button");
      cell.scope = "col";
      button.type = "button";
      button.textContent = column.title;
      button.title = (column.hint ? column.hint + ". " : "") + "Sort by this";
      button.addEventListener("click", () => this.sort(i));
      if (column.number || column.time) cell.className = "number";
      cell.append(button);
      this.head.append(cell);
    });
    this.fill();
  }

  /// By a column: numbers from the largest, and words from A; then the reverse.
  sort(index) {
    const column = COLUMNS[index], cell = this.head.children[index];
    const numbers = column.number || column.time;
    const up = cell.ariaSort ? cell.ariaSort === "descending" : !numbers;
    for (const other of this.head.children) other.removeAttribute("aria-sort");
    cell.setAttribute("aria-sort", up ? "ascending" : "descending");
    const empty = value => value === null || value === undefined || value === "";
    const compare = (a, b) => numbers ? a - b : String(a).localeCompare(b, "en", {numeric: true});
    this.regions.sort((a, b) => {
      const x = column.of(a), y = column.of(b);
      if (empty(x) || empty(y)) return empty(x) - empty(y);
      return up ? compare(x, y) : compare(y, x);
    });
    this.fill();
  }

  fill() {
    this.body.textContent = "";
    for (const region of this.regions.slice(0, MOST_ROWS)) {
      const row = this.body.insertRow(), button = document.createElement("button");
      row.dataset.key = region.key;
      button.type = "button";
      button.textContent = region.title;
      button.addEventListener("click", () => this.page.go(region.key));
      button.addEventListener("focus", () => this.page.select(region.key, null));
      row.addEventListener("pointerenter", () => this.page.hover(region.key, null));
      row.addEventListener("pointerleave", () => this.page.hover("", null));
      row.insertCell().append(button);
      for (const column of COLUMNS.slice(1)) {
        const cell = row.insertCell(), value = column.of(region);
        cell.textContent = column.time ? value > 0 ? formatTime(value) : "" : value ?? "";
        if (column.number || column.time) cell.className = "number";
      }
    }
    if (this.regions.length > MOST_ROWS)
      this.body.insertRow().insertCell().textContent =
        this.regions.length - MOST_ROWS + " more, sort to see others";
    this.mark();
  }

  mark() {
    const key = this.page.markedKey();
    for (const row of this.body.rows)
      row.classList.toggle("marked", key !== "" && row.dataset.key === key);
  }

  /// Scrolls to the row of what was chosen elsewhere.
  reveal(key) {
    for (const row of this.body.rows)
      if (row.dataset.key === key) row.scrollIntoView({block: "nearest"});
  }
}
