import { type JsonObject, objectAt, objectsAt, textAt, valueAt } from '../../../../src/base/index.ts';

/** A file of a volume, and what fills it. */
interface FilledPath {
  readonly path: string;
  readonly source: string;
}

function shown({ path, source }: FilledPath): string {
  const quoted = JSON.stringify(path);
  return source === '' ? quoted : `${quoted} (${source})`;
}

function overlaps(one: string, other: string): boolean {
  return `${one}/`.startsWith(`${other}/`) || `${other}/`.startsWith(`${one}/`);
}

/** Each pair of paths of which one is, or is within, the other. */
function pairs(files: readonly FilledPath[]): string[] {
  const before: FilledPath[] = [];
  return files.flatMap((file) => {
    const plain = { ...file, path: file.path.replace(/\/+$/, '') };
    const hits = before.filter(({ path }) => path !== '' && plain.path !== '' && overlaps(path, plain.path));
    before.push(plain);
    return hits.map((hit) => `${shown(plain)} with ${shown(hit)}`);
  });
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
  const files = sources.flatMap((source) => {
    if (Object.keys(source).length === 0) return [];
    last = projectedFiles(source) ?? last;
    return last;
  });
  return [
    ...empty.map(() => `volume ${name} (Projected) has no sources provided`),
    ...pairs(files).map((pair) => warning(volume, 'Projected', pair)),
  ];
}

/** Warnings about files of one volume that lie on or in each other. */
export function overlapWarnings(spec: JsonObject): string[] {
  return objectsAt(spec, 'volumes').flatMap((volume) => [...plainWarnings(volume), ...projectedWarnings(volume)]);
}
