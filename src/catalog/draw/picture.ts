import { type Point, type Scene, type Shape, sceneSvg, textWidth } from '../../drawing/index.ts';
import type { CatalogPackage } from '../../resolver/index.ts';
import { type LineKind, layOutPackage, leftOutText, type Marks } from './layout.ts';
import { drawPanel, type Panel, palette, shortened } from './panel.ts';

const margin = 24;
const gap = 18;
const maxWidth = 1_900;
const titleHeight = 48;

function movedPoint([x, y]: Point, [dx, dy]: Point): Point {
  return [x + dx, y + dy];
}

function moved(shape: Shape, by: Point): Shape {
  switch (shape.kind) {
    case 'line':
      return { ...shape, points: shape.points.map((point) => movedPoint(point, by)) };
    case 'circle':
      return { ...shape, center: movedPoint(shape.center, by) };
    case 'box':
      return { ...shape, corner: movedPoint(shape.corner, by) };
    case 'triangle': {
      const [a, b, c] = shape.points;
      return { ...shape, points: [movedPoint(a, by), movedPoint(b, by), movedPoint(c, by)] };
    }
    default:
      return { ...shape, at: movedPoint(shape.at, by) };
  }
}

/** Panels below each other in columns about as tall as the tallest, in their order; columns side by side as long as there is room. */
function arrange(panels: readonly Panel[], top: number): { readonly shapes: readonly Shape[]; readonly size: Point } {
  const area = panels.reduce((sum, { width, height }) => sum + (width + gap) * (height + gap), 0);
  const tall = Math.max(area / maxWidth, ...panels.map(({ height }) => height));
  let [x, y, shelf, column] = [margin, top, top, 0];
  let [right, bottom] = [margin, top];
  const shapes = panels.flatMap((panel) => {
    if (y > shelf && y + panel.height > shelf + tall) [x, y, column] = [x + column + gap, shelf, 0];
    if (x > margin && x + panel.width > maxWidth) [x, y, shelf, column] = [margin, bottom + gap, bottom + gap, 0];
    const placed = panel.shapes.map((shape) => moved(shape, [x, y]));
    y += panel.height + gap;
    column = Math.max(column, panel.width);
    [right, bottom] = [Math.max(right, x + column), Math.max(bottom, y - gap)];
    return placed;
  });
  return { shapes, size: [right, bottom] };
}

const meanings: readonly (readonly [LineKind, string])[] = [
  ['replaces', 'replaces'],
  ['skips', 'skips'],
  ['skipRange', 'skipRange'],
  ['dead', 'replacement that is never used, as it is skipped'],
  ['path', 'path of updates'],
];

interface Drawn {
  readonly shapes: readonly Shape[];
  readonly right: number;
}

function legend(kinds: ReadonlySet<LineKind>, y: number, remark: string): Drawn {
  let x = margin;
  const shapes = meanings
    .filter(([kind]) => kinds.has(kind))
    .flatMap(([kind, text]): Shape[] => {
      const start = x;
      x += 34 + textWidth(text, 11) * 1.08 + 22;
      const points: readonly Point[] = [
        [start, y],
        [start + 26, y],
      ];
      const isDashed = kind === 'skipRange' || kind === 'dead';
      const width = kind === 'path' ? 3.2 : kind === 'replaces' ? 2.2 : 1.3;
      return [
        { kind: 'line', points, radius: 0, color: palette[kind], width, isDashed },
        { kind: 'text', at: [start + 34, y + 4], text, size: 11, color: palette.faint },
      ];
    });
  if (remark === '') return { shapes, right: x };
  const stated: Shape = { kind: 'text', at: [x, y + 4], text: remark, size: 11, color: palette.faint };
  return { shapes: [...shapes, stated], right: x + textWidth(remark, 11) * 1.08 };
}

function heading({ name: wholeName, deprecation }: CatalogPackage): Drawn {
  const name = shortened(wholeName);
  const right = margin + textWidth(name, 22) * 1.08 + 18;
  const y = margin + 24;
  const title: Shape = { kind: 'text', at: [margin, y], text: name, size: 22, color: palette.ink, isBold: true };
  if (deprecation === undefined) return { shapes: [title], right };
  const text = shortened(`deprecated: ${deprecation}`);
  const note: Shape = { kind: 'text', at: [right, y - 1], text, size: 12, color: palette.deprecated };
  return { shapes: [title, note], right: right + textWidth(text, 12) * 1.08 };
}

function pictureOf(from: CatalogPackage, requested: readonly string[] | undefined, marks: Marks): Scene {
  const layouts = layOutPackage(from, requested, marks);
  const panels = layouts.map((layout) => drawPanel(layout, `${from.name}.v`));
  const { shapes, size } = arrange(panels, margin + titleHeight);
  const kinds = new Set(layouts.flatMap(({ straights, tracks }) => [...straights, ...tracks].map(({ kind }) => kind)));
  const [title, explained] = [heading(from), legend(kinds, size[1] + 26, leftOutText(layouts))];
  return {
    width: Math.max(size[0], title.right, explained.right) + margin,
    height: size[1] + 28 + margin,
    title: `Updates of ${from.name}`,
    shapes: [...title.shapes, ...shapes, ...explained.shapes],
  };
}

/** The update graph of a package as SVG: a panel for each channel that is requested, all when none is named.
 *  @throws TerminalError PictureTooLarge */
export function drawSvg(from: CatalogPackage, requested: readonly string[] | undefined, marks: Marks = {}): string {
  return sceneSvg(pictureOf(from, requested, marks));
}
