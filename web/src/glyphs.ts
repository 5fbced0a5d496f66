// What is drawn beside the bodies: joints, springs, forces, flexible parts.

import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  CatmullRomCurve3,
  ConeGeometry,
  Curve,
  CylinderGeometry,
  Group,
  Mesh,
  MeshStandardMaterial,
  OctahedronGeometry,
  Quaternion,
  SphereGeometry,
  TubeGeometry,
  Vector3,
  type Material,
} from "three";

const kUp = new Vector3(0, 1, 0);
const kAlong = new Vector3(0, 0, 1);
const kDark = new MeshStandardMaterial({ color: 0x39424e, roughness: 0.6 });

function pin(size: number, length: number, axis: "x" | "z"): Mesh {
  const geometry = new CylinderGeometry(size, size, length, 20);
  if (axis === "z") geometry.rotateX(Math.PI / 2);
  else geometry.rotateZ(Math.PI / 2);
  return new Mesh(geometry, kDark);
}

/** A joint, its axis along z; `size` is about its radius [m]. */
export function makeJoint(kind: string, size: number): Group {
  const group = new Group();
  switch (kind) {
    case "revolute":
      group.add(pin(0.8 * size, 3 * size, "z"));
      break;
    case "cylindrical":
      group.add(pin(0.7 * size, 6 * size, "z"));
      break;
    case "universal":
      group.add(pin(0.6 * size, 4 * size, "z"), pin(0.6 * size, 4 * size, "x"));
      break;
    case "spherical":
      group.add(new Mesh(new SphereGeometry(1.3 * size, 20, 12), kDark));
      break;
    case "prismatic":
      group.add(new Mesh(new BoxGeometry(1.4 * size, 1.4 * size, 6 * size), kDark));
      break;
    case "fixed":
      group.add(new Mesh(new BoxGeometry(1.6 * size, 1.6 * size, 1.6 * size), kDark));
      break;
    default:
      group.add(new Mesh(new OctahedronGeometry(1.4 * size), kDark));
  }
  return group;
}

/** Something straight between two points that move: length 1 along z, put in place by `span`. */
export class Strut {
  private readonly between = new Vector3();

  constructor(readonly mesh: Mesh) {}

  span(from: Vector3, to: Vector3): void {
    this.between.subVectors(to, from);
    const length = this.between.length();
    this.mesh.visible = length > 0;
    if (length === 0) return;
    this.mesh.position.copy(from);
    this.mesh.quaternion.setFromUnitVectors(kAlong, this.between.divideScalar(length));
    this.mesh.scale.z = length;
  }
}

/** A rod of unit length along z. */
export function makeRod(radius: number, material: Material): Mesh {
  const geometry = new CylinderGeometry(radius, radius, 1, 12).rotateX(Math.PI / 2).translate(0, 0, 0.5);
  return new Mesh(geometry, material);
}

class Helix extends Curve<Vector3> {
  constructor(
    private readonly radius: number,
    private readonly turns: number,
  ) {
    super();
  }
  override getPoint(t: number, target = new Vector3()): Vector3 {
    // Straight ends, so that it is seen where the spring is hung up.
    const coil = Math.min(Math.max((t - 0.08) / 0.84, 0), 1);
    const swell = Math.min(coil, 1 - coil) > 0 ? 1 : 0;
    const angle = 2 * Math.PI * this.turns * coil;
    return target.set(swell * this.radius * Math.cos(angle), swell * this.radius * Math.sin(angle), t);
  }
}

/** A coil of unit length along z. */
export function makeSpring(radius: number): Mesh {
  const geometry = new TubeGeometry(new Helix(radius, 10), 240, 0.12 * radius, 6);
  return new Mesh(geometry, kDark);
}

export function makeTie(radius: number): Mesh {
  return makeRod(radius, kDark);
}

/** An arrow that shows a force: as long as the force is large, as thick as the scene asks for. */
export class Arrow {
  readonly group = new Group();
  private readonly shaft: Mesh;
  private readonly head: Mesh;
  private readonly direction = new Vector3();
  private readonly turn = new Quaternion();

  constructor(
    private readonly thickness: number,
    material: Material,
  ) {
    this.shaft = new Mesh(new CylinderGeometry(thickness, thickness, 1, 12).translate(0, 0.5, 0), material);
    this.head = new Mesh(new ConeGeometry(2.6 * thickness, 7 * thickness, 20).translate(0, -3.5 * thickness, 0), material);
    this.shaft.renderOrder = this.head.renderOrder = 1;
    this.group.add(this.shaft, this.head);
  }

