// Everything that moves: the bodies of all components and what goes with them, placed for a time.

import {
  AxesHelper,
  Box3,
  BufferGeometry,
  Color,
  Float32BufferAttribute,
  Group,
  Line,
  LineBasicMaterial,
  Mesh,
  MeshStandardMaterial,
  Quaternion,
  SphereGeometry,
  Vector3,
  type Object3D,
} from "three";
import type { BodyData, ComponentData, FrameData, Instant, Motion, SceneData } from "./data";
import { Arrow, FlexibleTube, Strut, makeJoint, makeRod, makeSpring, makeTie } from "./glyphs";
import { Paint, makeShape, orientationOf, outlineOf, positionOf } from "./solids";

// Colours that people with any kind of colour vision tell apart.
const kPalette = [0x3b78b8, 0xe08a2e, 0x4a9e6b, 0xc2555a, 0x8a6bb8, 0x9a7b4f, 0xd277a6, 0x7d8590, 0xb0a83a, 0x45a8b5];
/** Sizes of what is not of the model, as shares of the model's size. */
const kGlyph = 0.012;
const kLeastBody = 0.015;
const kLongestArrow = 0.4;
/** Bounds are taken from so many frames. */
const kBoundFrames = 120;

export interface Body {
  readonly name: string;
  readonly column: number;
  readonly group: Group;
  readonly center: Vector3;
  readonly trail: Line;
  readonly axes: AxesHelper;
}

interface Joint {
  readonly mark: Group;
  readonly body: Body | null;
  readonly place: Vector3;
  readonly turn: Quaternion;
}

interface Spanned {
  readonly strut: Strut;
  readonly from: { body: Body | null; place: Vector3 };
  readonly to: { body: Body | null; place: Vector3 };
}

interface Force {
  readonly column: number;
  readonly arrow: Arrow;
}

interface Flexible {
  readonly column: number;
  readonly tube: FlexibleTube;
}

/** A body that is coloured by what it carries. */
interface Loaded {
  readonly name: string;
  readonly column: number;
  readonly paint: Paint;
  readonly plain: Color;
}

/** Points of a body between which it lies, in its own axes. */
interface Outline {
  readonly column: number;
  readonly points: Vector3[];
}

export interface Component {
  readonly name: string;
  readonly colour: Color;
  readonly group: Group;
  readonly trails: Group;
  readonly arrows: Group;
  readonly hasStandIns: boolean;
}

/** Colours of loads from none to the largest: their lightness falls steadily, so that they need no colour vision. */
export const kLoadColours = ["#f4f1e4", "#f6cf6b", "#ee8b3a", "#c8323c", "#5a1846"].map((text) => new Color(text));
/** How much is seen of other bodies beside coloured ones. */
const kVeil = 0.22;

function loadColour(share: number, result: Color): Color {
  const place = Math.min(Math.max(share, 0), 1) * (kLoadColours.length - 1);
  const first = Math.min(Math.floor(place), kLoadColours.length - 2);
  return result.copy(kLoadColours[first]).lerp(kLoadColours[first + 1], place - first);
}

/** A lighter or darker hue of a component's colour, so that its bodies can be told apart. */
function shade(colour: Color, index: number, count: number): Color {
  const hsl = { h: 0, s: 0, l: 0 };
  colour.getHSL(hsl);
  const step = count > 1 ? (index % 4) / 3 - 0.5 : 0;
  return new Color().setHSL((hsl.h + 0.05 * step + 1) % 1, hsl.s, Math.min(Math.max(hsl.l - 0.16 * step, 0.2), 0.75));
}

export class Stage {
  readonly root = new Group();
  readonly components: Component[] = [];
  readonly bodies: Body[] = [];
  /** What the model takes up at the first frame, and over all of them. */
  readonly firstBounds: Box3;
  readonly bounds: Box3;
  /** Of the model at the first frame [m]. */
  readonly size: number;
  readonly up: Vector3;
  readonly largestForce: number;
  /** Of the bodies that may be coloured by it [N]. */
  readonly largestLoad: number;

