// SPDX-License-Identifier: BSD-3-Clause
import ELK from "elkjs/lib/elk-api.js";
import { inflate } from "./columns.js";
import { choice, h, svg } from "./dom.js";
import { bytes, count, seconds } from "./format.js";
import { category, css, onTheme } from "./theme.js";

const most_boxes = 24;
const char_px = 7.1;

/** Lays out in a worker, made when it is first needed. */
const layout = async (graph) => {
  layout.elk ??= inflate("layout").then((program) => {
    const url = URL.createObjectURL(new Blob([program], { type: "text/javascript" }));
    return new ELK({ workerFactory: () => new Worker(url) });
  });
  return (await layout.elk).layout(graph);
};

/** Operations, and edges on which objects went. `merged`: operations of one name, kind and collection are one. */
function summed(run, merged) {
  const box_of = new Map(), boxes = [], box_of_operation = [];
  run.operations.forEach((operation, o) => {
    const key = merged ? JSON.stringify([operation.graph, operation.name, operation.kind, operation.collection]) : o;
    if (!box_of.has(key)) {
      box_of.set(key, boxes.length);
      boxes.push({ ...operation, id: `o${boxes.length}`, times: 0, steps: 0, computed_s: 0, work_s: 0 });
    }
    const box = boxes[box_of.get(key)];
    box.times += 1;
    for (const figure of ["steps", "computed_s", "work_s"]) box[figure] += operation[figure];
    box_of_operation.push(box.id);
  });
  const edges = new Map();
  for (const edge of run.edges) {
    const from = box_of_operation[edge.from];
    const to = edge.to === null ? `result${run.operations[edge.from].graph}` : box_of_operation[edge.to];
    const key = `${from} ${to}`;
    if (!edges.has(key)) edges.set(key, { id: `e${edges.size}`, from, to, graph: run.operations[edge.from].graph, objects: 0, messages: 0, bytes: 0 });
    const sum = edges.get(key);
    for (const figure of ["objects", "messages", "bytes"]) sum[figure] += edge[figure];
  }
  return { boxes, edges: [...edges.values()] };
}

const lines_of = (box) => [box.times > 1 ? `${box.name} ×${box.times}` : box.name, `${box.kind} · ${count(box.steps)} steps`, seconds(box.computed_s)];
const lines_of_edge = (edge) => (edge.messages > 0 ? [count(edge.objects), bytes(edge.bytes)] : [count(edge.objects)]);
const width_of = (lines) => Math.max(...lines.map((line) => line.length)) * char_px;

const ran = (run, graph) => run.operations.some((operation) => operation.graph === graph && operation.steps > 0);

async function layOut(run, { boxes, edges }) {
  const graphs = run.graphs.map((_, g) => {
    if (!ran(run, g)) return null;
    const children = boxes.filter((box) => box.graph === g).map((box) =>
      ({ id: box.id, width: Math.max(96, width_of(lines_of(box)) + 22), height: 58 }));
    const inside = edges.filter((edge) => edge.graph === g);
    if (inside.some((edge) => edge.to === `result${g}`)) children.push({ id: `result${g}`, width: 56, height: 26 });
    return { id: `g${g}`, children, layoutOptions: {
      "elk.algorithm": "layered", "elk.direction": "RIGHT", "elk.spacing.nodeNode": "26", "elk.edgeRouting": "ORTHOGONAL",
      "elk.layered.spacing.nodeNodeBetweenLayers": "34", "elk.spacing.edgeNode": "14",
      "elk.layered.considerModelOrder.strategy": "NODES_AND_EDGES",
      // A long chain goes on in the next line.
      "elk.layered.wrapping.strategy": children.length > most_boxes ? "MULTI_EDGE" : "OFF", "elk.aspectRatio": "1.5",
      "elk.padding": "[top=34,left=16,bottom=16,right=16]" },
      edges: inside.map((edge) => ({ id: edge.id, sources: [edge.from], targets: [edge.to],
        labels: [{ text: edge.id, width: width_of(lines_of_edge(edge)), height: 13 * lines_of_edge(edge).length }] })) };
  }).filter((graph) => graph);
  return layout({ id: "all", children: graphs, layoutOptions: { "elk.algorithm": "rectpacking", "elk.aspectRatio": "1.5",
    "elk.spacing.nodeNode": "20" } });
}

