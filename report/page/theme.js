// SPDX-License-Identifier: BSD-3-Clause
import { choice, h } from "./dom.js";

const followers = new Set();
const probe = h("span", { hidden: true });
document.body.append(probe);

const known = new Map();

/** The red, green and blue of a colour of the style sheet, as it is now. */
export function rgb(name) {
  if (!known.has(name)) {
    probe.style.color = `var(--${name})`;
    known.set(name, getComputedStyle(probe).color.match(/[\d.]+/g).slice(0, 3).map(Number));
  }
  return known.get(name);
}
export const css = ([r, g, b], alpha = 1) => `rgb(${r} ${g} ${b} / ${alpha})`;
export const color = (name, alpha) => css(rgb(name), alpha);

/** Colours of categories: the style sheet's, then the same again, lighter or darker. */
const categories = 10;
export function category(number) {
  const own = rgb(`category-${number % categories}`);
  const again = Math.floor(number / categories);
  return again === 0 ? own : own.map((part) => (again % 2 === 1 ? 0.6 * part : 0.55 * part + 0.45 * 255) | 0);
}

/** Calls when colours have changed. */
export const onTheme = (redraw) => followers.add(redraw);
const changed = () => {
  known.clear();
  followers.forEach((redraw) => redraw());
};
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);

export function themeSwitch() {
  const apply = (theme) => {
    document.documentElement.style.colorScheme = theme === "system" ? "light dark" : theme;
    document.documentElement.dataset.theme = theme;
    try {
      localStorage.setItem("ovlp-report-theme", theme);
    } catch { /* a page may be forbidden to keep anything */ }
    changed();
  };
  let kept = "system";
  try {
    kept = localStorage.getItem("ovlp-report-theme") ?? kept;
  } catch { /* likewise */ }
  apply(kept);
  return choice("Colours", { system: "System", light: "Light", dark: "Dark" }, kept, apply);
}
