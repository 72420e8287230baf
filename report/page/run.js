// SPDX-License-Identifier: BSD-3-Clause
import { unpack } from "./columns.js";

/** A run, with its columns unpacked. */
export async function load(told, number) {
  const { steps, use, pairs } = told;
  const [starts, length, operation, cores, out_Bps, in_Bps] = await Promise.all(
    [steps.start, steps.length, steps.operation, use.cores, use.out_Bps, use.in_Bps].map(unpack));
  const [source, destination, pair_bytes, objects, controls] =
    await Promise.all([pairs.source, pairs.destination, pairs.bytes, pairs.objects, pairs.controls].map(unpack));
  let computed, work, iteration;  // until unpackRest() has ended

  const rows = steps.rows.map(([node, collection, thread, first], i) =>
    ({ node, collection, thread, first, end: steps.rows[i + 1]?.[3] ?? steps.count }));
  const start_s = new Float64Array(steps.count);
  for (const row of rows) {
    let at = 0;
    for (let i = row.first; i < row.end; ++i) start_s[i] = told.begin_s + (at += starts[i]) * steps.tick_s;
  }
  const rows_of_node = Array.from({ length: told.nodes }, () => []);
  rows.forEach((row, i) => rows_of_node[row.node].push(i));

  return {
    ...told,
    number,
    end_s: told.begin_s + told.duration_s,
    steps: {
      count: steps.count, rows, rows_of_node, start_s, operation, last_iteration: steps.last_iteration,
      iteration: (i) => iteration?.[i] ?? 0,
      length_s: (i) => length[i] * steps.tick_s,
      end_s: (i) => start_s[i] + length[i] * steps.tick_s,
      computed_s: (i) => computed?.[i] * steps.tick_s,
      work_s: (i) => work?.[i] * steps.tick_s,
      /** What is shown of a single step only: a page of a million is there sooner without. */
      unpackRest: async () => {
        [computed, work, iteration] = await Promise.all([steps.computed, steps.work, steps.iteration].map(unpack));
      },
    },
    use: { bins: use.bins, cores, out_Bps, in_Bps, link_Bps: use.link_Bps },
    pairs: { count: source.length, source, destination, bytes: pair_bytes, objects, controls },
    held_by_node: heldByNode(told),
    nodes_held: nodesHeld(told),
  };
}

/** For each node the times from a launch to a release. A run that tells of none holds all nodes. */
function heldByNode({ held, nodes, begin_s, duration_s }) {
  const end_s = begin_s + duration_s;
  if (held.length === 0) return Array.from({ length: nodes }, () => [[begin_s, end_s]]);
  const all = Array.from({ length: nodes }, () => []);
  for (const [at_s, node, launched] of held) {
    if (launched) all[node].push([at_s, end_s]);
    else if (all[node].length > 0) all[node].at(-1)[1] = at_s;
  }
  return all;
}

/** How many nodes are held: [since, how many]. */
function nodesHeld({ held, nodes, begin_s }) {
  if (held.length === 0) return [[begin_s, nodes]];
  const all = [];
  let now = 0;
  for (const [at_s, , launched] of held) {
    now += launched ? 1 : -1;
    if (all.length > 0 && all.at(-1)[0] === at_s) all.at(-1)[1] = now;
    else all.push([at_s, now]);
  }
  return all;
}

/** Whether all calls of all runs are compared: else only those that all have are. */
export const alike = (runs) => runs.length === 1 || runs.every(({ calls }) => calls.every(({ compared }) => compared));

/** Of the call with iterations that came last, of those that are compared, if there are such. */
export function callWithIterations(run) {
  const compared = run.calls.filter((call) => call.compared), all = compared.length > 0 ? compared : run.calls;
  return all.filter((call) => call.iterations.length > 0).at(-1) ?? all.at(-1);
}

export const threadName = (run, row) => `${run.collections[row.collection]}[${row.thread}]`;

/** Whether an iteration begins before those before it have ended: then intervals between their ends are compared. */
export const overlap = (run) => run.calls.some(({ iterations }) =>
  iterations.some((now, i) => i > 0 && now.start_s < iterations[i - 1].end_s));
