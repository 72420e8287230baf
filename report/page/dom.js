// SPDX-License-Identifier: BSD-3-Clause

/** An element: h("p", { class: "note" }, "text", other). Functions among the properties listen to events. */
export function h(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === "function") made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return made;
}

export function svg(tag, properties = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(properties)) if (value !== undefined) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** A choice of a few, one of them chosen: a group of radio buttons. */
export function choice(label, options, chosen, choose) {
  const name = `choice-${choice.count = (choice.count ?? 0) + 1}`;
  return h("fieldset", { class: "choice" }, h("legend", {}, label),
    Object.entries(options).map(([value, text]) => h("label", {},
      h("input", { type: "radio", name, value, checked: value === chosen, onchange: () => choose(value) }),
      h("span", {}, text))));
}

/** Calls once per frame, however often it is asked. */
export function onceAFrame(draw) {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      draw();
    });
  };
}

/** The box that tells what is under the pointer, or what the keyboard has chosen: one for the page. */
const box = h("div", { class: "tip", role: "status", hidden: true });
document.body.append(box);
export const tip = {
  /** `lines`: a title, and pairs of a name and a value. */
  show(x, y, title, lines, swatch) {
    box.replaceChildren(
      h("b", {}, swatch ? h("i", { class: "swatch", style: `background:${swatch}` }) : null, title),
      h("dl", {}, lines.filter((line) => line).map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])));
    box.hidden = false;
    const { width, height } = box.getBoundingClientRect();
    const left = x + 16 + width > innerWidth ? x - 16 - width : x + 16;
    const top = y + 16 + height > innerHeight ? y - 16 - height : y + 16;
    box.style.left = `${Math.max(4, left)}px`;
    box.style.top = `${Math.max(4, top)}px`;
  },
  hide() {
    box.hidden = true;
  },
};
