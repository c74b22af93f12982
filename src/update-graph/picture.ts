import { type Point, type Shape, sceneSvg, textWidth } from '../drawing/index.ts';
import type { UpdateTarget } from './updates-by-target.ts';

const colors = {
  text: '#151515',
  faint: '#6a6e73',
  plain: '#0066cc',
  risky: '#ec7a08',
  channel: '#3e8635',
  grid: '#f0f0f0',
};
const font = 12;
const margin = 24;
const row = 18;
const column = 14;
const dot = 4.5;
const headHeight = 64;

function text(
  at: Point,
  content: string,
  options: { readonly isFaint?: boolean; readonly isBold?: boolean } = {},
): Shape {
  const color = options.isFaint === true ? colors.faint : colors.text;
  return { kind: 'text', at, text: content, size: font, color, isBold: options.isBold === true };
}

function circle(center: Point, fill: string, title: string): Shape {
  return { kind: 'circle', center, radius: dot, fill, stroke: fill, width: 1, title };
}

function widest(texts: readonly string[]): number {
  return Math.max(0, ...texts.map((one) => textWidth(one, font) * 1.12));
}

interface Columns {
  readonly channels: readonly string[];
  readonly channelsLeft: number;
  /** By version: where updates from it stand. */
  readonly sources: ReadonlyMap<string, number>;
  readonly right: number;
}

function columnsOf(targets: readonly UpdateTarget[]): Columns {
  const channels = [...new Set(targets.flatMap((target) => target.channels))].toSorted();
  const channelsLeft = margin + widest(targets.map(({ version }) => version)) + 16;
  const left = channelsLeft + channels.length * column + 16;
  const versions = targets.map(({ version }) => version).toReversed();
  const sources = new Map(versions.map((version, index) => [version, left + index * column]));
  return { channels, channelsLeft, sources, right: left + versions.length * column };
}

function drawTarget(target: UpdateTarget, y: number, { channels, channelsLeft, sources, right }: Columns): Shape[] {
  const { version, from, risky } = target;
  const end = sources.get(version) ?? right;
  const start = channelsLeft + channels.length * column + 16 - column / 2;
  return [
    text([margin, y + 4], version),
    {
      kind: 'line',
      points: [
        [start, y],
        [end, y],
      ],
      radius: 0,
      color: colors.grid,
      width: row - 4,
    },
    ...channels.flatMap((channel, index) =>
      target.channels.includes(channel)
        ? [circle([channelsLeft + index * column, y], colors.channel, `${version} is in ${channel}`)]
        : [],
    ),
    ...from.map((source) => circle([sources.get(source) ?? end, y], colors.plain, `${source} to ${version}`)),
    ...risky.map(({ from: source, risks }) =>
      circle([sources.get(source) ?? end, y], colors.risky, `${source} to ${version}: ${risks.join(', ')}`),
    ),
    text([end + 2, y + 4], version, { isFaint: true }),
  ];
}

function legend(columns: Columns, y: number): Shape[] {
  const entries = [
    [colors.plain, 'update'],
    [colors.risky, 'update with known risks'],
    ...columns.channels.map(
      (channel, index) => [colors.channel, `column ${index + 1}: in channel ${channel}`] as const,
    ),
  ] as const;
  return entries.flatMap(([color, label], index) => [
    circle([margin + dot, y + index * row], color, label),
    text([margin + 16, y + index * row + 4], label),
  ]);
}

/** A graph as a picture: a row for each version, the newest at the top, with a dot in the column of each version that updates to it. Most versions update
 *  to most later ones, so that lines between them could not be followed. */
export function drawUpdateGraph(targets: readonly UpdateTarget[], title: string): string {
  const columns = columnsOf(targets);
  const rows = targets.flatMap((target, index) => drawTarget(target, headHeight + index * row, columns));
  const bottom = headHeight + targets.length * row + 8;
  const legendHeight = (2 + columns.channels.length) * row;
  const names = widest(targets.map(({ version }) => version));
  return sceneSvg({
    width: Math.max(columns.right + names, margin + textWidth(title, 16) * 1.1) + margin,
    height: bottom + legendHeight + margin,
    title,
    shapes: [
      { kind: 'text', at: [margin, margin + 10], text: title, size: 16, color: colors.text, isBold: true },
      ...rows,
      ...legend(columns, bottom + 8),
    ],
  });
}
