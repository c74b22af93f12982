import type { Measurement } from './table.ts';

const [width, height, left, top] = [330, 260, 50, 30] as const;
const legendLine = 18;
const colors = ['#2a7', '#c63', '#36c', '#a3a', '#888', '#b80'];

type Point = NonNullable<Measurement['point']>;

/** An axis of powers of ten. */
interface Axis {
  readonly from: number;
  readonly to: number;
}

function axisOf(values: readonly number[]): Axis {
  const powers = values.map((value) => Math.log10(value));
  return { from: Math.floor(Math.min(...powers)), to: Math.ceil(Math.max(...powers)) };
}

function shareOf({ from, to }: Axis, value: number): number {
  return (Math.log10(value) - from) / Math.max(1, to - from);
}

function ticksOf({ from, to }: Axis): readonly number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

/** By the power of ten. */
const labels: Readonly<Record<number, string>> = {
  [-3]: '0.001',
  [-2]: '0.01',
  [-1]: '0.1',
  0: '1',
  1: '10',
  2: '100',
  3: '1,000',
  4: '10⁴',
  5: '10⁵',
  6: '10⁶',
};

/** One diagram: both axes in powers of ten, so that what grows in proportion rises as the dashed line does. */
function diagram(
  title: string,
  series: ReadonlyMap<string, readonly Point[]>,
  { x0, valueOf }: { readonly x0: number; readonly valueOf: (point: Point) => number },
): string {
  const points = [...series.values()].flat();
  const [across, up] = [axisOf(points.map(({ count }) => count)), axisOf(points.map(valueOf))];
  const xOf = (count: number): number => x0 + left + shareOf(across, count) * width;
  const yOf = (value: number): number => top + height - shareOf(up, value) * height;
  const frame = `<rect x="${x0 + left}" y="${top}" width="${width}" height="${height}" fill="none" stroke="#999"/>`;
  const name = `<text x="${x0 + left + width / 2}" y="${top - 10}" text-anchor="middle">${title}</text>`;
  const below = ticksOf(across).map(
    (power) =>
      `<text x="${xOf(10 ** power).toFixed(1)}" y="${top + height + 16}" text-anchor="middle">${labels[power] ?? power}</text>`,
  );
  const beside = ticksOf(up).map(
    (power) =>
      `<text x="${x0 + left - 6}" y="${(yOf(10 ** power) + 4).toFixed(1)}" text-anchor="end">${labels[power] ?? power}</text>`,
  );
  const rise = Math.min(across.to - across.from, up.to - up.from);
  const straight = `<line x1="${xOf(10 ** across.from)}" y1="${yOf(10 ** up.from)}" x2="${xOf(10 ** (across.from + rise)).toFixed(1)}" y2="${yOf(10 ** (up.from + rise)).toFixed(1)}" stroke="#bbb" stroke-dasharray="4 4"/>`;
  const lines = [...series.values()].map((all, index) => {
    const places = all.map((point) => `${xOf(point.count).toFixed(1)},${yOf(valueOf(point)).toFixed(1)}`);
    const dots = places.map((place) => {
      const [x, y] = place.split(',');
      return `<circle cx="${x}" cy="${y}" r="3" fill="${colors[index]}"/>`;
    });
    return `<polyline points="${places.join(' ')}" fill="none" stroke="${colors[index]}" stroke-width="2"/>${dots.join('')}`;
  });
  return [frame, name, ...below, ...beside, straight, ...lines].join('\n');
}

/** Time and memory by number, of every measurement that has a point. */
export function growthPlot(measurements: readonly Measurement[]): string {
  const points = measurements.flatMap(({ point }) => point ?? []);
  const series = Map.groupBy(points, (point) => point.series);
  const [total, bottom] = [2 * (width + left + 20), top + height + 40];
  const legend = [...series.keys()].map((name, index) => {
    const y = bottom + legendLine * index;
    return `<rect x="${left}" y="${y - 10}" width="12" height="12" fill="${colors[index]}"/><text x="${left + 20}" y="${y}">${name}</text>`;
  });
  const dashed = `<text x="${total / 2 + left}" y="${bottom}" fill="#666">dashed: in proportion to the number</text>`;
  const diagrams =
    points.length === 0
      ? []
      : [
          diagram('seconds', series, { x0: 0, valueOf: ({ seconds }) => seconds }),
          diagram('MiB of memory', series, { x0: width + left + 20, valueOf: ({ bytes }) => bytes / 2 ** 20 }),
        ];
  const frame = `viewBox="0 0 ${total} ${bottom + legendLine * Math.max(1, series.size)}" font-family="sans-serif" font-size="12"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${frame}>\n<rect width="100%" height="100%" fill="#fff"/>\n${[...diagrams, ...legend, dashed].join('\n')}\n</svg>\n`;
}
