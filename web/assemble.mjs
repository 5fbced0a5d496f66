// Puts page, style and script together: one file without data, which src/report/animation_page.hpp reads.
import { readFileSync, writeFileSync } from "node:fs";

const page = readFileSync("index.html", "utf8");
const style = readFileSync("style.css", "utf8");
const script = readFileSync("dist/animation.js", "utf8");
// The licence asks that its notice goes wherever the library goes.
const licence = readFileSync("node_modules/three/LICENSE", "utf8");

function put(text, place, content) {
  const parts = text.split(place);
  if (parts.length !== 2) throw new Error(`index.html must contain ${place} once`);
  return parts.join(content);
}

if (/<\/script/i.test(script)) throw new Error("the script contains its own end tag");
let whole = put(page, "/* style */", style);
whole = put(whole, "/* script */", `/*!\nThis page contains three.js (https://threejs.org):\n\n${licence}*/\n${script}`);

// Where src/report/animation.cpp puts the data of a run.
put(whole, "<!-- data -->", "");

writeFileSync("animation.html", whole);
