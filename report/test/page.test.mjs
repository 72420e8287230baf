// SPDX-License-Identifier: BSD-3-Clause
// The page in a real browser: node --test page.test.mjs, with FOLDER (node_modules), CHROMIUM, and reports: ONE of a run,
// TWO of a real and a simulated one, SUMS of one that kept sums only, FAILED of one that failed, CLUSTER of two schedulers.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";

const { FOLDER, CHROMIUM, ONE, TWO, SUMS, FAILED, CLUSTER } = process.env;
const { chromium } = createRequire(`${FOLDER}/`)("playwright-core");

let browser;
before(async () => {
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-gpu"] });
});
after(() => browser?.close());

/** A report that has been opened; what it says to the console as an error, and what it asks of the net, fail the test. */
async function open(file, options = {}) {
  const context = await browser.newContext({ reducedMotion: "reduce", viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const wrong = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && wrong.push(message.text()));
  page.on("pageerror", (error) => wrong.push(error.message));
  page.on("request", (request) => /^(file|data|blob):/.test(request.url()) || wrong.push(`asks for ${request.url()}`));
  await page.goto(pathToFileURL(file).href);
  await page.waitForSelector("html[data-complete]");
  return { page, close: async () => {
    assert.deepEqual(wrong, []);
    await context.close();
  } };
}

const frame = (page) => page.evaluate(() => new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go))));
/** How many colours there are on a canvas. */
const coloursOf = (canvas) => canvas.evaluate((it) => {
  const { data } = it.getContext("2d").getImageData(0, 0, it.width, it.height);
  const all = new Set();
  for (let i = 0; i < data.length; i += 4) all.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
  return all.size;
});
const range = (page) => page.locator(".range").textContent();

