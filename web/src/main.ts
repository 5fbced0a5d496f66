// The page: reads its data, puts the stage into the view, and ties the controls to both.

import { Quaternion, Vector3 } from "three";
import { readPage, type MotionData } from "./data";
import { Player, speedsFor } from "./player";
import { Stage, type Component } from "./stage";
import { View } from "./view";

/** What other scripts may ask of the page; also what its tests look at. */
export interface PageInterface {
  readonly time: number;
  readonly start: number;
  readonly end: number;
  readonly isPlaying: boolean;
  readonly bodies: string[];
  setTime(time: number): void;
  play(): void;
  pause(): void;
  follow(body: string | null): void;
  /** Position of a body's frame [m], in world axes. */
  objectPosition(body: string): number[];
  /** Its orientation: w, x, y, z. */
  objectOrientation(body: string): number[];
  /** Where a body's centre of mass is on the canvas: from -1 to 1 in both directions. */
  projected(body: string): number[];
  render(): void;
}

declare global {
  interface Window {
    tieline?: PageInterface;
  }
}

function find<T extends HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no '${id}'`);
  return element as T;
}

/** Three to four digits, with the unit's prefix. */
function quantity(value: number, unit: string): string {
  if (value === 0) return `0 ${unit}`;
  const prefixes: [number, string][] = [[1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"]];
  const [scale, prefix] = prefixes.find(([size]) => Math.abs(value) >= size * 0.9995) ?? [1e-9, "n"];
  return `${Number((value / scale).toPrecision(3))} ${prefix}${unit}`;
}

/** As many decimals as tell one frame from the next. */
function timeFormat({ start, end, count }: MotionData): (time: number) => string {
  const step = (end - start) / Math.max(count - 1, 1);
  const digits = step > 0 ? Math.min(Math.max(Math.ceil(-Math.log10(step)), 0), 12) : 3;
  return (time) => time.toFixed(digits);
}

function addLegend(components: Component[], touch: () => void): void {
  const list = find("legend");
  for (const component of components) {
    const label = document.createElement("label");
    const box = document.createElement("input");
    box.type = "checkbox";
    box.checked = true;
    box.addEventListener("change", () => {
      component.group.visible = box.checked;
      touch();
    });
    const swatch = document.createElement("span");
    swatch.className = "swatch";
    swatch.style.background = `#${component.colour.getHexString()}`;
    const name = document.createElement("span");
    name.textContent = component.name;
    label.append(box, swatch, name);
    list.append(label);
  }
  find("stand-ins").hidden = !components.some((component) => component.hasStandIns);
}

