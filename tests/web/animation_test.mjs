// A run as a user watches it: run, animate, open the page in a browser without a network, and compare what is drawn
// with what was recorded.
//
// node animation_test.mjs PROGRAM MODEL NODE_MODULES_FOLDER CHROMIUM
// With TIELINE_PICTURES=FOLDER in the environment, pictures of the page are kept there.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

const [program, model, modules, chromiumPath] = process.argv.slice(2);
const { chromium } = createRequire(join(modules, "package.json"))("playwright-core");

// Far longer than anything here takes on a busy machine: reaching one means that it hangs [ms].
const kStep = 30_000;
const kProgram = 120_000;
const kAll = 280_000;
// Single precision, and times that are not quite those of the rows.
const kTolerance = 1e-6;
const kFrames = 301;

const folder = mkdtempSync(join(tmpdir(), "tieline-web-"));
let browser = null;
setTimeout(() => {
  console.error("the test takes too long");
  process.exit(1); // Playwright ends the browser with this process.
}, kAll).unref();

const tieline = (...words) => execFileSync(program, words, { cwd: folder, timeout: kProgram, encoding: "utf8" });

/** Rows of a table by the names of its columns. */
function readCsv(file) {
  const [head, ...lines] = readFileSync(file, "utf8").trim().split("\n");
  const names = head.split(",").map((name) => name.replace(/^"|"$/g, "").replace(/ \[.*\]$/, ""));
  return lines.map((line) => Object.fromEntries(line.split(",").map((text, i) => [names[i], Number(text)])));
}

const vectorAt = (row, name) => ["x", "y", "z"].map((axis) => row[`${name}.position.${axis}`]);
const turnAt = (row, name) => ["w", "x", "y", "z"].map((part) => row[`${name}.orientation.${part}`]);
const norm = (v) => Math.hypot(...v);
const minus = (a, b) => a.map((x, i) => x - b[i]);
const mean = (a, b) => a.map((x, i) => (x + b[i]) / 2);
const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);

function expectNear(found, wanted, what) {
  const error = norm(minus(found, wanted));
  assert.ok(error <= kTolerance * Math.max(norm(wanted), 1e-3), `${what}: ${found} is not ${wanted}`);
}

/** A quaternion or its negative. */
function expectTurn(found, wanted, what) {
  expectNear(dot(found, wanted) < 0 ? found.map((x) => -x) : found, wanted, what);
}

async function openPage(file, problems) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 760 }, offline: true });
  context.setDefaultTimeout(kStep);
  const page = await context.newPage();
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type()) && !/GPU stall|swiftshader|software WebGL/i.test(message.text()))
      problems.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => problems.push(`error: ${error.message}`));
  page.on("request", (request) => {
    if (!/^(file|data|blob):/.test(request.url())) problems.push(`the page asks for ${request.url()}`);
  });
  await page.goto(pathToFileURL(file).href);
  await page.waitForFunction(() => window.tieline !== undefined);
  return page;
}

/** Keeps the picture as it would be shown now, in the page under a name: it is too large to be sent about. */
const keep = (page, name) =>
  page.evaluate((as) => {
    window.tieline.render();
    const gl = document.getElementById("canvas").getContext("webgl2");
    const { drawingBufferWidth: width, drawingBufferHeight: height } = gl;
    const pixels = new Uint32Array(width * height);
    gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(pixels.buffer));
    (window.pictures ??= {})[as] = pixels;
  }, name);

/** In how many pixels the picture as it is now differs from one that was kept. */
async function changed(page, since) {
  await keep(page, "now");
  return page.evaluate((name) => {
    const { now, [name]: before } = window.pictures;
    return now.reduce((count, pixel, i) => count + (pixel !== before[i] ? 1 : 0), 0);
  }, since);
}

/** Different colours in a picture that was kept. */
const colours = (page, name) => page.evaluate((as) => new Set(window.pictures[as]).size, name);
const setTime = (page, time) => page.evaluate((t) => window.tieline.setTime(t), time);
const time = (page) => page.evaluate(() => window.tieline.time);
const twoFrames = (page) =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))));

async function checkPlaces(page, rows) {
  assert.deepEqual(await page.evaluate(() => window.tieline.bodies), ["upper.arm", "lower.bob"]);
  for (const name of ["upper.arm", "lower.bob"]) {
    for (const i of [0, 1, 37, 150, 299, 300]) {
      await setTime(page, rows[i].time);
      expectNear(await page.evaluate((n) => window.tieline.objectPosition(n), name), vectorAt(rows[i], name), `${name} at row ${i}`);
      expectTurn(await page.evaluate((n) => window.tieline.objectOrientation(n), name), turnAt(rows[i], name), `${name} at row ${i}`);
    }
    for (const i of [10, 200]) {
      // Half-way between rows: the middle of the positions, and of two turns what is as far from either.
      const [a, b] = [rows[i], rows[i + 1]];
      await setTime(page, (a.time + b.time) / 2);
      expectNear(
        await page.evaluate((n) => window.tieline.objectPosition(n), name),
        mean(vectorAt(a, name), vectorAt(b, name)),
        `${name} after row ${i}`,
      );
      const sum = mean(turnAt(a, name), turnAt(b, name));
      expectTurn(
        await page.evaluate((n) => window.tieline.objectOrientation(n), name),
        sum.map((part) => part / norm(sum)),
        `${name} after row ${i}`,
      );
    }
  }
}

