// SPDX-License-Identifier: BSD-3-Clause
// A page of runs: reads what was put on it, and builds a section for each view.
import { choice, h } from "./dom.js";
import { efficiency } from "./efficiency.js";
import { seconds } from "./format.js";
import { graphs } from "./graph.js";
import { communication, use } from "./nodes.js";
import { metrics, overview } from "./overview.js";
import { alike, load } from "./run.js";
import { decisions, iterations, pathCosts, waits } from "./tables.js";
import { category, css, onTheme, rgb, themeSwitch } from "./theme.js";
import { Coloring, Timeline, Window } from "./timeline.js";

const main = h("main", {}, h("p", { class: "quiet", role: "status" }, "Reading …"));
const links = h("ul", {});
const titles = h("div", {}, h("h1", {}, "ovlp report"));
document.body.append(h("header", {}, titles, h("nav", { "aria-label": "Views" }, links), themeSwitch()), main);

function section(id, title, explanation, ...content) {
  if (content.flat().every((part) => part === null || part === undefined)) return;
  main.append(h("section", { id, "aria-labelledby": `${id}-title` },
    h("h2", { id: `${id}-title` }, title), explanation ? h("p", { class: "quiet" }, explanation) : null, ...content));
  links.append(h("li", {}, h("a", { href: `#${id}` }, title)));
}

/** The names of operations in all runs, those that took longest first, so that one name has one colour. */
function numberNames(runs) {
  const computed_s = new Map();
  for (const run of runs)
    for (const operation of run.operations.filter(({ steps }) => steps > 0))
      computed_s.set(operation.name, (computed_s.get(operation.name) ?? 0) + operation.computed_s);
  return new Map([...computed_s].sort(([, a], [, b]) => b - a).map(([name], i) => [name, i]));
}

function timelines(runs, labels, names) {
  const view = new Window(Math.min(...runs.map((run) => run.begin_s)), Math.max(...runs.map((run) => run.end_s)));
  const last = Math.max(...runs.map((run) => run.steps.last_iteration));
  const schemes = {
    operation: { kind: "operation", entries: [...names].map(([name, i]) => ({ name, color: () => category(i) })) },
    iteration: { kind: "iteration", entries: Array.from({ length: last + 1 }, (_, i) =>
      ({ name: i === 0 ? "none" : `${i}`, color: () => (i === 0 ? rgb("faint") : category(i - 1)) })) },
  };
  const coloring = new Coloring(schemes.operation, names);
  const legend = h("ul", { class: "legend", "aria-label": "Colours; click one to highlight it" });
  const drawLegend = () => {
    const { entries } = coloring.scheme;
    legend.replaceChildren(...entries.slice(0, 24).map(({ name, color }, i) => h("li", {}, h("button", {
      "aria-pressed": String(coloring.highlighted === i),
      onclick: () => {
        coloring.highlighted = coloring.highlighted === i ? null : i;
        coloring.changed();
      },
    }, h("i", { class: "swatch", style: `background:${css(color())}` }), name))),
    entries.length > 24 ? h("li", {}, `and ${entries.length - 24} more`) : "");
  };
  drawLegend();
  coloring.followers.push(drawLegend);
  onTheme(drawLegend);

  const range = h("output", { class: "range" });
  const tell = () => { range.textContent = `${seconds(view.from_s)} – ${seconds(view.to_s)}`; };
  view.followers.push(tell);
  tell();
  const charts = runs.map((run, r) => new Timeline(run, view, coloring, labels[r]));
  window.ovlp = { timelines: charts };  // for who asks at the console
  const open = (all) => charts.forEach((chart) => {
    chart.expanded = new Set(all ? Array.from({ length: chart.run.nodes }, (_, node) => node) : []);
    chart.layOut();
  });
  return [
    h("div", { class: "tools" },
      h("div", { class: "buttons", role: "group", "aria-label": "Time" },
        h("button", { onclick: () => view.zoom(2), "aria-label": "Zoom in" }, "+"),
        h("button", { onclick: () => view.zoom(0.5), "aria-label": "Zoom out" }, "−"),
        h("button", { onclick: () => view.pan(-0.3), "aria-label": "Earlier" }, "◀"),
        h("button", { onclick: () => view.pan(0.3), "aria-label": "Later" }, "▶"),
        h("button", { onclick: () => view.all() }, "All")),
      h("div", { class: "buttons", role: "group", "aria-label": "Nodes" },
        h("button", { onclick: () => open(true) }, "Open all"), h("button", { onclick: () => open(false) }, "Close all")),
      range,
      runs.length > 1 ? choice("Scale", { same: "same time", own: "same length" }, "same", (scale) => charts.forEach((chart) => chart.fit(scale === "own"))) : null,
      last > 0 ? choice("Coloured by", { operation: "operation", iteration: "iteration" }, "operation", (kind) => {
        coloring.scheme = schemes[kind];
        coloring.highlighted = null;
        coloring.changed();
      }) : null),
    legend, ...charts.map((chart) => chart.element),
    h("p", { class: "quiet" }, "Drag to move, drag on the ruler for a range, Ctrl and the wheel or a double click to zoom; click a node to see its threads. With the keyboard: arrows, ", h("kbd", {}, "+"), " ", h("kbd", {}, "−"), " ", h("kbd", {}, "0"), ", ", h("kbd", {}, "Enter"), " opens a node, ", h("kbd", {}, "Shift"), " with ← → goes from step to step."),
  ];
}

