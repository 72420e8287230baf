// SPDX-License-Identifier: BSD-3-Clause
import { h, onceAFrame, tip } from "./dom.js";
import { color, css, onTheme, rgb } from "./theme.js";

/** The colour of a share of the most: from the ground to full. */
function ramp(share) {
  const [low, middle, high] = [rgb("heat-0"), rgb("heat-1"), rgb("heat-2")];
  const [a, b, part] = share < 0.5 ? [low, middle, 2 * share] : [middle, high, 2 * share - 1];
  return a.map((from, c) => from + (b[c] - from) * part);
}

/**
 * A table of numbers as colours. `rows`, `columns`: how many; `value(row, column)`: null is nothing. `describe` gives the
 * title and the lines of the tip. The arrow keys go from cell to cell.
 */
export class Heat {
  constructor({ label, rows, columns, value, most, describe, row_px, width, name_of_row, name_of_column, scale }) {
    Object.assign(this, { rows, columns, value, most, describe, name_of_row, name_of_column, scale, row_px, fixed_width: width });
    this.cell = null;
    this.canvas = h("canvas", { tabindex: "0", role: "img", "aria-label": `${label}. Arrow keys go from cell to cell.` });
    this.spoken = h("p", { class: "unseen", "aria-live": "polite" });
    this.element = h("div", { class: "heat scroll" }, this.canvas, this.spoken);
    this.redraw = onceAFrame(() => this.draw());
    onTheme(this.redraw);
    new ResizeObserver(this.redraw).observe(this.element);
    this.canvas.addEventListener("pointermove", (event) => {
      const column = Math.floor((event.offsetX - this.left) / this.cell_width);
      const row = Math.floor((event.offsetY - this.top) / this.row_px);
      if (row < 0 || row >= this.rows || column < 0 || column >= this.columns) tip.hide();
      else tip.show(event.clientX, event.clientY, ...this.describe(row, column));
    });
    this.canvas.addEventListener("pointerleave", () => tip.hide());
    this.canvas.addEventListener("blur", () => {
      this.cell = null;
      tip.hide();
      this.redraw();
    });
    this.canvas.addEventListener("keydown", (event) => {
      const way = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
      if (!way) return;
      event.preventDefault();
      const [row, column] = this.cell ?? [0, -1];
      const stride = event.shiftKey ? 10 : 1;
      this.cell = [Math.min(this.rows - 1, Math.max(0, row + stride * way[0])), Math.min(this.columns - 1, Math.max(0, column + stride * way[1]))];
      this.draw();
      const at = this.canvas.getBoundingClientRect();
      const [title, lines] = this.describe(...this.cell);
      tip.show(at.left + this.left + this.cell[1] * this.cell_width, at.top + this.top + (this.cell[0] + 1) * this.row_px, title, lines);
      this.spoken.textContent = `${title}: ${lines.filter((l) => l).map((l) => l.join(" ")).join(", ")}`;
    });
  }

  draw() {
    const ratio = devicePixelRatio || 1;
    const width = this.fixed_width ? Math.min(this.fixed_width, this.element.clientWidth) : this.element.clientWidth;
    if (width === 0) return;
    this.left = 64;
    this.top = this.name_of_column ? 22 : 2;
    this.cell_width = (width - this.left - 2) / this.columns;
    if (this.fixed_width) this.row_px = Math.max(2, this.cell_width);
    const height = this.top + this.rows * this.row_px + 22;
    const { canvas } = this;
    [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
    [canvas.style.width, canvas.style.height] = [`${width}px`, `${height}px`];
    const to = canvas.getContext("2d");
    to.setTransform(ratio, 0, 0, ratio, 0, 0);

    const image = new ImageData(this.columns, this.rows);
    const none = rgb("track-idle");
    for (let row = 0, at = 0; row < this.rows; ++row)
      for (let column = 0; column < this.columns; ++column, at += 4) {
        const value = this.value(row, column);
        const c = value === null ? none : ramp(this.most > 0 ? Math.min(1, value / this.most) : 0);
        image.data.set(c, at);
        image.data[at + 3] = 255;
      }
    const buffer = document.createElement("canvas");
    [buffer.width, buffer.height] = [this.columns, this.rows];
    buffer.getContext("2d").putImageData(image, 0, 0);
    to.imageSmoothingEnabled = false;
    to.drawImage(buffer, this.left, this.top, this.columns * this.cell_width, this.rows * this.row_px);
    if (this.row_px >= 8) {
      to.fillStyle = color("panel");
      for (let row = 1; row < this.rows; ++row) to.fillRect(this.left, this.top + row * this.row_px - 0.5, width, 1);
      if (this.cell_width >= 8)
        for (let c = 1; c < this.columns; ++c) to.fillRect(this.left + c * this.cell_width - 0.5, this.top, 1, this.rows * this.row_px);
    }

    to.font = `11px ${getComputedStyle(document.body).fontFamily}`;
    to.textBaseline = "middle";
    to.fillStyle = color("faint");
    to.textAlign = "right";
    const every = (px, least) => Math.max(1, Math.ceil(least / px));
    for (let row = 0; row < this.rows; row += every(this.row_px, 13))
      to.fillText(this.name_of_row(row), this.left - 6, this.top + (row + 0.5) * this.row_px);
    to.textAlign = "center";
    if (this.name_of_column)
      for (let c = 0; c < this.columns; c += every(this.cell_width, 22))
        to.fillText(this.name_of_column(c), this.left + (c + 0.5) * this.cell_width, 11);
    this.drawScale(to, height - 12);
    if (this.cell) {
      to.strokeStyle = color("text");
      to.lineWidth = 2;
      to.strokeRect(this.left + this.cell[1] * this.cell_width, this.top + this.cell[0] * this.row_px, Math.max(3, this.cell_width), this.row_px);
    }
  }

  drawScale(to, y) {
    const width = 120;
    for (let x = 0; x < width; ++x) {
      to.fillStyle = css(ramp(x / width));
      to.fillRect(this.left + 24 + x, y - 4, 1.5, 9);
    }
    to.fillStyle = color("faint");
    to.textAlign = "right";
    to.fillText("0", this.left + 18, y + 1);
    to.textAlign = "left";
    to.fillText(this.scale(this.most), this.left + 24 + width + 6, y + 1);
  }
}
