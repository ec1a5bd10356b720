// A graph on a canvas: drawn only when something moved, each kind in one stroke, with labels where there is room.
const NODE = 4.6; // radius at zoom 1
const SHOWN = 70; // labels at once
const ROOM = 0.5; // margin painted on each side while dragging, as a share of the picture's size

export class Picture {
  constructor(canvas, { onChoose, onOpen, still }) {
    Object.assign(this, { canvas, onChoose, onOpen, still });
    this.context = canvas.getContext("2d");
    this.layer = document.createElement("canvas");
    this.view = { x: 0, y: 0, k: 1 };
    this.chosen = -1;
    this.hovered = -1;
    this.count = 0;
    this.at = new Float32Array(0);
    this.touched = false; // until somebody moves it, the whole graph is shown
    this.pointers = new Map();
    this.widths = new Map();
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(canvas);
    this.listen();
    this.resize();
  }

  end() {
    this.worker?.terminate();
    this.observer.disconnect();
    cancelAnimationFrame(this.frame);
  }

  show(graph) {
    this.worker?.terminate();
    const same = this.graph && this.graph.nodes.id.length === graph.nodes.id.length;
    const chosen = this.graph?.nodes.id[this.chosen];
    this.graph = graph;
    this.count = graph.nodes.id.length;
    this.edges = Uint32Array.from(graph.edges.flatMap(([from, to]) => [from, to]));
    this.order = Array.from({ length: this.count }, (_, n) => n).sort((a, b) => this.weight(b) - this.weight(a));
    this.neighbours = Array.from({ length: this.count }, () => []);
    graph.edges.forEach(([from, to]) => (this.neighbours[from].push(to), this.neighbours[to].push(from)));
    this.byKind = graph.kinds.map((_, kind) => this.order.filter((n) => graph.nodes.kind[n] === kind));
    this.chosen = graph.nodes.id.indexOf(chosen);
    if (!same) this.touched = false;
    if (!this.count) {
      this.at = new Float32Array(0);
      this.redraw();
      return;
    }
    this.worker = new Worker("static/js/layout.js");
    this.worker.onmessage = ({ data }) => this.place(data);
    this.worker.postMessage({ count: this.count, edges: graph.edges, cluster: graph.nodes.cluster, depth: graph.centre == null ? null : graph.nodes.depth, quiet: this.still, aspect: Math.min(2.2, Math.max(0.5, this.width / this.height || 1)) });
  }

  place({ at, done }) {
    this.at = at;
    this.settled = done;
    this.canvas.dataset.settled = done;
    if (!this.touched) this.fit();
    this.redraw();
  }

  weight(n) {
    const { degree, depth } = this.graph.nodes;
    const around = this.graph.centre != null;
    return (around ? 1000 - 100 * depth[n] : 0) + degree[n];
  }

  colours() {
    const style = getComputedStyle(this.canvas);
    const of = (name) => style.getPropertyValue(`--${name}`).trim();
    this.palette = { ink: of("ink"), soft: of("soft"), line: of("line-strong"), card: of("card"), accent: of("accent"), kinds: this.graph?.kinds.map((kind) => of(kind) || of("ink")) ?? [] };
    this.font = `12px ${of("sans")}`;
    this.strong = `600 13px ${of("serif")}`;
  }

  resize() {
    const box = this.canvas.getBoundingClientRect();
    const dense = Math.min(devicePixelRatio || 1, 2);
    this.width = box.width;
    this.height = box.height;
    this.canvas.width = Math.round(box.width * dense);
    this.canvas.height = Math.round(box.height * dense);
    this.dense = dense;
    if (!this.touched) this.fit();
    this.redraw();
  }

  fit() {
    if (!this.at.length) return;
    const sorted = (odd) => this.at.filter((_, n) => n % 2 === odd).sort();
    const [xs, ys] = [sorted(0), sorted(1)];
    const [left, right, top, bottom] = [xs[0], xs.at(-1), ys[0], ys.at(-1)];
    const k = Math.min((this.width - 90) / (right - left + 40), (this.height - 70) / (bottom - top + 40), 2.2);
    this.view = { k: Math.max(k, 0.02), x: this.width / 2 - (k * (left + right)) / 2, y: this.height / 2 - (k * (top + bottom)) / 2 };
  }