describe("a report of one run", () => {
  let page, close;
  before(async () => ({ page, close } = await open(ONE)));
  after(() => close());

  test("draws every view", async () => {
    for (const id of ["overview", "timeline", "efficiency", "iterations", "use", "communication", "waiting", "graph"])
      assert.equal(await page.locator(`section#${id}`).count(), 1, id);
    for (const canvas of await page.locator("section canvas").all()) {
      await canvas.scrollIntoViewIfNeeded();
      await frame(page);
      await frame(page);
      assert.ok((await coloursOf(canvas)) > 3);
    }
    assert.ok((await page.locator("#waiting tbody tr").count()) > 0);
    const told = await page.evaluate(() => JSON.parse(document.getElementById("runs").textContent)[0]);
    assert.equal(await page.locator("#iterations tbody tr").count(), told.calls[0].iterations.length);
  });

  test("draws each operation of the flow graph, with its steps, and edges with bytes", async () => {
    await page.locator("#graph").scrollIntoViewIfNeeded();
    await page.waitForSelector("svg.graph");
    const told = await page.evaluate(() => JSON.parse(document.getElementById("runs").textContent)[0]);
    const each = page.locator("#graph").getByLabel("each", { exact: true });
    if (await each.count()) await each.check({ force: true });
    const called = new Set(told.operations.filter(({ steps }) => steps > 0).map(({ graph }) => graph));
    const operations = told.operations.filter(({ graph }) => called.has(graph));
    await page.waitForFunction((n) => document.querySelectorAll("svg.graph .box").length === n, operations.length);
    const text = await page.locator("svg.graph").textContent();
    for (const { name } of operations) assert.ok(text.includes(name), name);
    assert.match(text, /\d (kB|MB)/);
  });

  test("tells at which border how many nodes were decided to be held, and why", async () => {
    await page.locator("#efficiency").scrollIntoViewIfNeeded();
    const mark = page.locator("#efficiency .decision");
    await mark.waitFor();
    assert.equal(await mark.count(), 1);  // --remove 2@2
    const tip = page.locator(".tip");
    await mark.hover();
    await tip.waitFor({ state: "visible" });
    assert.match(await tip.textContent(), /2 nodes after iteration 2.*reason.*plan/);
    await page.mouse.move(0, 0);
    await tip.waitFor({ state: "hidden" });
    await mark.focus();
    await tip.waitFor({ state: "visible" });
    await mark.blur();
    const cells = await page.locator("#efficiency tbody tr").last().locator("td").allTextContents();
    assert.equal(cells[0], "2");
    assert.deepEqual(cells.slice(2), ["4 → 2", "plan"]);

    // It lies where the dashed line goes down, and is gone when that is zoomed away.
    const told = await page.evaluate(() => JSON.parse(document.getElementById("runs").textContent)[0]);
    const over = page.locator("#efficiency .u-over").last();
    const [place, plot] = [await mark.boundingBox(), await over.boundingBox()];
    const share = (place.x + place.width / 2 - plot.x) / plot.width;
    assert.ok(Math.abs(share - told.decisions[0].at_s / told.duration_s) < 0.05, `${share}`);
    await page.mouse.move(plot.x + plot.width * 0.9, plot.y + 20);
    await page.mouse.down();
    await page.mouse.move(plot.x + plot.width * 0.97, plot.y + 20, { steps: 4 });
    await page.mouse.up();
    await mark.waitFor({ state: "hidden" });
    await page.mouse.dblclick(plot.x + plot.width * 0.5, plot.y + 20);
    await mark.waitFor({ state: "visible" });
  });

  test("tells of the step under the pointer", async () => {
    const canvas = page.locator("#timeline canvas");
    const told = await page.evaluate(() => JSON.parse(document.getElementById("runs").textContent)[0]);
    await canvas.focus();
    await page.keyboard.press("Shift+ArrowRight");
    const tip = page.locator(".tip");
    await tip.waitFor({ state: "visible" });
    const by_keyboard = await tip.textContent();
    assert.match(by_keyboard, /node 0/);
    assert.ok(told.operations.some(({ name }) => by_keyboard.startsWith(name)), by_keyboard);
    for (const what of ["start", "duration", "work"]) assert.ok(by_keyboard.includes(what), what);

    // The pointer, in the middle of that step, says the same.
    const place = await tip.evaluate(() => window.ovlp.timelines[0].placeOf(window.ovlp.timelines[0].chosen_step));
    const box = await canvas.boundingBox();
    await page.keyboard.press("Escape");
    await page.mouse.move(box.x + place.x, box.y + place.y);
    await tip.waitFor({ state: "visible" });
    assert.equal((await tip.textContent()).replace(/here some.*/, ""), by_keyboard);
  });

  test("is zoomed and moved by the keyboard, and opens nodes", async () => {
    const whole = await range(page);
    const canvas = page.locator("#timeline canvas");
    await canvas.focus();
    await page.keyboard.press("+");
    const zoomed = await range(page);
    assert.notEqual(zoomed, whole);
    await page.keyboard.press("ArrowRight");
    assert.notEqual(await range(page), zoomed);
    await page.keyboard.press("0");
    assert.equal(await range(page), whole);
    const lines = () => page.evaluate(() => window.ovlp.timelines[0].lines.length);
    const closed = await lines();
    await page.keyboard.press("Enter");
    assert.ok((await lines()) > closed);
    await page.keyboard.press("Enter");
    assert.equal(await lines(), closed);
  });

  test("is zoomed by the wheel and a double click, and moved by dragging", async () => {
    await page.locator("#timeline").scrollIntoViewIfNeeded();
    const box = await page.locator("#timeline canvas").boundingBox();
    const x = box.x + box.width / 2, y = box.y + 60;
    await page.mouse.dblclick(x, y);
    const zoomed = await range(page);
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x - 100, y);
    await page.mouse.up();
    const moved = await range(page);
    assert.notEqual(moved, zoomed);
    await page.keyboard.down("Control");
    await page.mouse.wheel(0, -300);
    await page.keyboard.up("Control");
    await frame(page);
    assert.notEqual(await range(page), moved);
  });

  test("is light or dark as the system is, and as it is told", async () => {
    const ground = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const grounds = [];
    for (const colorScheme of ["light", "dark"]) {
      const { page, close } = await open(ONE, { colorScheme });
      grounds.push(await ground(page));
      await page.getByLabel(colorScheme === "light" ? "Dark" : "Light", { exact: true }).check({ force: true });
      grounds.push(await ground(page));
      await close();
    }
    assert.notEqual(grounds[0], grounds[1]);
    assert.deepEqual([grounds[2], grounds[3]], [grounds[1], grounds[0]]);
  });

  test("can be read without a pointer: what takes the focus has a name", async () => {
    const nameless = await page.evaluate(() => [...document.querySelectorAll("button, input, [tabindex], a")]
      .filter((it) => !(it.getAttribute("aria-label") || it.textContent.trim() || it.closest("label")?.textContent.trim()))
      .map((it) => it.outerHTML.slice(0, 80)));
    assert.deepEqual(nameless, []);
    const low = await page.evaluate(() => {
      const light = (text) => {
        const [r, g, b] = text.match(/[\d.]+/g).map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const of = (scheme) => {
        document.documentElement.style.colorScheme = scheme;
        const text = document.querySelector(".quiet"), panel = document.querySelector("section");
        const [a, b] = [getComputedStyle(text).color, getComputedStyle(panel).backgroundColor].map(light);
        return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      };
      return [of("light"), of("dark")].filter((contrast) => contrast < 4.5);
    });
    assert.deepEqual(low, []);
  });
});

