import { type Point, type Shape, textWidth } from '../../drawing/index.ts';
import { type ChannelLayout, commonPrefix, type LineKind, type Row, type Track } from './layout.ts';
import { type Note, rowNotes } from './notes.ts';

/** What one channel looks like, its upper left corner at 0, 0. */
export interface Panel {
  readonly width: number;
  readonly height: number;
  readonly shapes: readonly Shape[];
}

const rowHeight = 24;
const columnWidth = 22;
const laneWidth = 10;
const padding = 16;
const fontSize = 13;
const smallSize = 11;
const cornerRadius = 5;
const maxNoteCharacters = 64;

/** Colours, for panels and for whatever explains them. */
export const palette = {
  ink: '#1f2937',
  faint: '#6b7280',
  ground: '#f9fafb',
  border: '#d1d5db',
  replaces: '#334155',
  skips: '#a78bfa',
  skipRange: '#14b8a6',
  dead: '#ef4444',
  path: '#2563eb',
  head: '#059669',
  deprecated: '#d97706',
} as const;

const lineWidths: Readonly<Record<LineKind, number>> = {
  replaces: 2.2,
  skips: 1.3,
  skipRange: 1.3,
  dead: 1.3,
  path: 3.2,
};
const isDashed = (kind: LineKind): boolean => kind === 'skipRange' || kind === 'dead';
/** What is important is drawn last, above the rest. */
const order: readonly LineKind[] = ['dead', 'skipRange', 'skips', 'replaces', 'path'];

const noteColors: Readonly<Record<Note['kind'], readonly [fill: string, ink: string]>> = {
  head: ['#d1fae5', '#065f46'],
  installed: ['#dbeafe', '#1e40af'],
  target: ['#dbeafe', '#1e40af'],
  path: ['#eff6ff', '#1d4ed8'],
  deprecated: ['#fef3c7', '#92400e'],
  fault: ['#fee2e2', '#991b1b'],
  absent: ['#f3f4f6', '#6b7280'],
  range: ['#ffffff', '#0f766e'],
};

interface Frame {
  readonly top: number;
  readonly lanesLeft: number;
  readonly textLeft: number;
  readonly nameLeft: number;
  readonly notesLeft: number;
}

const centerY = (frame: Frame, row: number): number => frame.top + row * rowHeight + rowHeight / 2;
const columnX = (column: number): number => padding + 8 + column * columnWidth;
const laneX = (frame: Frame, lane: number): number => frame.lanesLeft + lane * laneWidth;
/** Where a line beside the columns meets the node of a row. */
const nodeEdge = 8;

function line(kind: LineKind, points: readonly Point[]): Shape {
  const radius = kind === 'path' ? cornerRadius + 1 : cornerRadius;
  return { kind: 'line', points, radius, color: palette[kind], width: lineWidths[kind], isDashed: isDashed(kind) };
}

function arrow([x, y]: Point, kind: LineKind): Shape {
  const size = kind === 'path' ? 6 : 4.5;
  return {
    kind: 'triangle',
    points: [
      [x, y],
      [x + size * 1.5, y - size],
      [x + size * 1.5, y + size],
    ],
    fill: palette[kind],
  };
}

/** Each start joins the line of its lane, which leads to each end. */
function trackShapes({ kind, to, from, lane }: Track, rows: readonly Row[], frame: Frame): readonly Shape[] {
  const x = laneX(frame, lane);
  const ends = [...to, ...from];
  const [first, last] = [Math.min(...ends), Math.max(...ends)];
  const stub = (row: number): readonly Point[] => {
    const [y, start] = [centerY(frame, row), columnX(rows[row]?.column ?? 0) + nodeEdge];
    const towards = row === first ? y + rowHeight / 2 : y - rowHeight / 2;
    const begin: Point = [start + (to.includes(row) ? 5 : 0), y];
    return first === last ? [begin, [x, y]] : [begin, [x, y], [x, towards]];
  };
  const upright: Shape = line(kind, [
    [x, centerY(frame, first) + rowHeight / 2],
    [x, centerY(frame, last) - rowHeight / 2],
  ]);
  return [
    ...(last - first > 1 ? [upright] : []),
    ...ends.map((row) => line(kind, stub(row))),
    ...to.map((row) => arrow([columnX(rows[row]?.column ?? 0) + nodeEdge, centerY(frame, row)], kind)),
  ];
}

function lineShapes({ rows, straights, tracks }: ChannelLayout, frame: Frame): readonly Shape[] {
  const drawn = [
    ...straights.map(({ kind, column, top, bottom }) => {
      const x = columnX(column);
      const points: readonly Point[] = [
        [x, centerY(frame, top)],
        [x, centerY(frame, bottom)],
      ];
      return { kind, shapes: [line(kind, points)] };
    }),
    ...tracks.map((track) => ({ kind: track.kind, shapes: trackShapes(track, rows, frame) })),
  ];
  return drawn.toSorted((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind)).flatMap(({ shapes }) => shapes);
}

function nodeRadius({ kind, isInstalled, isTarget, isOnPath }: Row): number {
  if (kind === 'head' || isInstalled || isTarget) return 6;
  return kind === 'stop' || isOnPath ? 5 : 4;
}

function nodeShape(row: Row, index: number, frame: Frame): Shape {
  const { kind, column, deprecation, name } = row;
  const isMarked = row.isInstalled || row.isTarget || row.isOnPath;
  const ownColor = deprecation === undefined ? nodeColors[kind] : palette.deprecated;
  const color = isMarked ? palette.path : ownColor;
  const isFilled = isMarked || kind === 'head' || kind === 'stop';
  const look = isFilled
    ? { fill: color, stroke: '#ffffff', width: 1.5 }
    : { fill: '#ffffff', stroke: color, width: 1.8 };
  return {
    kind: 'circle',
    center: [columnX(column), centerY(frame, index)],
    radius: nodeRadius(row),
    ...look,
    title: [name, ...rowNotes(row).map(({ text }) => text)].join('\n'),
  };
}

