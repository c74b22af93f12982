import { TerminalError } from '../../base/index.ts';
import { encodePng } from './png.ts';
import type { Point, Scene, Shape } from './scene.ts';
import { textStrokes, textWidth } from './stroke-font.ts';

/** More pixels would take more than about 100 MiB. */
const maxPixels = 24_000_000;
/** Pixels for each unit, the sharpest that fits. */
const scales = [2, 1.5, 1];

/** How far a point is from the edge of a shape; negative inside. */
type Distance = (x: number, y: number) => number;

interface Area {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Much faster than `Math.hypot`, which guards against numbers that pictures do not have. */
function length(dx: number, dy: number): number {
  return Math.sqrt(dx * dx + dy * dy);
}

class Canvas {
  readonly width: number;
  readonly height: number;
  readonly pixels: Buffer;

  constructor(width: number, height: number) {
    [this.width, this.height] = [width, height];
    this.pixels = Buffer.alloc(width * height * 3, 0xff);
  }

  /** Colours what is inside, its edge softly. */
  paint(area: Area, color: string, distance: Distance): void {
    const rgb = Number.parseInt(color.slice(1), 16);
    const [left, right] = [Math.max(0, Math.floor(area.left - 1)), Math.min(this.width, Math.ceil(area.right + 1))];
    const [top, bottom] = [Math.max(0, Math.floor(area.top - 1)), Math.min(this.height, Math.ceil(area.bottom + 1))];
    for (let y = top; y < bottom; y += 1) {
      for (let x = left; x < right; x += 1) {
        const share = Math.min(1, 0.5 - distance(x + 0.5, y + 0.5));
        if (share > 0) this.#blend((y * this.width + x) * 3, rgb, share);
      }
    }
  }

  #blend(at: number, rgb: number, share: number): void {
    for (let channel = 0; channel < 3; channel += 1) {
      const before = this.pixels[at + channel] ?? 0;
      const value = (rgb >> (16 - channel * 8)) & 0xff;
      this.pixels[at + channel] = Math.round(before + (value - before) * share);
    }
  }
}

function areaOf(points: readonly Point[], margin: number): Area {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [x, y] of points) {
    left = Math.min(left, x - margin);
    top = Math.min(top, y - margin);
    right = Math.max(right, x + margin);
    bottom = Math.max(bottom, y + margin);
  }
  return { left, top, right, bottom };
}

function segmentDistance([ax, ay]: Point, [bx, by]: Point): Distance {
  const [dx, dy] = [bx - ax, by - ay];
  const square = dx * dx + dy * dy;
  return (x, y) => {
    const share = square === 0 ? 0 : Math.max(0, Math.min(1, ((x - ax) * dx + (y - ay) * dy) / square));
    return length(x - ax - share * dx, y - ay - share * dy);
  };
}

/** A line with its corners rounded, as points. */
function rounded(points: readonly Point[], radius: number): readonly Point[] {
  return points.flatMap((point, index): readonly Point[] => {
    const [before, after] = [points[index - 1], points[index + 1]];
    if (radius === 0 || before === undefined || after === undefined) return [point];
    const near = ([x, y]: Point): Point => {
      const distance = length(x - point[0], y - point[1]);
      const share = distance === 0 ? 0 : Math.min(0.5, radius / distance);
      return [point[0] + (x - point[0]) * share, point[1] + (y - point[1]) * share];
    };
    const [start, end] = [near(before), near(after)];
    return [0, 0.25, 0.5, 0.75, 1].map((t): Point => {
      const at = (axis: 0 | 1): number =>
        (1 - t) ** 2 * start[axis] + 2 * (1 - t) * t * point[axis] + t ** 2 * end[axis];
      return [at(0), at(1)];
    });
  });
}

interface Pen {
  readonly color: string;
  readonly width: number;
}

function stroke(canvas: Canvas, points: readonly Point[], { color, width }: Pen): void {
  for (const [index, end] of points.entries()) {
    const start = points[index - 1];
    if (start === undefined) continue;
    const distance = segmentDistance(start, end);
    canvas.paint(areaOf([start, end], width), color, (x, y) => distance(x, y) - width / 2);
  }
}

/** Pieces of a line with gaps between. */
function dashes(points: readonly Point[], [on, off]: Point): readonly (readonly Point[])[] {
  return points.flatMap((end, index): readonly (readonly Point[])[] => {
    const start = points[index - 1];
    if (start === undefined) return [];
    const whole = length(end[0] - start[0], end[1] - start[1]);
    const along = (at: number): Point => [
      start[0] + ((end[0] - start[0]) * Math.min(at, whole)) / whole,
      start[1] + ((end[1] - start[1]) * Math.min(at, whole)) / whole,
    ];
    const pieces = whole === 0 ? 0 : Math.ceil(whole / (on + off));
    return Array.from({ length: pieces }, (_, piece) => [along(piece * (on + off)), along(piece * (on + off) + on)]);
  });
}

