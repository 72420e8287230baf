// SPDX-License-Identifier: BSD-3-Clause
import { h } from "./dom.js";
import { bytes, count, percent, seconds } from "./format.js";
import { alike, callWithIterations } from "./run.js";

const list = (names) => (names.length > 6 ? `${names.slice(0, 6).join(", ")} and ${names.length - 6} more` : names.join(", "));
const sum = (values) => values.reduce((total, value) => total + value, 0);

function difference(value, first, text) {
  const sign = value > first ? "+" : "−";
  if (text === percent) return `${sign}${(100 * Math.abs(value - first)).toFixed(1)} points`;
  if (value >= 3 * first) return `×${(value / first).toPrecision(3)}`;
  return `${sign}${(100 * Math.abs(value / first - 1)).toFixed(1)} %`;
}

/** Of the call that plots show, too. */
const efficiencyOf = (run) => callWithIterations(run)?.efficiency ?? null;

/**
 * The figures of runs, a column each; of those that can be compared, how much more than those of the first. Where runs
 * have made different calls they are those of the calls that all have.
 */
export function overview(runs, labels, comparison) {
  const whole = alike(runs), ended = (run) => run.calls.filter((call) => call.ended);
  const none = !whole && !runs.some((run) => run.calls.some(({ compared }) => compared));
  const calls = (run) => (whole || none ? ended(run) : run.calls.filter((call) => call.compared));
  /** Of the calls that are shown, or of the run. */
  const figure = (name, of_run) => (run) => {
    if (whole || none) return of_run(run);
    const of_calls = calls(run).map((call) => call.figures?.[name]);
    return of_calls.every((value) => value !== undefined) ? sum(of_calls) : null;
  };
  const nodes = (run) => {
    const seen = whole || none ? run.nodes_held : run.nodes_held.filter(([since_s], i) =>
      calls(run).some(({ start_s, end_s }) => since_s < end_s && start_s < (run.nodes_held[i + 1]?.[0] ?? Infinity)));
    return Math.max(...seen.map(([, held]) => held));
  };
  const rows = [
    ["Application", (run) => run.application],
    ["Backend", (run) => (run.platform ? `${run.backend}, platform ${run.platform}` : run.backend)],
    ...(runs.some((run) => run.calls.length > 1) ? [["Calls", (run) => list(calls(run).map(({ name }) => name))]] : []),
    ["Nodes, at most", nodes, count],
    ["Time of calls", (run) => (calls(run).length > 0 ? sum(calls(run).map((call) => call.end_s - call.start_s)) : null), seconds],
    ["Work", figure("work_s", (run) => sum(run.operations.map((o) => o.work_s))), seconds],
    ["Efficiency", efficiencyOf, percent],
    ["Steps", figure("steps", (run) => sum(run.operations.map((o) => o.steps))), count],
    ["Objects between nodes", figure("objects", (run) => sum(run.pairs.objects)), count],
    ["Bytes between nodes", figure("bytes", (run) => sum(run.pairs.bytes)), bytes],
    ["Control messages", figure("controls", (run) => sum(run.pairs.controls)), count],
    ["Waited, all operations", figure("waited_s", (run) => sum(run.waits.filter((w) => w.cause !== "processor").map((w) => w.total_s))), seconds],
  ];
  const cell = (value, first, text, i) => {
    if (!text) return h("td", {}, value);
    if (value === null) return h("td", { class: "number" }, "–");
    const more = i > 0 && first && !none ? value / first - 1 : 0;
    const compared = Math.abs(more) >= 0.0005 && Number.isFinite(more);
    return h("td", { class: "number" }, text(value), compared ? h("small", {}, ` ${difference(value, first, text)}`) : null);
  };
  const notes = [...(comparison ? [comparison] : []), ...runs.flatMap((run, i) => [
    ...run.notes.filter((note) => note !== run.reservation).map((note) => `${labels[i]}: ${note}`),
    ...(run.knows_cores ? [] : [`${labels[i]}: the record does not tell what its nodes can compute; efficiencies count ${run.reference_cores[0]} core a node (--cores)`]),
  ])];
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
