import { packageAnnotation } from '../../api/index.ts';
import {
  goJson,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  maxMetadataFileBytes,
  parseJson,
  parseYaml,
  printableLine,
  scalarText,
  sortedKeys,
  TerminalError,
} from '../../base/index.ts';
import type { DirectoryEntry } from '../../content/index.ts';
import { maxManifestsBytes } from '../format.ts';
import {
  bundleYaml,
  type ManifestFile,
  type ManifestOptions,
  readManifestFile,
  takeManifestObjects,
  ValueCount,
} from '../manifest-file.ts';
import { ReadingFaults, withPrefix } from '../reading-faults.ts';
import { asCurrentDefinition, isBetaDefinition } from './crd-v1beta1.ts';
import { assertManifest, type ClusterServiceVersion, readCrd, readCsv } from './csv.ts';
import type { Manifest, RegistryBundle } from './registry-bundle.ts';

const propertiesAnnotation = 'olm.properties';
/** More of a kind are counted only. */
const maxShown = 5;
/** The files of `metadata/` that are read. */
const metadataFiles = ['annotations.yaml', 'properties.yaml'];

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
    throw withPrefix(prefix, thrown);
  }
}

/** A UTF-8 byte order mark is no content. */
function textOf(content: Buffer): string {
  return content.toString('utf8').replace(/^\uFEFF/, '');
}