  redraw() {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.draw();
    });
  }

  // Drawing

  // Dragging does not repaint: the picture is painted once with a margin, and then shifted.
  draw() {
    const { context: c, dense, view } = this;
    const stamp = [view.k, this.chosen, this.hovered, this.width, this.height, document.documentElement.dataset.theme].join();
    const [dx, dy] = [view.x - this.painted?.x, view.y - this.painted?.y];
    const room = this.painted?.room ?? [0, 0];
    if (this.painted?.stamp !== stamp || this.painted.at !== this.at || Math.abs(dx) > room[0] || Math.abs(dy) > room[1]) {
      this.paint(stamp, this.pointers.size === 1 ? [this.width * ROOM, this.height * ROOM] : [0, 0]);
      return this.draw();
    }
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.clearRect(0, 0, this.canvas.width, this.canvas.height);
    c.drawImage(this.layer, Math.round((dx - room[0]) * dense), Math.round((dy - room[1]) * dense));
    return undefined;
  }

  paint(stamp, room) {
    const { width, height, view, dense, layer } = this;
    this.painted = { stamp, room, x: view.x, y: view.y, at: this.at };
    this.width += 2 * room[0];
    this.height += 2 * room[1];
    this.view = { ...view, x: view.x + room[0], y: view.y + room[1] };
    layer.width = Math.max(1, Math.round(this.width * dense));
    layer.height = Math.max(1, Math.round(this.height * dense));
    const c = layer.getContext("2d");
    c.setTransform(dense, 0, 0, dense, 0, 0);
    if (this.at.length) this.paintAll(c);
    Object.assign(this, { width, height, view });
  }

  paintAll(c) {
    this.colours();
    this.near = this.chosen >= 0 ? new Set([this.chosen, ...this.neighbours[this.chosen]]) : null;
    this.seen = this.order.filter((n) => this.inside(this.x(n), this.y(n), 20));
    this.visible = new Uint8Array(this.count);
    this.seen.forEach((n) => (this.visible[n] = 1));
    this.drawEdges(c);
    this.drawNodes(c, Math.max(this.count < 400 ? NODE : 1.6, NODE * Math.sqrt(Math.min(this.view.k, 4))));
    this.drawLabels(c);
  }

  x(n) {
    return this.at[2 * n] * this.view.k + this.view.x;
  }

  y(n) {
    return this.at[2 * n + 1] * this.view.k + this.view.y;
  }

  inside(x, y, margin) {
    return x > -margin && x < this.width + margin && y > -margin && y < this.height + margin;
  }

  drawEdges(c) {
    c.lineWidth = 1;
    c.strokeStyle = this.palette.line;
    c.globalAlpha = this.near ? 0.14 : this.count > 800 ? 0.22 : 0.55;
    c.beginPath();
    for (let e = 0; e < this.edges.length; e += 2) {
      const from = this.edges[e];
      const to = this.edges[e + 1];
      if (!this.visible[from] && !this.visible[to]) continue;
      c.moveTo(this.x(from), this.y(from));
      c.lineTo(this.x(to), this.y(to));
    }
    c.stroke();
    c.globalAlpha = 1;
    if (this.chosen < 0) return;
    c.strokeStyle = this.palette.accent;
    c.lineWidth = 1.5;
    c.beginPath();
    for (const other of this.neighbours[this.chosen]) {
      c.moveTo(this.x(this.chosen), this.y(this.chosen));
      c.lineTo(this.x(other), this.y(other));
    }
    c.stroke();
  }

  drawNodes(c, radius) {
    const { closed, degree } = this.graph.nodes;
    const size = (n) => radius * (1 + Math.min(Math.sqrt(degree[n]), 5) * 0.14);
    this.byKind.forEach((members, kind) => {
      const shape = radius < 2.4 ? dot : DRAW[this.graph.kinds[kind]] ?? DRAW.event;
      c.fillStyle = this.palette.kinds[kind];
      for (const faded of [0, 1]) {
        c.beginPath();
        for (const n of members) {
          if (!this.visible[n] || this.faded(n, closed) !== faded) continue;
          shape(c, this.x(n), this.y(n), size(n));
        }
        c.globalAlpha = faded ? 0.32 : 1;
        c.fill("evenodd");
      }
    });
    c.globalAlpha = 1;
    const rings = [[this.graph.centre ?? -1, 2, this.palette.accent], [this.hovered, 1.5, this.palette.ink], [this.chosen, 2.5, this.palette.ink]];
    for (const [n, width, colour] of rings) {
      if (n < 0) continue;
      c.strokeStyle = colour;
      c.lineWidth = width;
      c.beginPath();
      c.arc(this.x(n), this.y(n), size(n) + 4, 0, 2 * Math.PI);
      c.stroke();
    }
  }

  faded(n, closed) {
    return closed[n] || (this.near && !this.near.has(n)) ? 1 : 0;
  }

  // The most linked nodes first; a label that would touch another label or a node is left out.
  drawLabels(c) {
    const taken = [];
    const many = this.count > 400 && this.view.k < 0.9 && !this.near;
    c.textAlign = "center";
    c.lineJoin = "round";
    c.lineWidth = 3.5;
    c.strokeStyle = this.palette.card;
    if (many) this.clusterNames(c, taken);
    c.font = this.font;
    const first = [this.chosen, this.hovered].filter((n) => n >= 0);
    const rest = many ? [] : this.near ? [...this.near] : this.seen;
    // With few nodes, labels avoid them; with many, they cannot help covering some.
    const clear = this.seen.length < 300 ? this.seen : [];
    let shown = 0;
    for (const n of [...first, ...rest]) {
      if (shown >= SHOWN) break;
      const colour = this.graph.nodes.closed[n] ? this.palette.soft : this.palette.ink;
      if (this.visible[n] && this.label(c, taken, clear, this.graph.nodes.title[n], n, colour, first.includes(n))) shown++;
    }
  }

  clusterNames(c, taken) {
    c.font = this.strong;
    for (const { hub, title, size } of this.graph.clusters) {
      if (size > 2 && hub != null && this.inside(this.x(hub), this.y(hub), 0)) this.label(c, taken, [], `${short(title, 24)} · ${size}`, hub, this.palette.ink, false);
    }
  }

  label(c, taken, clear, text, n, colour, always) {
    const words = short(text, always ? 60 : 30);
    const key = c.font + words;
    if (!this.widths.has(key)) this.widths.set(key, c.measureText(words).width);
    const half = this.widths.get(key) / 2 + 3;
    const [x, y] = [this.x(n), this.y(n)];
    const places = [[x, y + 20], [x, y - 12], [x + half + 9, y + 4], [x - half - 9, y + 4]];
    const free = ([cx, cy]) => cx - half > 0 && cx + half < this.width && !taken.some((box) => meet(box, cx, cy, half)) && !clear.some((m) => m !== n && within(this.x(m), this.y(m), cx, cy, half));
    const at = places.find(free) ?? (always ? places[0] : null);
    if (!at) return false;
    taken.push([at[0] - half, at[0] + half, at[1] - 13, at[1] + 4]);
    c.fillStyle = colour;
    c.strokeText(words, ...at);
    c.fillText(words, ...at);
    return true;
  }

  // Moving about

  listen() {
    const canvas = this.canvas;
    const place = (event) => {
      const box = canvas.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture?.(event.pointerId);
      this.pointers.set(event.pointerId, place(event));
      this.moved = 0;
    });
    canvas.addEventListener("pointermove", (event) => {
      const now = place(event);
      const before = this.pointers.get(event.pointerId);
      if (!before) return this.hover(this.hit(...now));
      if (this.pointers.size === 2) this.pinch(event.pointerId, now);
      else this.pan(now[0] - before[0], now[1] - before[1]);
      this.moved += Math.abs(now[0] - before[0]) + Math.abs(now[1] - before[1]);
      this.pointers.set(event.pointerId, now);
      return undefined;
    });
    const up = (event) => {
      if (this.pointers.delete(event.pointerId) && event.type === "pointerup" && this.moved < 5) this.choose(this.hit(...place(event)));
    };
    canvas.addEventListener("pointerup", up);
    canvas.addEventListener("pointercancel", up);
    canvas.addEventListener("pointerleave", () => this.hover(-1));
    canvas.addEventListener("dblclick", () => this.chosen >= 0 && this.onOpen(this.chosen));
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0016)), ...place(event));
    }, { passive: false });
    canvas.addEventListener("keydown", (event) => this.key(event));
  }

  pan(dx, dy) {
    this.touched = true;
    this.view.x += dx;
    this.view.y += dy;
    this.redraw();
  }

  zoom(by, x = this.width / 2, y = this.height / 2) {
    const k = Math.min(8, Math.max(0.03, this.view.k * by));
    const real = k / this.view.k;
    this.touched = true;
    this.view = { k, x: x - (x - this.view.x) * real, y: y - (y - this.view.y) * real };
    this.redraw();
  }

  pinch(id, now) {
    const [other] = [...this.pointers].filter(([each]) => each !== id).map(([, at]) => at);
    const before = this.pointers.get(id);
    const far = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]) || 1;
    this.zoom(far(now, other) / far(before, other), (now[0] + other[0]) / 2, (now[1] + other[1]) / 2);
  }

  hit(x, y) {
    let best = -1;
    let least = 16 ** 2;
    for (let n = 0; n < this.count; n++) {
      const far = (this.x(n) - x) ** 2 + (this.y(n) - y) ** 2;
      if (far < least) [best, least] = [n, far];
    }
    return best;
  }

  hover(n) {
    if (n === this.hovered) return;
    this.hovered = n;
    this.canvas.style.cursor = n >= 0 ? "pointer" : "";
    this.redraw();
  }

  choose(n) {
    this.chosen = n;
    this.onChoose(n);
    this.redraw();
  }

  wholeView() {
    this.touched = false;
    this.fit();
    this.redraw();
  }

  key(event) {
    const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const arrow = arrows[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey || !this.count) return;
    if (arrow && event.shiftKey) this.pan(-60 * arrow[0], -60 * arrow[1]);
    else if (arrow) this.step(...arrow);
    else if (event.key === "+" || event.key === "=") this.zoom(1.3);
    else if (event.key === "-") this.zoom(1 / 1.3);
    else if (event.key === "0") this.wholeView();
    else if (event.key === "Enter" && this.chosen >= 0) this.onOpen(this.chosen);
    else if (event.key === "Escape") this.choose(-1);
    else return;
    event.preventDefault();
  }

  // The nearest node in a direction, linked ones first.
  step(dx, dy) {
    if (this.chosen < 0) return this.choose(this.graph.centre ?? this.order[0]);
    const [x, y] = [this.x(this.chosen), this.y(this.chosen)];
    const linked = new Set(this.neighbours[this.chosen]);
    let best = -1;
    let least = Infinity;
    for (let n = 0; n < this.count; n++) {
      const along = (this.x(n) - x) * dx + (this.y(n) - y) * dy;
      const aside = Math.abs((this.x(n) - x) * dy) + Math.abs((this.y(n) - y) * dx);
      if (n === this.chosen || along <= 1 || aside > 2 * along) continue;
      const cost = (along + 2 * aside) * (linked.has(n) ? 0.4 : 1);
      if (cost < least) [best, least] = [n, cost];
    }
    if (best < 0) return undefined;
    this.choose(best);
    if (!this.inside(this.x(best), this.y(best), -40)) this.pan(this.width / 2 - this.x(best), this.height / 2 - this.y(best));
    return undefined;
  }
}

