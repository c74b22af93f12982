import { goQuote, TerminalError } from '../../base/index.ts';
import { compareVersions, isInRange, parseVersionRange, type Version } from '../../constraints/index.ts';
import type { CatalogPackage, Channel, ChannelEntry } from '../../resolver/index.ts';

/** How a graph is written for mermaid. */
export interface MermaidOptions {
  /** Only these channels; all when absent. */
  readonly channels?: readonly string[] | undefined;
  /** A bundle: what is older is left out. */
  readonly minimumEdge?: string | undefined;
  /** Mark what the classic lifecycle manager passes over: skipped entries, and replacements that lead to them. */
  readonly hasV0Semantics?: boolean | undefined;
}

/** What goes to the end of the text, gathered while the nodes are written. */
interface Styles {
  readonly lines: string[];
  readonly classes: Map<string, string[]>;
  /** Numbers of edges. */
  readonly dashed: number[];
  edges: number;
}

interface Drawing {
  readonly package: CatalogPackage;
  readonly channel: Channel;
  readonly skipped: ReadonlySet<string>;
  readonly hasV0Semantics: boolean;
  readonly isLeftOut: (name: string) => boolean;
}

const classDefinitions = [
  'classDef deprecated fill:#E8960F',
  'classDef skipped stroke:#FF0000,stroke-width:4px',
  'classDef deprecatedskipped fill:#E8960F,stroke:#FF0000,stroke-width:4px',
];

function compareEntries(from: CatalogPackage): (a: ChannelEntry, b: ChannelEntry) => number {
  return (a, b) => {
    const [one, other] = [from.bundles.get(a.name)?.version, from.bundles.get(b.name)?.version];
    if (one !== undefined && other !== undefined) return compareVersions(other, one) || (a.name < b.name ? -1 : 1);
    return Number(one === undefined) - Number(other === undefined) || (a.name < b.name ? -1 : 1);
  };
}

function covers(range: string, version: Version): boolean {
  try {
    return isInRange(version, parseVersionRange(range));
  } catch {
    return false;
  }
}

interface Incoming {
  readonly from: string;
  readonly label: string;
  /** A replacement that is never made, as its target is passed over. */
  readonly isDead: boolean;
}

function incomingEdges(entry: ChannelEntry, drawing: Drawing): readonly Incoming[] {
  const { channel, package: from, skipped, hasV0Semantics } = drawing;
  const { name, replaces, skips, skipRange } = entry;
  const inRange = channel.entries.filter((other) => {
    const version = from.bundles.get(other.name)?.version;
    return skipRange !== undefined && other.name !== name && version !== undefined && covers(skipRange, version);
  });
  const edges = [
    ...skips.map((skip) => ({ from: skip, label: 'skip', isDead: false })),
    ...inRange.map((other) => ({ from: other.name, label: `"skipRange(${label(skipRange ?? '')})"`, isDead: false })),
    ...(replaces === undefined
      ? []
      : [{ from: replaces, label: 'replace', isDead: hasV0Semantics && skipped.has(name) }]),
  ];
  return edges.filter((edge) => !drawing.isLeftOut(edge.from));
}

function classOf(name: string, drawing: Drawing): string {
  const deprecated = drawing.package.bundles.get(name)?.deprecation === undefined ? '' : 'deprecated';
  return `${deprecated}${drawing.hasV0Semantics && drawing.skipped.has(name) ? 'skipped' : ''}`;
}

/** Names come from outside: what would end a label, or be more than a word where one is expected, is written otherwise. */
function label(name: string): string {
  return name.replaceAll('"', '#quot;').replace(/\p{Cc}/gu, ' ');
}

function idOf(...names: readonly string[]): string {
  return names.join('-').replace(/[^\w.+~-]/g, '_');
}

function* nodeLines(drawing: Drawing, styles: Styles): Iterable<string> {
  const { package: from, channel } = drawing;
  const node = (name: string): string => `${idOf(from.name, channel.name, name)}["${label(name)}"]`;
  for (const entry of channel.entries.toSorted(compareEntries(from))) {
    if (drawing.isLeftOut(entry.name)) continue;
    yield node(entry.name);
    const kind = classOf(entry.name, drawing);
    if (kind !== '') {
      const members = styles.classes.get(kind) ?? [];
      styles.classes.set(kind, [...members, idOf(from.name, channel.name, entry.name)]);
    }
    for (const edge of incomingEdges(entry, drawing)) {
      if (edge.isDead) styles.dashed.push(styles.edges);
      styles.edges += 1;
      yield `${node(edge.from)}-- ${edge.label} --> ${node(entry.name)}`;
    }
  }
}

function leftOutBy(from: CatalogPackage, minimum: Version | undefined): (name: string) => boolean {
  return (name) => {
    const version = from.bundles.get(name)?.version;
    return minimum !== undefined && version !== undefined && compareVersions(version, minimum) < 0;
  };
}

function* packageLines(from: CatalogPackage, options: MermaidOptions, styles: Styles): Iterable<string> {
  const minimum = options.minimumEdge === undefined ? undefined : from.bundles.get(options.minimumEdge)?.version;
  const isLeftOut = leftOutBy(from, minimum);
  if (from.deprecation !== undefined) styles.lines.push(`style ${idOf(from.name)} fill:#989695`);
  yield `%% package ${goQuote(from.name)}`;
  yield `subgraph "${label(from.name)}"`;
  for (const channel of from.channels) {
    if (options.channels?.includes(channel.name) === false) continue;
    const id = idOf(from.name, channel.name);
    if (channel.deprecation !== undefined) styles.lines.push(`style ${id} fill:#DCD0FF`);
    const skipped = new Set(channel.entries.flatMap(({ skips }) => skips));
    const hasV0Semantics = options.hasV0Semantics === true;
    yield `  %% channel ${goQuote(channel.name)}`;
    yield `  subgraph ${id}["${label(channel.name)}"]`;
    for (const line of nodeLines({ package: from, channel, skipped, hasV0Semantics, isLeftOut }, styles))
      yield `    ${line}`;
    yield '  end';
  }
  yield 'end';
}

/** The update graphs of packages, in their order, as a flow chart of mermaid. They need not be valid: two heads and cycles are drawn as they are.
 *  @throws TerminalError UnknownBundle when no package has the minimum edge
 *  @see docs/spec/catalogs.md#graph-drawing */
export function drawMermaid(packages: readonly CatalogPackage[], options: MermaidOptions = {}): string {
  const { minimumEdge } = options;
  if (minimumEdge !== undefined && !packages.some(({ bundles }) => bundles.has(minimumEdge))) {
    throw new TerminalError('UnknownBundle', `unknown minimum edge name: ${goQuote(minimumEdge)}`);
  }
  const styles: Styles = { lines: [], classes: new Map(), dashed: [], edges: 0 };
  const body = packages.flatMap((from) => [...packageLines(from, options, styles)]);
  const classes = ['deprecated', 'skipped', 'deprecatedskipped'].flatMap((kind) => {
    const members = styles.classes.get(kind) ?? [];
    return members.length === 0 ? [] : [`class ${members.join(',')} ${kind}`];
  });
  const dashed =
    styles.dashed.length === 0
      ? []
      : [`linkStyle ${styles.dashed.join(',')} stroke:#FF0000,stroke-width:3px,stroke-dasharray:5;`];
  const inner = [...classDefinitions, ...body].map((line) => `  ${line}`);
  return `${['graph LR', ...inner, ...styles.lines, ...classes, ...dashed].join('\n')}\n`;
}
