// SPDX-License-Identifier: BSD-3-Clause
import uPlot from "uplot";
import { choice, h, onceAFrame, tip } from "./dom.js";
import { percent, seconds } from "./format.js";
import { callWithIterations, overlap } from "./run.js";
import { color, onTheme } from "./theme.js";

/** Dynamic efficiency, of iterations and over time, with the nodes that were held. The figures are the analysis's. */
export function efficiency(runs, labels) {
  const with_iterations = runs.some((run) => run.calls.some((call) => call.iterations.length > 0));
  const views = [];
  if (with_iterations) {
    let kind = runs.some(overlap) ? "interval_efficiency" : "efficiency";
    const place = h("div", { class: "plot" });
    const redraw = follow(place, () => byIteration(runs, labels, kind));
    views.push(h("figure", {}, h("figcaption", {}, "Of each iteration",
      choice("What is compared", { efficiency: "from start to end", interval_efficiency: "since the previous iteration" }, kind, (chosen) => {
        kind = chosen;
        redraw();
      })), place));
  }
  const place = h("div", { class: "plot" });
  follow(place, () => overTime(runs, labels));
  views.push(h("figure", {}, h("figcaption", {}, "Over time, in a sliding window", h("small", { class: "quiet" }, `dashed, right: nodes held${runs.some((run) => run.decisions.length > 0) ? "; ◆: decided there" : ""}`)), place));
  return h("div", { class: "beside" }, views);
}

/** Draws again when the width or the colours change. */
function follow(place, plot) {
  let drawn = null;
  const redraw = onceAFrame(() => {
    if (place.clientWidth === 0) return;
    drawn?.destroy();
    const { options, data } = plot();
    drawn = new uPlot({ width: place.clientWidth, height: 260, ...options }, data, place);
    place.querySelector("canvas").setAttribute("aria-label", "Plot; its values are in the table of iterations");
  });
  let width = 0;
  new ResizeObserver(() => {
    if (width !== place.clientWidth) redraw();
    width = place.clientWidth;
  }).observe(place);
  onTheme(redraw);
  return redraw;
}

const axis = (more) => ({
  stroke: color("faint"), grid: { stroke: color("line"), width: 1 }, ticks: { stroke: color("line"), width: 1 },
  font: `11px ${getComputedStyle(document.body).fontFamily}`, ...more,
});
const share = { scale: "share", values: (_, all) => all.map((v) => `${Math.round(100 * v)} %`), size: 52 };
const scales = { x: { time: false }, share: { range: (_, least, most) => [0, Math.max(0.1, Math.min(1.05, (most || 1) * 1.1))] },
  nodes: { range: (_, least, most) => [0, (most || 1) * 1.15] } };

function byIteration(runs, labels, kind) {
  const indices = [...new Set(runs.flatMap((run) => run.calls.flatMap((c) => c.iterations.map((i) => i.index))))].sort((a, b) => a - b);
  const data = [indices], series = [{ label: "Iteration" }];
  runs.forEach((run, r) => {
    // Of several calls of the main program one: iterations of each are numbered from 1.
    const last = callWithIterations(run);
    const of = new Map(last?.iterations.map((i) => [i.index, i[kind]]));
    data.push(indices.map((i) => of.get(i) ?? null));
    series.push({ label: labels[r], scale: "share", stroke: color(`run-${r % 6}`), width: 2, spanGaps: true,
      points: { show: indices.length <= 60, size: 7, fill: color(`run-${r % 6}`) }, value: (_, v) => percent(v) });
  });
  return { data, options: { series, scales: { ...scales, x: { time: false, range: (_, a, b) => [a - 0.4, b + 0.4] } },
    axes: [axis({ incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000, 10000] }), axis(share)] } };
}

function overTime(runs, labels) {
  const tables = [], series = [{ label: "Time", value: (_, v) => (v === null ? "–" : seconds(v)) }];
  runs.forEach((run, r) => {
    const windows = run.calls.flatMap((call) => call.windows);
    tables.push([windows.map(([from_s, to_s]) => (from_s + to_s) / 2), windows.map(([, , value]) => value)]);
    series.push({ label: labels[r], scale: "share", stroke: color(`run-${r % 6}`), width: 2, points: { show: false },
      value: (_, v) => percent(v) });
    const changes = [...run.nodes_held, [run.end_s, run.nodes_held.at(-1)[1]]];
    tables.push([changes.map(([at_s]) => at_s), changes.map(([, nodes]) => nodes)]);
    series.push({ label: `${labels[r]}: nodes`, scale: "nodes", stroke: color(`run-${r % 6}`, 0.75), width: 1.25, dash: [5, 4],
      paths: uPlot.paths.stepped({ align: 1 }), points: { show: false }, value: (_, v) => v ?? "–" });
  });
  series.forEach((s, i) => { if (i > 0) s.spanGaps = true; });
  return { data: uPlot.join(tables), options: { series, scales, hooks: decisionMarks(runs, labels),
    axes: [axis({ values: (_, all) => all.map((v) => `${+v.toPrecision(6)} s`) }), axis(share), axis({ scale: "nodes", side: 1, grid: { show: false }, size: 40 })] } };
}

/** Hooks of a plot over time: marks where it was decided how many nodes to hold, which tell why. */
function decisionMarks(runs, labels) {
  const marks = runs.flatMap((run, r) => run.decisions.map(({ iteration, nodes, reason, at_s }) => {
    const title = `${labels[r]}: ${nodes} ${nodes === 1 ? "node" : "nodes"} after iteration ${iteration}`;
    const show = ({ target }) => {
      const { right, bottom } = target.getBoundingClientRect();
      tip.show(right, bottom, title, [["reason", reason], ["at", seconds(at_s)]], color(`run-${r % 6}`));
    };
    const element = h("button", { class: "decision", style: `color:${color(`run-${r % 6}`)}`, "aria-label": `${title}: ${reason}`,
      onpointerenter: show, onfocus: show, onpointerleave: tip.hide, onblur: tip.hide }, "◆");
    return { element, at_s, nodes };
  }));
  const place = (plot) => marks.forEach(({ element, at_s, nodes }) => {
    const left = plot.valToPos(at_s, "x");
    element.hidden = left < 0 || left > plot.over.clientWidth;  // it can be zoomed
    element.style.left = `${left}px`;
    element.style.top = `${plot.valToPos(nodes, "nodes")}px`;
  });
  return { init: [(plot) => plot.over.append(...marks.map(({ element }) => element))], draw: [place] };
}
