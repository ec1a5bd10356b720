// Where the nodes of a graph go, worked out beside the page so that it stays smooth. A classic worker: d3's files are used as they are shipped.
/* global importScripts, d3 */
importScripts("../vendor/d3-dispatch.min.js", "../vendor/d3-quadtree.min.js", "../vendor/d3-timer.min.js", "../vendor/d3-force.min.js");

const GOLDEN = Math.PI * (3 - Math.sqrt(5));
const spiral = (n, step) => [step * Math.sqrt(n + 0.5) * Math.cos(n * GOLDEN), step * Math.sqrt(n + 0.5) * Math.sin(n * GOLDEN)];

let simulation = null;

onmessage = ({ data }) => {
  simulation?.stop();
  const { count, edges, cluster, depth, quiet } = data;
  const homes = seeds(cluster, depth, count);
  const nodes = Array.from({ length: count }, (_, n) => ({ x: homes[2 * n], y: homes[2 * n + 1], home: cluster[n] }));
  const links = edges.map(([source, target]) => ({ source, target }));
  const large = count > 800;
  simulation = d3
    .forceSimulation(nodes)
    .force("link", d3.forceLink(links).distance(depth ? 70 : 26).iterations(1))
    .force("charge", d3.forceManyBody().strength(depth ? -260 : -34).theta(large ? 1.1 : 0.9).distanceMax(depth ? 900 : 320))
    .force("x", d3.forceX((_, n) => (depth ? 0 : homes[2 * n] * 0.9)).strength(depth ? 0.04 : 0.06))
    .force("y", d3.forceY((_, n) => (depth ? 0 : homes[2 * n + 1] * 0.9)).strength(depth ? 0.05 : 0.06))
    .force("apart", large ? null : d3.forceCollide(depth ? 26 : 8))
    .alphaDecay(large ? 0.045 : 0.03)
    .stop();
  const rounds = Math.ceil(Math.log(0.001) / Math.log(1 - simulation.alphaDecay()));
  const each = large ? 4 : 2;
  let round = 0;
  const step = () => {
    if (data !== current) return;
    const until = quiet ? rounds : Math.min(rounds, round + each);
    for (; round < until; round++) simulation.tick();
    const at = new Float32Array(2 * count);
    nodes.forEach((node, n) => {
      at[2 * n] = node.x;
      at[2 * n + 1] = node.y;
    });
    postMessage({ at, done: round >= rounds }, [at.buffer]);
    if (round < rounds) setTimeout(step);
  };
  current = data;
  step();
};
let current = null;

// Clusters begin around places of their own, the largest in the middle; what belongs to none stands around them.
function seeds(cluster, depth, count) {
  const homes = new Float32Array(2 * count);
  if (depth) {
    depth.forEach((d, n) => {
      homes[2 * n] = Math.cos(n * GOLDEN) * d * 90;
      homes[2 * n + 1] = Math.sin(n * GOLDEN) * d * 90;
    });
    return homes;
  }
  const members = new Map();
  cluster.forEach((c, n) => {
    if (c < 0) return;
    if (!members.has(c)) members.set(c, []);
    members.get(c).push(n);
  });
  const step = 15;
  let turn = 0;
  const placed = []; // circles that are taken: x, y, radius
  for (const each of [...members.values()].sort((a, b) => b.length - a.length)) {
    const radius = step * Math.sqrt(each.length) + 18;
    // smaller ones need not be tried where a larger one found no place
    while (!free(placed, ...spiral(turn, 20), radius)) turn++;
    const [x, y] = spiral(turn, 20);
    placed.push([x, y, radius]);
    each.forEach((n, at) => {
      const [dx, dy] = spiral(at, step);
      homes[2 * n] = x + dx;
      homes[2 * n + 1] = y + dy;
    });
  }
  let at = Math.ceil((Math.max(0, ...placed.map(([x, y, r]) => Math.hypot(x, y) + r)) / 22) ** 2);
  cluster.forEach((c, n) => {
    if (c < 0) [homes[2 * n], homes[2 * n + 1]] = spiral(at++, 22);
  });
  return homes;
}

const free = (placed, x, y, radius) => placed.every(([px, py, r]) => Math.hypot(x - px, y - py) > r + radius);