function start(): void {
  const { scene, motion } = readPage();
  document.title = motion.data.title;
  find("title").textContent = motion.data.title;
  for (const note of motion.data.notes) {
    const line = document.createElement("p");
    line.textContent = note;
    find("notes").append(line);
  }

  const stage = new Stage(scene, motion);
  const canvas = find<HTMLCanvasElement>("canvas");
  stage.place(motion.at(motion.data.start));
  const view = new View(canvas, stage);
  const player = new Player(motion.data.start, motion.data.end, () => showTime());

  const slider = find<HTMLInputElement>("slider");
  const play = find<HTMLButtonElement>("play");
  const follow = find<HTMLSelectElement>("follow");
  const speed = find<HTMLSelectElement>("speed");
  const formatted = timeFormat(motion.data);
  slider.max = String(Math.max(motion.frameCount - 1, 1));
  slider.step = "any";
  find("grid-step").textContent = quantity(view.gridStep, "m");

  function showTime(): void {
    const at = motion.at(player.time);
    stage.place(at);
    view.keepFollowing();
    view.touch();
    slider.value = String(at.frame + at.fraction);
    find("time").textContent = `${formatted(player.time)} s`;
    find("end").textContent = `${formatted(motion.data.end)} s`;
    play.textContent = player.isPlaying ? "❚❚" : "▶";
    play.title = player.isPlaying ? "Pause (space)" : "Play (space)";
  }
  const seekFrame = (frame: number) =>
    player.seek(motion.timeOf(Math.min(Math.max(frame, 0), motion.frameCount - 1)));
  const stepBy = (frames: number) => {
    player.pause();
    const { frame, fraction } = motion.at(player.time);
    seekFrame(Math.round(frame + fraction) + frames);
  };

  slider.addEventListener("input", () => seekFrame(Number(slider.value)));
  play.addEventListener("click", () => player.toggle());
  for (const choice of speedsFor(motion.data.end - motion.data.start)) {
    speed.add(new Option(choice === 1 ? "real time" : `${choice} ×`, String(choice)));
  }
  speed.value = String(player.speed);
  speed.addEventListener("change", () => (player.speed = Number(speed.value)));
  for (const body of stage.bodies) follow.add(new Option(body.name, body.name));
  const applyFollow = () => view.follow(stage.body(follow.value) ?? null);
  follow.addEventListener("change", applyFollow);

  const check = (id: string, apply: (on: boolean) => void) => {
    const box = find<HTMLInputElement>(id);
    const update = () => {
      apply(box.checked);
      view.touch();
    };
    box.addEventListener("change", update);
    update();
    return () => {
      box.checked = !box.checked;
      update();
    };
  };
  const toggleLoop = check("loop", (on) => (player.loops = on));
  const toggleForces = check("forces", (on) => stage.showForces(on));
  const toggleTrails = check("trails", (on) => stage.showTrails(on));
  const toggleAxes = check("axes", (on) => stage.showAxes(on));
  find("force-controls").hidden = !stage.hasForces;
  find("largest-force").textContent = quantity(stage.largestForce, "N");
  const scale = find<HTMLInputElement>("force-scale");
  scale.addEventListener("input", () => {
    stage.scaleForces(10 ** Number(scale.value));
    showTime();
  });
  find("reset").addEventListener("click", () => view.reset());
  addLegend(stage.components, () => view.touch());

  const changeSpeed = (by: number) => {
    speed.selectedIndex = Math.min(Math.max(speed.selectedIndex + by, 0), speed.length - 1);
    player.speed = Number(speed.value);
  };
  const keys: Record<string, (shift: boolean) => void> = {
    " ": () => player.toggle(),
    ArrowLeft: (shift) => stepBy(shift ? -10 : -1),
    ArrowRight: (shift) => stepBy(shift ? 10 : 1),
    ArrowUp: () => changeSpeed(1),
    ArrowDown: () => changeSpeed(-1),
    Home: () => player.seek(player.start),
    End: () => player.seek(player.end),
    l: toggleLoop,
    f: toggleForces,
    t: toggleTrails,
    a: toggleAxes,
    r: () => view.reset(),
  };
  window.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target instanceof HTMLSelectElement) return;
    const action = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) return;
    event.preventDefault();
    action(event.shiftKey);
  });
  // Names of bodies under the mouse; a double click follows one.
  const name = find("name");
  const bodyUnder = (event: MouseEvent) => {
    const { left, top, width, height } = canvas.getBoundingClientRect();
    return view.bodyAt((2 * (event.clientX - left)) / width - 1, 1 - (2 * (event.clientY - top)) / height);
  };
  canvas.addEventListener("pointermove", (event) => {
    const body = event.buttons === 0 ? bodyUnder(event) : null;
    name.hidden = body === null;
    if (!body) return;
    name.textContent = body.name;
    name.style.left = `${event.clientX + 14}px`;
    name.style.top = `${event.clientY + 10}px`;
  });
  canvas.addEventListener("pointerleave", () => (name.hidden = true));
  canvas.addEventListener("dblclick", (event) => {
    follow.value = bodyUnder(event)?.name ?? "";
    applyFollow();
  });
  if (view.travelsFar && stage.bodies.length > 0) {
    follow.value = stage.bodies[0].name;
    applyFollow();
  }
  new ResizeObserver(() => view.resize()).observe(canvas);

  const at = (name: string) => {
    const body = stage.body(name);
    if (!body) throw new Error(`there is no body '${name}'`);
    return body;
  };
  window.tieline = {
    get time() {
      return player.time;
    },
    start: player.start,
    end: player.end,
    get isPlaying() {
      return player.isPlaying;
    },
    bodies: stage.bodies.map((body) => body.name),
    setTime: (time) => player.seek(time),
    play: () => player.play(),
    pause: () => player.pause(),
    follow: (name) => {
      follow.value = name ?? "";
      applyFollow();
    },
    objectPosition: (name) => at(name).group.getWorldPosition(new Vector3()).toArray(),
    objectOrientation: (name) => {
      const { w, x, y, z } = at(name).group.getWorldQuaternion(new Quaternion());
      return [w, x, y, z];
    },
    projected: (name) => view.project(stage.centerOf(at(name), new Vector3())),
    render: () => view.render(true),
  };

  showTime();
  const loop = (now: number) => {
    player.tick(now / 1000);
    view.render();
    requestAnimationFrame(loop);
  };
  requestAnimationFrame(loop);
}

try {
  start();
} catch (problem) {
  const message = find("problem");
  message.hidden = false;
  message.textContent = `This animation cannot be shown: ${problem instanceof Error ? problem.message : String(problem)}`;
}
