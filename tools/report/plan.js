"use strict";
// The plan as a drawing: layers by what waits for what, as Graphviz would have
// them, or a drawing of Graphviz's own that was given.

const NODE_GAP = 26, LAYER_GAP = 54, PADDING = 8, LINE = 16,
      MOST_BENDS = 12, SMALLEST = 0.75, MOST_REGIONS = 1500, SVG = "http://www.w3.org/2000/svg";

function svg(name, attributes, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes || {})) element.setAttribute(key, value);
  for (const child of children)
    element.append(child);
  return element;
}

class PlanDrawing {
  constructor(page, plan, place) {
    this.page = page;
    this.plan = plan;
    this.place = place;
    this.nodes = new Map();   // by key
    this.measure = document.createElement("canvas").getContext("2d");
    this.measure.font = "12px system-ui, 'Helvetica Neue', Arial, sans-serif";
    this.map = new Minimap(this);
    const isLarge = plan.regions.length > MOST_WITH_ALL;
    this.needed = isLarge && plan.regions.length <= MOST_REGIONS
      ? neededEdges(plan) : new Set(plan.edges);
    this.chains = findChains(plan, this.needed);
    this.collapses = isLarge && this.hasChains;
  }

  get hasChains() { return this.chains.size > 0; }

  /// With one box for each chain, or with all of its regions.
  collapse(collapses) {
    this.collapses = collapses;
    this.nodes.clear();
    this.draw();
  }

  /// What the box of a region stands for: the chain's regions, or it alone.
  membersOf(region) {
    return this.collapses && this.chains.get(region) || [region];
  }

  /// Lines of text of a box: [text, class].
  linesOf(members) {
    const [region] = members;
    if (members.length > 1)
      return [[members.length + " regions, one after the other: " + region.kind +
               (region.stream === null ? "" : ", stream " + region.stream), "faint"]];
    const where = region.place ? ", " + baseName(region.place.file) + ":" + region.place.line : "";
    const stream = region.stream === null ? "" : region.or_stream_of_operand !== undefined
      ? ", stream of operand " + region.or_stream_of_operand + " or " + region.stream
      : ", stream " + region.stream;
    const lines = [["region " + region.id + ": " + region.kind + stream + where, "faint"]];
    let last = null, times = 1;
    for (const item of region.items || []) {
      if (item.kind === "spawn" && !item.depth) continue;
      if (last && item.kind !== "loop" && item.kind === last.kind && item.text === last.text &&
          item.depth === last.depth) {
        const line = lines[lines.length - 1];
        line[0] = line[0].replace(/ \(\d+ times\)$/, "") + " (" + ++times + " times)";
        continue;
      }
      last = item;
      times = 1;
      const words = {wait: "the host waits: ", await: "await: ", loop: ""}[item.kind];
      lines.push(["  ".repeat(item.depth) +
                  (words === undefined ? item.kind + " " : words) + item.text,
                  item.kind === "wait" || item.kind === "await" ? "wait" : ""]);
    }
    return lines;
  }

  draw() {
    this.place.textContent = "";
    if (this.plan.regions.length > MOST_REGIONS) {
      this.place.textContent = `The plan has ${this.plan.regions.length} regions, more ` +
        "than can be looked at: the table lists those that ran, and Graphviz draws " +
        "them all.";
      return;
    }
    const functions = new Map();
    for (const region of this.plan.regions) {
      if (!functions.has(region.function)) functions.set(region.function, []);
      functions.get(region.function).push(region);
    }
    const isLarge = this.plan.regions.length > MOST_WITH_ALL;
    const root = svg("svg", {class: isLarge ? "own large" : "own", role: "group", "aria-label": "Regions and what they wait for"});
    root.append(svg("defs", {}, svg("marker",
      {id: "head", viewBox: "0 0 8 8", refX: 8, refY: 4, markerWidth: 8, markerHeight: 8,
       orient: "auto-start-reverse", markerUnits: "userSpaceOnUse"},
      svg("path", {d: "M0,0.5 L8,4 L0,7.5 z", class: "head"}))));
    let y = 4, wide = 0;
    for (const [id, regions] of functions) {
      const drawn = this.drawFunction(regions, root, y, id);
      y += drawn.height + 24;
      wide = Math.max(wide, drawn.width);
    }
    root.setAttribute("viewBox", `0 0 ${wide + 8} ${y}`);
    this.place.append(root);
    this.hold(root, wide + 8);
    this.map.measure();
    this.reveal("#" + this.plan.regions[0].id);
  }

