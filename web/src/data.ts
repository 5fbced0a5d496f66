// What the page is given: the scene (what there is), the motion (when, and which columns), and the frames (numbers).
// src/results/scene_file.cpp and src/report/animation.cpp write it.

import { Quaternion, Vector3 } from "three";

/** Position, then the quaternion w, x, y, z. */
export type PoseData = [number, number, number, number, number, number, number];

export interface ShapeData {
  pose: PoseData;
  box?: [number, number, number];
  /** Outer radius, inner radius, length along z. */
  tube?: [number, number, number];
  sphere?: number;
  mesh?: { vertices: number[]; triangles: number[] };
}

export interface BodyData {
  name: string;
  center: [number, number, number];
  stand_in: boolean;
  shapes: ShapeData[];
  points: [number, number, number][];
}

export interface FrameData {
  body: number;
  pose: PoseData;
}

export interface LinkData {
  name: string;
  kind: string;
  from: FrameData;
  to: FrameData;
}

export interface CurveData {
  name: string;
  points: string[];
  radius: number;
}

export interface ComponentData {
  name: string;
  gravity: [number, number, number];
  bodies: BodyData[];
  links: LinkData[];
  curves: CurveData[];
  interfaces: string[];
}

export interface SceneData {
  model: string;
  components: ComponentData[];
}

/** Times are start + i (end - start) / (count - 1); the maps tell where in a frame a thing's numbers begin. */
export interface MotionData {
  title: string;
  notes: string[];
  start: number;
  end: number;
  count: number;
  width: number;
  /** Seven numbers: position, quaternion w, x, y, z. By "component.body". */
  bodies: Record<string, number>;
  /** Six numbers: position, force. By "component.interface". */
  interfaces: Record<string, number>;
  /** Three numbers for each point. By "component.curve". */
  curves: Record<string, number>;
  /** One number, a force. By "component.body", of bodies that may be coloured by their load. */
  loads: Record<string, number>;
}

/** A time between two frames. */
export interface Instant {
  frame: number;
  fraction: number;
}

const scratch = new Quaternion();

/** The recorded motion; between frames positions are joined by straight lines, orientations by even turns. */
export class Motion {
  constructor(
    readonly data: MotionData,
    private readonly values: Float32Array,
  ) {
    if (values.length !== data.count * data.width) throw new Error("the animation data of this page are incomplete");
  }

  get frameCount(): number {
    return this.data.count;
  }

  timeOf(frame: number): number {
    const { start, end, count } = this.data;
    return count > 1 ? start + ((end - start) * frame) / (count - 1) : start;
  }

  at(time: number): Instant {
    const { start, end, count } = this.data;
    if (count < 2 || !(end > start)) return { frame: 0, fraction: 0 };
    const place = Math.min(Math.max(((time - start) / (end - start)) * (count - 1), 0), count - 1);
    const frame = Math.min(Math.floor(place), count - 2);
    return { frame, fraction: place - frame };
  }

  scalar(column: number, at: Instant): number {
    const a = at.frame * this.data.width + column;
    if (at.fraction === 0) return this.values[a];
    return this.values[a] + at.fraction * (this.values[a + this.data.width] - this.values[a]);
  }

  vector(column: number, at: Instant, result: Vector3): Vector3 {
    const { values } = this;
    const a = at.frame * this.data.width + column;
    if (at.fraction === 0) return result.set(values[a], values[a + 1], values[a + 2]);
    const b = a + this.data.width;
    const f = at.fraction;
    return result.set(
      values[a] + f * (values[b] - values[a]),
      values[a + 1] + f * (values[b + 1] - values[a + 1]),
      values[a + 2] + f * (values[b + 2] - values[a + 2]),
    );
  }

  orientation(column: number, at: Instant, result: Quaternion): Quaternion {
    const { values } = this;
    const a = at.frame * this.data.width + column;
    result.set(values[a + 1], values[a + 2], values[a + 3], values[a]).normalize();
    if (at.fraction === 0) return result;
    const b = a + this.data.width;
    scratch.set(values[b + 1], values[b + 2], values[b + 3], values[b]).normalize();
    return result.slerp(scratch, at.fraction);
  }
}

function embedded(id: string): string {
  const element = document.getElementById(id);
  if (!element?.textContent) throw new Error(`this page contains no data ('${id}')`);
  return element.textContent;
}

function decode(base64: string): Float32Array {
  const text = atob(base64.trim());
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  return new Float32Array(bytes.buffer);
}

export function readPage(): { scene: SceneData; motion: Motion } {
  const scene = JSON.parse(embedded("tieline-scene")) as SceneData;
  const motion = new Motion(JSON.parse(embedded("tieline-motion")) as MotionData, decode(embedded("tieline-frames")));
  return { scene, motion };
}
