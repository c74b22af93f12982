import { printableLine, TerminalError } from '../../base/index.ts';
import type { CatalogPackage } from '../../resolver/index.ts';
import {
  type ChannelLayout,
  commonPrefix,
  type LineKind,
  layOutPackage,
  leftOutText,
  type Marks,
  type Row,
  type RowKind,
} from './layout.ts';
import { rowNotes } from './notes.ts';

const glyphs: Readonly<Record<RowKind, string>> = {
  head: '◉',
  stop: '●',
  skipped: '○',
  stranded: '◌',
  elsewhere: '·',
  absent: '·',
};
const [north, east, south, west] = [1, 2, 4, 8];
/** By the sum of the sides that a line goes to. */
const corners = [' ', '│', '─', '╰', '│', '│', '╭', '├', '─', '╯', '─', '┴', '╮', '┤', '┬', '┼'];
const uprights: Readonly<Partial<Record<LineKind, string>>> = { skipRange: '┊', dead: '╎', path: '┃' };

/** Characters of lines, row by row: what they go to, and what the upright ones mean. */
class Grid {
  readonly #sides: Uint8Array;
  readonly #kinds = new Map<number, LineKind>();
  readonly #width: number;

  constructor(rows: number, width: number) {
    this.#sides = new Uint8Array(rows * width);
    this.#width = width;
  }

  join(row: number, column: number, sides: number): void {
    const at = row * this.#width + column;
    this.#sides[at] = (this.#sides[at] ?? 0) | sides;
  }

  /** From one row down to another. */
  upright(column: number, [top, bottom]: readonly [number, number], kind: LineKind): void {
    for (let row = top; row <= bottom; row += 1) {
      this.join(row, column, (row > top ? north : 0) | (row < bottom ? south : 0));
      this.#kinds.set(row * this.#width + column, kind);
    }
  }

  level(row: number, from: number, to: number): void {
    for (let column = from; column <= to; column += 1) {
      this.join(row, column, (column > from ? west : 0) | (column < to ? east : 0));
    }
  }

  at(row: number, column: number): string {
    const index = row * this.#width + column;
    const sides = this.#sides[index] ?? 0;
    const kind = this.#kinds.get(index);
    return (sides === (north | south) && kind !== undefined ? uprights[kind] : undefined) ?? corners[sides] ?? ' ';
  }
}

/** Of the lines of one channel. */
const maxCells = 5_000_000;
const columnAt = (column: number): number => column * 2;
const laneAt = (lane: number): number => 4 + lane * 2;

function gridOf({ rows, straights, tracks, lanes }: ChannelLayout): { readonly grid: Grid; readonly width: number } {
  const width = laneAt(lanes);
  if (rows.length * width > maxCells) {
    const text = `the drawing would have ${rows.length} lines of ${width} characters, more than ${maxCells}`;
    throw new TerminalError('PictureTooLarge', `${text}: draw one channel (--channel), or as mermaid`);
  }
  const grid = new Grid(rows.length, width);
  for (const { kind, column, top, bottom } of straights) grid.upright(columnAt(column), [top, bottom], kind);
  for (const { kind, to, from, lane } of tracks) {
    const ends = [...to, ...from];
    grid.upright(laneAt(lane), [Math.min(...ends), Math.max(...ends)], kind);
    for (const row of ends) grid.level(row, columnAt(rows[row]?.column ?? 0), laneAt(lane));
  }
  return { grid, width };
}

function lineOf(row: Row, cells: readonly string[], widths: { readonly label: number; readonly name: number }): string {
  const notes = rowNotes(row).map(({ text }) => text);
  const shown = [
    row.label.padEnd(widths.label),
    ...(widths.name === 0 ? [] : [(row.name === row.label ? '' : row.name).padEnd(widths.name)]),
  ];
  return printableLine([cells.join(''), ...shown, notes.join(', ')].join('  ').trimEnd());
}

function channelText(layout: ChannelLayout, packageName: string): string {
  const { channel, rows, isDefault, tracks } = layout;
  const { grid, width } = gridOf(layout);
  const targets = new Set(tracks.flatMap(({ to }) => to));
  const prefix = commonPrefix(rows);
  const widths = {
    label: Math.max(0, ...rows.map(({ label }) => label.length)),
    name: prefix !== undefined ? 0 : Math.max(...rows.map(({ name }) => name.length)),
  };
  const lines = rows.map((row, index) => {
    const own = columnAt(row.column);
    const cells = Array.from({ length: width }, (_, column) => {
      if (column === own) return glyphs[row.kind];
      return column === own + 1 && targets.has(index) ? '◀' : grid.at(index, column);
    });
    return lineOf(row, cells, widths);
  });
  const deprecated = channel.deprecation === undefined ? '' : `, deprecated: ${printableLine(channel.deprecation)}`;
  const names =
    prefix === undefined || prefix === '' || prefix === `${packageName}.v` ? '' : `, bundles ${printableLine(prefix)}…`;
  return [`channel ${printableLine(channel.name)}${isDefault ? ' (default)' : ''}${names}${deprecated}`, ...lines].join(
    '\n',
  );
}

/** The update graph of a package for a terminal: a line a bundle, the newest on top; lines lead from older bundles to those that follow them.
 *  @throws TerminalError PictureTooLarge */
export function drawText(from: CatalogPackage, requested: readonly string[] | undefined, marks: Marks = {}): string {
  const layouts = layOutPackage(from, requested, marks);
  const kinds = new Set(layouts.flatMap(({ rows }) => rows.map(({ kind }) => kind)));
  const legend = [
    '● an update stops here',
    ...(kinds.has('skipped') ? ['○ skipped'] : []),
    ...(kinds.has('stranded') ? ['◌ nothing leads on from here'] : []),
    ...(kinds.has('absent') || kinds.has('elsewhere') ? ['· no entry of the channel'] : []),
  ];
  const leftOut = leftOutText(layouts);
  if (leftOut !== '') legend.push(leftOut);
  const deprecated = from.deprecation === undefined ? [] : [`deprecated: ${printableLine(from.deprecation)}`];
  const title = [`package ${printableLine(from.name)}`, ...deprecated].join(', ');
  const channels = layouts.map((layout) => channelText(layout, from.name));
  return `${[title, ...channels, legend.join('   ')].join('\n\n')}\n`;
}