  /// The drawing, and how wide it is by itself. What does not fit is scrolled
  /// rather than drawn so small that it cannot be read.
  hold(root, wide) {
    root.removeAttribute("height");
    root.style.height = "auto";
    this.root = root;
    this.wide = Math.max(wide, 1);
    this.fits = Math.min((this.place.clientWidth || this.wide) / this.wide, 1);
    this.scale = Math.max(this.fits, SMALLEST);
    this.zoom(1);
  }

  /// Larger or smaller by so much; 0: as wide as its place. What is at `at`, an
  /// event of the mouse, or in the middle, stays there.
  zoom(factor, at) {
    if (!this.root) return;
    const view = this.map.view, box = view.getBoundingClientRect(), before = this.scale;
    const x = at ? at.clientX - box.left : view.clientWidth / 2;
    const y = at ? at.clientY - box.top : view.clientHeight / 2;
    this.scale = factor ? Math.min(Math.max(this.scale * factor, 0.02), 4) : this.fits;
    this.root.setAttribute("width", this.wide * this.scale);
    this.root.style.width = this.wide * this.scale + "px";
    view.scrollLeft = (view.scrollLeft + x) * this.scale / before - x;
    view.scrollTop = (view.scrollTop + y) * this.scale / before - y;
    this.map.draw();
  }

  /// Scrolls to a region's box, if it is not shown whole.
  reveal(key) {
    const element = this.nodes.get(key), view = this.map.view.getBoundingClientRect();
    if (!element) return;
    const box = element.getBoundingClientRect();
    if (box.left >= view.left && box.right <= view.right && box.top >= view.top &&
        box.bottom <= view.bottom)
      return;
    this.map.view.scrollBy(box.left + box.width / 2 - view.left - view.width / 2,
                           box.top + box.height / 2 - view.top - view.height / 2);
  }

  /// Layers, the order in each, and places.
  layout(regions) {
    const nodes = new Map();
    const leaders = new Map();
    for (const region of regions) {
      const members = this.membersOf(region);
      leaders.set(region.id, members[0].id);
      if (members[0] !== region) continue;
      const title = Plan.titleOf(region) + (members.length > 1
        ? " … " + Plan.titleOf(members[members.length - 1]) : "");
      const lines = this.linesOf(members);
      const wide = Math.max(...[title, ...lines.map(line => line[0])]
        .map(text => this.measure.measureText(text).width * 1.06));
      nodes.set(region.id, {region, members, title, lines, width: wide + 2 * PADDING,
                            height: (lines.length + 1) * LINE + 2 * PADDING,
                            out: [], into: [], layer: 0});
    }
    const edges = [], drawn = new Set();
    this.plan.edges.forEach((edge, number) => {
      const from = leaders.get(sourceOf(edge)), to = leaders.get(edge.to);
      // Of the arrows between two boxes of chains, one is enough.
      const between = from + "-" + to + (this.collapses ? "" : "-" + number);
      // To what a region stands in there would be one from each.
      const isOuter = this.plan.regions.length > MOST_WITH_ALL &&
        this.plan.byId.get(sourceOf(edge))?.parent === edge.to;
      if (isOuter || !this.needed.has(edge) || !nodes.has(from) || !nodes.has(to) || from === to ||
          drawn.has(between))
        return;
      drawn.add(between);
      edges.push({edge, number, from: nodes.get(from), to: nodes.get(to)});
    });
    const solid = edges.filter(edge => edge.edge.how !== "implied");
    for (const edge of solid) edge.from.out.push(edge);
    this.breakCircles(nodes);
    const order = this.sortByLayer(nodes);
    const layers = [];
    for (const node of order) (layers[node.layer] = layers[node.layer] || []).push(node);
    for (const edge of solid) this.addBends(edge, layers);
    this.orderLayers(layers);
    return {edges, ...this.placeLayers(layers)};
  }

