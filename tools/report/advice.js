"use strict";
// Three things to try, from what the trace says of the run.

function adviceOf(trace, used) {
  const all = trace.end - trace.begin || 1, advice = [];
  const share = time => (100 * time / all).toFixed(0) + " % of the run";
  const parts = trace.pathParts();
  const delay = parts.find(part => part.isDelay), work = parts.find(part => !part.isDelay);
  const add = (weight, text) => advice.push({weight, text});
  if (work && work.time > 0.1 * all)
    add(work.time, `Shorten ${work.name}: it is ${share(work.time)} on the critical path.`);
  if (delay && delay.time > 0.1 * all)
    add(delay.time, `On the critical path, nothing runs for ${share(delay.time)} ` +
      delay.name + (/notified/.test(delay.name)
        ? ": await less often, or let a region of the device depend on the work instead."
        : /began/.test(delay.name)
          ? ": enqueue work earlier, or let fewer streams wait for each other."
          : ": there may be fewer threads than work."));
  if (used.copies - used.beside > 0.1 * all)
    add(used.copies - used.beside, `Copies take ${formatTime(used.copies)}, and kernels run ` +
      `beside ${formatTime(used.beside)} of that: copy in regions of their own, in pieces.`);
  const idle = all - used.busy;
  if (used.launches && idle > 0.5 * all)
    add(idle / 4, `The device is idle for ${share(idle)}: give it more of the work, or start it ` +
      "before the host's.");
  const time = used.kernels.reduce((sum, kernel) => sum + kernel.time, 0);
  if (used.launches > 100 && time / used.launches < 20)
    add(all / 8, `Kernels are short, ${formatTime(time / used.launches)} on average of ` +
      `${used.launches} launches: --graphs makes launches cheaper, and larger kernels fewer.`);
  if (used.busy > 0.3 * all && used.several < 0.1 * used.busy)
    add(all / 10, "Streams hardly run at the same time: regions that do not depend on each " +
      "other could.");
  return advice.sort((a, b) => b.weight - a.weight).slice(0, 3).map(({text}) => text);
}
