// Camera, light and ground around the stage; draws when something has changed.

import {
  Box3,
  BufferGeometry,
  Color,
  DirectionalLight,
  Float32BufferAttribute,
  HemisphereLight,
  LineBasicMaterial,
  LineSegments,
  PerspectiveCamera,
  Quaternion,
  Raycaster,
  Scene,
  Vector2,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { corners } from "./solids";
import type { Body, Stage } from "./stage";

const kBackground = new Color(0xeef1f5);
/** A model that travels further than this many of its sizes is shown from near, where it starts. */
const kFarTravel = 6;
/** Share of the picture that the model fills, at most. */
const kFilled = 0.82;
/** Steps of the grid over the model's size, about, and the most over all that it sees. */
const kGridSteps = 20;
const kMostGridSteps = 300;

/** 1, 2 or 5 times a power of ten, at least x. */
export function roundUp(x: number): number {
  const power = 10 ** Math.floor(Math.log10(x));
  for (const step of [1, 2, 5]) if (step * power >= x * (1 - 1e-9)) return step * power;
  return 10 * power;
}

/** Squares in the plane of x and z, so many to each side of the origin. */
function makeGrid(step: number, count: number): LineSegments {
  const [plain, tenth] = [new Color(0xced5de), new Color(0xa3adba)];
  const positions: number[] = [];
  const colours: number[] = [];
  // In pieces: software that draws lines gives up those of which an end is far behind the viewer.
  const piece = Math.max(1, Math.ceil(count / 15));
  for (let i = -count; i <= count; ++i) {
    for (let j = -count; j < count; j += piece) {
      const [across, from, to] = [i * step, j * step, Math.min(j + piece, count) * step];
      positions.push(across, 0, from, across, 0, to, from, 0, across, to, 0, across);
      for (let k = 0; k < 4; ++k) colours.push(...(i % 10 === 0 ? tenth : plain).toArray());
    }
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new Float32BufferAttribute(positions, 3));
  geometry.setAttribute("color", new Float32BufferAttribute(colours, 3));
  return new LineSegments(geometry, new LineBasicMaterial({ vertexColors: true }));
}

export class View {
  readonly gridStep: number;
  private readonly scene = new Scene();
  private readonly camera: PerspectiveCamera;
  private readonly renderer: WebGLRenderer;
  private readonly controls: OrbitControls;
  private readonly light = new DirectionalLight(0xffffff, 2.0);
  private readonly span: number;
  private readonly caster = new Raycaster();
  private followed: Body | null = null;
  private isStale = true;
  private readonly center = new Vector3();

  constructor(
    canvas: HTMLCanvasElement,
    private readonly stage: Stage,
  ) {
    this.renderer = new WebGLRenderer({ canvas, antialias: true });
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.scene.background = kBackground;
    this.span = stage.bounds.getSize(new Vector3()).length();
    this.camera = new PerspectiveCamera(35, 1);
    // Before the controls are made: they look at it once.
    this.camera.up.copy(stage.up);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.addEventListener("change", () => this.touch());
    const sky = new HemisphereLight(0xffffff, 0x9aa4b0, 1.6);
    sky.position.copy(stage.up);
    this.scene.add(stage.root, sky, this.light, this.light.target);
    this.gridStep = this.addGrid();
    this.resize();
    this.reset();
  }

  /** Whether the model as a whole goes out of any picture that shows its parts. */
  get travelsFar(): boolean {
    return this.span > kFarTravel * this.stage.size;
  }

  /** Something has changed: draw at the next chance. */
  touch(): void {
    this.isStale = true;
  }

  follow(body: Body | null): void {
    this.followed = body;
    this.keepFollowing();
    this.touch();
  }

  /** Moves the camera along with the body that it follows. */
  keepFollowing(): void {
    if (!this.followed) return;
    this.stage.centerOf(this.followed, this.center);
    const shift = this.center.sub(this.controls.target);
    this.camera.position.add(shift);
    this.controls.target.add(shift);
    this.controls.update();
  }

  /** Looks at all of the motion, or, where it goes far, at the model as it starts. */
  reset(): void {
    const { stage, camera } = this;
    const frames = this.travelsFar ? [0] : stage.sampledFrames();
    const direction = this.viewDirection(this.travelsFar ? stage.firstBounds : stage.bounds);
    const right = new Vector3().crossVectors(direction, camera.up).normalize();
    const upward = new Vector3().crossVectors(right, direction);
    const seen = new Box3();
    const inView = new Vector3();
    stage.forPoints(frames, (point) => {
      seen.expandByPoint(inView.set(point.dot(right), point.dot(upward), point.dot(direction)));
    });
    const at = seen.getCenter(new Vector3());
    // Each point must be inside the cone of sight, with a margin.
    const tanV = Math.tan((camera.fov * Math.PI) / 360) * kFilled;
    const tanH = tanV * camera.aspect;
    let distance = 0;
    stage.forPoints(frames, (point) => {
      inView.set(point.dot(right), point.dot(upward), point.dot(direction)).sub(at);
      distance = Math.max(distance, Math.abs(inView.x) / tanH - inView.z, Math.abs(inView.y) / tanV - inView.z);
    });
    const middle = right.multiplyScalar(at.x).addScaledVector(upward, at.y).addScaledVector(direction, at.z);
    this.controls.target.copy(middle);
    camera.position.copy(middle).addScaledVector(direction, -Math.max(distance, 1e-6 * stage.size));
    this.controls.update();
    this.keepFollowing();
    this.touch();
  }

  resize(): void {
    const { clientWidth, clientHeight } = this.renderer.domElement;
    this.renderer.setSize(clientWidth, clientHeight, false);
    this.camera.aspect = clientWidth / Math.max(clientHeight, 1);
    this.camera.updateProjectionMatrix();
    this.touch();
  }

  render(force = false): void {
    if (!this.isStale && !force) return;
    this.isStale = false;
    // The light comes over the viewer's left shoulder.
    const { light, camera } = this;
    light.position.copy(camera.position);
    light.position.addScaledVector(camera.up, 0.6 * camera.position.distanceTo(this.controls.target));
    light.position.add(
      this.center
        .subVectors(this.controls.target, camera.position)
        .cross(camera.up)
        .multiplyScalar(-0.5),
    );
    light.target.position.copy(this.controls.target);
    // Depth is resolved in shares of the distance: no more of it than needed.
    const distance = camera.position.distanceTo(this.controls.target);
    camera.near = 0.01 * distance;
    camera.far = distance + 4 * (this.span + this.stage.size);
    camera.updateProjectionMatrix();
    this.renderer.render(this.scene, camera);
  }

  /** Where a point is on the canvas: from -1 to 1 in both directions. */
  project(point: Vector3): [number, number] {
    this.camera.updateMatrixWorld();
    const at = point.clone().project(this.camera);
    return [at.x, at.y];
  }

  /** The body that is seen at a place of the canvas, in the measure of `project`. */
  bodyAt(x: number, y: number): Body | null {
    this.camera.updateMatrixWorld();
    this.caster.setFromCamera(new Vector2(x, y), this.camera);
    for (const { object } of this.caster.intersectObject(this.stage.root)) {
      const body = this.stage.bodyOf(object);
      if (body) return body;
    }
    return null;
  }

  /** Across the motion's larger horizontal extent, from a little to the side and above. */
  private viewDirection(box: Box3): Vector3 {
    const { up } = this.camera;
    const size = box.getSize(new Vector3());
    const axes = [new Vector3(1, 0, 0), new Vector3(0, 1, 0), new Vector3(0, 0, 1)];
    const level = axes
      .map((axis, i) => ({ axis: axis.addScaledVector(up, -axis.dot(up)), extent: size.getComponent(i) }))
      .filter(({ axis }) => axis.lengthSq() > 0.3);
    level.sort((a, b) => b.extent - a.extent);
    const across = level[0].axis.normalize();
    // x, or y where x goes into the picture, points to the right.
    const into = new Vector3().crossVectors(up, across).normalize();
    const turned = into.multiplyScalar(Math.cos(0.5)).addScaledVector(across, -Math.sin(0.5));
    return turned.addScaledVector(up, -0.36).normalize();
  }

  /** A grid at the foot of the motion; returns its step [m]. */
  private addGrid(): number {
    const { stage } = this;
    const box = stage.bounds;
    const size = box.getSize(new Vector3()).length();
    const step = roundUp(Math.max(stage.size / kGridSteps, (1.5 * size) / kMostGridSteps, 1e-9));
    const grid = makeGrid(step, Math.ceil((0.75 * size) / step) + 5);
    grid.quaternion.copy(new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), stage.up));
    const middle = box.getCenter(new Vector3());
    const foot = Math.min(...corners(box).map((corner) => corner.dot(stage.up)));
    // On whole steps of the world's axes, so that its lines, and every tenth, tell coordinates.
    grid.position.copy(middle).divideScalar(10 * step).round().multiplyScalar(10 * step);
    grid.position.addScaledVector(stage.up, foot - grid.position.dot(stage.up) - 1e-3 * size);
    this.scene.add(grid);
    return step;
  }
}