  /// An edge that would close a circle is turned round for the layers.
  breakCircles(nodes) {
    const state = new Map();
    const visit = node => {
      state.set(node, 1);
      for (const edge of node.out) {
        if (state.get(edge.to) === 1) edge.back = true;
        else if (!state.has(edge.to)) visit(edge.to);
      }
      state.set(node, 2);
    };
    for (const node of nodes.values()) if (!state.has(node)) visit(node);
    for (const node of nodes.values())
      for (const edge of node.out) if (!edge.back) edge.to.into.push(edge);
  }

  sortByLayer(nodes) {
    const done = new Set(), order = [];
    const visit = node => {
      if (done.has(node)) return;
      done.add(node);
      for (const edge of node.into) {
        visit(edge.from);
        node.layer = Math.max(node.layer, edge.from.layer + 1);
      }
      order.push(node);
    };
    for (const node of nodes.values()) visit(node);
    // What nothing waits behind stands just above what waits for it.
    for (const node of order)
      if (!node.into.length && node.out.some(edge => !edge.back))
        node.layer = Math.min(...node.out.filter(edge => !edge.back)
          .map(edge => edge.to.layer)) - 1;
    return order;
  }

  /// Places between others for an edge that passes layers. One that passes many
  /// goes straight: there is nothing to follow, and it would cost too much.
  addBends(edge, layers) {
    edge.path = [edge.from];
    const far = edge.to.layer - edge.from.layer > MOST_BENDS;
    for (let layer = edge.from.layer + 1; layer < edge.to.layer && !far; ++layer) {
      const bend = {bend: true, width: 8, height: 0, layer, before: [], after: []};
      layers[layer].push(bend);
      edge.path.push(bend);
    }
    edge.path.push(edge.to);
    if (edge.back) return;
    for (let i = 1; i < edge.path.length; ++i) {
      (edge.path[i].up = edge.path[i].up || []).push(edge.path[i - 1]);
      (edge.path[i - 1].down = edge.path[i - 1].down || []).push(edge.path[i]);
    }
  }

  orderLayers(layers) {
    const number = () => layers.forEach(layer => layer.forEach((node, i) => { node.index = i; }));
    number();
    const mean = (list, otherwise) => !list || !list.length ? otherwise
      : list.reduce((sum, node) => sum + node.index, 0) / list.length;
    for (let sweep = 0; sweep < 6; ++sweep) {
      const down = sweep % 2 === 0;
      for (const layer of down ? layers : [...layers].reverse()) {
        const weights = new Map(layer.map(
          node => [node, mean(down ? node.up : node.down, node.index)]));
        layer.sort((a, b) => weights.get(a) - weights.get(b) || a.index - b.index);
        layer.forEach((node, i) => { node.index = i; });
      }
    }
  }

  placeLayers(layers) {
    let y = PADDING + 20;
    for (const layer of layers) {
      let x = 0;
      for (const node of layer) {
        node.x = x + node.width / 2;
        x += node.width + NODE_GAP;
      }
      const height = Math.max(...layer.map(node => node.height));
      for (const node of layer) node.y = y + (node.bend ? height / 2 : 0);
      for (const node of layer) node.layerHeight = height;
      y += height + LAYER_GAP;
    }
    // Each goes to where its neighbours are, as far as the others let it.
    for (let round = 0; round < 8; ++round)
      for (const layer of round % 2 ? layers : [...layers].reverse()) {
        const wish = layer.map(node => {
          const near = [...node.up || [], ...node.down || []];
          return near.length ? near.reduce((sum, other) => sum + other.x, 0) / near.length
                             : node.x;
        });
        for (let i = 0; i < layer.length; ++i) layer[i].x = wish[i];
        for (let pass = 0; pass < Math.min(layer.length, 60); ++pass)
          for (let i = 1; i < layer.length; ++i) {
            const need = (layer[i - 1].width + layer[i].width) / 2 + NODE_GAP;
            const lacks = need - (layer[i].x - layer[i - 1].x);
            if (lacks <= 0.01) continue;
            layer[i - 1].x -= lacks / 2;
            layer[i].x += lacks / 2;
          }
      }
    // What is left of overlaps goes to the right.
    for (const layer of layers)
      for (let i = 1; i < layer.length; ++i)
        layer[i].x = Math.max(layer[i].x, layer[i - 1].x + NODE_GAP +
                              (layer[i - 1].width + layer[i].width) / 2);
    const nodes = layers.flat();
    const left = Math.min(...nodes.map(node => node.x - node.width / 2));
    const right = Math.max(...nodes.map(node => node.x + node.width / 2));
    for (const node of nodes) node.x += PADDING + 4 - left;
    return {nodes, width: right - left + 2 * PADDING + 8, height: y - LAYER_GAP + PADDING};
  }