  private readonly outline: Outline[];
  private readonly joints: Joint[] = [];
  private readonly spans: Spanned[] = [];
  private readonly forces: Force[] = [];
  private readonly flexibles: Flexible[] = [];
  private readonly loaded: Loaded[] = [];
  private readonly veiled: Paint[] = [];
  private colouredByLoad = false;
  private forceFactor = 1;
  private readonly scratchA = new Vector3();
  private readonly scratchB = new Vector3();

  constructor(
    private readonly data: SceneData,
    private readonly motion: Motion,
  ) {
    this.up = upOf(data);
    this.outline = this.outlines();
    this.firstBounds = this.boundsOf([0]);
    this.bounds = this.boundsOf(this.sampledFrames());
    const extent = this.firstBounds.getSize(new Vector3()).length();
    this.size = extent > 0 ? extent : Math.max(this.bounds.getSize(new Vector3()).length(), 1);
    data.components.forEach((component, i) => this.addComponent(component, new Color(kPalette[i % kPalette.length])));
    this.largestForce = this.findLargestForce();
    this.largestLoad = this.findLargestLoad();
  }

  get hasForces(): boolean {
    return this.forces.length > 0;
  }

  get hasLoads(): boolean {
    return this.loaded.length > 0;
  }

  /** What a body carries [N]; null where it is not known. */
  loadOf(name: string, at: Instant): number | null {
    const found = this.loaded.find((loaded) => loaded.name === name);
    return found ? this.motion.scalar(found.column, at) : null;
  }

  body(name: string): Body | undefined {
    return this.bodies.find((body) => body.name === name);
  }

  /** The body that a part of the scene belongs to, if it is to be seen. */
  bodyOf(part: Object3D): Body | null {
    if (!(part instanceof Mesh)) return null;
    let body: Body | null = null;
    for (let at: Object3D | null = part; at; at = at.parent) {
      if (!at.visible) return null;
      body ??= this.bodies.find(({ group }) => group === at) ?? null;
    }
    return body;
  }

  /** Centre of mass of a body as placed. */
  centerOf(body: Body, result: Vector3): Vector3 {
    return result.copy(body.center).applyQuaternion(body.group.quaternion).add(body.group.position);
  }

  showTrails(on: boolean): void {
    for (const component of this.components) component.trails.visible = on;
  }
  showForces(on: boolean): void {
    for (const component of this.components) component.arrows.visible = on;
  }
  showAxes(on: boolean): void {
    for (const body of this.bodies) body.axes.visible = on;
  }
  /** Colours what carries loads, and lets it be seen through the rest. */
  colourByLoad(on: boolean, at: Instant): void {
    this.colouredByLoad = on && this.hasLoads;
    for (const paint of this.veiled) paint.veil(this.colouredByLoad ? kVeil : 1);
    this.placeColours(at);
  }
  scaleForces(factor: number): void {
    this.forceFactor = factor;
  }

  /** Some of the frames, spread over all. */
  sampledFrames(): number[] {
    const last = this.motion.frameCount - 1;
    const count = Math.min(kBoundFrames, last + 1);
    return Array.from({ length: count }, (_, i) => Math.round((i * last) / Math.max(count - 1, 1)));
  }

  /** Calls `visit` with points that everything lies between, at some frames. The point is used again. */
  forPoints(frames: number[], visit: (point: Vector3) => void): void {
    const place = new Vector3();
    const turn = new Quaternion();
    const point = new Vector3();
    for (const frame of frames) {
      const at = { frame, fraction: 0 };
      for (const { column, points } of this.outline) {
        this.motion.vector(column, at, place);
        this.motion.orientation(column + 3, at, turn);
        for (const local of points) visit(point.copy(local).applyQuaternion(turn).add(place));
      }
      for (const component of this.data.components) {
        for (const curve of component.curves) {
          const column = this.motion.data.curves[`${component.name}.${curve.name}`];
          if (column !== undefined) curve.points.forEach((_, i) => visit(this.motion.vector(column + 3 * i, at, point)));
        }
      }
    }
    for (const component of this.data.components) {
      for (const { from, to } of component.links) {
        for (const frame of [from, to]) if (frame.body < 0) visit(point.copy(positionOf(frame.pose)));
      }
    }
  }