const nodeColors: Readonly<Record<Row['kind'], string>> = {
  head: palette.head,
  stop: palette.replaces,
  skipped: palette.skips,
  stranded: palette.dead,
  elsewhere: '#9ca3af',
  absent: '#9ca3af',
};

/** No text makes a picture arbitrarily wide. */
export function shortened(text: string): string {
  return text.length <= maxNoteCharacters ? text : `${text.slice(0, maxNoteCharacters - 1)}…`;
}

/** The remarks on a bundle side by side. */
function noteShapes(
  notes: readonly Note[],
  left: number,
  y: number,
): { readonly shapes: readonly Shape[]; readonly right: number } {
  let x = left;
  const shapes = notes.flatMap(({ kind, text }): Shape[] => {
    const shown = shortened(text);
    const [fill, ink] = noteColors[kind];
    const width = textWidth(shown, smallSize) + 14;
    const [corner, size]: [Point, Point] = [
      [x, y - 8.5],
      [width, 17],
    ];
    x += width + 6;
    const at: Point = [corner[0] + width / 2, y + 4];
    return [
      { kind: 'box', corner, size, radius: 8, fill },
      { kind: 'text', at, text: shown, size: smallSize, color: ink, isCentered: true },
    ];
  });
  return { shapes, right: x };
}

function rowShapes(
  layout: ChannelLayout,
  frame: Frame,
  hasNames: boolean,
): { readonly shapes: readonly Shape[]; readonly right: number } {
  let right = frame.notesLeft;
  const shapes = layout.rows.flatMap((row, index): readonly Shape[] => {
    const y = centerY(frame, index);
    const isFaint = ['absent', 'elsewhere', 'skipped'].includes(row.kind);
    const isBold = row.kind === 'head' || row.isInstalled || row.isTarget || row.isOnPath;
    const color = isFaint && !isBold ? palette.faint : palette.ink;
    // What is on the path is blue already.
    const notes = noteShapes(
      rowNotes(row).filter(({ kind }) => kind !== 'path'),
      frame.notesLeft,
      y,
    );
    right = Math.max(right, notes.right);
    const name: readonly Shape[] =
      hasNames && row.name !== row.label
        ? [
            {
              kind: 'text',
              at: [frame.nameLeft, y + 4.5],
              text: shortened(row.name),
              size: smallSize,
              color: palette.faint,
            },
          ]
        : [];
    return [
      nodeShape(row, index, frame),
      { kind: 'text', at: [frame.textLeft, y + 4.5], text: shortened(row.label), size: fontSize, color, isBold },
      ...name,
      ...notes.shapes,
    ];
  });
  return { shapes, right };
}

function headingShapes(
  { channel, isDefault }: ChannelLayout,
  prefix: string,
): { readonly shapes: readonly Shape[]; readonly right: number } {
  const notes: Note[] = [
    ...(isDefault ? [{ kind: 'head' as const, text: 'default channel' }] : []),
    ...(prefix === '' ? [] : [{ kind: 'absent' as const, text: `${prefix}…` }]),
    ...(channel.deprecation === undefined
      ? []
      : [{ kind: 'deprecated' as const, text: `deprecated: ${channel.deprecation}` }]),
  ];
  const beside = noteShapes(notes, padding + textWidth(shortened(channel.name), 16) + 16, 25);
  const name: Shape = {
    kind: 'text',
    at: [padding, 31],
    text: channel.name,
    size: 16,
    color: palette.ink,
    isBold: true,
  };
  return { shapes: [name, ...beside.shapes], right: beside.right };
}

/** A channel as a panel: the newest on top, its versions, lines from each to what follows it, and remarks.
 *  @param usual what names of bundles begin with, so that it can be left out */
export function drawPanel(layout: ChannelLayout, usual: string): Panel {
  const widest = (texts: readonly string[], size: number): number =>
    Math.max(0, ...texts.map((text) => textWidth(text, size) * 1.08));
  const prefix = commonPrefix(layout.rows);
  const columns = layout.rows.some(({ column }) => column === 1) ? 1 : 0;
  const lanesLeft = columnX(columns) + 20;
  const textLeft = layout.lanes === 0 ? columnX(columns) + 20 : lanesLeft + layout.lanes * laneWidth + 6;
  const nameLeft =
    textLeft +
    widest(
      layout.rows.map(({ label }) => shortened(label)),
      fontSize,
    ) +
    14;
  const names =
    widest(
      layout.rows.map(({ name, label }) => (name === label ? '' : shortened(name))),
      smallSize,
    ) + 14;
  const notesLeft = prefix === undefined ? nameLeft + names : nameLeft;
  const frame: Frame = { top: 46, lanesLeft, textLeft, nameLeft, notesLeft };
  const rows = rowShapes(layout, frame, prefix === undefined);
  const heading = headingShapes(layout, prefix === usual ? '' : (prefix ?? ''));
  const width = Math.max(rows.right, heading.right) + padding;
  const height = frame.top + layout.rows.length * rowHeight + padding - 4;
  const ground: Shape = {
    kind: 'box',
    corner: [0, 0],
    size: [width, height],
    radius: 10,
    fill: palette.ground,
    stroke: palette.border,
  };
  return { width, height, shapes: [ground, ...heading.shapes, ...lineShapes(layout, frame), ...rows.shapes] };
}