  drawFunction(regions, root, top, id) {
    const {nodes, edges, width, height} = this.layout(regions);
    const group = svg("g", {transform: `translate(0 ${top})`});
    let wide = width;
    for (const edge of edges)
      wide = Math.max(wide, this.drawEdge(edge, nodes, group));
    for (const node of nodes) if (!node.bend) group.append(this.drawNode(node));
    if (regions.length > 1) {
      group.prepend(svg("rect", {class: "frame", x: 1, y: 1, rx: 8, width: wide + 2, height}));
      const outer = this.plan.byId.get(id);
      if (outer) group.append(svg("text", {class: "frame-title", x: 10, y: 16},
                                  "in " + Plan.titleOf(outer)));
    }
    root.append(group);
    return {width: wide + 4, height};
  }

  drawEdge(edge, nodes, group) {
    const implied = edge.edge.how === "implied" || edge.back;
    const from = edge.from, to = edge.to;
    let path, x, y, right = 0;
    if (implied) {
      // Round the right of both.
      const low = Math.min(from.layer, to.layer), high = Math.max(from.layer, to.layer);
      const side = 18 + Math.max(...nodes.filter(
        node => node.layer >= low && node.layer <= high).map(
        node => node.x + node.width / 2));
      const a = [from.x + from.width / 2, from.y + from.height / 2];
      const b = [to.x + to.width / 2, to.y + Math.min(to.height / 2, 30)];
      path = `M${a} C${side},${a[1]} ${side},${a[1]} ${side},${(a[1] + b[1]) / 2}` +
             ` C${side},${b[1]} ${side},${b[1]} ${b}`;
      x = side + 4; y = (a[1] + b[1]) / 2;
    } else {
      const points = edge.path.map((node, i) =>
        [node.x, node.bend ? node.y : i ? node.y : node.y + node.height]);
      // Below all of its layer first, where no region is in the way.
      path = `M${points[0]}`;
      if (!edge.path[0].bend) {
        points[0][1] = from.y + from.layerHeight;
        path += ` V${points[0][1]}`;
      }
      for (let i = 1; i < points.length; ++i) {
        const middle = (points[i - 1][1] + points[i][1]) / 2;
        path += ` C${points[i - 1][0]},${middle} ${points[i][0]},${middle} ${points[i]}`;
      }
      const last = points.length - 1;
      x = (points[last][0] + points[last - 1][0]) / 2 + 4;
      y = (points[last][1] + points[last - 1][1]) / 2 + 4;
    }
    const words = (edge.edge.from === null ? "perhaps: " : "") + edge.edge.text;
    const shown = words.length > 34 ? words.slice(0, words.indexOf(",") > 0
      ? words.indexOf(",") : 32) + "…" : words;
    right = x + this.measure.measureText(shown).width + 8;
    const element = svg("g", {class: "edge " + edge.edge.how, "data-from": edge.edge.from ?? edge.edge.maybe,
                              "data-to": edge.edge.to},
      svg("title", {}, words),
      svg("path", {d: path, ...(edge.edge.how === "implied" ? {} : {"marker-end": "url(#head)"})}),
      svg("text", {x, y}, shown));
    group.append(element);
    return right;
  }

