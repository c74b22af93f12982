import type { Point, Scene, Shape } from './scene.ts';

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Control characters are not allowed in XML, not even written out. */
function escaped(text: string): string {
  return text.replace(/\p{Cc}/gu, '�').replace(/[&<>"]/g, (character) => entities[character] ?? character);
}

const round = (value: number): number => Math.round(value * 100) / 100;
const pair = ([x, y]: Point): string => `${round(x)} ${round(y)}`;

/** A point between two, so far from the first, but not beyond half of the way. */
function towards([x, y]: Point, [toX, toY]: Point, distance: number): Point {
  const length = Math.hypot(toX - x, toY - y);
  const share = length === 0 ? 0 : Math.min(0.5, distance / length);
  return [x + (toX - x) * share, y + (toY - y) * share];
}

function pathData(points: readonly Point[], radius: number): string {
  const [start, ...rest] = points;
  if (start === undefined) return '';
  const parts = rest.map((point, index) => {
    const [before, after] = [points[index], rest[index + 1]];
    if (radius === 0 || before === undefined || after === undefined) return `L${pair(point)}`;
    return `L${pair(towards(point, before, radius))}Q${pair(point)} ${pair(towards(point, after, radius))}`;
  });
  return `M${pair(start)}${parts.join('')}`;
}

function textElement(shape: Extract<Shape, { kind: 'text' }>): string {
  const { at, text, size, color, isBold, isCentered } = shape;
  const weight = isBold === true ? ' font-weight="600"' : '';
  const anchor = isCentered === true ? ' text-anchor="middle"' : '';
  const [x, y] = at.map(round);
  return `<text x="${x}" y="${y}" font-size="${size}" fill="${color}"${weight}${anchor}>${escaped(text)}</text>`;
}

function element(shape: Shape): string {
  switch (shape.kind) {
    case 'line': {
      const dash = shape.isDashed === true ? ' stroke-dasharray="4 3"' : '';
      const data = pathData(shape.points, shape.radius);
      return `<path d="${data}" fill="none" stroke="${shape.color}" stroke-width="${shape.width}"${dash}/>`;
    }
    case 'circle': {
      const [x, y] = shape.center.map(round);
      const look = `fill="${shape.fill}" stroke="${shape.stroke}" stroke-width="${shape.width}"`;
      const circle = `<circle cx="${x}" cy="${y}" r="${shape.radius}" ${look}`;
      return shape.title === undefined ? `${circle}/>` : `${circle}><title>${escaped(shape.title)}</title></circle>`;
    }
    case 'box': {
      const [[x, y], [width, height]] = [shape.corner, shape.size];
      const stroke = shape.stroke === undefined ? '' : ` stroke="${shape.stroke}"`;
      const place = `x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}"`;
      return `<rect ${place} rx="${shape.radius}" fill="${shape.fill}"${stroke}/>`;
    }
    case 'triangle':
      return `<path d="M${shape.points.map(pair).join('L')}Z" fill="${shape.fill}"/>`;
    default:
      return textElement(shape);
  }
}

/** The picture as SVG, with nothing from elsewhere. */
export function sceneSvg({ width, height, title, shapes }: Scene): string {
  const size = `width="${Math.ceil(width)}" height="${Math.ceil(height)}" viewBox="0 0 ${Math.ceil(width)} ${Math.ceil(height)}"`;
  const font = `font-family="Inter, 'Segoe UI', 'Noto Sans', 'DejaVu Sans', Helvetica, Arial, sans-serif"`;
  const lines = shapes.map((shape) => `  ${element(shape)}`);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} ${font}>`,
    `  <title>${escaped(title)}</title>`,
    '  <rect width="100%" height="100%" fill="#ffffff"/>',
    ...lines,
    '</svg>\n',
  ].join('\n');
}
