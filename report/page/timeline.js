// SPDX-License-Identifier: BSD-3-Clause
import { h, onceAFrame, tip } from "./dom.js";
import { count, seconds, ticks } from "./format.js";
import { Pyramid } from "./pyramid.js";
import { threadName } from "./run.js";
import { color, css, onTheme, rgb } from "./theme.js";

const label_px = 150, ruler_px = 26, node_px = 22, thread_px = 15, gap_px = 2;
const most_height_px = 430;

/** What the timelines of all runs show: one stretch of time. */
export class Window {
  constructor(first_s, last_s) {
    this.first_s = first_s;
    this.whole_s = last_s - first_s || 1;
    this.followers = [];
    [this.from_s, this.to_s] = [this.first_s, this.first_s + this.whole_s];
  }
  set(from_s, to_s) {
    const length_s = Math.min(Math.max(to_s - from_s, this.whole_s * 1e-9), this.whole_s);
    const start_s = Math.min(Math.max(from_s, this.first_s), this.first_s + this.whole_s - length_s);
    [this.from_s, this.to_s] = [start_s, start_s + length_s];
    this.followers.forEach((redraw) => redraw());
  }
  pan(part) {
    const by_s = part * (this.to_s - this.from_s);
    this.set(this.from_s + by_s, this.to_s + by_s);
  }
  zoom(factor, around_s = (this.from_s + this.to_s) / 2) {
    this.set(around_s - (around_s - this.from_s) / factor, around_s + (this.to_s - around_s) / factor);
  }
  all() {
    this.set(this.first_s, this.first_s + this.whole_s);
  }
}

/** What each step is coloured by. */
export class Coloring {
  constructor(scheme, names) {
    this.scheme = scheme;  // of operations' names, or of iterations
    this.names = names;    // number of an operation's name
    this.highlighted = null;
    this.followers = [];
    onTheme(() => this.changed());
  }
  changed() {
    this.followers.forEach((repaint) => repaint());
  }
  /** For a run: which colour a step has, and all colours, three numbers each. */
  of(run) {
    const by_operation = this.scheme.kind === "operation";
    const name_of = Uint32Array.from(run.operations, ({ name }) => this.names.get(name) ?? 0);
    const by = by_operation ? (i) => name_of[run.steps.operation[i]] : (i) => run.steps.iteration(i);
    const faded = rgb("track-held");
    const entries = this.scheme.entries;
    const colors = new Float32Array(3 * entries.length);
    entries.forEach(({ color: pick }, i) => {
      const is_faded = this.highlighted !== null && this.highlighted !== i;
      colors.set(pick().map((part, c) => (is_faded ? 0.2 * part + 0.8 * faded[c] : part)), 3 * i);
    });
    return { by, colors };
  }
}

export class Timeline {
  constructor(run, view, coloring, label) {
    this.run = run;
    this.view = view;
    this.fit(false);
    this.coloring = coloring;
    this.pyramid = new Pyramid(run.steps);
    this.expanded = new Set();
    this.chosen_line = 0;
    this.chosen_step = null;
    this.whole_node_cores = run.reference_cores.map((cores) => Math.max(1, Math.round(cores)));

    this.canvas = h("canvas", {
      tabindex: "0", role: "application",
      "aria-label": `Timeline of ${label}. Arrow keys move in time and between rows, plus and minus zoom, Enter opens a node, Shift with the arrows goes from step to step.`,
    });
    this.spacer = h("div", { class: "spacer" });
    this.scroller = h("div", { class: "timeline", onscroll: () => this.redraw() }, this.canvas, this.spacer);
    this.spoken = h("p", { class: "unseen", "aria-live": "polite" });
    this.element = h("figure", {}, h("figcaption", {}, label), this.scroller, this.spoken);
    this.pixels = null;
    this.buffer = document.createElement("canvas");
    this.redraw = onceAFrame(() => this.draw());

    view.followers.push(this.redraw);
    const repaint = () => {
      const { by, colors } = coloring.of(run);
      this.by = by;
      this.colors = colors;
      this.pyramid.paint(by, colors);
      this.redraw();
    };
    coloring.followers.push(repaint);
    repaint();
    this.layOut();
    new ResizeObserver(this.redraw).observe(this.scroller);
    this.listen();
  }