function draw(run, placed, { boxes, edges }, names, label) {
  const box_of = new Map(boxes.map((box) => [box.id, box])), edge_of = new Map(edges.map((edge) => [edge.id, edge]));
  const most_s = Math.max(...boxes.map((box) => box.computed_s)), most_bytes = Math.max(1, ...edges.map((edge) => edge.bytes));
  const arrow = `arrow-${run.number}`;
  const drawing = svg("svg", { class: "graph", role: "img", tabindex: "0",
    "aria-label": `Flow graph of ${label}: ${boxes.map((box) => `${box.name}, ${box.kind}, ${seconds(box.computed_s)}`).join("; ")}` },
  svg("defs", {}, svg("marker", { id: arrow, viewBox: "0 0 8 8", refX: "7", refY: "4", markerWidth: "7", markerHeight: "7", orient: "auto", markerUnits: "userSpaceOnUse" },
    svg("path", { d: "M0 0 L8 4 L0 8 z", class: "arrow" }))));
  for (const graph of placed.children) {
    const group = svg("g", { transform: `translate(${graph.x} ${graph.y})` },
      svg("rect", { width: graph.width, height: graph.height, rx: 10, class: "whole" }),
      svg("text", { x: 14, y: 21, class: "of" }, run.graphs[Number(graph.id.slice(1))]));
    for (const placed_edge of graph.edges) {
      const edge = edge_of.get(placed_edge.id);
      const of = svg("g", { class: "edge", "data-edge": edge.id }, svg("title", {}, `${count(edge.objects)} objects, ${count(edge.messages)} of them to another node: ${bytes(edge.bytes)}`));
      for (const { startPoint, endPoint, bendPoints = [] } of placed_edge.sections ?? []) {
        const points = [startPoint, ...bendPoints, endPoint].map(({ x, y }) => `${x},${y}`).join(" ");
        of.append(svg("polyline", { points, "stroke-width": 1.2 + 3 * Math.sqrt(edge.bytes / most_bytes), "marker-end": `url(#${arrow})` }));
      }
      for (const { x, y } of placed_edge.labels ?? [])
        lines_of_edge(edge).forEach((line, i) => of.append(svg("text", { x, y: y + 10 + 13 * i }, line)));
      group.append(of);
    }
    for (const { id, x, y, width, height } of graph.children) {
      const at = svg("g", { transform: `translate(${x} ${y})`, class: "operation", "data-operation": id });
      const box = box_of.get(id);
      if (!box) {
        at.append(svg("rect", { width, height, rx: 13, class: "result" }), svg("text", { x: width / 2, y: 17, "text-anchor": "middle", class: "second" }, "result"));
      } else {
        const own = css(category(names.get(box.name) ?? 9));
        const [name, kind, time] = lines_of(box);
        at.append(svg("title", {}, `${box.name} (${box.kind}, in ${run.collections[box.collection]}): ${count(box.steps)} steps, computed ${seconds(box.computed_s)}, work ${seconds(box.work_s)}`),
          svg("rect", { width, height, rx: 6, class: "box" }), svg("rect", { width: 5, height, rx: 2, fill: own }),
          svg("rect", { x: 12, y: height - 9, width: width - 22, height: 4, rx: 2, class: "ground" }),
          svg("rect", { x: 12, y: height - 9, width: (width - 22) * (most_s > 0 ? box.computed_s / most_s : 0), height: 4, rx: 2, fill: own }),
          svg("text", { x: 12, y: 17, class: "name" }, name), svg("text", { x: 12, y: 31, class: "second" }, kind),
          svg("text", { x: 12, y: 45, class: "second" }, time));
      }
      group.append(at);
    }
    drawing.append(group);
  }
  return drawing;
}

