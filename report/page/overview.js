// SPDX-License-Identifier: BSD-3-Clause
import { h } from "./dom.js";
import { bytes, count, percent, seconds } from "./format.js";

const sum = (values) => values.reduce((total, value) => total + value, 0);

function difference(value, first, text) {
  const sign = value > first ? "+" : "−";
  if (text === percent) return `${sign}${(100 * Math.abs(value - first)).toFixed(1)} points`;
  if (value >= 3 * first) return `×${(value / first).toPrecision(3)}`;
  return `${sign}${(100 * Math.abs(value / first - 1)).toFixed(1)} %`;
}

/** Of the call with iterations that came last, which plots and tables show, too; else of the last. */
const efficiencyOf = (run) => (run.calls.filter((call) => call.iterations.length > 0).at(-1) ?? run.calls.at(-1))?.efficiency ?? null;

/** The figures of runs, a column each; of those that can be compared, how much more than those of the first. */
export function overview(runs, labels) {
  const time_s = (run) => sum(run.calls.map((call) => call.end_s - call.start_s)) || run.duration_s;
  const rows = [
    ["Application", (run) => run.application],
    ["Backend", (run) => (run.platform ? `${run.backend}, platform ${run.platform}` : run.backend)],
    ["Nodes, at most", (run) => Math.max(...run.nodes_held.map(([, nodes]) => nodes)), count],
    ["Time of calls", time_s, seconds],
    ["Work", (run) => sum(run.operations.map((o) => o.work_s)), seconds],
    ["Efficiency", (run) => efficiencyOf(run), percent],
    ["Steps", (run) => sum(run.operations.map((o) => o.steps)), count],
    ["Objects between nodes", (run) => sum(run.pairs.objects), count],
    ["Bytes between nodes", (run) => sum(run.pairs.bytes), bytes],
    ["Control messages", (run) => sum(run.pairs.controls), count],
    ["Waited, all operations", (run) => sum(run.waits.filter((w) => w.cause !== "processor").map((w) => w.total_s)), seconds],
  ];
  const cell = (value, first, text, i) => {
    if (!text) return h("td", {}, value);
    if (value === null) return h("td", { class: "number" }, "–");
    const more = i > 0 && first ? value / first - 1 : 0;
    const compared = Math.abs(more) >= 0.0005 && Number.isFinite(more);
    return h("td", { class: "number" }, text(value), compared ? h("small", {}, ` ${difference(value, first, text)}`) : null);
  };
  const notes = runs.flatMap((run, i) => [
    ...run.notes.map((note) => `${labels[i]}: ${note}`),
    ...(run.knows_cores ? [] : [`${labels[i]}: the record does not tell what its nodes can compute; efficiencies count ${run.reference_cores[0]} core a node (--cores)`]),
  ]);
  return [
    h("div", { class: "scroll" }, h("table", { class: "figures" },
      h("thead", {}, h("tr", {}, h("td"), labels.map((label) => h("th", { scope: "col" }, label)))),
      h("tbody", {}, rows.map(([name, value, text]) => {
        const values = runs.map(value);
        return h("tr", {}, h("th", { scope: "row" }, name), values.map((v, i) => cell(v, values[0], text, i)));
      })))),
    notes.length > 0 ? h("ul", { class: "notes" }, notes.map((note) => h("li", {}, note))) : null,
  ];
}

/** What an analysis has found, by name, beside what it found of other runs. */
export function metrics(runs, labels) {
  const names = [...new Map(runs.flatMap((run) => run.metrics ?? []).map((m) => [m.name, m])).values()];
  const text = ({ value, unit }) => (unit === "%" ? percent(value) : unit === "s" ? seconds(value) : unit === "B" ? bytes(value) : `${+value.toPrecision(5)} ${unit}`);
  return h("div", { class: "scroll" }, h("table", { class: "figures" },
    h("thead", {}, h("tr", {}, h("td"), labels.map((label) => h("th", { scope: "col" }, label)), h("th", { scope: "col" }, "Meaning"))),
    h("tbody", {}, names.map(({ name, meaning }) => h("tr", {}, h("th", { scope: "row" }, name),
      runs.map((run) => {
        const found = (run.metrics ?? []).find((m) => m.name === name);
        return h("td", { class: "number" }, found ? text(found) : "–");
      }), h("td", { class: "meaning" }, meaning))))));
}