  drawNode(node) {
    const {region} = node, key = "#" + region.id;
    const colour = region.stream === null ? "var(--host)" : colourOfStream(region.stream);
    const x = node.x - node.width / 2, round = region.kind === "host" ? 8 : 0;
    const element = svg("g", {class: "region " + region.kind},
      svg("rect", {class: "box", x, y: node.y, width: node.width, height: node.height,
                   rx: round, stroke: colour}),
      svg("path", {fill: colour, d: `M${x},${node.y + LINE + 6} v${-LINE - 6 + round}` +
        ` q0,${-round} ${round},${-round} h${node.width - 2 * round} q${round},0 ${round},${round}` +
        ` v${LINE + 6 - round} z`}),
      svg("text", {class: "title", x: node.x, y: node.y + 16, "text-anchor": "middle"}, node.title));
    node.lines.forEach(([text, kind], i) => element.append(
      svg("text", {class: kind, x: x + PADDING, y: node.y + (i + 2) * LINE + 4,
                   "xml:space": "preserve"}, text)));
    this.wire(element, key, node.title + ": " + node.lines.map(line => line[0].trim()).join("; "));
    for (const member of node.members) this.nodes.set("#" + member.id, element);
    return element;
  }

  /// Makes an element stand for a region.
  wire(element, key, label) {
    element.classList.add("region");
    element.setAttribute("tabindex", 0);
    element.setAttribute("role", "button");
    element.setAttribute("aria-label", label);
    element.setAttribute("data-key", key);
    element.addEventListener("pointerenter", () => this.page.hover(key, null));
    element.addEventListener("pointerleave", () => this.page.hover("", null));
    element.addEventListener("focus", () => this.page.select(key, null));
    element.addEventListener("click", () => this.page.go(key));
    element.addEventListener("keydown", event => {
      if (event.key !== "Enter" && event.key !== " ") return;
      this.page.go(key, true);
      event.preventDefault();
    });
    this.nodes.set(key, element);
  }

  /// A drawing of Graphviz's: its nodes say their places in their second line.
  adopt(text) {
    const image = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
    image.querySelectorAll("script, foreignObject").forEach(element => element.remove());
    for (const element of image.querySelectorAll("*"))
      for (const {name, value} of [...element.attributes])
        if (name.startsWith("on") || /^\s*javascript:/i.test(value)) element.removeAttribute(name);
    image.querySelectorAll("style").forEach(element => element.remove());
    const wide = image.viewBox?.baseVal?.width || parseFloat(image.getAttribute("width")) || 800;
    const root = document.importNode(image, true);
    this.place.textContent = "";
    this.place.append(root);
    this.hold(root, wide * 4 / 3); // in points
    for (const element of this.place.querySelectorAll("g.node")) {
      const id = /^region-(\d+)$/.exec(element.id);
      if (id) this.wire(element, "#" + id[1], PlanDrawing.linesIn(element).join("; "));
    }
    this.map.measure();
  }

  static linesIn(element) {
    const lines = [];
    let y = null;
    for (const text of element.querySelectorAll("text")) {
      if (text.getAttribute("y") === y) lines.push(lines.pop() + " " + text.textContent);
      else lines.push(text.textContent);
      y = text.getAttribute("y");
    }
    return lines.map(line => line.replace(/\u00a0+$/, "").trimEnd());
  }

  /// What a drawing of Graphviz's says of its regions, as plan-json has it.
  static read(text) {
    const image = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
    const regions = [], edges = [];
    for (const element of image.querySelectorAll("g.node")) {
      const id = /^region-(\d+)$/.exec(element.id), lines = PlanDrawing.linesIn(element);
      const said = /^region \d+: (\w+)(?:, stream (?:of operand \d+ or )?(\d+))?, (.*):(\d+)$/.exec(lines[1] || "");
      if (!id || !said) continue;
      const outer = lines[0].startsWith("@");
      regions.push({id: +id[1], name: outer ? lines[0].slice(1) : lines[0],
                    op: outer ? "func.func" : "async.execute", kind: said[1],
                    stream: said[2] === undefined ? null : +said[2], items: [],
                    place: {file: said[3], line: +said[4], column: 0}});
    }
    return {regions, edges};
  }

  mark(key) {
    for (const element of this.place.querySelectorAll(".region.marked, .node.marked"))
      element.classList.remove("marked");
    this.nodes.get(key)?.classList.add("marked");
    for (const edge of this.place.querySelectorAll(".edge[data-to]"))
      edge.classList.toggle("marked", key !== "" && ("#" + edge.dataset.from === key ||
                                                     "#" + edge.dataset.to === key));
  }

  markCritical(keys) {
    for (const element of new Set(this.nodes.values())) element.classList.remove("critical");
    for (const key of keys) this.nodes.get(key)?.classList.add("critical");
    this.map.draw();
  }
}
