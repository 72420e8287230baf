// SPDX-License-Identifier: BSD-3-Clause
import { h } from "./dom.js";
import { count, held, percent, seconds } from "./format.js";
import { overlap } from "./run.js";

/** A bar as long as a value, beside its text. */
const bar = (value, most, text) =>
  h("td", { class: "number bar" }, h("span", { class: "fill", style: `width:${most > 0 ? (100 * value) / most : 0}%` }),
    h("span", {}, text));

export function iterations(run, label) {
  const overlapping = overlap(run), several = run.calls.length > 1;
  const rows = run.calls.flatMap((call) => call.iterations.map((i) => ({ call: call.call, ...i })));
  if (rows.length === 0) return null;
  const metrics = rows.some((i) => i.load_balance !== undefined);
  const heads = [several ? "Call" : null, "Iteration", "From", "To", "Took", "Work", "Nodes", "Efficiency",
    overlapping ? "Of the interval" : null,
    metrics ? "Load balance" : null, metrics ? "Communication" : null].filter((head) => head);
  const share = (value) => (value === null ? h("td", { class: "number" }, "–") : bar(Math.min(1, value), 1, percent(value)));
  return h("figure", {}, h("figcaption", {}, label),
    h("div", { class: "scroll tall", tabindex: "0", role: "region", "aria-label": `Iterations of ${label}` }, h("table", {},
      h("thead", {}, h("tr", {}, heads.map((head) => h("th", { scope: "col" }, head)))),
      h("tbody", {}, rows.map((i) => h("tr", {},
        several ? h("td", { class: "number" }, i.call) : null,
        h("td", { class: "number" }, i.index),
        [i.start_s, i.end_s, i.end_s - i.start_s, i.work_s].map((s) => h("td", { class: "number" }, seconds(s))),
        h("td", { class: "number" }, held(i.nodes)),
        share(i.efficiency), overlapping ? share(i.interval_efficiency) : null,
        metrics ? [i.load_balance, i.communication].map((v) => h("td", { class: "number" }, percent(v ?? null))) : null))))));
}

/** What was decided at borders of iterations. */
export function decisions(run, label) {
  if (run.decisions.length === 0) return null;
  return h("figure", {}, h("figcaption", {}, `Decisions of ${label}`),
    h("div", { class: "scroll tall", tabindex: "0", role: "region", "aria-label": `Decisions of ${label}` }, h("table", {},
      h("thead", {}, h("tr", {}, ["After iteration", "At", "Nodes"].map((head) => h("th", { scope: "col" }, head)),
        h("th", { class: "text", scope: "col" }, "Reason"))),
      h("tbody", {}, run.decisions.map(({ iteration, at_s, nodes, reason }, i) => h("tr", {},
        h("td", { class: "number" }, iteration), h("td", { class: "number" }, seconds(at_s)),
        h("td", { class: "number" }, `${i > 0 ? run.decisions[i - 1].nodes : run.nodes_held[0][1]} → ${nodes}`), h("td", {}, reason)))))));
}

/** What the critical path is spent with: a table for each kind of thing, with a column for each run. */
export function pathCosts(runs, labels) {
  const kinds = { activity: "What it is spent with", operation: "Operations", kernel: "Kernels", edge: "Edges, in messages", node: "Nodes, in steps", link: "Links" };
  const tables = Object.entries(kinds).map(([of, title]) => {
    const rows = new Map();
    runs.forEach((run, r) => {
      for (const cost of (run.path_costs ?? []).filter((c) => c.of === of)) {
        if (!rows.has(cost.name)) rows.set(cost.name, runs.map(() => null));
        rows.get(cost.name)[r] = cost.seconds;
      }
    });
    if (rows.size === 0) return null;
    const most = Math.max(...[...rows.values()].flat().map((s) => s ?? 0));
    return h("figure", {}, h("figcaption", {}, title), h("div", { class: "scroll" }, h("table", {},
      runs.length > 1 ? h("thead", {}, h("tr", {}, h("td"), labels.map((label) => h("th", { scope: "col" }, label)))) : null,
      h("tbody", {}, [...rows].map(([name, of_runs]) => h("tr", {}, h("th", { scope: "row" }, name),
        of_runs.map((s) => (s === null ? h("td", { class: "number" }, "–") : bar(s, most, seconds(s))))))))));
  }).filter((table) => table);
  return tables.length > 0 ? h("div", { class: "beside" }, tables) : null;
}

/** How long operations of each name waited, suspended, and for what. */
export function waits(runs, labels) {
  const rows = new Map();
  runs.forEach((run, r) => {
    for (const wait of run.waits) {
      const { name } = run.operations[wait.operation];
      const key = JSON.stringify([name, wait.cause]);
      if (!rows.has(key)) rows.set(key, { name, cause: wait.cause, others: new Set(), of: runs.map(() => null) });
      const row = rows.get(key);
      const of = (row.of[r] ??= { count: 0, total_s: 0, longest_s: 0 });
      of.count += wait.count;
      of.total_s += wait.total_s;
      of.longest_s = Math.max(of.longest_s, wait.longest_s);
      for (const edge of run.edges) {
        if (wait.cause === "object" && edge.to === wait.operation) row.others.add(run.operations[edge.from].name);
        if (wait.cause === "window" && edge.from === wait.operation && edge.to !== null)
          row.others.add(run.operations[edge.to].name);
      }
    }
  });
  const all = [...rows.values()].sort((a, b) => total(b) - total(a));
  if (all.length === 0) return null;
  const most = Math.max(...all.flatMap((row) => row.of.map((of) => of?.total_s ?? 0)));
  const names = ({ others }) => [...others].join(", ");
  const what = {
    object: (row) => `objects from ${names(row) || "others"}`,
    window: (row) => `room in the window to ${names(row) || "others"}`,
    condition: () => "a condition (wait_until)",
    call: () => "the result of a call",
    change: () => "a change of a collection",
    processor: () => "a shared processor",
  };
  const figures = ["Waited", "Times", "Longest"];
  return h("div", { class: "scroll" }, h("table", { class: "waits" },
    h("thead", {},
      runs.length > 1 ? h("tr", {}, h("td", { colspan: 2 }), labels.map((label) => h("th", { colspan: 3, scope: "colgroup" }, label))) : null,
      h("tr", {}, h("th", { scope: "col" }, "Operation"), h("th", { scope: "col" }, "waited for"),
        runs.map(() => figures.map((f) => h("th", { scope: "col" }, f))))),
    h("tbody", {}, all.map((row) => h("tr", {}, h("th", { scope: "row" }, row.name), h("td", {}, what[row.cause](row)),
      row.of.map((of) => (of ? [bar(of.total_s, most, seconds(of.total_s)), h("td", { class: "number" }, count(of.count)),
        h("td", { class: "number" }, seconds(of.longest_s))] : [h("td"), h("td"), h("td")])))))));
}

const total = (row) => row.of.reduce((sum, of) => sum + (of?.total_s ?? 0), 0);
