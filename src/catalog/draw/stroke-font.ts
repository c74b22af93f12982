import type { Point } from './scene.ts';

/** Letters as strokes of a pen, so that pictures need no font. Capitals are 8 high and stand on 8, small letters begin at 3, y grows downwards.
 *  `L` joins points, `S` goes smoothly through them, `A` is a part of an ellipse: centre, radii, from and to in degrees, 0 to the right, 90 down. */
const glyphs: Readonly<Record<string, string>> = {
  A: 'L0,8 2.5,0 5,8;L0.9,5.2 4.1,5.2',
  B: 'L2.4,4 0,4 0,0 2.4,0;A2.4,2 2,2 -90 90;L2.4,4 2.6,4;A2.6,6 2.1,2 -90 90;L2.6,8 0,8 0,4',
  C: 'A2.6,4 2.6,4 48 312',
  D: 'L1.6,8 0,8 0,0 1.6,0;A1.6,4 3.2,4 -90 90',
  E: 'L4.2,0 0,0 0,8 4.2,8;L0,4 3.6,4',
  F: 'L4.2,0 0,0 0,8;L0,4 3.6,4',
  G: 'A2.6,4 2.6,4 312 10;L5.2,4.7 5.2,4.3 3,4.3',
  H: 'L0,0 0,8;L5,0 5,8;L0,4 5,4',
  I: 'L0.5,0 0.5,8',
  J: 'L3.4,0 3.4,5.8;A1.7,5.8 1.7,2.2 0 180',
  K: 'L0,0 0,8;L4.6,0 0,4.8;L1.6,3.4 4.8,8',
  L: 'L0,0 0,8 4,8',
  M: 'L0,8 0,0 3,5.4 6,0 6,8',
  N: 'L0,8 0,0 5,8 5,0',
  O: 'A2.8,4 2.8,4 0 360',
  P: 'L0,8 0,0 2.4,0;A2.4,2.3 2.2,2.3 -90 90;L2.4,4.6 0,4.6',
  Q: 'A2.8,4 2.8,4 0 360;L3.4,5.8 5.6,8.4',
  R: 'L0,8 0,0 2.4,0;A2.4,2.3 2.2,2.3 -90 90;L2.4,4.6 0,4.6;L2.2,4.6 4.8,8',
  S: 'S4.4,1.2 3.2,0 1.5,0 0.2,1.6 0.9,3.3 3.5,4.5 4.6,6.2 3.4,8 1.4,8 0,6.8',
  T: 'L0,0 5,0;L2.5,0 2.5,8',
  U: 'L0,0 0,5.4;A2.4,5.4 2.4,2.6 180 0;L4.8,5.4 4.8,0',
  V: 'L0,0 2.5,8 5,0',
  W: 'L0,0 1.8,8 3.6,1 5.4,8 7.2,0',
  X: 'L0,0 4.8,8;L4.8,0 0,8',
  Y: 'L0,0 2.5,4.2 5,0;L2.5,4.2 2.5,8',
  Z: 'L0.2,0 4.6,0 0,8 4.8,8',
  a: 'A2,5.5 2,2.5 0 360;L4,3 4,8',
  b: 'L0,0 0,8;A2,5.5 2,2.5 0 360',
  c: 'A2,5.5 2,2.5 48 312',
  d: 'L4,0 4,8;A2,5.5 2,2.5 0 360',
  e: 'L0,5.5 4,5.5;A2,5.5 2,2.5 360 45',
  f: 'L1.4,8 1.4,1.8;A2.8,1.8 1.4,1.8 180 285;L0,3 3,3',
  g: 'A2,5.5 2,2.5 0 360;L4,3 4,8.4;A2,8.4 2,2.1 0 155',
  h: 'L0,0 0,8;A2,5 2,2 180 360;L4,5 4,8',
  i: 'L0.5,3 0.5,8;L0.5,0.7 0.5,0.9',
  j: 'L1.7,3 1.7,8.8;A0.3,8.8 1.4,1.7 0 105;L1.7,0.7 1.7,0.9',
  k: 'L0,0 0,8;L3.6,3 0,6.2;L1.4,5 3.9,8',
  l: 'L0.4,0 0.4,6.8;A1.6,6.8 1.2,1.2 180 85',
  m: 'L0,3 0,8;A1.5,4.8 1.5,1.8 180 360;L3,4.8 3,8;A4.5,4.8 1.5,1.8 180 360;L6,4.8 6,8',
  n: 'L0,3 0,8;A2,5 2,2 180 360;L4,5 4,8',
  o: 'A2.1,5.5 2.1,2.5 0 360',
  p: 'L0,3 0,10.4;A2,5.5 2,2.5 0 360',
  q: 'L4,3 4,10.4;A2,5.5 2,2.5 0 360',
  r: 'L0,3 0,8;A2,5 2,2 180 305',
  s: 'S3.5,3.9 2.6,3.05 1.2,3.05 0.2,4.1 0.9,5.1 2.8,5.8 3.6,6.8 2.6,7.95 1.1,7.95 0,7.1',
  t: 'L1.3,0.9 1.3,6.6;A2.7,6.6 1.4,1.4 180 80;L0,3 3,3',
  u: 'L0,3 0,6;A2,6 2,2 180 0;L4,3 4,8',
  v: 'L0,3 2,8 4,3',
  w: 'L0,3 1.5,8 3,3.6 4.5,8 6,3',
  x: 'L0,3 3.8,8;L3.8,3 0,8',
  y: 'L0,3 2,7.8;L4,3 1.9,8.4;S1.9,8.4 1.2,10 0,10.3',
  z: 'L0.2,3 3.7,3 0,8 3.9,8',
  '0': 'A2.2,4 2.2,4 0 360',
  '1': 'L0.7,1.7 2.5,0 2.5,8',
  '2': 'A2.2,2.2 2.1,2.2 190 385;L4.1,3.13 0.1,8 4.4,8',
  '3': 'A2.1,2.05 2,2.05 205 450;A2.1,6.05 2.2,1.95 270 518',
  '4': 'L3.2,8 3.2,0 0,5.8 4.4,5.8',
  '5': 'L4,0 0.8,0 0.42,3.72;A2.1,5.4 2.2,2.6 220 512',
  '6': 'A2.2,5.5 2.1,2.5 0 360;S0.1,5.5 0.6,2.8 1.8,1 3.5,0',
  '7': 'L0,0 4.4,0 1.5,8',
  '8': 'A2.2,2 1.8,2 0 360;A2.2,6 2.2,2 0 360',
  '9': 'A2.2,2.5 2.1,2.5 0 360;S4.3,2.5 3.8,5.2 2.6,7 0.9,8',
  ' ': '',
  '.': 'L0.4,7.8 0.4,8',
  ',': 'L0.7,7.7 0.7,8 0.1,9.4',
  ':': 'L0.4,4 0.4,4.2;L0.4,7.8 0.4,8',
  ';': 'L0.7,4 0.7,4.2;L0.7,7.7 0.7,8 0.1,9.4',
  '-': 'L0.2,5 2.7,5',
  _: 'L0,9 4.2,9',
  '+': 'L0.2,4.8 4,4.8;L2.1,2.9 2.1,6.7',
  '=': 'L0.2,4 4,4;L0.2,6 4,6',
  '<': 'L3.6,2.4 0.2,5 3.6,7.6',
  '>': 'L0.2,2.4 3.6,5 0.2,7.6',
  '/': 'L3,-0.4 0,8.8',
  '\\': 'L0,-0.4 3,8.8',
  '|': 'L0.5,-0.8 0.5,9.6',
  '(': 'A3,4.2 2.8,6 130 230',
  ')': 'A-1.2,4.2 2.8,6 -50 50',
  '[': 'L1.6,-0.6 0,-0.6 0,9 1.6,9',
  ']': 'L0,-0.6 1.6,-0.6 1.6,9 0,9',
  '{': 'S2.2,-0.6 1.2,0.2 1.2,3.2 0,4.2 1.2,5.2 1.2,8.2 2.2,9',
  '}': 'S0,-0.6 1,0.2 1,3.2 2.2,4.2 1,5.2 1,8.2 0,9',
  '"': 'L0.3,0 0.3,2;L1.8,0 1.8,2',
  "'": 'L0.4,0 0.4,2',
  '`': 'L0,0 1.2,1.6',
  '!': 'L0.5,0 0.5,5.6;L0.5,7.8 0.5,8',
  '?': 'A1.9,2 1.9,2 195 400;S3.4,3.2 2.2,4.4 1.9,5.8;L1.9,7.8 1.9,8',
  '#': 'L1.6,0.6 0.8,8;L3.9,0.6 3.1,8;L0.2,3 4.6,3;L0,5.7 4.4,5.7',
  $: 'S4,1.8 2.9,1 1.4,1 0.2,2.4 0.9,3.6 3.2,4.5 4,5.8 3,7 1.3,7 0,6.2;L2.1,-0.2 2.1,8.4',
  '%': 'L4.6,0 0.6,8;A1.1,1.6 1.1,1.6 0 360;A4.1,6.4 1.1,1.6 0 360',
  '&': 'S5,8 1.2,2.6 1.4,0.6 2.4,0 3.4,0.8 3,2.6 0.6,4.8 0.3,6.6 1.6,8 3.4,7.4 4.8,4.6',
  '*': 'L1.8,0.6 1.8,4.4;L0.2,1.5 3.4,3.5;L3.4,1.5 0.2,3.5',
  '@': 'A3.4,4.6 1.5,1.7 0 360;S4.9,3 4.9,5.6 5.8,6.4 6.6,5.2 6.4,2.4 3.6,0.6 0.8,2 0,5 1.2,8 3.6,9.2 5.4,8.8',
  '^': 'L0.2,2.6 1.9,0.2 3.6,2.6',
  '~': 'S0.1,5.4 0.9,4.3 2.1,4.9 3.2,5.4 4,4.4',
  '…': 'L0.4,7.8 0.4,8;L3.2,7.8 3.2,8;L6,7.8 6,8',
};
/** For characters that have no glyph. */
const unknown = 'L0,0 3.6,0 3.6,8 0,8 0,0';