  /** Puts everything where it is at an instant. */
  place(at: Instant): void {
    for (const body of this.bodies) {
      this.motion.vector(body.column, at, body.group.position);
      this.motion.orientation(body.column + 3, at, body.group.quaternion);
      body.trail.geometry.setDrawRange(0, Math.floor(at.frame + at.fraction) + 1);
    }
    for (const { mark, body, place, turn } of this.joints) {
      mark.position.copy(place);
      mark.quaternion.copy(turn);
      if (!body) continue;
      mark.position.applyQuaternion(body.group.quaternion).add(body.group.position);
      mark.quaternion.premultiply(body.group.quaternion);
    }
    for (const { strut, from, to } of this.spans) strut.span(placed(from, this.scratchA), placed(to, this.scratchB));
    const lengthPerForce =
      this.largestForce > 0 ? (this.forceFactor * kLongestArrow * this.size) / this.largestForce : 0;
    for (const { column, arrow } of this.forces) {
      this.motion.vector(column, at, this.scratchA);
      this.motion.vector(column + 3, at, this.scratchB);
      arrow.show(this.scratchA, this.scratchB, lengthPerForce);
    }
    for (const { column, tube } of this.flexibles) {
      tube.points.forEach((point, i) => this.motion.vector(column + 3 * i, at, point));
      tube.update();
    }
    this.placeColours(at);
  }

  private placeColours(at: Instant): void {
    for (const { column, paint, plain } of this.loaded) {
      if (!this.colouredByLoad) paint.surface.color.copy(plain);
      else loadColour(this.motion.scalar(column, at) / (this.largestLoad || 1), paint.surface.color);
    }
  }

  private addComponent(data: ComponentData, colour: Color): void {
    const component = {
      name: data.name,
      colour,
      group: new Group(),
      trails: new Group(),
      arrows: new Group(),
      hasStandIns: data.bodies.some((body) => body.stand_in),
    };
    const { group } = component;
    group.add(component.trails, component.arrows);
    this.root.add(group);
    this.components.push(component);
    const bodies = data.bodies.map((body, i) => {
      const column = this.motion.data.bodies[`${data.name}.${body.name}`];
      if (column === undefined) return null;
      const paint = new Paint(shade(colour, i, data.bodies.length));
      const name = `${data.name}.${body.name}`;
      const added = this.makeBody(name, body, column, paint);
      const load = this.motion.data.loads?.[name];
      if (load === undefined) this.veiled.push(paint);
      else this.loaded.push({ name, column: load, paint, plain: paint.colour.clone() });
      group.add(added.group);
      component.trails.add(added.trail);
      this.bodies.push(added);
      return added;
    });
    const known = (frame: FrameData) => frame.body < 0 || bodies[frame.body] !== null;
    const end = (frame: FrameData) => ({
      body: frame.body < 0 ? null : bodies[frame.body],
      place: positionOf(frame.pose),
    });
    for (const link of data.links) {
      if (!known(link.from) || !known(link.to)) continue;
      if (link.kind === "spring" || link.kind === "tie") {
        const radius = this.size * kGlyph;
        const strut = new Strut(link.kind === "spring" ? makeSpring(1.5 * radius) : makeTie(0.3 * radius));
        group.add(strut.mesh);
        this.spans.push({ strut, from: end(link.from), to: end(link.to) });
      }
      if (link.kind !== "spring") {
        const mark = makeJoint(link.kind, this.size * kGlyph);
        group.add(mark);
        this.joints.push({ mark, ...end(link.from), turn: orientationOf(link.from.pose) });
      }
    }
    this.addForces(data, component);
    this.addCurves(data, component);
  }

  private makeBody(name: string, data: BodyData, column: number, paint: Paint): Body {
    const group = new Group();
    const center = new Vector3(...data.center);
    const reach = Math.max(0, ...data.shapes.flatMap(outlineOf).map((point) => point.distanceTo(center)));
    for (const shape of data.shapes) group.add(makeShape(shape, paint, data.stand_in));
    if (data.stand_in) {
      const rod = this.size * kGlyph * 0.5;
      for (const point of data.points) {
        const strut = new Strut(makeRod(rod, paint.surface));
        strut.span(new Vector3(), new Vector3(...point));
        group.add(strut.mesh);
      }
      // However small its box, a body must be seen.
      const ball = new Mesh(new SphereGeometry(kLeastBody * this.size, 24, 16), paint.surface);
      ball.position.copy(center);
      group.add(ball);
    }
    const axes = new AxesHelper(Math.max(0.12 * this.size, 0.7 * reach));
    axes.visible = false;
    group.add(axes);
    const trail = this.makeTrail(column, center, paint.colour);
    return { name, column, group, center, trail, axes };
  }

