// The page: reads its data, puts the stage into the view, and ties the controls to both.

import { Quaternion, Vector3 } from "three";
import { readPage, type Motion, type MotionData } from "./data";
import { Player, speedsFor } from "./player";
import { Stage, kLoadColours, type Component } from "./stage";
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
  /** What it carries [N] at the time that is shown; null where that was not recorded. */
  loadOf(body: string): number | null;
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

/** The page as a whole. Made once; `run` then draws for as long as the page is open. */
class Page {
  private readonly motion: Motion;
  private readonly stage: Stage;
  private readonly view: View;
  private readonly player: Player;
  private readonly canvas = find<HTMLCanvasElement>("canvas");
  private readonly slider = find<HTMLInputElement>("slider");
  private readonly playButton = find<HTMLButtonElement>("play");
  private readonly speed = find<HTMLSelectElement>("speed");
  private readonly follow = find<HTMLSelectElement>("follow");
  private readonly formatted: (time: number) => string;

  constructor() {
    const { scene, motion } = readPage();
    this.motion = motion;
    this.stage = new Stage(scene, motion);
    this.stage.place(motion.at(motion.data.start));
    this.view = new View(this.canvas, this.stage);
    this.player = new Player(motion.data.start, motion.data.end, () => this.showTime());
    this.formatted = timeFormat(motion.data);
    this.addTexts();
    this.bindTransport();
    this.bindFollowing();
    this.bindKeys(this.bindSwitches());
    new ResizeObserver(() => this.view.resize()).observe(this.canvas);
    this.showTime();
  }

  run(): void {
    const loop = (now: number) => {
      this.player.tick(now / 1000);
      this.view.render();
      requestAnimationFrame(loop);
    };
    requestAnimationFrame(loop);
  }

  /** For other scripts. */
  interface(): PageInterface {
    const { player, stage, view } = this;
    const body = (name: string) => {
      const found = stage.body(name);
      if (!found) throw new Error(`there is no body '${name}'`);
      return found;
    };
    return {
      get time() {
        return player.time;
      },
      start: player.start,
      end: player.end,
      get isPlaying() {
        return player.isPlaying;
      },
      bodies: stage.bodies.map(({ name }) => name),
      setTime: (time) => player.seek(time),
      play: () => player.play(),
      pause: () => player.pause(),
      follow: (name) => this.followBody(name ?? ""),
      objectPosition: (name) => body(name).group.getWorldPosition(new Vector3()).toArray(),
      objectOrientation: (name) => {
        const { w, x, y, z } = body(name).group.getWorldQuaternion(new Quaternion());
        return [w, x, y, z];
      },
      loadOf: (name) => stage.loadOf(name, this.motion.at(player.time)),
      projected: (name) => view.project(stage.centerOf(body(name), new Vector3())),
      render: () => view.render(true),
    };
  }

  private showTime(): void {
    const at = this.motion.at(this.player.time);
    this.stage.place(at);
    this.view.keepFollowing();
    this.view.touch();
    this.slider.value = String(at.frame + at.fraction);
    find("time").textContent = `${this.formatted(this.player.time)} s`;
    this.playButton.textContent = this.player.isPlaying ? "❚❚" : "▶";
    this.playButton.title = this.player.isPlaying ? "Pause (space)" : "Play (space)";
  }

  private addTexts(): void {
    const { title, notes, end } = this.motion.data;
    document.title = title;
    find("title").textContent = title;
    for (const note of notes) {
      const line = document.createElement("p");
      line.textContent = note;
      find("notes").append(line);
    }
    find("end").textContent = `${this.formatted(end)} s`;
    find("grid-step").textContent = quantity(this.view.gridStep, "m");
    find("force-controls").hidden = !this.stage.hasForces;
    find("largest-force").textContent = quantity(this.stage.largestForce, "N");
    find("load-controls").hidden = !this.stage.hasLoads;
    find("largest-load").textContent = quantity(this.stage.largestLoad, "N");
    const scale = kLoadColours.map((colour) => `#${colour.getHexString()}`);
    find("load-scale").style.background = `linear-gradient(to right, ${scale.join(", ")})`;
    addLegend(this.stage.components, () => this.view.touch());
  }

