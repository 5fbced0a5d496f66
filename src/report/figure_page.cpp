#include "report/figure_page.hpp"

namespace tieline::report {
namespace {

constexpr std::string_view kStyle = R"css(
body { margin: 0; font: 13px "DejaVu Sans", Verdana, Arial, sans-serif; color: #222; background: #fff; }
#figure { max-width: 1400px; margin: 0 auto; padding: 12px 16px; }
header { display: flex; align-items: baseline; gap: 16px; flex-wrap: wrap; margin-bottom: 6px; }
h1 { font-size: 17px; margin: 0; }
#time { font-variant-numeric: tabular-nums; min-width: 14em; }
#help { color: #6e6e6e; font-size: 11px; flex: 1; }
button { font: inherit; border: 1px solid #bbb; border-radius: 4px; background: #f7f7f7; padding: 2px 10px; cursor: pointer; }
button:hover { background: #ececec; }
.legend { display: flex; flex-wrap: wrap; gap: 0 6px; margin: 6px 0 2px; max-height: 7.5em; overflow-y: auto; }
.legend button { border: none; background: none; padding: 1px 6px; font-size: 11px; display: flex; align-items: center; gap: 6px; }
.legend button:hover { background: #f0f0f0; }
.legend button.off { opacity: .35; text-decoration: line-through; }
.legend output { font-variant-numeric: tabular-nums; font-weight: bold; display: inline-block; min-width: 11ch; text-align: left; }
canvas { display: block; width: 100%; touch-action: none; cursor: crosshair; }
)css";

constexpr std::string_view kScript = R"js(
"use strict";
const figure = JSON.parse(document.getElementById("data").textContent);
const root = document.getElementById("figure");
const dashes = [[], [6, 3], [1.5, 2.5], [8, 3, 1.5, 3]];
const right = 18, top_ = 14, bottom = 42, thin = 10;
let left = 60;

function element(tag, parent, text) {
  const e = document.createElement(tag);
  if (text !== undefined) e.textContent = text;
  parent.appendChild(e);
  return e;
}

// Whole range of x over all curves.
const whole = [Infinity, -Infinity];
for (const panel of figure.panels) for (const c of panel.curves) {
  for (const x of c.path ? c.x : [c.x[0], c.x[c.x.length - 1]]) if (Number.isFinite(x)) {
    whole[0] = Math.min(whole[0], x);
    whole[1] = Math.max(whole[1], x);
  }
}
if (!(whole[0] < whole[1])) { const m = isFinite(whole[0]) ? whole[0] : 0; whole[0] = m - 1; whole[1] = m + 1; }
// Marks stand free of the frame.
if (figure.panels.some(panel => panel.curves.some(c => c.marks || c.path))) {
  const air = 0.05 * (whole[1] - whole[0]);
  whole[0] -= air; whole[1] += air;
}
let view = whole.slice();
let cursor = null, drag = null, isPending = false;

// First place in a sorted list whose value is not less than v.
function lowerBound(list, v) {
  let low = 0, high = list.length;
  while (low < high) { const m = (low + high) >> 1; if (list[m] < v) low = m + 1; else high = m; }
  return low;
}

// Part of a curve that is seen, with a neighbour on both sides.
function visible(c) {
  if (c.path) return [0, c.x.length];
  return [Math.max(0, lowerBound(c.x, view[0]) - 1), Math.min(c.x.length, lowerBound(c.x, view[1]) + 2)];
}

const superscript = n => String(n).replace(/./g,
  d => d === "-" ? "\u207b" : "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"[d]);

// What a place on an axis stands for: logarithmic axes hold decades.
const unlog = (v, isLog) => isLog ? 10 ** v : v;

// Powers of ten, with 2 and 5 times these where there is room.
function decadeTicks(low, high, most) {
  const at = (mantissas, stride) => {
    const list = [];
    for (let e = Math.floor(low); e <= high; ++e) for (const m of e % stride === 0 ? mantissas : []) {
      const v = e + Math.log10(m);
      if (v >= low - 1e-9 && v <= high + 1e-9) list.push([v, (m === 1 ? "" : m + "\u00d7") + "10" + superscript(e)]);
    }
    return list;
  };
  const fine = at([1, 2, 5], 1);
  if (fine.length > 2 && fine.length <= most) return { list: fine, caption: "" };
  if (fine.length > 2) return { list: at([1], Math.max(1, Math.ceil((high - low) / most))), caption: "" };
  const narrow = ticks(10 ** low, 10 ** high, most, false);
  return { list: narrow.list.map(([v, label]) => [Math.log10(v), label]), caption: narrow.caption };
}

function ticks(low, high, most, isLog) {
  if (isLog) return decadeTicks(low, high, most);
  const least = (high - low) / Math.max(1, most - 1);
  const e = Math.floor(Math.log10(least));
  let step = 10 ** (e + 1), digits = e + 1;
  for (const m of [1, 2, 5]) if (m * 10 ** e >= least * (1 - 1e-9)) { step = m * 10 ** e; digits = e; break; }
  const size = Math.max(Math.abs(low), Math.abs(high)), magnitude = Math.floor(Math.log10(size) + 1e-9);
  const exponent = magnitude > 4 || magnitude < -3 ? 3 * Math.floor(magnitude / 3) : 0;
  const list = [];
  for (let k = Math.ceil(low / step - 1e-9); k <= high / step + 1e-9 && list.length < 100; ++k) {
    const label = (k === 0 ? 0 : k * step / 10 ** exponent).toFixed(Math.min(15, Math.max(0, exponent - digits)));
    list.push([k * step, label.replace("-", "\u2212")]);
  }
  const caption = exponent === 0 ? "" : "\u00d710" + superscript(exponent);
  return { list, caption };
}

function rangeOfY(panel) {
  let low = Infinity, high = -Infinity;
  for (const c of panel.curves) {
    if (c.off) continue;
    const [from, to] = visible(c);
    for (let i = from; i < to; ++i) if (c.y[i] !== null) { low = Math.min(low, c.y[i]); high = Math.max(high, c.y[i]); }
  }
  if (!(low <= high)) return [0, 1];
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (high - low <= 1e-12 * size || high === low) { const half = size > 0 ? 0.05 * size : 1; low -= half; high += half; }
  const air = 0.05 * (high - low);
  return [low - air, high + air];
}

function drawCurve(g, c, toX, toY, width) {
  g.strokeStyle = c.colour; g.lineWidth = c.width; g.setLineDash(dashes[c.dash % dashes.length]);
  const [from, to] = visible(c);
  const thins = !c.path && to - from > 4 * width;
  g.beginPath();
  let isDown = false;
  const point = i => { const x = toX(c.x[i]), y = toY(c.y[i]); if (isDown) g.lineTo(x, y); else g.moveTo(x, y); isDown = true; };
  let i = from;
  while (i < to) {
    if (c.y[i] === null) { isDown = false; ++i; continue; }
    if (!thins) { point(i++); continue; }
    // First, lowest, highest and last value of a column of pixels.
    const column = Math.floor(toX(c.x[i]));
    let end = i, low = i, high = i;
    for (; end < to && c.y[end] !== null && Math.floor(toX(c.x[end])) === column; ++end) {
      if (c.y[end] < c.y[low]) low = end;
      if (c.y[end] > c.y[high]) high = end;
    }
    for (const k of new Set([i, Math.min(low, high), Math.max(low, high), end - 1])) point(k);
    i = end;
  }
  g.stroke();
  g.setLineDash([]);
  if (!c.marks) return;
  g.fillStyle = c.colour;
  for (let k = from; k < to; ++k) if (c.y[k] !== null) { g.beginPath(); g.arc(toX(c.x[k]), toY(c.y[k]), 3, 0, 7); g.fill(); }
}

function drawPanel(panel, isLast) {
  const canvas = panel.canvas, ratio = window.devicePixelRatio || 1;
  const width = canvas.clientWidth, height = panel.height + top_ + (isLast ? bottom : thin);
  canvas.style.height = height + "px";
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio); canvas.height = Math.round(height * ratio);
  }
  const g = canvas.getContext("2d");
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.clearRect(0, 0, width, height);
  const w = width - left - right, h = panel.height, y = panel.range;
  const toX = v => left + (v - view[0]) / (view[1] - view[0]) * w;
  const toY = v => top_ + h - (v - y[0]) / (y[1] - y[0]) * h;
  g.font = '11px "DejaVu Sans", Verdana, Arial, sans-serif'; g.fillStyle = "#222"; g.lineWidth = 1; g.strokeStyle = "#e2e2e2";
  const xTicks = ticks(view[0], view[1], Math.max(2, Math.floor(w / 80) + 1), figure.isLogX);
  g.textAlign = "center"; g.textBaseline = "alphabetic";
  for (const [v, label] of xTicks.list) {
    g.beginPath(); g.moveTo(toX(v), top_); g.lineTo(toX(v), top_ + h); g.stroke();
    if (isLast) g.fillText(label, toX(v), top_ + h + 16);
  }
  g.textAlign = "right";
  for (const [v, label] of panel.ticks.list) {
    g.beginPath(); g.moveTo(left, toY(v)); g.lineTo(left + w, toY(v)); g.stroke();
    g.fillText(label, left - 6, toY(v) + 4);
  }
  g.fillText(panel.ticks.caption, left - 6, top_ - 4);
  g.strokeStyle = "#969696"; g.strokeRect(left, top_, w, h);
  g.font = '12px "DejaVu Sans", Verdana, Arial, sans-serif'; g.textAlign = "center";
  g.save(); g.translate(14, top_ + h / 2); g.rotate(-Math.PI / 2); g.fillText(panel.yLabel, 0, 0); g.restore();
  if (isLast) {
    g.fillText(figure.xLabel, left + w / 2, top_ + h + 34);
    g.textAlign = "right"; g.fillText(xTicks.caption, left + w, top_ + h + 34);
  }
  g.save(); g.beginPath(); g.rect(left, top_, w, h); g.clip();
  if (drag && drag.isZoom) {
    g.fillStyle = "rgba(0,114,178,.12)";
    g.fillRect(Math.min(drag.from, drag.to), top_, Math.abs(drag.to - drag.from), h);
  }
  for (const c of panel.curves) if (!c.off) drawCurve(g, c, toX, toY, w);
  if (cursor !== null) {
    g.strokeStyle = "#6e6e6e"; g.lineWidth = 1;
    g.beginPath(); g.moveTo(toX(cursor), top_); g.lineTo(toX(cursor), top_ + h); g.stroke();
    for (const c of panel.curves) {
      const v = c.off ? null : valueAt(c, cursor);
      if (v === null) continue;
      g.fillStyle = c.colour; g.beginPath(); g.arc(toX(cursor), toY(v), 3, 0, 7); g.fill();
    }
  }
  g.restore();
}

// Value joined linearly; at a jump, that after it.
function valueAt(c, t) {
  if (c.path) return null;
  const i = lowerBound(c.x, t);
  if (i >= c.x.length || (i === 0 && c.x[0] > t)) return null;
  if (c.x[i] === t) { let k = i; while (k + 1 < c.x.length && c.x[k + 1] === t) ++k; return c.y[k]; }
  const a = c.y[i - 1], b = c.y[i];
  return a === null || b === null ? null : a + (b - a) * (t - c.x[i - 1]) / (c.x[i] - c.x[i - 1]);
}

function draw() {
  isPending = false;
  const g = figure.panels.length ? figure.panels[0].canvas.getContext("2d") : null;
  left = 60;
  for (const panel of figure.panels) {
    panel.range = rangeOfY(panel);
    panel.ticks = ticks(panel.range[0], panel.range[1], Math.max(2, Math.floor(panel.height / 26) + 1), figure.isLogY);
    g.font = '11px "DejaVu Sans", Verdana, Arial, sans-serif';
    for (const [, label] of panel.ticks.list) left = Math.max(left, 38 + g.measureText(label).width);
  }
  figure.panels.forEach((panel, i) => drawPanel(panel, i + 1 === figure.panels.length));
  time.textContent = cursor === null ? "" : figure.xLabel.replace(/\s*\[.*/, "") + " = " + unlog(cursor, figure.isLogX).toPrecision(7);
  for (const panel of figure.panels) for (const c of panel.curves) {
    const v = cursor === null || c.off ? null : valueAt(c, cursor);
    const size = Math.max(Math.abs(panel.range[0]), Math.abs(panel.range[1]));
    const digits = 5 + Math.ceil(Math.log10(size / (panel.range[1] - panel.range[0])));
    c.output.textContent = v === null ? "" : unlog(v, figure.isLogY).toPrecision(Math.min(15, Math.max(6, digits)));
  }
}
function redraw() { if (!isPending) { isPending = true; requestAnimationFrame(draw); } }

function setView(from, to) {
  const least = 1e-12 * Math.max(Math.abs(whole[0]), Math.abs(whole[1]), 1e-300);
  if (to - from > least) view = [from, to];
  redraw();
}

const header = element("header", root);
element("h1", header, figure.title);
const time = element("span", header, ""); time.id = "time";
const help = element("span", header, "drag: zoom · shift-drag: pan · wheel: zoom · double-click: reset · click a name: hide or show");
help.id = "help";
element("button", header, "Reset zoom").onclick = () => setView(whole[0], whole[1]);

figure.panels.forEach(panel => {
  const legend = element("div", root); legend.className = "legend";
  for (const c of panel.curves) {
    const button = element("button", legend);
    const sample = element("canvas", button);
    sample.width = 44; sample.height = 16; sample.style.width = "22px"; sample.style.height = "8px";
    const g = sample.getContext("2d");
    g.scale(2, 2); g.strokeStyle = c.colour; g.lineWidth = Math.max(2, c.width); g.setLineDash(dashes[c.dash % dashes.length]);
    g.beginPath(); g.moveTo(0, 4); g.lineTo(22, 4); g.stroke();
    element("span", button, c.label);
    c.output = element("output", button, "");
    button.onclick = () => { c.off = !c.off; button.classList.toggle("off", c.off); redraw(); };
  }
  const canvas = panel.canvas = element("canvas", root);
  const atX = x => view[0] + (x - left) / (canvas.clientWidth - left - right) * (view[1] - view[0]);
  canvas.onpointerdown = e => {
    if (e.button > 1) return;
    canvas.setPointerCapture(e.pointerId);
    drag = { from: e.offsetX, to: e.offsetX, isZoom: e.button === 0 && !e.shiftKey, view: view.slice() };
    e.preventDefault();
  };
  canvas.onpointermove = e => {
    const isInside = e.offsetX >= left && e.offsetX <= canvas.clientWidth - right;
    cursor = isInside ? atX(e.offsetX) : null;
    if (drag) {
      drag.to = e.offsetX;
      if (!drag.isZoom) {
        const shift = (drag.from - drag.to) / (canvas.clientWidth - left - right) * (drag.view[1] - drag.view[0]);
        setView(drag.view[0] + shift, drag.view[1] + shift);
      }
    }
    redraw();
  };
  canvas.onpointerup = () => {
    const ended = drag;
    drag = null;
    if (ended && ended.isZoom && Math.abs(ended.to - ended.from) > 4) {
      const a = atX(Math.min(ended.from, ended.to)), b = atX(Math.max(ended.from, ended.to));
      setView(Math.max(a, view[0]), Math.min(b, view[1]));
    } else redraw();
  };
  canvas.onpointerleave = () => { if (!drag) { cursor = null; redraw(); } };
  canvas.ondblclick = () => setView(whole[0], whole[1]);
  canvas.addEventListener("wheel", e => {
    const t = atX(e.offsetX), factor = Math.exp(Math.sign(e.deltaY) * 0.25);
    setView(Math.max(whole[0], t - (t - view[0]) * factor), Math.min(whole[1], t + (view[1] - t) * factor));
    e.preventDefault();
  }, { passive: false });
});
const count = figure.panels.length;
for (const panel of figure.panels) panel.height = count === 1 ? 420 : count <= 3 ? 220 : 150;
window.addEventListener("resize", redraw);
draw();
)js";

}  // namespace

FigurePage figure_page() { return {kStyle, kScript}; }

}  // namespace tieline::report
