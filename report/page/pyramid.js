// SPDX-License-Identifier: BSD-3-Clause

const fan = 8;

/**
 * The steps of a run, and blocks of 8, of 64, ... steps of a row, each with the time it covers and the colours of what
 * was done in it. Whatever is drawn is then no more than a few blocks a pixel.
 */
export class Pyramid {
  constructor(steps) {
    this.steps = steps;
    this.levels = [];
    let firsts = steps.rows.map((row) => row.first), ends = steps.rows.map((row) => row.end);
    for (let below = null; ends.some((end, r) => end - firsts[r] > 2 * fan); below = this.levels.at(-1)) {
      const counts = ends.map((end, r) => Math.ceil((end - firsts[r]) / fan));
      const first = [], end = [];
      let total = 0;
      for (const count of counts) {
        first.push(total);
        end.push((total += count));
      }
      const level = { first, end, start_s: new Float64Array(total), end_s: new Float64Array(total),
        red: new Float32Array(total), green: new Float32Array(total), blue: new Float32Array(total),
        busy_s: new Float32Array(total), below_first: firsts, below_end: ends, below };
      counts.forEach((count, r) => {
        for (let b = 0; b < count; ++b) {
          const from = firsts[r] + b * fan, to = Math.min(from + fan, ends[r]);
          level.start_s[first[r] + b] = below ? below.start_s[from] : steps.start_s[from];
          let last_s = -Infinity;
          for (let i = from; i < to; ++i) last_s = Math.max(last_s, below ? below.end_s[i] : steps.end_s(i));
          level.end_s[first[r] + b] = last_s;
        }
      });
      this.levels.push(level);
      [firsts, ends] = [first, end];
    }
  }

  /** `colors`: of the step's operation or iteration, as `by` says; three numbers for each. */
  paint(by, colors) {
    this.by = by;
    this.colors = colors;
    const { steps } = this;
    for (const level of this.levels) {
      const { below } = level;
      level.first.forEach((first, r) => {
        for (let block = first; block < level.end[r]; ++block) {
          const from = level.below_first[r] + (block - first) * fan, to = Math.min(from + fan, level.below_end[r]);
          let red = 0, green = 0, blue = 0, busy_s = 0;
          for (let i = from; i < to; ++i) {
            if (below) {
              red += below.red[i];
              green += below.green[i];
              blue += below.blue[i];
              busy_s += below.busy_s[i];
            } else {
              const length_s = steps.length_s(i), color = 3 * by(i);
              red += length_s * colors[color];
              green += length_s * colors[color + 1];
              blue += length_s * colors[color + 2];
              busy_s += length_s;
            }
          }
          level.red[block] = red;
          level.green[block] = green;
          level.blue[block] = blue;
          level.busy_s[block] = busy_s;
        }
      });
    }
  }

  /** The first and the last step but one of a row that are seen in a time. */
  visible(row, from_s, to_s) {
    const { first, end } = this.steps.rows[row];
    return [Math.max(first, lowerBound(this.steps.start_s, first, end, from_s) - 1),
      lowerBound(this.steps.start_s, first, end, to_s)];
  }

  /** Adds what a row did to pixels: sums of colours, weighted by the part of the pixel that is covered. */
  add(row, from_s, to_s, pixels) {
    const { width, red, green, blue, cover } = pixels;
    const scale = width / (to_s - from_s);
    const [first, end] = this.visible(row, from_s, to_s);
    let depth = 0;
    for (let left = end - first; left > 2 * fan * width && depth < this.levels.length; left /= fan) ++depth;

    const put = (start, stop, r, g, b, density) => {
      start = Math.max(0, start);
      stop = Math.min(width, stop);
      if (!(stop > start)) return;
      const last = Math.min(width - 1, stop | 0);
      for (let x = start | 0; x <= last; ++x) {
        const part = density * (Math.min(stop, x + 1) - Math.max(start, x));
        red[x] += part * r;
        green[x] += part * g;
        blue[x] += part * b;
        cover[x] += part;
      }
    };
    if (depth === 0) {
      const { steps, by, colors } = this;
      for (let i = first; i < end; ++i) {
        const color = 3 * by(i), start = (steps.start_s[i] - from_s) * scale;
        put(start, start + steps.length_s(i) * scale, colors[color], colors[color + 1], colors[color + 2], 1);
      }
      return;
    }
    const level = this.levels[depth - 1];
    const last = level.end[row];
    for (let i = Math.max(level.first[row], lowerBound(level.start_s, level.first[row], last, from_s) - 1);
      i < last && level.start_s[i] < to_s; ++i) {
      const busy_s = level.busy_s[i], length_s = level.end_s[i] - level.start_s[i];
      if (!(busy_s > 0)) continue;
      put((level.start_s[i] - from_s) * scale, (level.end_s[i] - from_s) * scale, level.red[i] / busy_s,
        level.green[i] / busy_s, level.blue[i] / busy_s, busy_s / length_s);
    }
  }
}

/** The first of sorted values in [first, end) that is not less. */
export function lowerBound(values, first, end, value) {
  while (first < end) {
    const middle = (first + end) >>> 1;
    if (values[middle] < value) first = middle + 1;
    else end = middle;
  }
  return first;
}
