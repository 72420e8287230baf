// SPDX-License-Identifier: BSD-3-Clause
// Prints how long a report takes to open, and a frame of its timeline: node open_time.mjs REPORT, with FOLDER and
// CHROMIUM as page.test.mjs
import { createRequire } from "node:module";
import { statSync } from "node:fs";
import { pathToFileURL } from "node:url";

const { FOLDER, CHROMIUM } = process.env, report = process.argv[2];
const { chromium } = createRequire(`${FOLDER}/`)("playwright-core");
const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];

const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-gpu"] });
const opened_ms = [], frame_ms = [];
let steps;
for (let i = 0; i < 5; ++i) {
  const page = await browser.newPage({ viewport: { width: 1400, height: 950 } });
  await page.goto(pathToFileURL(report).href);
  await page.waitForSelector("html[data-complete]");
  opened_ms.push(await page.evaluate(() => Number(document.documentElement.dataset.ready)));
  frame_ms.push(await page.evaluate(() => {
    const [timeline] = window.ovlp.timelines, start = performance.now();
    for (let draw = 0; draw < 10; ++draw) timeline.draw();
    return (performance.now() - start) / 10;
  }));
  steps = await page.evaluate(() => window.ovlp.timelines[0].run.steps.count);
  await page.close();
}
await browser.close();
const { size } = statSync(report);
console.log(`${steps} steps: ${(size / 1e6).toFixed(1)} MB, ${(size / steps).toFixed(1)} bytes a step; opened in ` +
  `${median(opened_ms)} ms (${Math.min(...opened_ms)} to ${Math.max(...opened_ms)}), a frame in ${median(frame_ms).toFixed(1)} ms`);
