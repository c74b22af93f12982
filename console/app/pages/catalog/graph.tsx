import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { texts } from '../../texts.ts';
import { Icon, type IconName } from '../../ui/icon.tsx';
import type { GraphChannel, GraphDocument, GraphRow } from './graph-document.ts';

const rowHeight = 38;
const columnWidth = 26;
const laneWidth = 18;
const labelWidth = 210;
const headHeight = 48;
const margin = 24;
const minimapFrom = 60;

interface View {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

const yOf = (row: number): number => headHeight + row * rowHeight + rowHeight / 2;

function widthOf({ lanes }: GraphChannel): number {
  return lanes * laneWidth + 2 * columnWidth + labelWidth;
}

/** Where the columns begin: the lanes are on the left of them. */
function columnX({ lanes }: GraphChannel, column: number): number {
  return lanes * laneWidth + columnWidth / 2 + column * columnWidth;
}

function reasonOf(channel: GraphChannel, to: GraphRow | undefined, kind: string): string {
  if (to === undefined) return '';
  if (kind === 'skipRange') return `${to.name} has skipRange ${to.skipRange ?? ''}`;
  if (kind === 'dead') return `${to.name} is skipped by a newer bundle: this replacement is never used`;
  const own = channel.edges.filter((edge) => edge.to === to.name && (kind === 'path' || edge.kind === kind));
  return `${to.name} ${own.map((edge) => `${edge.kind} ${edge.from}`).join(', ')}`;
}

function Lines({ channel }: { readonly channel: GraphChannel }): JSX.Element {
  const { straights, tracks, lanes, rows } = channel;
  return (
    <>
      {straights.map(({ kind, column, top, bottom }) => (
        <line
          key={`${kind} ${column} ${top}`}
          class={`edge ${kind}`}
          x1={columnX(channel, column)}
          x2={columnX(channel, column)}
          y1={yOf(top)}
          y2={yOf(bottom)}
        >
          <title>{reasonOf(channel, rows[top], kind)}</title>
        </line>
      ))}
      {tracks.flatMap(({ kind, to, from, lane }) => {
        const x = (lanes - 1 - lane) * laneWidth + laneWidth / 2;
        const ends = [...to, ...from];
        const [first, last] = [Math.min(...ends), Math.max(...ends)];
        const arms = ends.map((row) => `M${x} ${yOf(row)}H${columnX(channel, rows[row]?.column ?? 0) - 7}`);
        return [
          <path
            key={`${kind} ${lane} ${first}`}
            class={`edge ${kind}`}
            d={`M${x} ${yOf(first)}V${yOf(last)}${arms.join('')}`}
          >
            <title>{to.map((row) => reasonOf(channel, rows[row], kind)).join('\n')}</title>
          </path>,
        ];
      })}
    </>
  );
}

function noteOf({ kind, isInstalled, deprecation }: GraphRow): string {
  const notes = [
    isInstalled ? texts.catalog.installed.toLowerCase() : '',
    kind === 'head'
      ? texts.catalog.head
      : kind === 'skipped'
        ? texts.catalog.skipped
        : kind === 'stranded'
          ? texts.catalog.stranded
          : '',
    deprecation === undefined ? '' : texts.catalog.deprecated.toLowerCase(),
  ];
  return notes.filter((note) => note !== '').join(', ');
}

function Lane({ channel, x }: { readonly channel: GraphChannel; readonly x: number }): JSX.Element {
  return (
    <g transform={`translate(${x} 0)`}>
      <text class="lane-title" x={columnX(channel, 0) - 7} y={26}>
        {channel.name}
        {channel.isDefault ? ' (default)' : ''}
      </text>
      <Lines channel={channel} />
      {channel.rows.map((row, index) => {
        const className = ['dot', row.isOnPath ? 'on-path' : '', row.isInstalled ? 'installed' : '', row.kind].join(
          ' ',
        );
        return (
          <g key={row.name}>
            <title>{[row.name, noteOf(row), row.deprecation ?? ''].filter((text) => text !== '').join('\n')}</title>
            <circle class={className} cx={columnX(channel, row.column)} cy={yOf(index)} r={6} />
            <text x={columnX(channel, 1) + 18} y={yOf(index) + 4}>
              {row.label}
              <tspan class="note" dx={8}>
                {noteOf(row)}
              </tspan>
            </text>
          </g>
        );
      })}
    </g>
  );
}

function Tools({
  onZoom,
  onFit,
}: {
  readonly onZoom: (factor: number) => void;
  readonly onFit: () => void;
}): JSX.Element {
  const tool = (icon: IconName, title: string, act: () => void): JSX.Element => (
    <button type="button" class="button icon-only" title={title} onClick={act}>
      <Icon name={icon} />
      <span class="visually-hidden">{title}</span>
    </button>
  );
  return (
    <div class="tools">
      {tool('plus', texts.catalog.zoomIn, () => onZoom(1.25))}
      {tool('minus', texts.catalog.zoomOut, () => onZoom(0.8))}
      {tool('fit', texts.catalog.fit, onFit)}
    </div>
  );
}

function Minimap({
  size,
  view,
  box,
}: {
  readonly size: View;
  readonly view: View;
  readonly box: DOMRect | undefined;
}): JSX.Element {
  const width = (box?.width ?? 800) / view.scale;
  const height = (box?.height ?? 520) / view.scale;
  return (
    <svg class="minimap" viewBox={`0 0 ${size.x} ${size.y}`} preserveAspectRatio="xMidYMid meet" aria-hidden="true">
      <rect x={0} y={0} width={size.x} height={size.y} fill="var(--surface-hover)" />
      <rect
        x={-view.x / view.scale}
        y={-view.y / view.scale}
        width={width}
        height={height}
        fill="none"
        stroke="var(--accent)"
        stroke-width={Math.max(2, size.y / 150)}
      />
    </svg>
  );
}

interface Placed {
  readonly channel: GraphChannel;
  readonly x: number;
}

function place(channels: readonly GraphChannel[]): { readonly lanes: readonly Placed[]; readonly size: View } {
  let x = margin;
  const lanes = channels.map((channel) => {
    const placed = { channel, x };
    x += widthOf(channel) + margin;
    return placed;
  });
  const rows = Math.max(1, ...channels.map((channel) => channel.rows.length));
  return { lanes, size: { x, y: headHeight + rows * rowHeight + margin, scale: 1 } };
}

const panKeys: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [60, 0],
  ArrowRight: [-60, 0],
  ArrowUp: [0, 60],
  ArrowDown: [0, -60],
};

