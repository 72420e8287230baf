// SPDX-License-Identifier: BSD-3-Clause

const digits = (value, significant) => {
  const before = Math.max(1, Math.floor(Math.log10(Math.abs(value))) + 1);
  return value.toFixed(Math.max(0, significant - before));
};
const scaled = (value, units, significant) => {
  if (Number.isNaN(value)) return "…";  // not unpacked yet
  if (value === 0) return `0 ${units.at(-1)[1]}`;
  const [factor, unit] = units.find(([least]) => Math.abs(value) >= least * 0.9995) ?? units.at(-1);
  return `${digits(value / factor, significant)} ${unit}`;
};

export const seconds = (value, significant = 4) =>
  scaled(value, [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]], significant).replace(/^0 ns$/, "0 s");
export const bytes = (value) =>
  value < 1000 ? `${Math.round(value)} B` : scaled(value, [[1e12, "TB"], [1e9, "GB"], [1e6, "MB"], [1e3, "kB"]], 3);
export const count = (value) => Math.round(value).toLocaleString("en").replaceAll(",", "\u202f");
export const percent = (value) => (value === null || value === undefined ? "–" : `${(100 * value).toFixed(1)} %`);
/** Nodes held on average: 8 if they were all the time, else with a digit after the point. */
export const held = (nodes) => nodes.toFixed(Number.isInteger(nodes) ? 0 : 1);
export const plain = (value) => (Number.isInteger(value) ? count(value) : digits(value, 4));

/** Round numbers between two others, at most so many. */
export function ticks(from, to, most) {
  const least = (to - from) / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(least));
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= least) ?? 10);
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const all = [];
  for (let i = Math.ceil(from / step - 1e-9); i * step <= to + step * 1e-9; ++i) all.push(i * step);
  return { all, step, text: (value) => value.toFixed(Math.min(12, decimals)) };
}