describe("a report of two runs", () => {
  test("shows both, on one time axis and in one plot", async () => {
    const { page, close } = await open(TWO);
    await frame(page);
    assert.equal(await page.locator("#timeline canvas").count(), 2);
    for (const canvas of await page.locator("#timeline canvas").all()) assert.ok((await coloursOf(canvas)) > 3);
    assert.equal(await page.locator("#overview thead th").count(), 2);
    assert.equal(await page.locator("#iterations table").count(), 2);
    assert.equal(await page.locator("#communication canvas").count(), 2);
    assert.equal(await page.locator("#efficiency .u-legend").first().locator("tr").count(), 3);
    const first = page.locator("#timeline canvas").first();
    await first.focus();
    await page.keyboard.press("+");
    await frame(page);
    const spans = await page.evaluate(() => window.ovlp.timelines.map(({ view }) => [view.from_s, view.to_s]));
    assert.deepEqual(spans[0], spans[1]);
    await page.locator("#graph").scrollIntoViewIfNeeded();
    await page.waitForFunction(() => document.querySelectorAll("svg.graph").length === 2);
    await close();
  });
});

test("two runs are compared by the calls that both have, and begin with the first of them", async () => {
  const { page, close } = await open(TWO);
  const told = await page.evaluate(() => JSON.parse(document.getElementById("runs").textContent));
  const compared = told.map(({ calls }) => calls.filter((call) => call.compared));
  assert.ok(told[0].calls.length > 1);  // a real run fills its matrix, and sums it up
  assert.deepEqual(compared.map((calls) => calls.map(({ name }) => name)), [[compared[1][0].name], [compared[1][0].name]]);
  for (const [call] of compared) assert.equal(call.start_s, 0);
  assert.ok(told[0].begin_s < 0);
  const first_step = await page.evaluate(() => window.ovlp.timelines[0].run.steps.start_s.reduce((a, b) => Math.min(a, b)));
  assert.ok(first_step < 0 && first_step >= told[0].begin_s - 1e-9, `${first_step}`);
  assert.match(await page.locator("#overview .notes").textContent(), /compared is what all runs have called: .*; measured also has /);

  const cells = async (row) => (await page.locator("#overview tr", { has: page.locator("th", { hasText: new RegExp(`^${row}$`) }) })
    .locator("td").allTextContents()).map((text) => text.replaceAll("\u202f", ""));
  const [a, b] = compared.map(([call]) => call.end_s - call.start_s);
  const expected = b >= 3 * a ? `×${(b / a).toPrecision(3)}` : `${b > a ? "+" : "−"}${(100 * Math.abs(b / a - 1)).toFixed(1)} %`;
  assert.ok((await cells("Time of calls"))[1].endsWith(expected), `${await cells("Time of calls")} ${expected}`);
  const steps = await cells("Steps");
  compared.forEach(([call], r) => assert.equal(Number.parseInt(steps[r]), call.figures.steps));
  assert.equal(compared[1][0].figures.steps, told[1].steps.count);  // all that it did
  assert.ok(compared[0][0].figures.steps < told[0].steps.count);
  assert.match(await page.locator("section#metrics").textContent(), /Of whole runs, whose calls differ/);
  await close();
});