/** The graph: lanes of channels, the newest on top. The wheel and + and - zoom, dragging and arrows pan. */
export function Graph({ graph }: { readonly graph: GraphDocument }): JSX.Element {
  const ref = useRef<HTMLDivElement>(null);
  const [view, setView] = useState<View>({ x: 0, y: 0, scale: 1 });
  const { lanes, size } = place(graph.channels);
  const count = graph.channels.reduce((sum, { rows }) => sum + rows.length, 0);
  const fit = (): void => {
    const width = ref.current?.clientWidth ?? size.x;
    setView({ x: 0, y: 0, scale: Math.min(1, Math.max(0.35, width / size.x)) });
  };
  const zoom = (factor: number, at = { x: 200, y: 100 }): void => {
    setView(({ x, y, scale }) => {
      const next = Math.min(3, Math.max(0.1, scale * factor));
      const ratio = next / scale;
      return { scale: next, x: at.x - (at.x - x) * ratio, y: at.y - (at.y - y) * ratio };
    });
  };
  useEffect(fit, [graph]);
  useEffect(() => {
    const element = ref.current;
    const onWheel = (event: WheelEvent): void => {
      event.preventDefault();
      const box = element?.getBoundingClientRect();
      zoom(event.deltaY < 0 ? 1.1 : 0.9, { x: event.clientX - (box?.left ?? 0), y: event.clientY - (box?.top ?? 0) });
    };
    element?.addEventListener('wheel', onWheel, { passive: false });
    return () => element?.removeEventListener('wheel', onWheel);
  }, []);
  const onKeyDown = (event: KeyboardEvent): void => {
    const pan = panKeys[event.key];
    if (pan !== undefined) setView((one) => ({ ...one, x: one.x + pan[0], y: one.y + pan[1] }));
    else if (event.key === '+' || event.key === '-') zoom(event.key === '+' ? 1.25 : 0.8);
    else if (event.key === '0') fit();
    else return;
    event.preventDefault();
  };
  return (
    <div class="graph-frame">
      <div
        class="graph"
        style={{ height: `${Math.max(200, size.y)}px` }}
        ref={ref}
        tabIndex={0}
        role="img"
        aria-label={texts.catalog.graphLabel}
        onKeyDown={onKeyDown}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
        }}
        onPointerMove={(event) => {
          if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
          setView((one) => ({ ...one, x: one.x + event.movementX, y: one.y + event.movementY }));
        }}
      >
        <svg class="canvas" aria-hidden="true">
          <g transform={`translate(${view.x} ${view.y}) scale(${view.scale})`}>
            {lanes.map(({ channel, x }) => (
              <Lane key={channel.name} channel={channel} x={x} />
            ))}
          </g>
        </svg>
      </div>
      <Tools onZoom={zoom} onFit={fit} />
      {count > minimapFrom && <Minimap size={size} view={view} box={ref.current?.getBoundingClientRect()} />}
    </div>
  );
}
