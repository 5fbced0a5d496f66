// Camera, light and ground around the stage; draws when something has changed.

import {
  Box3,
  Color,
  DirectionalLight,
  GridHelper,
  HemisphereLight,
  PerspectiveCamera,
  Quaternion,
  Scene,
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
/** Lines of the grid in each direction, about. */
const kGridLines = 24;

/** 1, 2 or 5 times a power of ten, at least x. */
export function roundUp(x: number): number {
  const power = 10 ** Math.floor(Math.log10(x));
  for (const step of [1, 2, 5]) if (step * power >= x * (1 - 1e-9)) return step * power;
  return 10 * power;
}

export class View {
  readonly gridStep: number;
  private readonly scene = new Scene();
  private readonly camera: PerspectiveCamera;
  private readonly renderer: WebGLRenderer;
  private readonly controls: OrbitControls;
  private readonly light = new DirectionalLight(0xffffff, 2.0);
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
    const span = stage.bounds.getSize(new Vector3()).length();
    this.camera = new PerspectiveCamera(35, 1, 1e-3 * stage.size, 50 * span + 50 * stage.size);
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
    const travels = stage.bounds.getSize(new Vector3()).length() > kFarTravel * stage.size;
    const frames = travels ? [0] : stage.sampledFrames();
    const direction = this.viewDirection(travels ? stage.firstBounds : stage.bounds);
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
    this.renderer.render(this.scene, camera);
  }

  /** Where a point is on the canvas: from -1 to 1 in both directions. */
  project(point: Vector3): [number, number] {
    this.camera.updateMatrixWorld();
    const at = point.clone().project(this.camera);
    return [at.x, at.y];
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
    const step = roundUp(Math.max(size, 1e-9) / kGridLines);
    const lines = 2 * Math.ceil((0.75 * size) / step);
    const grid = new GridHelper(lines * step, lines, 0xa3adba, 0xced5de);
    grid.quaternion.copy(new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), stage.up));
    const middle = box.getCenter(new Vector3());
    const foot = Math.min(...corners(box).map((corner) => corner.dot(stage.up)));
    // On whole steps of the world's axes, so that its lines tell coordinates.
    grid.position.set(
      Math.round(middle.x / step) * step,
      Math.round(middle.y / step) * step,
      Math.round(middle.z / step) * step,
    );
    grid.position.addScaledVector(stage.up, foot - grid.position.dot(stage.up) - 1e-3 * size);
    this.scene.add(grid);
    return step;
  }
}