  private makeTrail(column: number, center: Vector3, colour: Color): Line {
    const positions = new Float32Array(this.motion.frameCount * 3);
    const place = new Vector3();
    const turn = new Quaternion();
    for (let frame = 0; frame < this.motion.frameCount; ++frame) {
      this.motion.orientation(column + 3, { frame, fraction: 0 }, turn);
      this.motion.vector(column, { frame, fraction: 0 }, place);
      place.add(this.scratchA.copy(center).applyQuaternion(turn)).toArray(positions, 3 * frame);
    }
    const geometry = new BufferGeometry().setAttribute("position", new Float32BufferAttribute(positions, 3));
    const line = new Line(geometry, new LineBasicMaterial({ color: colour }));
    line.frustumCulled = false;
    return line;
  }

  private addForces(data: ComponentData, { colour, arrows }: Component): void {
    // Interfaces often lie inside bodies: their arrows are drawn over everything.
    const material = new MeshStandardMaterial({
      color: colour.clone().multiplyScalar(0.75),
      roughness: 0.4,
      depthTest: false,
      transparent: true,
    });
    for (const name of data.interfaces) {
      const column = this.motion.data.interfaces[`${data.name}.${name}`];
      if (column === undefined) continue;
      const arrow = new Arrow(this.size * kGlyph * 0.45, material);
      arrows.add(arrow.group);
      this.forces.push({ column, arrow });
    }
  }

  private addCurves(data: ComponentData, { colour, group }: Component): void {
    const paint = new Paint(colour);
    for (const curve of data.curves) {
      const column = this.motion.data.curves[`${data.name}.${curve.name}`];
      if (column === undefined || curve.points.length < 2) continue;
      const points = curve.points.map(() => new Vector3());
      const tube = new FlexibleTube(points, Math.max(curve.radius, 0.2 * kGlyph * this.size), paint.surface);
      group.add(tube.mesh);
      this.flexibles.push({ column, tube });
    }
  }

  private findLargestForce(): number {
    let largest = 0;
    for (let frame = 0; frame < this.motion.frameCount; ++frame) {
      for (const { column } of this.forces) {
        largest = Math.max(largest, this.motion.vector(column + 3, { frame, fraction: 0 }, this.scratchA).length());
      }
    }
    return largest;
  }

  private findLargestLoad(): number {
    let largest = 0;
    for (let frame = 0; frame < this.motion.frameCount; ++frame) {
      for (const { column } of this.loaded) largest = Math.max(largest, this.motion.scalar(column, { frame, fraction: 0 }));
    }
    return largest;
  }

  private outlines(): Outline[] {
    const result: Outline[] = [];
    for (const component of this.data.components) {
      for (const body of component.bodies) {
        const column = this.motion.data.bodies[`${component.name}.${body.name}`];
        if (column === undefined) continue;
        const points = [...body.points, [0, 0, 0] as const].map((point) => new Vector3(...point));
        result.push({ column, points: points.concat(...body.shapes.map(outlineOf)) });
      }
    }
    return result;
  }

  private boundsOf(frames: number[]): Box3 {
    const box = new Box3();
    this.forPoints(frames, (point) => box.expandByPoint(point));
    if (box.isEmpty()) box.set(new Vector3(-0.5, -0.5, -0.5), new Vector3(0.5, 0.5, 0.5));
    return box;
  }
}

function placed({ body, place }: { body: Body | null; place: Vector3 }, result: Vector3): Vector3 {
  result.copy(place);
  return body ? result.applyQuaternion(body.group.quaternion).add(body.group.position) : result;
}

/** Against gravity where there is any, else along z. */
function upOf(data: SceneData): Vector3 {
  for (const { gravity } of data.components) {
    const g = new Vector3(...gravity);
    if (g.length() > 0) return g.normalize().negate();
  }
  return new Vector3(0, 0, 1);
}