test("a run that failed says so before anything else, with the reason, and shows no efficiency", async () => {
  const { page, close } = await open(FAILED);
  assert.match(await page.locator("main > :first-child").textContent(), /^the run failed: .*deliberately wrong/);
  assert.equal(await page.locator("main > :first-child").getAttribute("role"), "alert");
  for (const row of ["Efficiency", "Time of calls"])
    assert.match(await page.locator("#overview tr", { hasText: row }).textContent(), /–$/);
  assert.doesNotMatch(await page.locator("main").textContent(), /efficiency 0\.0 %/);
  await close();
});

test("a run that kept sums only has all views that they tell of, and no timeline", async () => {
  const { page, close } = await open(SUMS);
  for (const id of ["overview", "efficiency", "iterations", "use", "communication", "waiting", "graph"])
    assert.equal(await page.locator(`section#${id}`).count(), 1, id);
  for (const id of ["timeline", "metrics", "path"]) assert.equal(await page.locator(`section#${id}`).count(), 0, id);
  assert.match(await page.locator("#overview").textContent(), /sums only/);
  const whole = await open(ONE);
  const steps = async (of) => (await of.locator("#overview tr", { hasText: "Steps" }).textContent()).trim();
  const nodes = await whole.page.locator("#iterations tbody").evaluate((body) => [...body.rows].map((row) => row.cells[5].textContent));
  assert.ok(nodes.includes("4") && nodes.includes("2"), `${nodes}`);
  assert.ok(nodes.some((text) => /^[23]\.\d$/.test(text)), `${nodes}`);  // held on average, where two were given back
  const rows = (of) => of.locator("#iterations tbody").evaluate((body) => [...body.rows].map((row) => [...row.cells].slice(0, 7).map((cell) => cell.textContent)));
  assert.equal(await steps(page), await steps(whole.page));
  assert.deepEqual(await rows(page), await rows(whole.page));
  await whole.close();
  await close();
});

test("metrics and a critical path are shown where there are some, and only there", async () => {
  const path = (page) => page.evaluate(() => window.ovlp.timelines[0].run.critical_path?.length ?? 0);
  const { page, close } = await open(ONE);
  assert.match(await page.locator("section#metrics").textContent(), /Critical path.*Parallel efficiency.*\d %/s);
  assert.ok((await path(page)) > 10);
  assert.match(await page.locator("section#timeline").textContent(), /critical path/);
  assert.match(await page.locator("section#path").textContent(), /network.*Operations.*multiply.*Edges/s);
  assert.match(await page.locator("#iterations thead").first().textContent(), /Load balance.*Communication/);
  await close();

  const file = join(await mkdtemp(join(tmpdir(), "ovlp-report-")), "without.html");
  const html = await readFile(ONE, "utf8");
  await writeFile(file, html.replace('"metrics":', '"other":').replace('"critical_path":', '"another":'));
  const without = await open(file);
  assert.equal(await without.page.locator("section#metrics").count(), 0);
  assert.equal(await path(without.page), 0);
  await without.close();
});

describe("a page of a cluster's runs", () => {
  for (const colorScheme of ["light", "dark"]) {
    test(`has both schedulers side by side, with the same scales, and no text is cut off: ${colorScheme}`, async () => {
      const { page, close } = await open(CLUSTER, { colorScheme });
      assert.equal(await page.locator("section").count(), 5);
      assert.equal(await page.locator("svg").count(), 3 * 2);
      const plots = await page.locator("svg").evaluateAll((all) => all.map((svg) => {
        const around = svg.getBoundingClientRect();
        const words = [...svg.querySelectorAll("text")];
        return {
          top: around.top,
          words: words.map((word) => word.textContent).join(" "),
          out: words.filter((word) => {
            const box = word.getBoundingClientRect();
            return box.left < around.left || box.right > around.right || box.bottom > around.bottom + 1;
          }).length,
        };
      }));
      for (let p = 0; p < plots.length; p += 2) {
        assert.equal(plots[p].top, plots[p + 1].top);
        assert.equal(plots[p].words, plots[p + 1].words);
      }
      assert.deepEqual(plots.map(({ out }) => out), plots.map(() => 0));
      assert.ok((await page.locator("svg path[class^=c]").count()) > 4);
      await close();
    });
  }
});