/** Lets the pointer and the keyboard move and magnify a drawing. */
function movable(drawing, width, height) {
  let seen = { x: -8, y: -8, width: width + 16, height: height + 16 };
  const whole = { ...seen };
  const set = (next) => {
    seen = next;
    drawing.setAttribute("viewBox", `${seen.x} ${seen.y} ${seen.width} ${seen.height}`);
  };
  const zoom = (factor, px = 0.5, py = 0.5) => {
    const w = Math.min(whole.width * 2, seen.width / factor), ratio = w / seen.width;
    set({ x: seen.x + seen.width * px * (1 - ratio), y: seen.y + seen.height * py * (1 - ratio), width: w, height: seen.height * ratio });
  };
  const pan = (dx, dy) => set({ ...seen, x: seen.x + dx * seen.width, y: seen.y + dy * seen.height });
  let drag = null;
  drawing.addEventListener("pointerdown", (event) => {
    drag = { x: event.clientX, y: event.clientY, from: seen };
    drawing.setPointerCapture(event.pointerId);
  });
  drawing.addEventListener("pointermove", (event) => {
    if (!drag) return;
    const scale = 1 / drawing.getScreenCTM().a;
    set({ ...drag.from, x: drag.from.x - (event.clientX - drag.x) * scale, y: drag.from.y - (event.clientY - drag.y) * scale });
  });
  for (const end of ["pointerup", "pointercancel"]) drawing.addEventListener(end, () => { drag = null; });
  drawing.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const at = drawing.getBoundingClientRect();
    zoom(2 ** (-event.deltaY / 300), (event.clientX - at.left) / at.width, (event.clientY - at.top) / at.height);
  }, { passive: false });
  drawing.addEventListener("dblclick", () => zoom(1.6));
  const keys = { "+": () => zoom(1.4), "=": () => zoom(1.4), "-": () => zoom(1 / 1.4), 0: () => set(whole), Home: () => set(whole),
    ArrowLeft: () => pan(-0.15, 0), ArrowRight: () => pan(0.15, 0), ArrowUp: () => pan(0, -0.15), ArrowDown: () => pan(0, 0.15) };
  drawing.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
  set(whole);
  return h("div", { class: "buttons" },
    h("button", { onclick: () => zoom(1.4), "aria-label": "Zoom in" }, "+"), h("button", { onclick: () => zoom(1 / 1.4), "aria-label": "Zoom out" }, "−"),
    h("button", { onclick: () => set(whole) }, "All"));
}

/** The flow graphs, laid out when they come into sight: that takes the longest of all. */
export function graphs(runs, labels, names) {
  const place = h("div", { class: "beside" });
  let merged = runs.some((run) => run.operations.filter(({ graph }) => ran(run, graph)).length > most_boxes);
  let shown = 0;
  const show = async () => {
    const mine = ++shown;
    const figures = runs.map((run, r) => h("figure", { "aria-busy": "true" }, h("figcaption", {}, labels[r]), h("p", { class: "quiet" }, "Laying out …")));
    place.replaceChildren(...figures);
    for (const [r, run] of runs.entries()) {
      const what = summed(run, merged);
      const placed = await layOut(run, what);
      if (mine !== shown) return;  // something else is wanted meanwhile
      const figure = figures[r];
      const render = () => {
        const drawing = draw(run, placed, what, names, labels[r]);
        const buttons = movable(drawing, placed.width, placed.height);
        const idle = run.graphs.filter((_, g) => !ran(run, g));
        figure.replaceChildren(h("figcaption", {}, labels[r], buttons), drawing,
          ...(idle.length > 0 ? [h("p", { class: "quiet" }, `Not called: ${idle.join(", ")}`)] : []));
        figure.removeAttribute("aria-busy");
      };
      render();
      onTheme(() => figure.isConnected && render());
    }
  };
  const watch = new IntersectionObserver((entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    watch.disconnect();
    show();
  }, { rootMargin: "300px" });
  watch.observe(place);
  const repeats = runs.some((run) => new Set(run.operations.map((o) => o.name)).size < run.operations.length);
  return [repeats ? choice("Operations", { all: "each", merged: "of one name together" }, merged ? "merged" : "all", (value) => {
    merged = value === "merged";
    if (shown > 0) show();
  }) : null, place];
}
