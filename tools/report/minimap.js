"use strict";
// The plan in small, with a frame around what is shown of it, where it does not
// fit its place; and the ways to move in it.

const MAP_WIDTH = 180, MAP_HEIGHT = 140;

class Minimap {
  constructor(drawing) {
    this.drawing = drawing;
    this.view = document.getElementById("plan-view");
    this.canvas = document.getElementById("minimap");
    this.context = this.canvas.getContext("2d");
    this.boxes = [];
    this.view.addEventListener("scroll", () => this.draw());
    new ResizeObserver(() => this.draw()).observe(this.view);
    this.listen();
  }

  /// The boxes, in parts of the drawing's size. Once for each drawing.
  measure() {
    const root = this.drawing.root.getBoundingClientRect(), seen = new Set();
    this.boxes = [];
    for (const [key, element] of this.drawing.nodes) {
      if (seen.has(element)) continue;
      seen.add(element);
      const box = element.getBoundingClientRect();
      const region = this.drawing.plan.byId.get(+key.slice(1));
      this.boxes.push({element, x: (box.left - root.left) / root.width,
                       y: (box.top - root.top) / root.height,
                       width: box.width / root.width, height: box.height / root.height,
                       colour: region && region.stream !== null
                         ? colourOfStream(region.stream) : null});
    }
    this.draw();
  }

  draw() {
    const {root} = this.drawing, view = this.view;
    this.canvas.hidden = !root || (view.scrollWidth <= view.clientWidth + 1 &&
                                   view.scrollHeight <= view.clientHeight + 1);
    if (this.canvas.hidden) return;
    const theme = this.drawing.page.theme(), context = this.context;
    const scale = Math.min(MAP_WIDTH / view.scrollWidth, MAP_HEIGHT / view.scrollHeight);
    const width = Math.max(view.scrollWidth * scale, 24), ratio = devicePixelRatio || 1;
    const height = Math.max(view.scrollHeight * scale, 24);
    this.canvas.width = width * ratio;
    this.canvas.height = height * ratio;
    this.canvas.style.width = width + "px";
    this.canvas.style.height = height + "px";
    context.scale(ratio, ratio);
    context.fillStyle = theme.panel;
    context.fillRect(0, 0, width, height);
    for (const box of this.boxes) {
      const marks = box.element.classList;
      context.fillStyle = marks.contains("marked") ? theme.focus
        : marks.contains("critical") ? theme.mark : box.colour || theme.host;
      context.fillRect(box.x * width, box.y * height, Math.max(box.width * width, 1.5),
                       Math.max(box.height * height, 1.5));
    }
    context.strokeStyle = theme.text;
    context.lineWidth = 1.5;
    context.strokeRect(view.scrollLeft / view.scrollWidth * width + 1,
                       view.scrollTop / view.scrollHeight * height + 1,
                       Math.max(view.clientWidth / view.scrollWidth * width - 2, 2),
                       Math.max(view.clientHeight / view.scrollHeight * height - 2, 2));
  }

  listen() {
    const {view, canvas} = this;
    const move = event => {
      const box = canvas.getBoundingClientRect();
      view.scrollLeft = (event.clientX - box.left) / box.width * view.scrollWidth -
        view.clientWidth / 2;
      view.scrollTop = (event.clientY - box.top) / box.height * view.scrollHeight -
        view.clientHeight / 2;
    };
    canvas.addEventListener("pointerdown", event => {
      canvas.setPointerCapture(event.pointerId);
      move(event);
    });
    canvas.addEventListener("pointermove", event => { if (event.buttons) move(event); });
    // The plan itself is drawn by its background, and zoomed where the mouse is.
    let drag = null;
    view.addEventListener("pointerdown", event => {
      if (event.button === 0 && event.pointerType === "mouse" && !event.target.closest(".region"))
        drag = [event.clientX, event.clientY];
    });
    addEventListener("pointerup", () => { drag = null; });
    view.addEventListener("pointermove", event => {
      if (!drag || !event.buttons) return;
      view.scrollLeft += drag[0] - event.clientX;
      view.scrollTop += drag[1] - event.clientY;
      drag = [event.clientX, event.clientY];
    });
    view.addEventListener("wheel", event => {
      if (!event.ctrlKey && !event.metaKey) return;
      this.drawing.zoom(Math.pow(1.002, -event.deltaY), event);
      event.preventDefault();
    }, {passive: false});
  }
}
