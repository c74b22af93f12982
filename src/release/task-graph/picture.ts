import { type Point, type Shape, sceneSvg, textWidth } from '../../drawing/index.ts';
import type { TaskGraph, TaskNode } from './task-graph.ts';

const colors = { text: '#151515', faint: '#6a6e73', box: '#f0f6fc', stroke: '#0066cc', line: '#8a8d90' };
const font = 12;
const padding = 10;
const gap = 14;
const margin = 24;
const rowHeight = 46;
const maxWidth = 1_400;

/** `10 etcd-operator`, or the name of its first file. */
export function nodeTitle({ tasks }: TaskNode): string {
  const titles = new Set(
    tasks.map(({ manifest: { place, fileName } }) =>
      place === undefined ? fileName : `${place.runlevel} ${place.component}`,
    ),
  );
  const [first = '', ...others] = titles;
  return others.length === 0 ? first : `${first} … ${others.at(-1)}`;
}

/** `5 manifests`. */
export function nodeSize({ tasks }: TaskNode): string {
  return tasks.length === 1 ? '1 manifest' : `${tasks.length} manifests`;
}

/** Nodes that start together, in the order in which they are applied; empty nodes are left out. */
export function stagesOf({ nodes }: TaskGraph): readonly (readonly TaskNode[])[] {
  const depths: number[] = [];
  const stages = new Map<number, TaskNode[]>();
  for (const node of nodes) {
    const depth = Math.max(0, ...node.needs.map((index) => (depths[index] ?? 0) + 1));
    depths.push(depth);
    if (node.tasks.length > 0) stages.set(depth, [...(stages.get(depth) ?? []), node]);
  }
  return [...stages.values()];
}

interface Row {
  readonly shapes: readonly Shape[];
  readonly bottom: number;
  readonly right: number;
}

function drawNode(node: TaskNode, [x, y]: Point, width: number): Shape[] {
  const size: Point = [width, rowHeight - 8];
  return [
    { kind: 'box', corner: [x, y], size, radius: 4, fill: colors.box, stroke: colors.stroke },
    { kind: 'text', at: [x + padding, y + 16], text: nodeTitle(node), size: font, color: colors.text, isBold: true },
    { kind: 'text', at: [x + padding, y + 31], text: nodeSize(node), size: font - 1, color: colors.faint },
  ];
}

function drawStage(stage: readonly TaskNode[], top: number): Row {
  const shapes: Shape[] = [];
  let [x, y, right] = [margin, top, margin];
  for (const node of stage) {
    const width = Math.max(textWidth(nodeTitle(node), font) * 1.12, textWidth(nodeSize(node), font)) + 2 * padding;
    if (x > margin && x + width > maxWidth) [x, y] = [margin, y + rowHeight];
    shapes.push(...drawNode(node, [x, y], width));
    right = Math.max(right, x + width);
    x += width + gap;
  }
  return { shapes, bottom: y + rowHeight - 8, right };
}

/** The order of a release as a picture: a row for all that runs at once, from the top down. */
export function drawTasksSvg(graph: TaskGraph, title: string): string {
  const shapes: Shape[] = [
    { kind: 'text', at: [margin, margin + 10], text: title, size: 16, color: colors.text, isBold: true },
  ];
  let [y, right] = [margin + 30, margin + textWidth(title, 16) * 1.1];
  for (const [index, stage] of stagesOf(graph).entries()) {
    if (index > 0) {
      const x = margin + 14;
      shapes.push({
        kind: 'line',
        points: [
          [x, y],
          [x, y + gap],
        ],
        radius: 0,
        color: colors.line,
        width: 1.5,
      });
      y += gap;
    }
    const row = drawStage(stage, y);
    shapes.push(...row.shapes);
    y = row.bottom;
    right = Math.max(right, row.right);
  }
  return sceneSvg({ width: right + margin, height: y + margin, title, shapes });
}
