"use strict";
// What a trace says in keys and numbers, in words and with units.

function formatBytes(bytes) {
  for (const [size, unit] of [[2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"]])
    if (Math.abs(bytes) >= size) return +(bytes / size).toPrecision(3) + " " + unit;
  return bytes + " bytes";
}

/// A counter's value, by what the counter is called.
function formatValue(counter, value) {
  if (/\bbytes\b/.test(counter)) return formatBytes(value);
  const unit = /^(tasks|streams)\b/.exec(counter);
  const count = formatCount(value);
  return unit ? count + " " + (value === 1 ? unit[1].slice(0, -1) : unit[1]) : count;
}

function countOf(number, one) { return number + " " + one + (number === 1 ? "" : "s"); }

/// The arguments of a slice as [term, text] for a reader; `nameOf` is what a
/// region's run is called.
function wordsOf(slice, nameOf) {
  const args = {...slice.args}, list = [];
  const take = (key, term, words = String) => {
    if (args[key] !== undefined) list.push([term, words(args[key])]);
    delete args[key];
  };
  if (args.file)
    list.push(["source", args.file + (args.line ? ":" + args.line : "") +
               (args.column ? ":" + args.column : "")]);
  const size = key => ["x", "y", "z"].map(axis => args[key + "_" + axis] ?? 1);
  if (args.grid_x !== undefined)
    list.push(["launch", size("grid").join(" × ") + " blocks of " +
               size("block").join(" × ") + " threads"]);
  for (const key of ["file", "line", "column", "critical", "track", "id",
                     ...["x", "y", "z"].flatMap(axis => ["grid_" + axis, "block_" + axis])])
    delete args[key];
  take("region", "region", number => "number " + number + " of the plan");
  take("stream", "stream", number => "number " + number + " of the plan");
  take("run", "run", number => "number " + number +
       (args.part > 1 ? ", continued after " + countOf(args.part - 1, "wait") : ""));
  delete args.part;
  take("spawned_by", "started by", nameOf);
  take("in_spawner", "ran", () => "where it was started, without a queue");
  take("ends", "ends", how => ({returned: "it is over", suspended: "it waits",
                               unfinished: "the recording ended first"})[how] || how);
  take("waits_for", "waits for", number => "object " + number);
  take("object", "waits for", number => "object " + number);
  take("until", "until", how => how === "enqueued" ? "its work is enqueued" : "it is complete");
  take("at", "in the source", String);
  take("ended_by", "completed by", nameOf);
  delete args.for;
  take("unfinished", "", () => "it was not over when the recording ended");
  take("registers", "registers", number => countOf(number, "register") + " a thread");
  take("shared_bytes", "shared memory", bytes => formatBytes(bytes) + " a block");
  take("rounds", "its body ran", number => countOf(number, "time"));
  if (!args.left_out) delete args.left_out;
  take("left_out", "not shown", number => countOf(number, "run") + " of nodes in it");
  take("round", "in round", String);
  take("bytes", "size", formatBytes);
  take("bytes_per_second", "rate", rate => (rate / 1e9).toPrecision(3) + " GB/s");
  for (const [key, value] of Object.entries(args))
    list.push([key.replace(/_/g, " "),
               typeof value === "object" ? JSON.stringify(value) : String(value)]);
  return list;
}

/// What a slice's category is called in sums.
const CATEGORY_WORDS = {kernel: "kernels", copy: "copies", fill: "fills",
                        conditional: "loops and branches of the device",
                        region: "regions on the host", wait: "waits of threads",
                        enqueue: "enqueueing", event: "streams that wait for an event",
                        module: "loading modules"};

/// Why nothing on the critical path ran between two of its slices.
function wordsOfDelay(from, to) {
  if (WORK.has(from.category) && !WORK.has(to.category))
    return "until the host was notified";
  if (WORK.has(to.category)) return "until the device began";
  return "until a thread went on";
}