const capital = 8;
const gap = 1.9;
/** Width of what has no strokes. */
const blank = 1.6;

interface Glyph {
  readonly strokes: readonly (readonly Point[])[];
  readonly width: number;
}

const readPoints = (text: string): readonly Point[] =>
  text
    .split(' ')
    .map((pair) => pair.split(',').map(Number))
    .map(([x = 0, y = 0]) => [x, y]);

function arc(text: string): readonly Point[] {
  const [center = '', radii = '', from = '', to = ''] = text.split(' ');
  const [[[x, y] = [0, 0]], [[rx, ry] = [0, 0]]] = [readPoints(center), readPoints(radii)];
  const [start, end] = [Number(from), Number(to)];
  const steps = Math.max(2, Math.ceil(Math.abs(end - start) / 15));
  return Array.from({ length: steps + 1 }, (_, step) => {
    const angle = ((start + ((end - start) * step) / steps) * Math.PI) / 180;
    return [x + rx * Math.cos(angle), y + ry * Math.sin(angle)];
  });
}

/** Between each two points as a curve that keeps the direction in which its neighbours lie (Catmull-Rom). */
function smooth(text: string): readonly Point[] {
  const points = readPoints(text);
  const at = (index: number): Point => points[Math.max(0, Math.min(points.length - 1, index))] ?? [0, 0];
  const mix = (index: number, t: number, axis: 0 | 1): number => {
    const [a, b, c, d] = [at(index - 1)[axis], at(index)[axis], at(index + 1)[axis], at(index + 2)[axis]];
    return 0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t ** 2 + (3 * b - a - 3 * c + d) * t ** 3);
  };
  const steps = 6;
  const curve = points.slice(1).flatMap((_, index) =>
    Array.from({ length: steps }, (_step, step): Point => {
      const t = (step + 1) / steps;
      return [mix(index, t, 0), mix(index, t, 1)];
    }),
  );
  return [at(0), ...curve];
}