  private bindTransport(): void {
    const { slider, speed, player } = this;
    slider.max = String(Math.max(this.motion.frameCount - 1, 1));
    slider.step = "any";
    slider.addEventListener("input", () => this.seekFrame(Number(slider.value)));
    this.playButton.addEventListener("click", () => player.toggle());
    for (const choice of speedsFor(player.end - player.start)) {
      speed.add(new Option(choice === 1 ? "real time" : `${choice} ×`, String(choice)));
    }
    speed.value = String(player.speed);
    speed.addEventListener("change", () => (player.speed = Number(speed.value)));
  }

  private seekFrame(frame: number): void {
    this.player.seek(this.motion.timeOf(Math.min(Math.max(frame, 0), this.motion.frameCount - 1)));
  }

  private stepBy(frames: number): void {
    this.player.pause();
    const { frame, fraction } = this.motion.at(this.player.time);
    this.seekFrame(Math.round(frame + fraction) + frames);
  }

  private changeSpeed(by: number): void {
    this.speed.selectedIndex = Math.min(Math.max(this.speed.selectedIndex + by, 0), this.speed.length - 1);
    this.player.speed = Number(this.speed.value);
  }

  /** Follows the body of that name; none where it is empty. */
  private followBody(name: string): void {
    this.follow.value = name;
    this.view.follow(this.stage.body(name) ?? null);
  }

  /** The list of bodies; names under the mouse; a double click follows what is there. */
  private bindFollowing(): void {
    const { canvas, follow, stage, view } = this;
    for (const body of stage.bodies) follow.add(new Option(body.name, body.name));
    follow.addEventListener("change", () => this.followBody(follow.value));
    const bodyUnder = (event: MouseEvent) => {
      const { left, top, width, height } = canvas.getBoundingClientRect();
      return view.bodyAt((2 * (event.clientX - left)) / width - 1, 1 - (2 * (event.clientY - top)) / height);
    };
    const name = find("name");
    canvas.addEventListener("pointermove", (event) => {
      const body = event.buttons === 0 ? bodyUnder(event) : null;
      name.hidden = body === null;
      if (!body) return;
      const load = stage.loadOf(body.name, this.motion.at(this.player.time));
      name.textContent = load === null ? body.name : `${body.name}: ${quantity(load, "N")}`;
      name.style.left = `${event.clientX + 14}px`;
      name.style.top = `${event.clientY + 10}px`;
    });
    canvas.addEventListener("pointerleave", () => (name.hidden = true));
    canvas.addEventListener("dblclick", (event) => this.followBody(bodyUnder(event)?.name ?? ""));
    if (view.travelsFar && stage.bodies.length > 0) this.followBody(stage.bodies[0].name);
  }

  /** Returns what turns each switch over, by the key that does so, too. */
  private bindSwitches(): Record<string, () => void> {
    const { player, stage, view } = this;
    const bind = (id: string, apply: (on: boolean) => void) => {
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
    const scale = find<HTMLInputElement>("force-scale");
    scale.addEventListener("input", () => {
      stage.scaleForces(10 ** Number(scale.value));
      this.showTime();
    });
    find("reset").addEventListener("click", () => view.reset());
    return {
      l: bind("loop", (on) => (player.loops = on)),
      f: bind("forces", (on) => stage.showForces(on)),
      c: bind("loads", (on) => stage.colourByLoad(on, this.motion.at(player.time))),
      t: bind("trails", (on) => stage.showTrails(on)),
      a: bind("axes", (on) => stage.showAxes(on)),
      r: () => view.reset(),
    };
  }

  private bindKeys(switches: Record<string, () => void>): void {
    const { player } = this;
    const keys: Record<string, (shift: boolean) => void> = {
      ...switches,
      " ": () => player.toggle(),
      ArrowLeft: (shift) => this.stepBy(shift ? -10 : -1),
      ArrowRight: (shift) => this.stepBy(shift ? 10 : 1),
      ArrowUp: () => this.changeSpeed(1),
      ArrowDown: () => this.changeSpeed(-1),
      Home: () => player.seek(player.start),
      End: () => player.seek(player.end),
    };
    window.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey || event.target instanceof HTMLSelectElement) return;
      const action = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
      if (!action) return;
      event.preventDefault();
      action(event.shiftKey);
    });
  }
}

try {
  const page = new Page();
  window.tieline = page.interface();
  page.run();
} catch (problem) {
  const message = find("problem");
  message.hidden = false;
  message.textContent = `This animation cannot be shown: ${problem instanceof Error ? problem.message : String(problem)}`;
}
