import { packageAnnotation } from '../../api/index.ts';
import {
  goJson,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseJson,
  parseYaml,
  TerminalError,
} from '../../base/index.ts';
import type { DirectoryEntry } from '../../content/index.ts';
import { parseManifestFile } from '../manifest-file.ts';
import { type ClusterServiceVersion, readCrd, readCsv } from './csv.ts';
import type { Manifest, RegistryBundle } from './registry-bundle.ts';

const propertiesAnnotation = 'olm.properties';

/** Files of a bundle that are looked at, in the order of their names. */
export interface BundleFiles {
  /** Undefined: there is no such directory. */
  readonly manifests: readonly DirectoryEntry[] | undefined;
  readonly metadata: readonly DirectoryEntry[];
}

function refuse(text: string, cause?: unknown): never {
  throw new TerminalError('InvalidBundle', text, { cause });
}

function within<T>(prefix: string, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    if (!(thrown instanceof TerminalError)) throw thrown;
    return refuse(`${prefix}${thrown.message}`, thrown);
  }
}

function metadataFile(files: BundleFiles, name: string): Buffer | undefined {
  const entry = files.metadata.find((one) => one.name === name);
  return entry?.kind === 'file' ? entry.content : undefined;
}

/** A UTF-8 byte order mark is no content. */
function textOf(content: Buffer): string {
  return content.toString('utf8').replace(/^\uFEFF/, '');
}

function packageNameOf(files: BundleFiles): string {
  const content = metadataFile(files, 'annotations.yaml');
  if (content === undefined) return refuse('open metadata/annotations.yaml: no such file or directory');
  const document = within('', () => parseYaml('metadata/annotations.yaml', textOf(content)));
  const annotations = isJsonObject(document) ? document['annotations'] : undefined;
  const name = isJsonObject(annotations) ? annotations[packageAnnotation] : undefined;
  return typeof name === 'string' ? name : '';
}

interface Sorted {
  readonly csvs: { readonly file: string; readonly object: JsonObject }[];
  readonly crds: Manifest[];
  readonly others: Manifest[];
}

function sortIn(sorted: Sorted, file: string, object: JsonObject): void {
  if (object['kind'] === 'ClusterServiceVersion') sorted.csvs.push({ file, object });
  else if (object['kind'] === 'CustomResourceDefinition') sorted.crds.push(readCrd(object) as Manifest);
  else
    sorted.others.push({ ...object, metadata: isJsonObject(object['metadata']) ? object['metadata'] : {} } as Manifest);
}

function readManifests(entries: readonly DirectoryEntry[]): Sorted {
  const sorted: Sorted = { csvs: [], crds: [], others: [] };
  for (const entry of entries) {
    const file = `manifests/${entry.name}`;
    if (entry.kind === 'directory') {
      refuse(
        `subdirectories are not allowed within the "manifests" directory of the bundle image filesystem: found "${file}"`,
      );
    }
    within(`error parsing objects in "${file}": `, () => {
      for (const object of parseManifestFile(file, entry.content, { mayLackApiVersion: true }))
        sortIn(sorted, file, object);
    });
  }
  return sorted;
}

function propertiesIn(what: string, value: JsonValue): readonly JsonObject[] | undefined {
  if (value === null) return undefined;
  if (!Array.isArray(value)) return refuse(`${what}: expected a list`);
  return value.map((item) => {
    if (!isJsonObject(item) || typeof item['type'] !== 'string') {
      return refuse(`${what}: expected objects with type and value`);
    }
    return { type: item['type'], value: item['value'] ?? null };
  });
}

function sortedKeys(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sortedKeys);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, member]) => [key, sortedKeys(member ?? null)]));
}

/** The annotation `olm.properties` with the properties of the file behind its own; undefined when it stays as it is.
 *  @see registry-v1-rendering.md, section 2.1 */
function mergedProperties(csv: ClusterServiceVersion, files: BundleFiles): string | undefined {
  const own = csv.metadata.annotations?.[propertiesAnnotation];
  const annotated =
    own === undefined
      ? undefined
      : within(`failed to unmarshal csv.metadata.annotations['${propertiesAnnotation}']: `, () =>
          propertiesIn('the annotation', parseJson('the annotation', own)),
        );
  const content = metadataFile(files, 'properties.yaml');
  if (content === undefined || content.length === 0) return undefined;
  const listed = within('failed to unmarshal metadata/properties.yaml: ', () => {
    const document = parseYaml('metadata/properties.yaml', textOf(content));
    const list = isJsonObject(document) ? (document['properties'] ?? null) : document;
    return propertiesIn('properties', list);
  });
  const fromFile = (listed ?? []).map(({ type, value }) => ({ type, value: sortedKeys(value ?? null) }));
  const merged = [...(annotated ?? []), ...fromFile];
  return goJson(merged.length === 0 && annotated === undefined ? null : (merged as JsonValue));
}

function csvOf(sorted: Sorted): ClusterServiceVersion {
  const [first, ...more] = sorted.csvs;
  if (first === undefined) return refuse('no ClusterServiceVersion found in "manifests"');
  const csvs = sorted.csvs.map(({ file, object }) =>
    within(`error parsing objects in "${file}": `, () => readCsv(object)),
  );
  if (more.length > 0) {
    const names = csvs.map(({ metadata }) => `"${metadata.name ?? ''}"`).join(', ');
    return refuse(`bundle contains ${csvs.length} ClusterServiceVersions: ${names}`);
  }
  return csvs[0] as ClusterServiceVersion;
}

/** Reads a registry+v1 bundle.
 *  @throws TerminalError InvalidBundle with the texts of registry-v1-rendering.md, sections 2 and 3 */
export function readRegistryBundle(files: BundleFiles): RegistryBundle {
  const packageName = packageNameOf(files);
  if (files.manifests === undefined) return refuse('stat manifests: no such file or directory');
  const sorted = readManifests(files.manifests);
  const csv = csvOf(sorted);
  const properties = mergedProperties(csv, files);
  const annotations = {
    ...csv.metadata.annotations,
    ...(properties === undefined ? {} : { [propertiesAnnotation]: properties }),
  };
  const merged = properties === undefined ? csv : { ...csv, metadata: { ...csv.metadata, annotations } };
  return { packageName, csv: merged, crds: sorted.crds, others: sorted.others };
}
