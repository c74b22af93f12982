import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { goalsSection } from './goals.ts';
import { growthPlot } from './growth-plot.ts';
import type { Measurement } from './table.ts';

/** The measurements of one part, and where and when they were measured. */
export interface MeasuredPart {
  readonly name: string;
  readonly title: string;
  readonly machine: string;
  /** `2026-01-31` */
  readonly date: string;
  /** What the machine had to do besides: its average load of 15 minutes afterwards. */
  readonly load?: number;
  readonly measurements: readonly Measurement[];
}

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const recordedPath = at('recorded.json');
/** Why goals are missed, written by hand. */
const limitsPath = at('limits.md');
const documentPath = at('../docs/performance.md');
const plotPath = at('../docs/performance.svg');
const growthPath = at('../docs/growth.svg');

async function readRecorded(): Promise<readonly MeasuredPart[]> {
  try {
    return JSON.parse(await readFile(recordedPath, 'utf8')) as MeasuredPart[];
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw thrown;
  }
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('|', '\\|');
}

function sectionOf({ title, machine, date, load, measurements }: MeasuredPart): string {
  const rows = measurements.map(({ what, value, goal = '' }) => `| ${[what, value, goal].map(escaped).join(' | ')} |`);
  return [
    `## ${title}`,
    '',
    `${date}, ${machine}${load === undefined ? '' : `, load ${load}`}`,
    '',
    '| measurement | value | target |',
    '|---|---|---|',
    ...rows,
  ].join('\n');
}

const barHeight = 18;
const labelWidth = 330;
const plotWidth = 360;
/** Bars end here: ten times better, or ten times worse. */
const widestRatio = 10;

/** Where a ratio is on the plot: half and double are as far from the middle. */
function placeOf(ratio: number): number {
  const share = Math.log(Math.min(widestRatio, Math.max(1 / widestRatio, ratio))) / Math.log(widestRatio);
  return labelWidth + (plotWidth / 2) * (1 + share);
}

/** Bars from the middle: to the right where ours is better than the peer. */
function plotOf(measurements: readonly Measurement[]): string {
  const compared = measurements.flatMap(({ what, ratio }) => (ratio === undefined ? [] : [{ what, ratio }]));
  const height = barHeight * (compared.length + 2);
  const middle = placeOf(1);
  const bars = compared.map(({ what, ratio }, index) => {
    const [y, end] = [barHeight * (index + 1), placeOf(ratio)];
    const bar = `<rect x="${Math.min(middle, end).toFixed(1)}" y="${y + 3}" width="${Math.abs(end - middle).toFixed(1)}" height="${barHeight - 6}" fill="${ratio >= 1 ? '#2a7' : '#c63'}"/>`;
    const label = `<text x="${labelWidth - 8}" y="${y + 13}" text-anchor="end">${escaped(what)}</text>`;
    const number = `<text x="${labelWidth + plotWidth + 8}" y="${y + 13}">${ratio.toFixed(2)}</text>`;
    return `${bar}${label}${number}`;
  });
  const line = `<line x1="${middle}" x2="${middle}" y1="${barHeight}" y2="${height - barHeight}" stroke="#666"/>`;
  const title = `<text x="${middle}" y="13" text-anchor="middle">times better than the peer (1: equal)</text>`;
  const frame = `viewBox="0 0 ${labelWidth + plotWidth + 60} ${height}" font-family="sans-serif" font-size="12"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${frame}>\n<rect width="100%" height="100%" fill="#fff"/>\n${[title, ...bars, line].join('\n')}\n</svg>\n`;
}

const head = `# Performance

Written by \`npm run bench -- --write\`; \`npm run bench -- --write webhook fetch\` measures parts again
and leaves the others as they are; \`npm run bench -- --draw\` measures nothing. Two things that are
compared are measured in turn, in one run, on one machine; the bars below are their ratios.

![Ratios to the peers](performance.svg)

Time and memory by the number of what there is: both axes are in powers of ten.

![Time and memory by number](growth.svg)
`;

/** Keeps the parts with those that were measured before, in the order of `names`, and writes docs/performance.md and its plot. */
export async function writeDocument(measured: readonly MeasuredPart[], names: readonly string[]): Promise<void> {
  const recorded = new Map([...(await readRecorded()), ...measured].map((part) => [part.name, part]));
  const all = names.flatMap((name) => recorded.get(name) ?? []);
  await writeFile(recordedPath, `${JSON.stringify(all, undefined, 2)}\n`);
  const measurements = all.flatMap((part) => part.measurements);
  await writeFile(plotPath, plotOf(measurements));
  await writeFile(growthPath, growthPlot(measurements));
  await writeFile(
    documentPath,
    `${[head, goalsSection(all), ...all.map(sectionOf), await readFile(limitsPath, 'utf8')].join('\n')}`
      .replaceAll(/\n(?=##+ )/g, '\n\n')
      .replaceAll(/\n{3,}/g, '\n\n'),
  );
}
