// Places for the nodes of a graph, by forces: all push each other away, relations draw together.

const PUSH = 2200;
const NEAREST = 12; // pixels: closer ones push no harder
const LENGTH = 95; // of a relation, in pixels
const PULL = 0.04; // to the middle
const MOST_STRETCH = 2.5;
const KEPT_SPEED = 0.6;
const COOLING = 0.022;
const COLD = 0.004;
const GOLDEN = Math.PI * (3 - Math.sqrt(5));

export class Layout {
  nodes = [];
  links = [];
  heat = 0;
  #stretch = 1;

  /** Lay it out wider than high by this much, as the place is where it is shown. */
  set ratio(ratio) {
    this.#stretch = Math.min(MOST_STRETCH, Math.max(1 / MOST_STRETCH, ratio || 1));
  }

  /** Take another graph. Nodes that stay keep their places, new ones begin beside one that they are joined to. */
  set(nodes, links, centre) {
    const before = new Map(this.nodes.map((one) => [one.id, one]));
    const places = new Map();
    this.nodes = nodes.map((one) => {
      const { x, y } = before.get(one.id) ?? {};
      const node = { ...one, x, y, vx: 0, vy: 0, isHeld: false, links: 0 };
      places.set(one.id, node);
      return node;
    });
    this.centre = places.get(centre);
    this.links = links.filter((one) => one.source !== one.target).map((one) => ({ ...one, from: places.get(one.source), to: places.get(one.target) }));
    for (const { from, to } of this.links) {
      from.links += 1;
      to.links += 1;
    }
    if (this.centre.x === undefined) Object.assign(this.centre, { x: 0, y: 0 });
    this.#placeNew();
    this.heat = 1;
  }

  /** The same graph always gets the same places: nothing here is left to chance. */
  #placeNew() {
    const joined = new Map(this.nodes.map((one) => [one, []]));
    for (const { from, to } of this.links) {
      joined.get(from).push(to);
      joined.get(to).push(from);
    }
    this.nodes.forEach((node, number) => {
      if (node.x !== undefined) return;
      const beside = joined.get(node).find((one) => one.x !== undefined) ?? this.centre;
      const away = LENGTH * (0.5 + Math.sqrt(number) / 6);
      node.x = beside.x + away * Math.cos(number * GOLDEN);
      node.y = beside.y + away * Math.sin(number * GOLDEN);
    });
  }

  get isMoving() {
    return this.heat > COLD;
  }

  warm(heat) {
    this.heat = Math.max(this.heat, heat);
  }

  /** Move all nodes by one step. */
  step() {
    const { nodes, heat } = this;
    for (let i = 0; i < nodes.length; i += 1) {
      const one = nodes[i];
      for (let j = i + 1; j < nodes.length; j += 1) {
        const other = nodes[j];
        const dx = other.x - one.x || 0.1;
        const dy = other.y - one.y || 0.1;
        const push = (PUSH * heat) / Math.max(dx * dx + dy * dy, NEAREST * NEAREST);
        one.vx -= dx * push;
        one.vy -= dy * push;
        other.vx += dx * push;
        other.vy += dy * push;
      }
    }
    for (const { from, to } of this.links) {
      const dx = to.x + to.vx - from.x - from.vx;
      const dy = to.y + to.vy - from.y - from.vy;
      const length = Math.hypot(dx, dy) || 1;
      const draw = ((length - LENGTH) / length) * heat / Math.min(from.links, to.links);
      const share = from.links / (from.links + to.links); // who has many relations moves little
      to.vx -= dx * draw * share;
      to.vy -= dy * draw * share;
      from.vx += dx * draw * (1 - share);
      from.vy += dy * draw * (1 - share);
    }
    for (const node of nodes) {
      const pull = PULL * heat * (node === this.centre ? 4 : 1);
      node.vx = (node.vx - (node.x * pull) / this.#stretch) * KEPT_SPEED;
      node.vy = (node.vy - node.y * pull * this.#stretch) * KEPT_SPEED;
      if (node.isHeld) continue;
      node.x += node.vx;
      node.y += node.vy;
    }
    this.heat -= this.heat * COOLING;
  }

  /** Move them until they rest. */
  settle() {
    while (this.isMoving) this.step();
  }
}
