// SPDX-License-Identifier: BSD-3-Clause
import { choice, h } from "./dom.js";
import { bytes, count, percent, seconds } from "./format.js";
import { Heat } from "./heat.js";

const most = (values) => values.reduce((largest, value) => Math.max(largest, value), 0);

/** How busy processors and links of nodes were over time. */
export function use(runs, labels) {
  const place = h("div", { class: "beside" });
  const kinds = { cores: "Processors", out_Bps: "Links, out", in_Bps: "Links, in" };
  const draw = (kind) => {
    const as_share = kind !== "cores" && runs.every((run) => run.use.link_Bps);
    const value_of = (run) => (node, bin) => {
      const value = run.use[kind][node * run.use.bins + bin];
      const at_s = run.begin_s + ((bin + 0.5) * run.duration_s) / run.use.bins;
      if (value === 0 && !run.held_by_node[node].some(([from_s, to_s]) => from_s <= at_s && at_s <= to_s)) return null;
      return as_share ? value / run.use.link_Bps : value;
    };
    // Where steps share a core, each counts as done evenly over its time: a moment may seem to have more than there is.
    const whole = (cores) => (cores < 1 ? cores : Math.round(cores));
    const full = kind === "cores" ? whole(most(runs.map((run) => most(run.use.cores))))
      : as_share ? 1 : most(runs.map((run) => most(run.use[kind])));
    place.replaceChildren(...runs.map((run, r) => {
      const { bins } = run.use, width_s = run.duration_s / bins;
      const raw = (node, bin) => run.use[kind][node * bins + bin];
      const heat = new Heat({
        label: `${kinds[kind]} of the nodes of ${labels[r]} over time`, rows: run.nodes, columns: bins, most: full, value: value_of(run),
        row_px: Math.max(3, Math.min(18, 400 / run.nodes)), name_of_row: (node) => `node ${node}`,
        scale: (value) => (kind === "cores" ? `${+value.toPrecision(2)} ${value === 1 ? "core" : "cores"} busy` : as_share ? "the whole link" : `${bytes(value)}/s`),
        describe: (node, bin) => [`node ${node}`, [
          ["time", `${seconds(run.begin_s + bin * width_s)} to ${seconds(run.begin_s + (bin + 1) * width_s)}`],
          kind === "cores" ? ["busy", `${raw(node, bin).toFixed(2)} cores`] : ["carried", `${bytes(raw(node, bin))}/s`],
          as_share ? ["of the link", percent(raw(node, bin) / run.use.link_Bps)] : null,
        ]],
      });
      return h("figure", {}, h("figcaption", {}, labels[r]), heat.element);
    }));
  };
  draw("cores");
  return [choice("Show", kinds, "cores", draw), place];
}

/** What went from node to node. */
export function communication(runs, labels) {
  const place = h("div", { class: "beside" });
  const kinds = { bytes: "Bytes", objects: "Objects", controls: "Control messages" };
  const draw = (kind) => {
    const full = most(runs.map((run) => most(run.pairs[kind])));
    place.replaceChildren(...runs.map((run, r) => {
      const at = new Map();
      for (let i = 0; i < run.pairs.count; ++i) at.set(run.pairs.source[i] * run.nodes + run.pairs.destination[i], i);
      const heat = new Heat({
        label: `${kinds[kind]} from node to node in ${labels[r]}`, rows: run.nodes, columns: run.nodes, most: full,
        value: (from, to) => (at.has(from * run.nodes + to) ? run.pairs[kind][at.get(from * run.nodes + to)] || null : null),
        row_px: 24, width: Math.min(460, 66 + run.nodes * 40), name_of_row: (node) => `from ${node}`, name_of_column: (node) => node,
        scale: kind === "bytes" ? bytes : count,
        describe: (from, to) => {
          const i = at.get(from * run.nodes + to);
          return [`node ${from} to node ${to}`, i === undefined ? [["nothing", ""]] : [["bytes", bytes(run.pairs.bytes[i])],
            ["objects", count(run.pairs.objects[i])], ["control messages", count(run.pairs.controls[i])]]];
        },
      });
      return h("figure", {}, h("figcaption", {}, labels[r]), heat.element);
    }));
  };
  draw("bytes");
  return [choice("Show", kinds, "bytes", draw), place];
}