function boxDistance([x0, y0]: Point, [width, height]: Point, radius: number): Distance {
  return (x, y) => {
    const qx = Math.abs(x - x0 - width / 2) - width / 2 + radius;
    const qy = Math.abs(y - y0 - height / 2) - height / 2 + radius;
    return length(Math.max(qx, 0), Math.max(qy, 0)) + Math.min(Math.max(qx, qy), 0) - radius;
  };
}

/** Of a triangle, whichever way round its corners are. */
function triangleDistance(points: readonly [Point, Point, Point]): Distance {
  const [[ax, ay], [bx, by], [cx, cy]] = points;
  const turn = Math.sign((bx - ax) * (cy - ay) - (by - ay) * (cx - ax));
  const sides = points.map((start, index): readonly [Point, Point] => [start, points[(index + 1) % 3] ?? start]);
  return (x, y) =>
    Math.max(
      ...sides.map(
        ([[sx, sy], [ex, ey]]) => (-turn * ((ex - sx) * (y - sy) - (ey - sy) * (x - sx))) / length(ex - sx, ey - sy),
      ),
    );
}

type ShapeOf<K extends Shape['kind']> = Extract<Shape, { kind: K }>;

function paintText(canvas: Canvas, shape: ShapeOf<'text'>, scale: number): void {
  const { at, text, color, isBold, isCentered } = shape;
  const size = shape.size * scale;
  const left = at[0] * scale - (isCentered === true ? textWidth(text, size) / 2 : 0);
  const width = size * (isBold === true ? 0.125 : 0.085);
  for (const points of textStrokes(text, size, [left, at[1] * scale])) stroke(canvas, points, { color, width });
}

const scaled = ([x, y]: Point, scale: number): Point => [x * scale, y * scale];

function paintLine(canvas: Canvas, shape: ShapeOf<'line'>, scale: number): void {
  const pen = { color: shape.color, width: shape.width * scale };
  const corners = shape.points.map((point) => scaled(point, scale));
  const points = rounded(corners, shape.radius * scale);
  const pieces = shape.isDashed === true ? dashes(points, [4 * scale, 3 * scale]) : [points];
  for (const piece of pieces) stroke(canvas, piece, pen);
}

function paintCircle(canvas: Canvas, shape: ShapeOf<'circle'>, scale: number): void {
  const center = scaled(shape.center, scale);
  const [outer, inner] = [shape.radius + shape.width / 2, shape.radius - shape.width / 2];
  const from: Distance = (x, y) => length(x - center[0], y - center[1]);
  const area = areaOf([center], outer * scale);
  canvas.paint(area, shape.stroke, (x, y) => from(x, y) - outer * scale);
  canvas.paint(area, shape.fill, (x, y) => from(x, y) - inner * scale);
}

function paintBox(canvas: Canvas, shape: ShapeOf<'box'>, scale: number): void {
  const [corner, size] = [scaled(shape.corner, scale), scaled(shape.size, scale)];
  const distance = boxDistance(corner, size, shape.radius * scale);
  const area = areaOf([corner, [corner[0] + size[0], corner[1] + size[1]]], 1);
  canvas.paint(area, shape.stroke ?? shape.fill, distance);
  if (shape.stroke !== undefined) canvas.paint(area, shape.fill, (x, y) => distance(x, y) + scale);
}

function paintTriangle(canvas: Canvas, shape: ShapeOf<'triangle'>, scale: number): void {
  const [a, b, c] = shape.points;
  const points = [scaled(a, scale), scaled(b, scale), scaled(c, scale)] as const;
  canvas.paint(areaOf(points, 1), shape.fill, triangleDistance(points));
}

function paintShape(canvas: Canvas, shape: Shape, scale: number): void {
  switch (shape.kind) {
    case 'line':
      return paintLine(canvas, shape, scale);
    case 'circle':
      return paintCircle(canvas, shape, scale);
    case 'box':
      return paintBox(canvas, shape, scale);
    case 'triangle':
      return paintTriangle(canvas, shape, scale);
    default:
      return paintText(canvas, shape, scale);
  }
}

/** The picture as PNG.
 *  @throws TerminalError PictureTooLarge */
export function scenePng({ width, height, shapes }: Scene): Buffer {
  const scale = scales.find((one) => width * height * one * one <= maxPixels);
  if (scale === undefined) {
    throw new TerminalError(
      'PictureTooLarge',
      `the picture would have ${Math.ceil(width)} x ${Math.ceil(height)} pixels, more than ${maxPixels}: draw one channel (--channel), or as svg`,
    );
  }
  const canvas = new Canvas(Math.ceil(width * scale), Math.ceil(height * scale));
  for (const shape of shapes) paintShape(canvas, shape, scale);
  return encodePng(canvas);
}
