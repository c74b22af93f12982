import type { FieldPath, JsonObject, JsonValue, SourceText, YamlPositions } from '../base/index.ts';

/** A file that was read. */
export interface BundleFile {
  /** `manifests/tide.yaml` */
  readonly path: string;
  readonly sizeBytes: number;
  /** Length of its gzip in base64, as v0 packs it. */
  readonly packedBytes: number;
  readonly source: Pick<SourceText, 'content'>;
  /** All documents, empty ones as null; none when it could not be parsed. */
  readonly documents: readonly JsonValue[];
  /** Why it could not be parsed. */
  readonly fault: FileFault | undefined;
  /** A key that a mapping has twice, where the rest of the file can be read. */
  readonly repeatedKey: FileFault | undefined;
  readonly positions: YamlPositions;
}

/** Why a file could not be read or parsed. */
export interface FileFault {
  readonly reason: string;
  readonly line?: number;
  readonly column?: number;
}

/** An entry of the bundle that is not a file that was read: a directory, a link, a file that is too large. */
export interface OtherEntry {
  readonly path: string;
  readonly kind: 'directory' | 'link' | 'too large';
  /** Bytes, of what is too large. */
  readonly sizeBytes?: number;
}

/** An object of `manifests/`. Nothing in it was checked but that it has a kind. */
export interface ManifestObject {
  readonly file: BundleFile;
  readonly document: number;
  /** Where it begins in its document: items of lists are separate objects. */
  readonly path: FieldPath;
  readonly object: JsonObject;
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty when it has none. */
  readonly name: string;
}

/** A list or map in `metadata/`, with the file that it came from. */
export interface MetadataPart<T> {
  readonly file: BundleFile;
  readonly value: T;
}

/** A bundle as checks see it. Everything in it comes from outside: read members with `textAt`, `objectsAt` and their like. */
export interface BundleUnderCheck {
  /** The requested folder or reference, for messages. */
  readonly name: string;
  readonly mediaType: 'registry+v1' | 'helm' | 'plain';
  readonly hasManifests: boolean;
  readonly hasMetadata: boolean;
  /** In the order of their paths. */
  readonly manifestFiles: readonly BundleFile[];
  readonly metadataFiles: readonly BundleFile[];
  readonly otherEntries: readonly OtherEntry[];
  /** Values as they were written, strings or not. */
  readonly annotations: MetadataPart<JsonObject> | undefined;
  readonly dependencies: MetadataPart<JsonValue> | undefined;
  readonly properties: MetadataPart<JsonValue> | undefined;
  /** All objects, in reading order. */
  readonly objects: readonly ManifestObject[];
  readonly csvs: readonly ManifestObject[];
  /** The first one. */
  readonly csv: ManifestObject | undefined;
  readonly crds: readonly ManifestObject[];
  readonly others: readonly ManifestObject[];
}