async function checkControls(page, rows) {
  // Playing and pausing, by the button and by the keyboard.
  await setTime(page, 0);
  await page.click("#play");
  await page.waitForFunction(() => window.tieline.time > 0.05);
  assert.ok(await page.evaluate(() => window.tieline.isPlaying));
  await page.keyboard.press(" ");
  const stopped = await time(page);
  await twoFrames(page);
  assert.equal(await time(page), stopped);
  assert.ok(!(await page.evaluate(() => window.tieline.isPlaying)));

  // Slider and keys.
  await page.locator("#slider").fill("150");
  assert.ok(Math.abs((await time(page)) - rows[150].time) < 1e-9, "the slider sets the time");
  await page.keyboard.press("ArrowRight");
  assert.ok(Math.abs((await time(page)) - rows[151].time) < 1e-9, "an arrow is a frame");
  await page.keyboard.press("Shift+ArrowLeft");
  assert.ok(Math.abs((await time(page)) - rows[141].time) < 1e-9, "with shift it is ten");
  await page.keyboard.press("Home");
  assert.equal(await time(page), 0);
  assert.equal((await page.textContent("#time")).trim(), "0.00 s");

  // Without looping a run ends at its end, and then starts over.
  await page.click("#loop");
  await setTime(page, rows[kFrames - 1].time - 0.05);
  await page.keyboard.press(" ");
  await page.waitForFunction(() => !window.tieline.isPlaying);
  assert.equal(await time(page), await page.evaluate(() => window.tieline.end));
  await page.click("#loop");

  const speeds = await page.$$eval("#speed option", (options) => options.map((option) => option.textContent));
  assert.ok(speeds.includes("real time") && speeds.includes("0.1 ×") && speeds.includes("10 ×"), String(speeds));
}

async function checkFollowing(page, rows) {
  await page.selectOption("#follow", "lower.bob");
  const at = async (i) => {
    await setTime(page, rows[i].time);
    return page.evaluate(() => window.tieline.projected("lower.bob"));
  };
  for (const i of [0, 40, 250]) assert.ok(norm(await at(i)) < 1e-6, "the body that is followed is in the middle");
  // In the middle of the canvas the mouse finds it.
  await page.mouse.move(640, 300);
  await page.mouse.move(640, (760 - 52) / 2);
  assert.equal(await page.textContent("#name:visible"), "lower.bob");
  await page.mouse.move(1200, 600);
  await page.waitForSelector("#name", { state: "hidden" });
  await page.mouse.dblclick(1200, 600);
  assert.equal(await page.inputValue("#follow"), "", "a double click beside all bodies follows none");
  const apart = minus(await at(0), await at(40));
  assert.ok(norm(apart) > 0.05, "a body that is not followed moves in the picture");
  await page.click("#reset");
}

async function checkPictures(page, rows) {
  await setTime(page, rows[0].time);
  await keep(page, "first");
  assert.ok((await colours(page, "first")) > 50, "the picture is blank");
  await setTime(page, rows[60].time);
  assert.ok((await changed(page, "first")) > 5000, "the picture does not change with time");
  await keep(page, "later");
  // Each switch changes the picture, and back.
  for (const id of ["forces", "trails", "axes"]) {
    await page.click(`#${id}`);
    assert.ok((await changed(page, "later")) > 50, `'${id}' changes nothing`);
    await page.click(`#${id}`);
    assert.equal(await changed(page, "later"), 0, `'${id}' does not change back`);
  }
  await page.locator("#force-scale").fill("1");
  assert.ok((await changed(page, "later")) > 50, "the arrows' length changes nothing");
  await page.locator("#force-scale").fill("0");
  await page.locator("#legend input").first().click();
  assert.ok((await changed(page, "later")) > 2000, "a component cannot be hidden");
  await page.locator("#legend input").first().click();
  // Dragging turns the camera; resetting turns it back.
  await page.mouse.move(700, 600);
  await page.mouse.down();
  await page.mouse.move(800, 620, { steps: 3 });
  await page.mouse.up();
  assert.ok((await changed(page, "later")) > 5000, "dragging does not turn the camera");
  await page.keyboard.press("r");
  assert.equal(await changed(page, "later"), 0, "the view is not reset");
}