  /** The lines: a node, or a thread of an expanded one. */
  layOut() {
    const { steps } = this.run;
    this.lines = [];
    let top = 0;
    const add = (line, height) => {
      this.lines.push({ ...line, top, height });
      top += height + gap_px;
    };
    for (let node = 0; node < this.run.nodes; ++node) {
      add({ node, rows: steps.rows_of_node[node], is_node: true }, node_px);
      if (this.expanded.has(node)) for (const row of steps.rows_of_node[node]) add({ node, rows: [row] }, thread_px);
    }
    this.height = top;
    this.scroller.style.height = `${Math.min(top + ruler_px, most_height_px)}px`;
    this.redraw();
  }

  /** What is seen, on the run's own clock. */
  get from_s() {
    return this.offset_s + this.view.from_s * this.stretch;
  }
  get to_s() {
    return this.offset_s + this.view.to_s * this.stretch;
  }
  /** Whether the run is as long as the longest, whatever it took. */
  fit(own) {
    this.stretch = own ? (this.run.duration_s || 1) / this.view.whole_s : 1;
    this.offset_s = own ? this.run.begin_s - this.view.first_s * this.stretch : 0;
    this.redraw?.();
  }
  /** What the view calls a time of the run. */
  viewed(at_s) {
    return (at_s - this.offset_s) / this.stretch;
  }

  get width() {
    return Math.max(1, this.scroller.clientWidth - label_px);
  }
  /** x on the canvas, in CSS pixels. */
  x(at_s) {
    return label_px + ((at_s - this.from_s) / (this.to_s - this.from_s)) * this.width;
  }
  time(x) {
    return this.from_s + ((x - label_px) / this.width) * (this.to_s - this.from_s);
  }

  draw() {
    const { scroller, canvas } = this;
    const ratio = devicePixelRatio || 1;
    const width = scroller.clientWidth, height = scroller.clientHeight;
    if (width === 0) return;
    this.spacer.style.height = `${this.height + ruler_px}px`;
    this.spacer.style.marginTop = `-${height}px`;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
    }
    const to = canvas.getContext("2d");
    to.setTransform(ratio, 0, 0, ratio, 0, 0);
    to.clearRect(0, 0, width, height);
    const scrolled = scroller.scrollTop;
    const seen = this.lines.filter((l) => l.top + l.height >= scrolled && l.top <= scrolled + height - ruler_px);
    const y = (line) => line.top - scrolled + ruler_px;

