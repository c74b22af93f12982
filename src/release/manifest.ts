import { decodeJson, isJsonObject, type JsonObject, objectAt, textAt } from '../base/index.ts';
import { parseReleaseFileName, type ReleaseFileName } from './file-name.ts';

/** The directories of a payload, in the order in which they are read. */
export const payloadDirectories = ['manifests', 'release-manifests'] as const;

export type PayloadDirectory = (typeof payloadDirectories)[number];

/** By what an object of a release is found again in another one: no version of its API is in it. */
export interface ManifestKey {
  readonly group: string;
  readonly kind: string;
  /** Empty for objects without one. */
  readonly namespace: string;
  readonly name: string;
}

/** One document of a manifest file, without its object: what is kept, and sent from thread to thread. */
export interface ManifestRecord {
  readonly directory: PayloadDirectory;
  readonly fileName: string;
  /** Undefined when the name of the file states no level. */
  readonly place: ReleaseFileName | undefined;
  readonly key: ManifestKey;
  readonly apiVersion: string;
  readonly metadata: JsonObject;
  /** Compact JSON with sorted members for YAML, the text itself for JSON: what the hash of the version is made of. */
  readonly canonicalText: string;
}

/** One document of a manifest file. */
export interface ReleaseManifest extends ManifestRecord {
  readonly object: JsonObject;
}

/** Members of an instance are those of the record; its object is not among them, so that it is not copied with them. */
class StoredManifest implements ReleaseManifest {
  readonly directory: PayloadDirectory;
  readonly fileName: string;
  readonly place: ReleaseFileName | undefined;
  readonly key: ManifestKey;
  readonly apiVersion: string;
  readonly metadata: JsonObject;
  readonly canonicalText: string;

  constructor({ directory, fileName, place, key, apiVersion, metadata, canonicalText }: ManifestRecord) {
    this.directory = directory;
    this.fileName = fileName;
    this.place = place;
    this.key = key;
    this.apiVersion = apiVersion;
    this.metadata = metadata;
    this.canonicalText = canonicalText;
  }

  get object(): JsonObject {
    const object = decodeJson(this.canonicalText);
    return isJsonObject(object) ? object : {};
  }
}

/** The manifest of a record, such as one from another thread. Its object is parsed whenever it is asked for, with sorted members: a release has tens of
 *  megabytes of objects, of which a process that runs for long needs few at once. */
export function storedManifest(record: ManifestRecord): ReleaseManifest {
  return new StoredManifest(record);
}

function groupOf(apiVersion: string): string {
  return apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
}

/** The key of an object, which may lack parts. */
function manifestKey(object: JsonObject): ManifestKey {
  const metadata = objectAt(object, 'metadata');
  return {
    group: groupOf(textAt(object, 'apiVersion')),
    kind: textAt(object, 'kind'),
    namespace: textAt(metadata, 'namespace'),
    name: textAt(metadata, 'name'),
  };
}

/** One text per key, for maps. */
export function manifestKeyText({ group, kind, namespace, name }: ManifestKey): string {
  return JSON.stringify([group, kind, namespace, name]);
}

/** As errors name an object: `deployment "ns/name"`. */
export function describeManifest({ kind, namespace, name }: ManifestKey): string {
  return `${kind.toLowerCase()} "${namespace === '' ? name : `${namespace}/${name}`}"`;
}

/** Texts only; what is not a text counts as absent. */
export function annotationsOf({ metadata }: ManifestRecord): ReadonlyMap<string, string> {
  const annotations = objectAt(metadata, 'annotations') ?? {};
  return new Map(
    Object.entries(annotations).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

/** A manifest of an object and the place of its file. */
export function manifestOf(
  file: { readonly directory: PayloadDirectory; readonly name: string },
  object: JsonObject,
  canonicalText: string,
): ReleaseManifest {
  const { directory, name: fileName } = file;
  const place = parseReleaseFileName(fileName);
  const [key, metadata] = [manifestKey(object), objectAt(object, 'metadata') ?? {}];
  const apiVersion = textAt(object, 'apiVersion');
  return { directory, fileName, place, key, apiVersion, metadata, object, canonicalText };
}

/** Whether a document has what each manifest needs. */
export function isManifestObject(value: unknown): value is JsonObject {
  if (!isJsonObject(value)) return false;
  const { kind, name } = manifestKey(value);
  return kind !== '' && name !== '';
}
