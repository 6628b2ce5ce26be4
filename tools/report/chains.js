"use strict";
// What of a large plan is drawn: arrows that no longer way stands for, and one
// box for regions that only follow each other.

const MOST_WITH_ALL = 32, LEAST_CHAIN = 3;

/// The region that an edge comes from, if that is known at all.
function sourceOf(edge) { return edge.from === null ? edge.maybe : edge.from; }

/// The edges without those that a longer way says, too: the transitive
/// reduction, where regions are in program order. Those of a region with the one
/// that it stands in, and those that a loop hands round, stay.
function neededEdges(plan) {
  const index = new Map(plan.regions.map((region, i) => [region.id, i]));
  const words = (plan.regions.length >> 5) + 1, needed = new Set(), steps = [];
  for (const edge of plan.edges) {
    const from = index.get(sourceOf(edge)), to = index.get(edge.to);
    if (edge.how === "implied") continue;
    if (from < to) steps.push({edge, from, to});
    else needed.add(edge);
  }
  steps.sort((a, b) => b.from - a.from || a.to - b.to);
  const reached = plan.regions.map(() => new Uint32Array(words));
  for (const {edge, from, to} of steps) {
    const row = reached[from];
    if (row[to >> 5] >>> (to & 31) & 1) continue;
    needed.add(edge);
    row[to >> 5] |= 1 << (to & 31);
    for (let i = 0; i < words; ++i) row[i] |= reached[to][i];
  }
  return needed;
}

/// For each region of a chain, its members: maximal paths of regions of one kind
/// and stream, each of which alone waits for the one before it, and for nothing
/// else. What awaits all of them, since they stand in it, does not count.
function findChains(plan, edges) {
  const next = new Map(), before = new Map(), chains = new Map();
  const add = (map, key, value) => {
    if (!map.has(key)) map.set(key, new Set());
    map.get(key).add(value);
  };
  for (const edge of edges) {
    const from = plan.byId.get(sourceOf(edge)), to = plan.byId.get(edge.to);
    if (!from || !to || edge.how === "implied" || from.parent === to.id) continue;
    add(next, from, to);
    add(before, to, from);
  }
  const follower = region => {
    const only = next.get(region)?.size === 1 ? [...next.get(region)][0] : null;
    return only && before.get(only).size === 1 && only.stream === region.stream &&
      only.kind === region.kind && only.parent === region.parent ? only : null;
  };
  const followed = new Set(plan.regions.map(follower).filter(Boolean));
  for (const region of plan.regions) {
    if (followed.has(region)) continue;
    const members = [region];
    for (let at = region; (at = follower(at)) && at !== region;) members.push(at);
    if (members.length >= LEAST_CHAIN)
      for (const member of members) chains.set(member, members);
  }
  return chains;
}
