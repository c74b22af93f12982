import { type JsonObject, objectAt, objectsAt, textAt, trimEnd, valueAt } from '../../../../src/base/index.ts';

/** A file of a volume, and what fills it. */
interface FilledPath {
  readonly path: string;
  readonly source: string;
}

/** More warnings than a response has room for. */
const maxPairs = 100;
/** Files of a volume that are looked at: no volume has as many. */
const maxFiles = 10_000;

function shown({ path, source }: FilledPath): string {
  const quoted = JSON.stringify(path);
  return source === '' ? quoted : `${quoted} (${source})`;
}

interface PlacedPath extends FilledPath {
  readonly place: number;
}

/** Sorted, so that a path stands right before those within it. */
function inOrder(files: readonly FilledPath[]): PlacedPath[] {
  const placed = files.map(({ path, source }, place) => ({ path: `${trimEnd(path, '/')}/`, source, place }));
  return placed.filter(({ path }) => path !== '/').sort((a, b) => (a.path < b.path ? -1 : Number(a.path > b.path)));
}

type Pair = readonly [later: PlacedPath, earlier: PlacedPath];

/** Each pair of paths of which one is, or is within, the other; of very many the first ones that are found. */
function overlaps(files: readonly FilledPath[]): Pair[] {
  const found: Pair[] = [];
  const around: PlacedPath[] = [];
  for (const file of inOrder(files)) {
    for (let outer = around.at(-1); outer !== undefined && !file.path.startsWith(outer.path); outer = around.at(-1)) {
      around.pop();
    }
    for (const outer of around) {
      if (found.length === maxPairs) return found;
      found.push(outer.place < file.place ? [file, outer] : [outer, file]);
    }
    around.push(file);
  }
  return found;
}

function pairs(files: readonly FilledPath[]): string[] {
  const found = overlaps(files).sort(([a, b], [c, d]) => a.place - c.place || b.place - d.place);
  const plain = ({ path, source }: PlacedPath): string => shown({ path: path.slice(0, -1), source });
  return found.map(([later, earlier]) => `${plain(later)} with ${plain(earlier)}`);
}

function filesOf(source: JsonObject | undefined, label: string): FilledPath[] {
  return objectsAt(source, 'items').map((item) => ({ path: textAt(item, 'path'), source: label }));
}

function named(kind: string, source: JsonObject | undefined, key = 'name'): string {
  return `${kind} ${JSON.stringify(textAt(source, key))}`;
}

function plainWarnings(volume: JsonObject): string[] {
  const [config, secret] = [objectAt(volume, 'configMap'), objectAt(volume, 'secret')];
  const found: readonly (readonly [JsonObject | undefined, string])[] = [
    [config, named('ConfigMap', config)],
    [secret, named('Secret', secret, 'secretName')],
    [objectAt(volume, 'downwardAPI'), 'DownwardAPI'],
  ];
  return found.flatMap(([source, label]) => pairs(filesOf(source, '')).map((pair) => warning(volume, label, pair)));
}

function warning(volume: JsonObject, label: string, pair: string): string {
  return `volume ${JSON.stringify(textAt(volume, 'name'))} (${label}): overlapping paths: ${pair}`;
}

/** The files of one source; undefined when it is none that names files. */
function projectedFiles(source: JsonObject): FilledPath[] | undefined {
  for (const [key, kind] of [
    ['configMap', 'ConfigMap'],
    ['secret', 'Secret'],
  ] as const) {
    const keyed = objectAt(source, key);
    if (valueAt(keyed, 'items') !== undefined) return filesOf(keyed, named(kind, keyed));
  }
  const fields = objectAt(source, 'downwardAPI');
  if (valueAt(fields, 'items') !== undefined) return filesOf(fields, 'DownwardAPI');
  const token = objectAt(source, 'serviceAccountToken');
  return token === undefined ? undefined : [{ path: textAt(token, 'path'), source: 'ServiceAccountToken' }];
}

function projectedWarnings(volume: JsonObject): string[] {
  const sources = objectsAt(objectAt(volume, 'projected'), 'sources');
  const empty = sources.filter((source) => Object.keys(source).length === 0);
  const name = JSON.stringify(textAt(volume, 'name'));
  // A source that names no files is looked at with the files of the one before it: so kube-apiserver does.
  let last: FilledPath[] = [];
  const files: FilledPath[] = [];
  for (const source of sources) {
    if (Object.keys(source).length === 0) continue;
    last = projectedFiles(source) ?? last;
    files.push(...last.slice(0, maxFiles - files.length));
  }
  return [
    ...empty.map(() => `volume ${name} (Projected) has no sources provided`),
    ...pairs(files).map((pair) => warning(volume, 'Projected', pair)),
  ];
}

/** Warnings about files of one volume that lie on or in each other. */
export function overlapWarnings(spec: JsonObject): string[] {
  return objectsAt(spec, 'volumes').flatMap((volume) => [...plainWarnings(volume), ...projectedWarnings(volume)]);
}