async function keepPicture(page, name) {
  if (process.env.TIELINE_PICTURES) await page.screenshot({ path: join(process.env.TIELINE_PICTURES, `${name}.png`) });
}

/** A mesh and a curve, which the scene may hold, too. */
function addMeshAndCurve(file) {
  const scene = JSON.parse(readFileSync(file, "utf8"));
  const lower = scene.components.find((component) => component.name === "lower");
  lower.bodies[0].shapes.push({
    pose: [0, 0, -0.9, 1, 0, 0, 0],
    mesh: {
      vertices: [0.3, 0, 0, -0.2, 0.3, 0, -0.2, -0.3, 0, 0, 0, 0.4],
      triangles: [0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3],
    },
  });
  const upper = scene.components.find((component) => component.name === "upper");
  upper.curves.push({ name: "beam", points: ["arm", "end", "arm"], radius: 0.1 });
  writeFileSync(file, JSON.stringify(scene));
}

async function step(name, work) {
  let timer;
  const deadline = new Promise((_, fail) => {
    timer = setTimeout(() => fail(new Error(`${name} does not end`)), 2 * kStep);
  });
  try {
    await Promise.race([work(), deadline]);
  } finally {
    clearTimeout(timer);
  }
  console.log(`ok: ${name}`);
}

async function main() {
  tieline("run", model, "--out", "results", "--quiet");
  tieline("export", "results", "--csv", "results.csv");
  console.log(tieline("animate", "results", "-o", "run.html", "--frames", String(kFrames)).trim());
  const rows = readCsv(join(folder, "results.csv"));
  assert.equal(rows.length, kFrames);

  const args = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"];
  browser = await chromium.launch({ executablePath: chromiumPath, args, timeout: kStep });
  const problems = [];
  const page = await openPage(join(folder, "run.html"), problems);
  await step("bodies are where the results say", () => checkPlaces(page, rows));
  await step("controls", () => checkControls(page, rows));
  await step("following", () => checkFollowing(page, rows));
  await step("pictures", () => checkPictures(page, rows));
  await keepPicture(page, "run");

  addMeshAndCurve(join(folder, "results", "scene.json"));
  tieline("animate", "results", "-o", "more.html", "--frames", String(kFrames));
  const more = await openPage(join(folder, "more.html"), problems);
  await step("meshes and curves", async () => {
    await setTime(more, rows[60].time);
    // Each is drawn: it goes with its component.
    await keep(more, "all");
    for (const i of [0, 1]) {
      await more.locator("#legend input").nth(i).click();
      assert.ok((await changed(more, "all")) > 8000, "too little is seen of the mesh or the curve");
      await more.locator("#legend input").nth(i).click();
    }
    await keepPicture(more, "more");
  });
  await checkLoads(problems);
  assert.deepEqual(problems, []);
}

/** Balls inside a housing are seen, and coloured by what they carry. */
async function checkLoads(problems) {
  tieline("run", join(dirname(model), "bearing.xml"), "--out", "bearing", "--quiet");
  tieline("export", "bearing", "--csv", "bearing.csv");
  tieline("animate", "bearing", "-o", "bearing.html", "--frames", "101");
  const rows = readCsv(join(folder, "bearing.csv"));
  assert.equal(rows.length, 101);
  const page = await openPage(join(folder, "bearing.html"), problems);
  await step("loads of balls", async () => {
    const wanted = (row, ball) => Math.max(...["inner", "outer"].map((ring) => row[`rig.b.ball${ball}.${ring}.force`]));
    for (const i of [0, 40, 100]) {
      await setTime(page, rows[i].time);
      for (const ball of [1, 2, 6]) {
        const load = await page.evaluate((name) => window.tieline.loadOf(name), `rig.b.ball${ball}`);
        assert.ok(Math.abs(load - wanted(rows[i], ball)) <= 1e-5 * 1000, `ball ${ball}: ${load} is not ${wanted(rows[i], ball)}`);
      }
    }
    assert.equal(await page.evaluate(() => window.tieline.loadOf("rig.housing")), null);
    const largest = Math.max(...rows.flatMap((row) => Array.from({ length: 11 }, (_, k) => wanted(row, k + 1))));
    assert.equal(await page.textContent("#largest-load"), `${Number(largest.toPrecision(3))} N`);
    await keepPicture(page, "bearing");
    await keep(page, "coloured");
    await page.click("#loads");
    assert.ok((await changed(page, "coloured")) > 2000, "loads are not seen in the picture");
    await page.click("#loads");
    assert.equal(await changed(page, "coloured"), 0, "'loads' does not change back");
  });
}

let code = 0;
try {
  await main();
} catch (error) {
  console.error(error);
  code = 1;
} finally {
  await Promise.race([browser?.close(), new Promise((done) => setTimeout(done, 5000))]);
  rmSync(folder, { recursive: true, force: true });
}
process.exit(code);