    to.save();
    to.beginPath();
    to.rect(0, ruler_px, width, height - ruler_px);
    to.clip();
    this.drawTracks(to, seen, y);
    const { marks, unit } = this.marks();
    to.fillStyle = color("line");
    for (const mark of marks.all) to.fillRect(this.x(mark * unit[0]), ruler_px, 1, height);
    this.drawSteps(to, seen, y, ratio);
    this.drawCriticalPath(to, y);
    this.drawLabels(to, seen, y);
    to.restore();
    this.drawRuler(to, width, marks, unit);
  }

  /** While a node is held its line has a ground. */
  drawTracks(to, lines, y) {
    for (const line of lines) {
      to.fillStyle = color("track-idle");
      to.fillRect(label_px, y(line), this.width, line.height);
      to.fillStyle = color("track-held");
      for (const [from_s, to_s] of this.run.held_by_node[line.node]) {
        const left = Math.max(label_px, this.x(from_s)), right = Math.min(label_px + this.width, this.x(to_s));
        if (right > left) to.fillRect(left, y(line), right - left, line.height);
      }
    }
  }

  drawSteps(to, lines, y, ratio) {
    const { from_s, to_s } = this;
    const width = Math.round(this.width * ratio);
    const few = [], many = [];
    for (const line of lines) {
      let steps = 0;
      for (const row of line.rows) {
        const [first, end] = this.pyramid.visible(row, from_s, to_s);
        steps += end - first;
      }
      (steps > width / 6 ? many : few).push(line);
    }
    if (many.length > 0) this.drawMany(to, many, y, width);
    for (const line of few) this.drawFew(to, line, y(line));
  }

  /** Each pixel has the mean colour of what was done in its time, as strong as the node was busy. */
  drawMany(to, lines, y, width) {
    if (this.pixels?.width !== width) {
      this.pixels = { width };
      for (const name of ["red", "green", "blue", "cover"]) this.pixels[name] = new Float32Array(width);
    }
    const { red, green, blue, cover } = this.pixels;
    const { from_s, to_s } = this;
    const image = new ImageData(width, lines.length);
    lines.forEach((line, l) => {
      for (const part of [red, green, blue, cover]) part.fill(0);
      for (const row of line.rows) this.pyramid.add(row, from_s, to_s, this.pixels);
      const cores = line.is_node ? this.whole_node_cores[line.node] : 1;
      for (let x = 0, at = 4 * l * width; x < width; ++x, at += 4) {
        if (cover[x] <= 0) continue;
        image.data[at] = red[x] / cover[x];
        image.data[at + 1] = green[x] / cover[x];
        image.data[at + 2] = blue[x] / cover[x];
        image.data[at + 3] = 255 * Math.min(1, Math.max(0.08, cover[x] / cores));
      }
    });
    this.buffer.width = width;
    this.buffer.height = lines.length;
    this.buffer.getContext("2d").putImageData(image, 0, 0);
    to.imageSmoothingEnabled = false;
    lines.forEach((line, l) =>
      to.drawImage(this.buffer, 0, l, width, 1, label_px, y(line), this.width, line.height));
  }

  drawFew(to, line, y) {
    const { steps, operations } = this.run;
    const { from_s, to_s } = this;
    const right = label_px + this.width;
    to.font = `11px ${getComputedStyle(document.body).fontFamily}`;
    to.textBaseline = "middle";
    for (const row of line.rows) {
      const [first, end] = this.pyramid.visible(row, from_s, to_s);
      for (let i = first; i < end; ++i) {
        const left = Math.max(label_px, this.x(steps.start_s[i])), stop = Math.min(right, this.x(steps.end_s(i)));
        if (stop < left || stop < label_px) continue;
        const c = 3 * this.by(i);
        const own = [this.colors[c], this.colors[c + 1], this.colors[c + 2]];
        to.fillStyle = css(own);
        const room = stop - left;
        to.fillRect(left, y, Math.max(0.6, room > 3 ? room - 0.75 : room), line.height);
        if (room < 34) continue;
        const { name } = operations[steps.operation[i]];
        const text = steps.iteration(i) > 0 && room > 90 ? `${name} · ${steps.iteration(i)}` : name;
        if (to.measureText(text).width > room - 8) continue;
        to.fillStyle = 0.3 * own[0] + 0.59 * own[1] + 0.11 * own[2] > 140 ? "#111" : "#fff";
        to.fillText(text, left + 4, y + line.height / 2 + 0.5);
      }
    }
    if (this.chosen_step !== null && this.lines[this.chosen_line]?.rows === line.rows) this.drawChosen(to, line, y);
  }

  drawChosen(to, line, y) {
    const i = this.chosen_step;
    to.strokeStyle = color("text");
    to.lineWidth = 2;
    const left = this.x(this.run.steps.start_s[i]);
    to.strokeRect(left, y + 1, Math.max(2, this.x(this.run.steps.end_s(i)) - left), line.height - 2);
  }

  drawCriticalPath(to, y) {
    const { critical_path, steps } = this.run;
    if (!critical_path) return;
    const line_of = new Map();
    for (const line of this.lines) for (const row of line.rows) line_of.set(row, line);  // a thread's own, if it is seen
    to.strokeStyle = color("path");
    to.lineWidth = 2.5;
    to.beginPath();
    let before = null;
    for (const [row, from_s, to_s] of critical_path) {
      if (to_s < this.from_s || from_s > this.to_s) {
        before = null;
        continue;
      }
      const line = line_of.get(row) ?? this.lines.find((l) => l.node === steps.rows[row].node);
      const middle = y(line) + line.height / 2;
      const left = Math.max(label_px, this.x(from_s)), right = Math.min(label_px + this.width, this.x(to_s));
      if (before === null) to.moveTo(left, middle);
      else to.lineTo(left, middle);
      to.lineTo(right, middle);
      before = line;
    }
    to.stroke();
  }

  drawLabels(to, lines, y) {
    to.font = `12px ${getComputedStyle(document.body).fontFamily}`;
    to.textBaseline = "middle";
    for (const line of lines) {
      const middle = y(line) + line.height / 2;
      if (document.activeElement === this.canvas && this.lines[this.chosen_line]?.top === line.top) {
        to.fillStyle = color("chosen");
        to.fillRect(0, y(line), label_px - 6, line.height);
      }
      to.fillStyle = line.is_node ? color("text") : color("faint");
      if (line.is_node) {
        const open = this.expanded.has(line.node);
        if (line.rows.length > 0) to.fillText(open ? "▾" : "▸", 4, middle);
        to.fillText(`node ${line.node}`, 18, middle);
        to.textAlign = "right";
        to.fillStyle = color("faint");
        to.fillText(line.rows.length === 1 ? "1 thread" : `${line.rows.length} threads`, label_px - 10, middle);
        to.textAlign = "left";
      } else {
        to.fillText(fitted(to, threadName(this.run, this.run.steps.rows[line.rows[0]]), label_px - 38), 28, middle);
      }
    }
  }

  /** The times on the ruler, and their unit. */
  marks() {
    const { from_s, to_s } = this;
    const units = [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]];
    const unit = units.find(([least]) => to_s - from_s >= least) ?? units.at(-1);
    return { unit, marks: ticks(from_s / unit[0], to_s / unit[0], this.width / 90) };
  }
  drawRuler(to, width, marks, unit) {
    to.fillStyle = color("panel");
    to.fillRect(0, 0, width, ruler_px);
    to.font = `11px ${getComputedStyle(document.body).fontFamily}`;
    to.textBaseline = "middle";
    to.textAlign = "center";
    for (const mark of marks.all) {
      const x = this.x(mark * unit[0]);
      to.fillStyle = color("line");
      to.fillRect(x, ruler_px - 6, 1, 6);
      to.fillStyle = color("faint");
      if (x < width - 24) to.fillText(marks.text(mark), x, 9);
    }
    to.textAlign = "right";
    to.fillText(unit[1], label_px - 10, 9);
    to.textAlign = "left";
  }

  /** Where something is: the line, and in it the step; the nearest within some pixels. */
  find(x, y) {
    if (x < label_px || y < ruler_px) return { line: null, step: null };
    const line = this.lineAt(y);
    if (!line) return { line: null, step: null };
    const at_s = this.time(x), near_s = (3 / this.width) * (this.to_s - this.from_s);
    const { steps } = this.run;
    let step = null, distance_s = near_s, here = 0;
    for (const row of line.rows) {
      const [first, end] = this.pyramid.visible(row, at_s - near_s / 6, at_s + near_s / 6);
      here += Math.max(0, end - first - 1);
      for (const i of [first - 1, first, end - 1, end]) {
        if (i < steps.rows[row].first || i >= steps.rows[row].end) continue;
        const away_s = Math.max(steps.start_s[i] - at_s, at_s - steps.end_s(i), 0);
        if (away_s < distance_s || (away_s === 0 && step === null)) [step, distance_s] = [i, away_s];
      }
    }
    return { line, step, here };
  }
  lineAt(y) {
    const at = y - ruler_px + this.scroller.scrollTop;
    return this.lines.find((l) => at >= l.top && at < l.top + l.height + gap_px);
  }
  rowOf(step) {
    return this.run.steps.rows.find((row) => step >= row.first && step < row.end);
  }

  /** The middle of a step on the canvas, in CSS pixels. */
  placeOf(step) {
    const row = this.run.steps.rows.indexOf(this.rowOf(step));
    const line = this.lines.findLast(({ rows }) => rows.includes(row));
    const { start_s, end_s } = this.run.steps;
    return { x: this.x((start_s[step] + end_s(step)) / 2), y: line.top - this.scroller.scrollTop + ruler_px + line.height / 2 };
  }

  describe(step, here = 0) {
    const { run } = this, { steps } = run;
    const row = this.rowOf(step), operation = run.operations[steps.operation[step]];
    return [`${operation.name}`, [
      ["kind", operation.kind],
      ["where", `node ${row.node}, ${threadName(run, row)}`],
      steps.iteration(step) > 0 ? ["iteration", steps.iteration(step)] : null,
      ["start", seconds(steps.start_s[step], 6)],
      ["duration", seconds(steps.length_s(step))],
      ["computed", seconds(steps.computed_s(step))],
      ["work", seconds(steps.work_s(step))],
      here > 2 ? ["here", `some ${count(here)} steps; zoom in`] : null,
    ]];
  }
  showTip(x, y, step, here) {
    const [title, lines] = this.describe(step, here);
    const c = 3 * this.by(step);
    tip.show(x, y, title, lines, css([this.colors[c], this.colors[c + 1], this.colors[c + 2]]));
  }

  toggle(node) {
    if (!this.expanded.delete(node)) this.expanded.add(node);
    this.layOut();
    this.spoken.textContent = `Node ${node} ${this.expanded.has(node) ? "opened" : "closed"}`;
  }

  listen() {
    const { canvas, view } = this;
    let drag = null;
    canvas.addEventListener("pointerdown", (event) => {
      const on_ruler = event.offsetY < ruler_px;
      if (event.offsetX < label_px) {
        const line = on_ruler ? null : this.lineAt(event.offsetY);
        if (line?.is_node) this.toggle(line.node);
        return;
      }
      drag = { x: event.offsetX, from_s: view.from_s, to_s: view.to_s, ranging: on_ruler || event.shiftKey };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (drag) {
        tip.hide();
        if (drag.ranging) this.drawRange(drag.x, event.offsetX);
        else {
          const by_s = ((drag.x - event.offsetX) / this.width) * (drag.to_s - drag.from_s);
          view.set(drag.from_s + by_s, drag.to_s + by_s);
        }
        return;
      }
      const { step, here } = this.find(event.offsetX, event.offsetY);
      if (step === null) tip.hide();
      else this.showTip(event.clientX, event.clientY, step, here);
    });
    const end = (event) => {
      if (drag?.ranging && Math.abs(event.offsetX - drag.x) > 3) {
        const [a, b] = [drag.x, event.offsetX].map((x) => this.viewed(this.time(x)));
        view.set(Math.min(a, b), Math.max(a, b));
      } else this.redraw();
      drag = null;
    };
    canvas.addEventListener("pointerup", end);
    canvas.addEventListener("pointercancel", end);
    canvas.addEventListener("pointerleave", () => tip.hide());
    canvas.addEventListener("dblclick", (event) => view.zoom(event.shiftKey ? 0.5 : 2, this.viewed(this.time(event.offsetX))));
    canvas.addEventListener("wheel", (event) => {
      if (event.ctrlKey || event.metaKey) view.zoom(2 ** (-event.deltaY / 300), this.viewed(this.time(event.offsetX)));
      else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
        view.pan((event.deltaX || event.deltaY) / 1000);
      else return;
      event.preventDefault();
    }, { passive: false });
    canvas.addEventListener("keydown", (event) => this.key(event));
    canvas.addEventListener("focus", this.redraw);
    canvas.addEventListener("blur", () => {
      tip.hide();
      this.redraw();
    });
  }

  drawRange(a, b) {
    this.draw();
    const to = this.canvas.getContext("2d");
    to.fillStyle = color("accent", 0.2);
    to.fillRect(Math.min(a, b), 0, Math.abs(b - a), this.canvas.height);
  }

  key(event) {
    const { view } = this;
    const keys = {
      "+": () => view.zoom(2), "=": () => view.zoom(2), "-": () => view.zoom(0.5), 0: () => view.all(), Home: () => view.all(),
      ArrowLeft: () => (event.shiftKey ? this.choose(-1) : view.pan(-0.15)),
      ArrowRight: () => (event.shiftKey ? this.choose(1) : view.pan(0.15)),
      ArrowUp: () => this.goTo(this.chosen_line - 1), ArrowDown: () => this.goTo(this.chosen_line + 1),
      Enter: () => this.toggle(this.lines[this.chosen_line].node), " ": () => this.toggle(this.lines[this.chosen_line].node),
      Escape: () => {
        this.chosen_step = null;
        tip.hide();
        this.redraw();
      },
    };
    if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  }

  goTo(line) {
    this.chosen_line = Math.min(Math.max(line, 0), this.lines.length - 1);
    this.chosen_step = null;
    tip.hide();
    const { top, height, node, is_node, rows } = this.lines[this.chosen_line];
    const { scroller } = this;
    if (top < scroller.scrollTop) scroller.scrollTop = top;
    const below = top + height + ruler_px - scroller.clientHeight;
    if (below > scroller.scrollTop) scroller.scrollTop = below;
    this.spoken.textContent = is_node ? `Node ${node}` : threadName(this.run, this.run.steps.rows[rows[0]]);
    this.redraw();
  }

  /** The next or the previous step of the chosen line. */
  choose(by) {
    const { steps } = this.run, line = this.lines[this.chosen_line];
    let best = null;
    const from_s = this.chosen_step === null ? (by > 0 ? this.from_s : this.to_s) : null;
    const than = from_s !== null ? [from_s, by > 0 ? -1 : Infinity] : [steps.start_s[this.chosen_step], this.chosen_step];
    const before = (a, b) => a[0] < b[0] || (a[0] === b[0] && a[1] < b[1]);
    for (const row of line.rows) {
      const [first, end] = this.pyramid.visible(row, than[0], than[0]);
      for (let i = Math.max(first - 1, steps.rows[row].first); i < Math.min(end + 3, steps.rows[row].end); ++i) {
        const it = [steps.start_s[i], i];
        const is_after = by > 0 ? before(than, it) : before(it, than);
        if (is_after && (best === null || (by > 0 ? before(it, best) : before(best, it)))) best = it;
      }
    }
    if (best === null) return;
    this.chosen_step = best[1];
    const start_s = best[0], end_s = steps.end_s(best[1]);
    if (start_s < this.from_s || end_s > this.to_s) {
      const middle_s = this.viewed((start_s + end_s) / 2), half_s = (this.view.to_s - this.view.from_s) / 2;
      this.view.set(middle_s - half_s, middle_s + half_s);
    }
    this.draw();
    const place = this.canvas.getBoundingClientRect();
    this.showTip(place.left + Math.max(label_px, this.x(start_s)),
      place.top + line.top - this.scroller.scrollTop + ruler_px + line.height, best[1]);
    const [title, lines] = this.describe(best[1]);
    this.spoken.textContent = `${title}, ${lines.filter((l) => l).map((l) => l.join(" ")).join(", ")}`;
    this.redraw();
  }
}

function fitted(to, text, width) {
  if (to.measureText(text).width <= width) return text;
  while (text.length > 1 && to.measureText(`${text}…`).width > width) text = text.slice(0, -1);
  return `${text}…`;
}
