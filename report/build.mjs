// SPDX-License-Identifier: BSD-3-Clause
// Makes the page without its data, one file: node build.mjs FOLDER-WITH-NODE_MODULES OUTPUT
import { createRequire } from "node:module";
import { readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { deflateSync } from "node:zlib";

const [packages, output] = process.argv.slice(2).map((path) => resolve(path));
const { build } = createRequire(`${packages}/`)("esbuild");

const bundle = async (entry, more) => {
  const made = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    minify: true,
    legalComments: "inline",
    target: ["chrome123", "firefox120", "safari17.5"],
    nodePaths: [`${packages}/node_modules`],
    ...more,
  });
  return made.outputFiles[0].text;
};
const style = await bundle("page/style.css", {});
const script = await bundle("page/main.js", { format: "iife" });
// A worker lays graphs out when they are looked at: until then it is text, and packed, as columns are.
const layout = await readFile(`${packages}/node_modules/elkjs/lib/elk-worker.min.js`);

const page = (await readFile("page/index.html", "utf8"))
  .replace("/* style */", () => style.replaceAll("</style", "<\\/style"))
  .replace("<!-- layout -->", () => deflateSync(layout, { level: 9 }).toString("base64"))
  .replace("/* script */", () => script.replaceAll("</script", "<\\/script"));
await writeFile(output, page);