const readers: Readonly<Record<string, (text: string) => readonly Point[]>> = { L: readPoints, A: arc, S: smooth };

function readGlyph(text: string): Glyph {
  const strokes = text
    .split(';')
    .filter((part) => part !== '')
    .map((part) => readers[part.charAt(0)]?.(part.slice(1)) ?? []);
  const right = Math.max(0, ...strokes.flat().map(([x]) => x));
  return { strokes, width: strokes.length === 0 ? blank : right };
}

const read = new Map<string, Glyph>();

function glyphOf(character: string): Glyph {
  const known = read.get(character);
  if (known !== undefined) return known;
  const glyph = readGlyph(Object.hasOwn(glyphs, character) ? (glyphs[character] ?? unknown) : unknown);
  if (Object.hasOwn(glyphs, character)) read.set(character, glyph);
  return glyph;
}

/** How tall capitals are in a text of this size. */
const capitalShare = 0.72;

/** The width of a text of one line. */
export function textWidth(text: string, size: number): number {
  const unit = (size * capitalShare) / capital;
  const widths = Array.from(text, (character) => glyphOf(character).width + gap);
  return Math.max(0, widths.reduce((sum, width) => sum + width, 0) - gap) * unit;
}

/** The strokes of a text, whose base line begins at `at`. */
export function textStrokes(text: string, size: number, [x, y]: Point): readonly (readonly Point[])[] {
  const unit = (size * capitalShare) / capital;
  const strokes: (readonly Point[])[] = [];
  let right = x;
  for (const character of text) {
    const glyph = glyphOf(character);
    const left = right;
    for (const stroke of glyph.strokes) {
      strokes.push(stroke.map(([px, py]) => [left + px * unit, y + (py - capital) * unit]));
    }
    right += (glyph.width + gap) * unit;
  }
  return strokes;
}