// Whether a label at x, y would overlap another label, or a node.
const meet = ([left, right, top, bottom], x, y, half) => x + half > left && x - half < right && y + 4 > top && y - 13 < bottom;
const within = (nx, ny, x, y, half) => nx > x - half - 5 && nx < x + half + 5 && ny > y - 17 && ny < y + 8;

const short = (text, most) => ([...text].length > most ? `${[...text].slice(0, most - 1).join("").trimEnd()}…` : text);

function polygon(c, x, y, r, corners, turn = -Math.PI / 2, inner = 1) {
  const points = inner === 1 ? corners : 2 * corners;
  for (let n = 0; n < points; n++) {
    const angle = turn + (n * 2 * Math.PI) / points;
    const far = n % 2 && inner !== 1 ? r * inner : r;
    if (n) c.lineTo(x + far * Math.cos(angle), y + far * Math.sin(angle));
    else c.moveTo(x + far * Math.cos(angle), y + far * Math.sin(angle));
  }
  c.closePath();
}
const circle = (c, x, y, r) => (c.moveTo(x + r, y), c.arc(x, y, r, 0, 2 * Math.PI));
const dot = (c, x, y, r) => c.rect(x - r * 0.9, y - r * 0.9, 1.8 * r, 1.8 * r);
const DRAW = {
  event: circle,
  fact: (c, x, y, r) => c.rect(x - 0.9 * r, y - 0.9 * r, 1.8 * r, 1.8 * r),
  relation: (c, x, y, r) => polygon(c, x, y, 1.25 * r, 4),
  task: (c, x, y, r) => polygon(c, x, y, 1.3 * r, 3),
  summary: (c, x, y, r) => polygon(c, x, y, 1.15 * r, 6, 0),
  mood: (c, x, y, r) => polygon(c, x, y, 1.4 * r, 5, -Math.PI / 2, 0.45),
  episode: (c, x, y, r) => (circle(c, x, y, 1.2 * r), circle(c, x, y, 0.6 * r)),
};
