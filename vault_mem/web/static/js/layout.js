// Computes where the nodes of a graph go, in a worker so that the page stays smooth. It is a classic worker because d3's files are no modules.
/* global importScripts, d3 */
importScripts("../vendor/d3-dispatch.min.js", "../vendor/d3-quadtree.min.js", "../vendor/d3-timer.min.js", "../vendor/d3-force.min.js");

const GOLDEN = Math.PI * (3 - Math.sqrt(5));
const PACKED = 250; // groups that are packed tightly; the remaining small ones are placed around them
const spiral = (n, step) => [step * Math.sqrt(n + 0.5) * Math.cos(n * GOLDEN), step * Math.sqrt(n + 0.5) * Math.sin(n * GOLDEN)];

let simulation = null;

onmessage = ({ data }) => {
  simulation?.stop();
  const { count, edges, cluster, depth, quiet, aspect } = data;
  const large = count > 800;
  const homes = seeds(cluster, depth, count, large ? 15 : 34, aspect);
  const nodes = Array.from({ length: count }, (_, n) => ({ x: homes[2 * n], y: homes[2 * n + 1] }));
  const links = edges.map(([source, target]) => ({ source, target }));
  simulation = d3
    .forceSimulation(nodes)
    .force("link", d3.forceLink(links).distance(depth ? 90 : large ? 26 : 62).iterations(1))
    .force("charge", d3.forceManyBody().strength(depth ? -320 : large ? -34 : -90).theta(large ? 1.1 : 0.9).distanceMax(depth ? 900 : large ? 320 : 160))
    .force("x", d3.forceX((_, n) => (depth ? 0 : homes[2 * n] * 0.9)).strength(depth ? 0.04 / aspect : large ? 0.06 : 0.2))
    .force("y", d3.forceY((_, n) => (depth ? 0 : homes[2 * n + 1] * 0.9)).strength(depth ? 0.05 * aspect : large ? 0.06 : 0.2))
    .force("apart", large ? null : d3.forceCollide(depth ? 30 : 14))
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

// Starting positions: each cluster around its own place, the largest in the middle.
function seeds(cluster, depth, count, step, aspect) {
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
    const key = c < 0 ? `alone ${n}` : c;
    if (!members.has(key)) members.set(key, []);
    members.get(key).push(n);
  });
  const groups = [...members.values()].sort((a, b) => b.length - a.length);
  const placed = []; // occupied circles: x, y, radius
  for (const each of groups.slice(0, PACKED)) {
    const radius = step * (Math.sqrt(each.length) + 0.3);
    let turn = 0;
    while (!free(placed, ...spiral(turn, 0.7 * step), radius)) turn++;
    const [x, y] = spiral(turn, 0.7 * step);
    placed.push([x, y, radius]);
    each.forEach((n, at) => {
      const [dx, dy] = each.length > 1 ? spiral(at, step) : [0, 0];
      homes[2 * n] = x + dx;
      homes[2 * n + 1] = y + dy;
    });
  }
  const around = 1.6 * step;
  let at = Math.ceil((Math.max(0, ...placed.map(([x, y, r]) => Math.hypot(x, y) + r)) / around) ** 2);
  groups.slice(PACKED).flat().forEach((n) => {
    [homes[2 * n], homes[2 * n + 1]] = spiral(at++, around);
  });
  // stretch to the picture's aspect ratio
  const stretch = Math.sqrt(aspect);
  return homes.map((value, n) => (n % 2 ? value / stretch : value * stretch));
}

const free = (placed, x, y, radius) => placed.every(([px, py, r]) => Math.hypot(x - px, y - py) > r + radius);
