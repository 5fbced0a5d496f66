// Shapes of the model as geometry. Round ones carry marks, since nobody sees a plain cylinder spin.

import {
  Box3,
  BoxGeometry,
  BufferGeometry,
  Color,
  EdgesGeometry,
  Float32BufferAttribute,
  Group,
  LatheGeometry,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshStandardMaterial,
  Quaternion,
  SphereGeometry,
  Vector2,
  Vector3,
} from "three";
import type { PoseData, ShapeData } from "./data";

/** Meshes of more triangles have no edges drawn: there would be nothing else to see. */
const kMostTriangles = 20000;
/** Only edges sharper than this are drawn [degrees]. */
const kEdgeAngle = 30;
const kSegments = 48;

export function positionOf(pose: PoseData): Vector3 {
  return new Vector3(pose[0], pose[1], pose[2]);
}

export function orientationOf(pose: PoseData): Quaternion {
  return new Quaternion(pose[4], pose[5], pose[6], pose[3]).normalize();
}

/** How a component is painted. */
export class Paint {
  readonly surface: MeshStandardMaterial;
  readonly standIn: MeshStandardMaterial;
  readonly lines: LineBasicMaterial;

  constructor(readonly colour: Color) {
    this.surface = new MeshStandardMaterial({ color: colour, roughness: 0.55, metalness: 0.1 });
    this.standIn = new MeshStandardMaterial({ color: colour, roughness: 0.8, transparent: true, opacity: 0.55 });
    const dark = colour.clone().multiplyScalar(0.35);
    this.lines = new LineBasicMaterial({ color: dark });
  }

  /** 1 shows a body as it is; less lets others be seen through it. */
  veil(opacity: number): void {
    for (const material of [this.surface, this.lines]) {
      material.transparent = opacity < 1;
      material.opacity = opacity;
      material.depthWrite = opacity === 1;
      material.needsUpdate = true;
    }
  }
}

function tubeGeometry([outer, inner, length]: [number, number, number]): BufferGeometry {
  const h = length / 2;
  const outline = [new Vector2(inner, -h), new Vector2(outer, -h), new Vector2(outer, h), new Vector2(inner, h)];
  if (inner > 0) outline.push(new Vector2(inner, -h));
  // A lathe smooths over the corners of its outline; each face on its own keeps them sharp. It turns about y.
  const faces = outline.slice(1).map((point, i) => new LatheGeometry([outline[i], point], kSegments));
  return merged(faces).rotateX(Math.PI / 2);
}

function merged(parts: BufferGeometry[]): BufferGeometry {
  const positions: number[] = [];
  const normals: number[] = [];
  const indices: number[] = [];
  for (const part of parts) {
    const first = positions.length / 3;
    const index = part.getIndex();
    if (!index) throw new Error("a face of a tube has no index");
    for (let i = 0; i < index.count; ++i) indices.push(first + index.getX(i));
    positions.push(...part.getAttribute("position").array);
    normals.push(...part.getAttribute("normal").array);
    part.dispose();
  }
  const result = new BufferGeometry();
  result.setAttribute("position", new Float32BufferAttribute(positions, 3));
  result.setAttribute("normal", new Float32BufferAttribute(normals, 3));
  return result.setIndex(indices);
}

function meshGeometry(mesh: NonNullable<ShapeData["mesh"]>): BufferGeometry {
  const result = new BufferGeometry();
  result.setAttribute("position", new Float32BufferAttribute(mesh.vertices, 3));
  result.setIndex(mesh.triangles);
  // Without shared normals, so that edges of machined parts stay edges.
  const flat = result.toNonIndexed();
  result.dispose();
  flat.computeVertexNormals();
  return flat;
}

/** Lines on a tube's mantle and faces, at a third of a turn from each other; one is doubled. */
function tubeMarks([outer, inner, length]: [number, number, number]): number[] {
  const points: number[] = [];
  const r = outer * 1.002;
  const h = (length / 2) * 1.002;
  for (const angle of [0, 0.12, (2 * Math.PI) / 3, (4 * Math.PI) / 3]) {
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    points.push(c * r, s * r, -h, c * r, s * r, h);
    for (const z of [-h, h]) points.push(c * inner, s * inner, z, c * r, s * r, z);
  }
  return points;
}

function sphereMarks(radius: number): number[] {
  const points: number[] = [];
  const r = radius * 1.002;
  for (let i = 0; i < kSegments; ++i) {
    const [a, b] = [(2 * Math.PI * i) / kSegments, (2 * Math.PI * (i + 1)) / kSegments];
    points.push(r * Math.cos(a), r * Math.sin(a), 0, r * Math.cos(b), r * Math.sin(b), 0);
    if (i < kSegments / 2) points.push(r * Math.cos(a), 0, r * Math.sin(a), r * Math.cos(b), 0, r * Math.sin(b));
  }
  return points;
}

function lines(points: number[], material: LineBasicMaterial): LineSegments {
  const geometry = new BufferGeometry().setAttribute("position", new Float32BufferAttribute(points, 3));
  return new LineSegments(geometry, material);
}

function edges(geometry: BufferGeometry, material: LineBasicMaterial): LineSegments {
  return new LineSegments(new EdgesGeometry(geometry, kEdgeAngle), material);
}

/** A shape on its body. */
export function makeShape(shape: ShapeData, paint: Paint, isStandIn: boolean): Group {
  const group = new Group();
  const add = (geometry: BufferGeometry, outline: LineSegments | null) => {
    group.add(new Mesh(geometry, isStandIn ? paint.standIn : paint.surface));
    if (outline) group.add(outline);
  };
  if (shape.box) {
    const geometry = new BoxGeometry(...shape.box);
    add(geometry, edges(geometry, paint.lines));
  } else if (shape.tube) {
    const geometry = tubeGeometry(shape.tube);
    add(geometry, edges(geometry, paint.lines));
    group.add(lines(tubeMarks(shape.tube), paint.lines));
  } else if (shape.sphere !== undefined) {
    add(new SphereGeometry(shape.sphere, kSegments, kSegments / 2), lines(sphereMarks(shape.sphere), paint.lines));
  } else if (shape.mesh) {
    const geometry = meshGeometry(shape.mesh);
    add(geometry, shape.mesh.triangles.length <= 3 * kMostTriangles ? edges(geometry, paint.lines) : null);
  }
  group.position.copy(positionOf(shape.pose));
  group.quaternion.copy(orientationOf(shape.pose));
  return group;
}

/** Points of a body's axes that a shape lies between. */
export function outlineOf(shape: ShapeData): Vector3[] {
  const half = new Vector3();
  const middle = new Vector3();
  if (shape.box) half.fromArray(shape.box).multiplyScalar(0.5);
  if (shape.tube) half.set(shape.tube[0], shape.tube[0], shape.tube[2] / 2);
  if (shape.sphere !== undefined) half.setScalar(shape.sphere);
  if (shape.mesh) {
    const box = new Box3().setFromArray(shape.mesh.vertices);
    box.getSize(half).multiplyScalar(0.5);
    box.getCenter(middle);
  }
  const turn = orientationOf(shape.pose);
  const place = positionOf(shape.pose);
  return corners(new Box3(middle.clone().sub(half), middle.clone().add(half))).map((corner) =>
    corner.applyQuaternion(turn).add(place),
  );
}

export function corners(box: Box3): Vector3[] {
  return [0, 1, 2, 3, 4, 5, 6, 7].map(
    (i) => new Vector3(i & 1 ? box.max.x : box.min.x, i & 2 ? box.max.y : box.min.y, i & 4 ? box.max.z : box.min.z),
  );
}