function packageNameOf(content: Buffer | undefined): string {
  if (content === undefined) return refuse('open metadata/annotations.yaml: no such file or directory');
  const document = within('', () => parseYaml('metadata/annotations.yaml', textOf(content), bundleYaml));
  const annotations = isJsonObject(document) ? document['annotations'] : undefined;
  return isJsonObject(annotations) ? (scalarText(annotations[packageAnnotation] ?? null) ?? '') : '';
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

/** The annotation `olm.properties` with the properties of the file behind its own; undefined when it stays as it is.
 *  @see docs/spec/registry-v1-rendering.md#properties-yaml */
function mergedProperties(csv: ClusterServiceVersion, content: Buffer | undefined): string | undefined {
  const own = csv.metadata.annotations?.[propertiesAnnotation];
  const annotated =
    own === undefined
      ? undefined
      : within(`failed to unmarshal csv.metadata.annotations['${propertiesAnnotation}']: `, () =>
          propertiesIn('the annotation', parseJson('the annotation', own)),
        );
  if (content === undefined || content.length === 0) return undefined;
  const listed = within('failed to unmarshal metadata/properties.yaml: ', () => {
    const document = parseYaml('metadata/properties.yaml', textOf(content), bundleYaml);
    const list = isJsonObject(document) ? (document['properties'] ?? null) : document;
    return propertiesIn('properties', list);
  });
  const fromFile = (listed ?? []).map(({ type, value }) => ({ type, value: sortedKeys(value ?? null) }));
  const merged = [...(annotated ?? []), ...fromFile];
  return goJson(merged.length === 0 && annotated === undefined ? null : (merged as JsonValue));
}

interface FoundCsv {
  readonly csv: ClusterServiceVersion;
  readonly place: () => string;
}

function onlyCsv(found: readonly FoundCsv[]): ClusterServiceVersion {
  const [first] = found;
  if (first === undefined) return refuse('no ClusterServiceVersion found in "manifests"');
  if (found.length === 1) return first.csv;
  const shown = found.slice(0, maxShown);
  const names = shown.map(({ csv }) => `"${csv.metadata.name ?? ''}"`).join(', ');
  const places = shown.map(({ place }) => place()).join('');
  return refuse(`bundle contains ${found.length} ClusterServiceVersions: ${names}${places}`);
}

/** Takes the files of a registry+v1 bundle, one after the other, and keeps of them what an installation needs. */
export class RegistryBundleReader {
  readonly #metadata = new Map<string, Buffer>();
  readonly #csvs: FoundCsv[] = [];
  readonly #crds: Manifest[] = [];
  readonly #convertedCrds = new Map<string, Manifest>();
  readonly #others: Manifest[] = [];
  readonly #options: ManifestOptions = {
    mayLackApiVersion: true,
    values: new ValueCount(),
    take: (object, place) => this.#sortIn(object, place),
  };
  #sizeBytes = 0;
  readonly #faults = new ReadingFaults();

  /** A file or folder right in `metadata/`.
   *  @throws TerminalError InvalidBundle for a file that is read and too large */
  addMetadata(entry: DirectoryEntry): void {
    if (entry.kind === 'directory' || !metadataFiles.includes(entry.name)) return;
    const { length } = entry.content;
    if (length > maxMetadataFileBytes) {
      refuse(`metadata/${entry.name}: ${length} bytes, more than the limit of ${maxMetadataFileBytes} bytes`);
    }
    this.#metadata.set(entry.name, entry.content);
  }

  /** A file or folder right in `manifests/`. `finish` reports its problems, after those of the metadata. */
  addManifest(entry: DirectoryEntry): void {
    const file = `manifests/${printableLine(entry.name)}`;
    this.#faults.attempt(() => {
      if (entry.kind === 'directory') {
        return refuse(
          `subdirectories are not allowed within the "manifests" directory of the bundle image filesystem: found "${file}"`,
        );
      }
      this.#sizeBytes += entry.content.length;
      if (this.#sizeBytes > maxManifestsBytes) {
        refuse(`all files together have more than the limit of ${maxManifestsBytes} bytes`);
      }
      within(`error parsing objects in "${file}": `, () => readManifestFile(file, entry.content, this.#options));
    });
  }

  /** As `addManifest`, for a file that was parsed already. */
  addParsed(file: ManifestFile): void {
    this.#faults.attempt(() =>
      within(`error parsing objects in "${file.path}": `, () => takeManifestObjects(file, this.#options)),
    );
  }

  #sortIn(object: JsonObject, place: () => string): void {
    if (object['kind'] === 'ClusterServiceVersion') this.#csvs.push({ csv: readCsv(object), place });
    else if (object['kind'] === 'CustomResourceDefinition') this.#addCrd(object);
    else {
      assertManifest(object);
      this.#others.push((isJsonObject(object['metadata']) ? object : { ...object, metadata: {} }) as Manifest);
    }
  }

  #addCrd(object: JsonObject): void {
    const crd = readCrd(object) as Manifest;
    this.#crds.push(crd);
    if (!isBetaDefinition(object)) return;
    this.#convertedCrds.set(crd.metadata.name ?? '', readCrd(asCurrentDefinition(object)) as Manifest);
  }

  /** @param hasManifests whether there is a directory `manifests/`
   *  @throws TerminalError InvalidBundle with the texts of docs/spec/registry-v1-rendering.md#reading-the-bundle-directory, docs/spec/registry-v1-rendering.md#decoding */
  finish(hasManifests: boolean): RegistryBundle {
    const faults = new ReadingFaults();
    let packageName = '';
    faults.attempt(() => {
      packageName = packageNameOf(this.#metadata.get('annotations.yaml'));
    });
    faults.attempt(() =>
      hasManifests ? this.#faults.assertNone() : refuse('stat manifests: no such file or directory'),
    );
    faults.assertNone();
    const csv = onlyCsv(this.#csvs);
    const properties = mergedProperties(csv, this.#metadata.get('properties.yaml'));
    const annotations = {
      ...csv.metadata.annotations,
      ...(properties === undefined ? {} : { [propertiesAnnotation]: properties }),
    };
    const merged = properties === undefined ? csv : { ...csv, metadata: { ...csv.metadata, annotations } };
    return { packageName, csv: merged, crds: this.#crds, convertedCrds: this.#convertedCrds, others: this.#others };
  }
}

/** Reads a registry+v1 bundle from staged files.
 *  @throws TerminalError InvalidBundle, as `RegistryBundleReader` */
export function readRegistryBundle({ manifests, metadata }: BundleFiles): RegistryBundle {
  const reader = new RegistryBundleReader();
  for (const entry of metadata) reader.addMetadata(entry);
  for (const entry of manifests ?? []) reader.addManifest(entry);
  return reader.finish(manifests !== undefined);
}
