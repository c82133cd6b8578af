// A graph on a canvas that one can move in: zoom, drag, choose a node or a relation.

import { Layout } from "./graph_layout.js";

const CLICK = 5; // pixels that a finger may move and still choose
const REACH = 7; // pixels beside a line or a disc that still count as on it
const [FARTHEST, NEAREST] = [0.15, 4];
const FONT = "13px system-ui, sans-serif";
const LONGEST = 26; // characters of a name
const MARGIN = 48;
const HEAD_START = 90; // steps before anything is seen
const EASE = 0.18;
const COLOURS = ["paper", "ink", "soft", "accent", "line", "box", "strong-edge"];

export class Picture {
  #layout = new Layout();
  #view = { k: 1, x: 0, y: 0 };
  #isFollowing = true; // all of it is kept in view until the reader moves it
  #frame = 0;
  #pointers = new Map();
  #pressed = null;
  #over = {};
  #chosen = null;
  #widths = new Map();
  #forget; // ends what was begun for the canvas
  #still = matchMedia("(prefers-reduced-motion: reduce)");

  /** `onNode(id)` and `onRelation(relation)` are told what is chosen. */
  constructor(canvas, { onNode, onRelation }) {
    this.canvas = canvas;
    this.told = { onNode, onRelation };
    const on = (name, act) => canvas.addEventListener(name, act.bind(this));
    on("pointerdown", this.#down);
    on("pointermove", this.#move);
    on("pointerup", this.#up);
    on("pointercancel", this.#up);
    on("pointerleave", () => this.#hover({}));
    on("wheel", (event) => {
      event.preventDefault();
      const pixels = event.deltaMode === 0 ? event.deltaY : event.deltaY * 16;
      this.zoom(Math.exp(-pixels * 0.002), this.#place(event));
    });
    const repaint = () => this.wake();
    const size = new ResizeObserver(repaint);
    size.observe(canvas);
    // Another choice of colours is seen at once.
    const theme = new MutationObserver(repaint);
    theme.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    scheme.addEventListener("change", repaint);
    this.#forget = () => {
      size.disconnect();
      theme.disconnect();
      scheme.removeEventListener("change", repaint);
    };
  }

  /** Show a neighbourhood as the server tells it. */
  show({ id, nodes, edges }) {
    const isFirst = !this.#layout.nodes.length;
    this.#layout.ratio = this.canvas.clientWidth / this.canvas.clientHeight;
    this.#layout.set(nodes, edges, id);
    bend(this.#layout.links);
    this.#chosen = null;
    this.#over = {};
    this.#isFollowing = true;
    if (this.#still.matches) this.#layout.settle();
    else if (isFirst) for (let i = 0; i < HEAD_START; i += 1) this.#layout.step();
    if (isFirst || this.#still.matches) this.#fit(1);
    this.wake();
  }

  choose(id) {
    this.#chosen = id;
    this.wake();
  }

  zoom(factor, at = { x: this.canvas.clientWidth / 2, y: this.canvas.clientHeight / 2 }) {
    const view = this.#view;
    const k = Math.min(NEAREST, Math.max(FARTHEST, view.k * factor));
    view.x = at.x - ((at.x - view.x) * k) / view.k;
    view.y = at.y - ((at.y - view.y) * k) / view.k;
    view.k = k;
    this.#isFollowing = false;
    this.wake();
  }

  pan(x, y) {
    this.#view.x += x;
    this.#view.y += y;
    this.#isFollowing = false;
    this.wake();
  }

  fit() {
    this.#isFollowing = true;
    if (this.#still.matches) this.#fit(1);
    this.wake();
  }

  /** Draw from the next frame on, as long as something moves. */
  wake() {
    if (!this.#frame) this.#frame = requestAnimationFrame(() => this.#turn());
  }

  #turn() {
    this.#frame = 0;
    if (!this.#layout.nodes.length) return;
    if (!this.canvas.isConnected) {
      this.#forget();
      return;
    }
    if (this.#layout.isMoving) this.#layout.step();
    const isEasing = this.#isFollowing && this.#fit(this.#still.matches ? 1 : EASE);
    this.#draw();
    if (this.#layout.isMoving || isEasing) this.wake();
  }

  /** Bring all of it into view, by a share of the way; tells whether there is more of the way. */
  #fit(share) {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (!width || !this.#layout.nodes.length) return false;
    const [xs, ys] = ["x", "y"].map((axis) => this.#layout.nodes.map((one) => one[axis]));
    const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    const k = Math.min(1.6, (width - 2 * MARGIN) / Math.max(right - left, 1), (height - 2 * MARGIN) / Math.max(bottom - top, 1));
    const goal = { k, x: width / 2 - (k * (left + right)) / 2, y: height / 2 - (k * (top + bottom)) / 2 };
    let isFar = false;
    for (const name of ["k", "x", "y"]) {
      const way = goal[name] - this.#view[name];
      isFar ||= Math.abs(way) > (name === "k" ? 0.002 : 0.3);
      this.#view[name] += way * share;
    }
    return isFar && share < 1;
  }

  #place(event) {
    const box = this.canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  #down(event) {
    this.canvas.setPointerCapture(event.pointerId);
    const at = this.#place(event);
    this.#pointers.set(event.pointerId, at);
    this.#pressed = this.#pointers.size === 1 ? { ...this.#find(at), from: at, hasMoved: false } : null;
  }

  #move(event) {
    const at = this.#place(event);
    const last = this.#pointers.get(event.pointerId);
    if (!last) {
      this.#hover(this.#find(at));
      return;
    }
    if (this.#pointers.size === 2) this.#pinch(event.pointerId, last, at);
    else if (this.#pressed) this.#drag(last, at);
    this.#pointers.set(event.pointerId, at);
  }

  #pinch(id, last, at) {
    const [, other] = [...this.#pointers].find(([known]) => known !== id);
    const between = (one) => Math.hypot(one.x - other.x, one.y - other.y) || 1;
    this.pan((at.x - last.x) / 2, (at.y - last.y) / 2);
    this.zoom(between(at) / between(last), { x: (at.x + other.x) / 2, y: (at.y + other.y) / 2 });
  }

  #drag(last, at) {
    const pressed = this.#pressed;
    if (!pressed.hasMoved && Math.hypot(at.x - pressed.from.x, at.y - pressed.from.y) < CLICK) return;
    if (!pressed.hasMoved) last = pressed.from;
    pressed.hasMoved = true;
    if (!pressed.node) {
      this.pan(at.x - last.x, at.y - last.y);
      return;
    }
    this.#isFollowing = false;
    pressed.node.isHeld = true; // it stays where it was put
    pressed.node.x += (at.x - last.x) / this.#view.k;
    pressed.node.y += (at.y - last.y) / this.#view.k;
    if (!this.#still.matches) this.#layout.warm(0.15);
    this.wake();
  }

  #up(event) {
    this.#pointers.delete(event.pointerId);
    const pressed = this.#pressed;
    this.#pressed = null;
    if (event.type !== "pointerup" || !pressed || pressed.hasMoved) return;
    if (pressed.node) this.told.onNode(pressed.node.id);
    else if (pressed.link) this.told.onRelation(pressed.link);
  }

  #hover(found) {
    if (found.node === this.#over.node && found.link === this.#over.link) return;
    this.#over = found;
    this.canvas.classList.toggle("over", Boolean(found.node || found.link));
    this.wake();
  }

  /** The node at a place, else the relation there. */
  #find(at) {
    const near = (node) => {
      const { x, y } = this.#onScreen(node);
      return Math.hypot(x - at.x, y - at.y) - this.#radius(node);
    };
    const node = nearest(this.#layout.nodes, near, REACH);
    if (node) return { node };
    return { link: nearest(this.#layout.links, (link) => this.#distance(link, at), REACH) };
  }

  #distance(link, at) {
    let least = Infinity;
    for (let part = 0.1; part < 0.95; part += 0.05) {
      const { x, y } = this.#along(link, part);
      least = Math.min(least, Math.hypot(x - at.x, y - at.y));
    }
    return least;
  }

  #onScreen({ x, y }) {
    return { x: x * this.#view.k + this.#view.x, y: y * this.#view.k + this.#view.y };
  }

  #radius(node) {
    const size = node === this.#layout.centre ? 9 : 4 + Math.min(4, Math.sqrt(node.relations) / 1.5);
    return size * Math.min(1.5, Math.max(0.7, Math.sqrt(this.#view.k)));
  }

  /** Where a line is bent to, and a point of it, as a quadratic curve has them. */
  #bow(link) {
    const [from, to] = [this.#onScreen(link.from), this.#onScreen(link.to)];
    return { from, to, x: (from.x + to.x) / 2 + (to.y - from.y) * link.bend, y: (from.y + to.y) / 2 - (to.x - from.x) * link.bend };
  }

  #along(link, part) {
    const { from, to, x, y } = this.#bow(link);
    const rest = 1 - part;
    return {
      x: rest * rest * from.x + 2 * rest * part * x + part * part * to.x,
      y: rest * rest * from.y + 2 * rest * part * y + part * part * to.y,
    };
  }

  #draw() {
    const { canvas } = this;
    const scale = devicePixelRatio || 1;
    const { clientWidth: width, clientHeight: height } = canvas;
    if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
      canvas.width = Math.round(width * scale);
      canvas.height = Math.round(height * scale);
    }
    const style = getComputedStyle(canvas);
    const colour = Object.fromEntries(COLOURS.map((name) => [name, style.getPropertyValue(`--${name}`)]));
    const pen = canvas.getContext("2d");
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.clearRect(0, 0, width, height);
    const marked = this.#layout.links.filter((link) => this.#isMarked(link));
    const plain = this.#layout.links.filter((link) => !marked.includes(link));
    for (const dash of [[], [3, 4]]) {
      pen.setLineDash(dash);
      this.#lines(pen, plain.filter((link) => link.isLoose === dash.length > 0), colour.line, 1);
      this.#lines(pen, marked.filter((link) => link.isLoose === dash.length > 0), colour.accent, 2);
    }
    pen.setLineDash([]);
    this.#discs(pen, colour);
    this.#words(pen, colour, marked, { width, height });
  }

  #isMarked(link) {
    const { node, link: over } = this.#over;
    return link.id === this.#chosen || link === over || (node && (link.from === node || link.to === node));
  }

  #lines(pen, links, colour, width) {
    pen.strokeStyle = pen.fillStyle = colour;
    pen.lineWidth = width;
    pen.beginPath();
    for (const link of links) {
      const { from, to, x, y } = this.#bow(link);
      pen.moveTo(from.x, from.y);
      pen.quadraticCurveTo(x, y, to.x, to.y);
    }
    pen.stroke();
    pen.beginPath();
    for (const link of links) {
      if (link.isLoose) continue; // it has no direction
      const { to, x, y } = this.#bow(link);
      const angle = Math.atan2(to.y - y, to.x - x);
      const away = this.#radius(link.to) + 1;
      const tip = { x: to.x - away * Math.cos(angle), y: to.y - away * Math.sin(angle) };
      pen.moveTo(tip.x, tip.y);
      for (const turn of [2.75, -2.75]) pen.lineTo(tip.x + 7 * Math.cos(angle + turn), tip.y + 7 * Math.sin(angle + turn));
      pen.closePath();
    }
    pen.fill();
  }

  #discs(pen, colour) {
    for (const node of this.#layout.nodes) {
      const { x, y } = this.#onScreen(node);
      const isMarked = node === this.#layout.centre || node === this.#over.node;
      pen.beginPath();
      pen.arc(x, y, this.#radius(node), 0, 2 * Math.PI);
      pen.fillStyle = isMarked ? colour.accent : colour.box;
      pen.strokeStyle = isMarked ? colour.accent : colour["strong-edge"];
      pen.lineWidth = 1.5;
      pen.fill();
      pen.stroke();
    }
  }

  /** Names and predicates, those that matter most first; one that would cover another is left out. */
  #words(pen, colour, marked, size) {
    pen.font = FONT;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.lineJoin = "round";
    const taken = [];
    const { centre, nodes, links } = this.#layout;
    const write = (text, { x, y }, ink, must) => {
      if (x < 0 || y < 0 || x > size.width || y > size.height) return;
      const half = this.#width(pen, text) / 2 + 3;
      x = Math.min(Math.max(x, half), size.width - half);
      const box = [x - half, y - 9, x + half, y + 9];
      if (!must && taken.some((one) => box[0] < one[2] && one[0] < box[2] && box[1] < one[3] && one[1] < box[3])) return;
      taken.push(box);
      pen.strokeStyle = colour.paper;
      pen.lineWidth = 4;
      pen.strokeText(text, x, y);
      pen.fillStyle = ink;
      pen.fillText(text, x, y);
    };
    const name = (node, must) => {
      const { x, y } = this.#onScreen(node);
      write(must ? node.name : short(node.name), { x, y: y + this.#radius(node) + 11 }, colour.ink, must);
    };
    const { node: over, link } = this.#over;
    name(centre, true);
    if (over && over !== centre) name(over, true);
    for (const one of marked) {
      const must = one === link || one.id === this.#chosen;
      write(short(one.predicate), this.#along(one, 0.5), colour.accent, must);
      if (must) [one.from, one.to].filter((end) => end !== centre && end !== over).forEach((end) => name(end, false));
    }
    for (const node of nodes) if (node !== centre && node !== over) name(node, false);
    for (const one of links) {
      const isRead = !one.isLoose && (one.from === centre || one.to === centre);
      if (isRead && !marked.includes(one)) write(short(one.predicate), this.#along(one, 0.5), colour.soft, false);
    }
  }

  #width(pen, text) {
    if (!this.#widths.has(text)) this.#widths.set(text, pen.measureText(text).width);
    return this.#widths.get(text);
  }
}

/** Bend the lines of relations between the same two, so that each can be seen. */
function bend(links) {
  const besides = new Map();
  for (const link of links) {
    const pair = [link.source, link.target].sort().join("\n");
    besides.set(pair, [...(besides.get(pair) ?? []), link]);
  }
  for (const same of besides.values()) {
    same.forEach((link, number) => {
      const side = number - (same.length - 1) / 2;
      link.bend = 0.16 * side * (link.source < link.target ? 1 : -1);
    });
  }
}

function nearest(things, distance, reach) {
  let [found, least] = [undefined, reach];
  for (const one of things) {
    const far = distance(one);
    if (far < least) [found, least] = [one, far];
  }
  return found;
}

function short(text) {
  const points = Array.from(text);
  return points.length > LONGEST ? `${points.slice(0, LONGEST - 1).join("")}…` : text;
}