async function build() {
  const [told, comparison] = ["runs", "comparison"].map((id) => JSON.parse(document.getElementById(id).textContent));
  const runs = await Promise.all(told.map(load));
  const labels = runs.map((run, i) => (runs.some((other, o) => o !== i && other.name === run.name) ? `${run.name} (${i + 1})` : run.name));
  const names = numberNames(runs);
  const applications = [...new Set(runs.map((run) => run.application))].join(", ");
  document.title = `${applications} – ovlp report`;
  titles.replaceChildren(h("h1", {}, applications), h("p", { class: "quiet" }, runs.length === 1 ? "a run" : `${runs.length} runs, side by side`));
  main.replaceChildren(...runs.flatMap((run, i) => (run.reservation
    ? [h("p", { class: "reservation", role: "alert" }, runs.length === 1 ? run.reservation : `${labels[i]}: ${run.reservation}`)] : [])));

  const side_by_side = (figures) => {
    const all = figures.filter((figure) => figure);
    return all.length > 0 ? h("div", { class: "beside" }, all) : null;
  };
  const has_path = runs.some((run) => run.critical_path);
  section("overview", "Overview", null, overview(runs, labels, comparison));
  const of_whole_runs = alike(runs) ? "" : "Of whole runs, whose calls differ: see the overview. ";
  if (runs.some((run) => run.steps.count > 0)) section("timeline", "Timeline", `What each node did when${has_path ? "; the line is the critical path" : ""}. Where steps are narrower than a pixel, its colour is their mean.`, timelines(runs, labels, names));
  await new Promise((painted) => requestAnimationFrame(() => setTimeout(painted)));  // who waits sees these two first
  if (runs.some((run) => run.metrics)) section("metrics", "Metrics", of_whole_runs || null, metrics(runs, labels));
  section("path", "Critical path", of_whole_runs + "What the longest chain of steps and messages that waited for each other is spent with; of each kind what costs most.", pathCosts(runs, labels));
  section("efficiency", "Dynamic efficiency", "Work over what the nodes that were held could have computed meanwhile.", efficiency(runs, labels),
    side_by_side(runs.map((run, r) => decisions(run, labels[r]))));
  section("iterations", "Iterations", null, side_by_side(runs.map((run, r) => iterations(run, labels[r]))));
  section("use", "Use of nodes", "How busy processors and links were; pale: not held.", use(runs, labels));
  section("communication", "Communication", "What was sent from node to node; bytes of objects, as their fields count.", communication(runs, labels));
  section("waiting", "What waited for what", "Time in which operations were suspended, while their threads served others; and that for which steps had no processor of their own.", waits(runs, labels));
  section("graph", "Flow graph", "Steps and seconds of each operation; on edges the objects posted, and bytes where they went to another node.", graphs(runs, labels, names));
  main.append(h("footer", { class: "quiet" }, `Made by ovlp ${runs[0].version ?? ""}`, ...runs.map((run, i) => (Array.isArray(run.arguments) ? h("div", {}, h("code", {}, `${labels[i]}: ${[run.application, ...run.arguments].join(" ")}`)) : null)).filter((line) => line)));
  document.documentElement.dataset.ready = Math.round(performance.now());  // milliseconds since it was opened
  await Promise.all(runs.map((run) => run.steps.unpackRest()));
  window.ovlp?.timelines.forEach((timeline) => timeline.redraw());
  document.documentElement.dataset.complete = "yes";
}

build().catch((error) => {
  main.replaceChildren(h("p", { role: "alert" }, `This report cannot be shown: ${error.message}`));
  throw error;
});