  show(at: Vector3, force: Vector3, lengthPerForce: number): void {
    const length = force.length() * lengthPerForce;
    this.group.visible = length > 0.2 * this.thickness;
    if (!this.group.visible) return;
    this.direction.copy(force).normalize();
    this.group.position.copy(at);
    this.group.quaternion.copy(this.turn.setFromUnitVectors(kUp, this.direction));
    // A short arrow is all head.
    const head = Math.min(1, length / (7 * this.thickness));
    this.head.scale.setScalar(head);
    this.head.position.y = length;
    this.shaft.scale.y = Math.max(length - 7 * this.thickness * head, 1e-9);
  }
}

/** A round tube through points that move: a bending beam. */
export class FlexibleTube {
  readonly mesh: Mesh;
  private static readonly kAround = 14;
  private static readonly kBetween = 6;
  private readonly rings: number;
  private readonly path: CatmullRomCurve3;
  private readonly center = new Vector3();
  private readonly tangent = new Vector3();
  private readonly side = new Vector3();
  private readonly other = new Vector3();

  constructor(
    readonly points: Vector3[],
    private readonly radius: number,
    material: Material,
  ) {
    const { kAround, kBetween } = FlexibleTube;
    this.rings = (points.length - 1) * kBetween + 1;
    this.path = new CatmullRomCurve3(points);
    const geometry = new BufferGeometry();
    const indices: number[] = [];
    for (let i = 0; i + 1 < this.rings; ++i) {
      for (let j = 0; j < kAround; ++j) {
        const [a, b] = [i * kAround + j, i * kAround + ((j + 1) % kAround)];
        indices.push(a, b, a + kAround, b, b + kAround, a + kAround);
      }
    }
    // The ends are closed by rings of their own, since their normals are others, around one point each.
    const [first, last] = [this.rings * kAround, (this.rings + 1) * kAround + 1];
    for (let j = 0; j < kAround; ++j) {
      const next = (j + 1) % kAround;
      indices.push(first, first + 1 + next, first + 1 + j, last, last + 1 + j, last + 1 + next);
    }
    const vertices = (this.rings + 2) * kAround + 2;
    geometry.setAttribute("position", new BufferAttribute(new Float32Array(3 * vertices), 3));
    geometry.setAttribute("normal", new BufferAttribute(new Float32Array(3 * vertices), 3));
    geometry.setIndex(indices);
    this.mesh = new Mesh(geometry, material);
    this.mesh.frustumCulled = false;
  }

  /** Follows `points` to where they have been put. */
  update(): void {
    const { kAround } = FlexibleTube;
    const positions = this.mesh.geometry.getAttribute("position") as BufferAttribute;
    const normals = this.mesh.geometry.getAttribute("normal") as BufferAttribute;
    this.side.set(0, 0, 0);
    for (let i = 0; i < this.rings; ++i) {
      const t = i / (this.rings - 1);
      this.path.getPoint(t, this.center);
      this.path.getTangent(t, this.tangent);
      this.carrySide();
      this.other.crossVectors(this.tangent, this.side);
      for (let j = 0; j < kAround; ++j) {
        const angle = (2 * Math.PI * j) / kAround;
        const [c, s] = [Math.cos(angle), Math.sin(angle)];
        const at = i * kAround + j;
        const [x, y, z] = [
          c * this.side.x + s * this.other.x,
          c * this.side.y + s * this.other.y,
          c * this.side.z + s * this.other.z,
        ];
        normals.setXYZ(at, x, y, z);
        positions.setXYZ(
          at,
          this.center.x + this.radius * x,
          this.center.y + this.radius * y,
          this.center.z + this.radius * z,
        );
      }
      if (i === 0) this.close(this.rings * kAround, 0, -1, positions, normals);
    }
    this.close((this.rings + 1) * kAround + 1, (this.rings - 1) * kAround, 1, positions, normals);
    positions.needsUpdate = true;
    normals.needsUpdate = true;
  }

  /** Puts the cap that begins at vertex `at` onto the present ring, whose vertices begin at `ring`. */
  private close(at: number, ring: number, sign: number, positions: BufferAttribute, normals: BufferAttribute): void {
    const { x, y, z } = this.tangent;
    positions.setXYZ(at, this.center.x, this.center.y, this.center.z);
    for (let j = 0; j < FlexibleTube.kAround; ++j) positions.copyAt(at + 1 + j, positions, ring + j);
    for (let j = 0; j <= FlexibleTube.kAround; ++j) normals.setXYZ(at + j, sign * x, sign * y, sign * z);
  }

  /** Turns the side of the last ring as little as the new tangent asks for, so that the tube does not twist. */
  private carrySide(): void {
    this.side.addScaledVector(this.tangent, -this.side.dot(this.tangent));
    if (this.side.lengthSq() < 1e-12) {
      const { x, y, z } = this.tangent;
      this.side.set(Math.abs(x) < 0.9 ? 1 : 0, Math.abs(x) < 0.9 ? 0 : 1, 0);
      this.side.addScaledVector(this.tangent, -(this.side.x * x + this.side.y * y + this.side.z * z));
    }
    this.side.normalize();
  }
}
