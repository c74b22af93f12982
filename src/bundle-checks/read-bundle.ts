import { gzipSync } from 'node:zlib';
import {
  errorMessage,
  type FieldPath,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  listAt,
  SourceText,
  TerminalError,
  textAt,
  valueAt,
  YamlPositions,
  type YamlReading,
  yamlFault,
} from '../base/index.ts';
import { bundleYaml } from '../formats/index.ts';
import type { BundleFile, BundleUnderCheck, ManifestObject, MetadataPart, OtherEntry } from './bundle.ts';

/** A bundle's files as they come from a folder or image. */
export interface BundleContent {
  /** What was asked for. */
  readonly name: string;
  /** Files that stand directly in `manifests/` and `metadata/`, in the order of their paths. */
  readonly files: readonly { readonly path: string; readonly content: Buffer }[];
  /** Everything else, directories included; `manifests` and `metadata` themselves, too. */
  readonly otherEntries: readonly OtherEntry[];
}

type Parsed = Pick<BundleFile, 'documents' | 'fault' | 'repeatedKey'>;

function parse(source: SourceText, options: YamlReading = {}): Parsed {
  try {
    return { documents: [...source.documents('', options)], fault: undefined, repeatedKey: undefined };
  } catch (thrown) {
    if (!(thrown instanceof TerminalError)) throw thrown;
    const isSyntax = thrown.reason === 'InvalidYaml';
    const fault = isSyntax ? yamlFault(thrown) : { reason: errorMessage(thrown).replace(/^: /, '') };
    const isRepeated = fault.reason.startsWith('duplicated mapping key') && options.isLastKeyTaken !== true;
    if (isRepeated) return { ...parse(new SourceText(source.content), bundleYaml), repeatedKey: fault };
    return { documents: [], fault, repeatedKey: undefined };
  }
}

function packedLength(content: Buffer): number {
  return Math.ceil(gzipSync(content).length / 3) * 4;
}

function readFile({ path, content }: BundleContent['files'][number]): BundleFile {
  const [sizeBytes, packedBytes] = [content.length, packedLength(content)];
  const source = new SourceText(content);
  const parsed = parse(source);
  return { path, source, sizeBytes, packedBytes, ...parsed, positions: new YamlPositions(source) };
}

interface Position {
  readonly file: BundleFile;
  readonly document: number;
  readonly path: FieldPath;
}

/** Items of typed lists may leave out the kind that follows from the list. */
function itemOf(list: JsonObject, item: JsonValue): JsonValue {
  const kind = textAt(list, 'kind');
  if (!isJsonObject(item) || kind === 'List') return item;
  return { apiVersion: list['apiVersion'], kind: kind.replace(/List$/, ''), ...item };
}

function objectsIn(value: JsonValue, at: Position): ManifestObject[] {
  if (!isJsonObject(value)) return [];
  const kind = textAt(value, 'kind');
  if (kind === '') return [];
  if (kind.endsWith('List') && Array.isArray(value['items'])) {
    return value['items'].flatMap((item, index) =>
      objectsIn(itemOf(value, item), { ...at, path: [...at.path, 'items', index] }),
    );
  }
  const metadata = valueAt(value, 'metadata');
  const name = isJsonObject(metadata) ? textAt(metadata, 'name') : '';
  return [{ ...at, object: value, apiVersion: textAt(value, 'apiVersion'), kind, name }];
}

function fileObjects(file: BundleFile): ManifestObject[] {
  return file.documents.flatMap((document, index) => objectsIn(document, { file, document: index, path: [] }));
}

function documentOf(file: BundleFile): JsonObject | undefined {
  return file.documents.find((document) => isJsonObject(document)) as JsonObject | undefined;
}

function annotationsIn(files: readonly BundleFile[]): MetadataPart<JsonObject> | undefined {
  // The installer knows one name only; the other tools take the first file that fits.
  const ordered = files.toSorted((a, b) => Number(!isAnnotationsFile(a)) - Number(!isAnnotationsFile(b)));
  for (const file of ordered) {
    const value = valueAt(documentOf(file), 'annotations');
    if (isJsonObject(value)) return { file, value };
  }
  return undefined;
}

function isAnnotationsFile({ path }: BundleFile): boolean {
  return path === 'metadata/annotations.yaml';
}

function listIn(files: readonly BundleFile[], key: string): MetadataPart<JsonValue> | undefined {
  for (const file of files) {
    const document = documentOf(file);
    if (listAt(document, key).length > 0) return { file, value: listAt(document, key) };
    const value = valueAt(document, key);
    if (file.path === `metadata/${key}.yaml` && value !== undefined) return { file, value };
  }
  return undefined;
}

function propertiesIn(files: readonly BundleFile[]): MetadataPart<JsonValue> | undefined {
  const file = files.find(({ path }) => path === 'metadata/properties.yaml');
  const value = valueAt(file === undefined ? undefined : documentOf(file), 'properties');
  return file === undefined || value === undefined ? undefined : { file, value };
}

/** Whether the file would hold a ClusterServiceVersion if it could be parsed. */
export function hasFaultyCsv({ fault, source }: BundleFile): boolean {
  return fault !== undefined && /\bkind"?:\s*"?ClusterServiceVersion\b/.test(source.content.toString('latin1'));
}

/** Whether a file of `manifests/` is too large to be read: its content is unknown. */
export function hasUnreadManifest({ otherEntries }: Pick<BundleUnderCheck, 'otherEntries'>): boolean {
  return otherEntries.some(({ path, kind }) => kind === 'too large' && path.startsWith('manifests/'));
}

function mediaTypeOf(files: readonly BundleFile[], objects: readonly ManifestObject[]): BundleUnderCheck['mediaType'] {
  const chart = files.find(({ path }) => path === 'manifests/Chart.yaml');
  if (chart !== undefined && textAt(documentOf(chart), 'name') !== '') return 'helm';
  const isOperator = objects.some(({ kind }) => kind === 'ClusterServiceVersion') || files.some(hasFaultyCsv);
  return isOperator ? 'registry+v1' : 'plain';
}

/** Reads everything that can be read. Files with faults, objects with wrong types, missing parts: the checks report all of that. */
export function readBundleForChecks({ name, files, otherEntries }: BundleContent): BundleUnderCheck {
  const read = files.map(readFile);
  const manifestFiles = read.filter(({ path }) => path.startsWith('manifests/'));
  const metadataFiles = read.filter(({ path }) => path.startsWith('metadata/'));
  const found = manifestFiles.flatMap(fileObjects);
  const mediaType = mediaTypeOf(manifestFiles, found);
  // What is in a chart are templates.
  const objects = mediaType === 'helm' ? [] : found;
  const ofKind = (expected: string): ManifestObject[] => objects.filter(({ kind }) => kind === expected);
  const csvs = ofKind('ClusterServiceVersion');
  const isDirectory = (directory: string): boolean =>
    otherEntries.some(({ path, kind }) => path === directory && kind === 'directory');
  return {
    name,
    mediaType,
    hasManifests: isDirectory('manifests') || manifestFiles.length > 0,
    hasMetadata: isDirectory('metadata') || metadataFiles.length > 0,
    manifestFiles,
    metadataFiles,
    otherEntries,
    annotations: annotationsIn(metadataFiles),
    dependencies: listIn(metadataFiles, 'dependencies'),
    properties: propertiesIn(metadataFiles),
    objects,
    csvs,
    csv: csvs[0],
    crds: ofKind('CustomResourceDefinition'),
    others: objects.filter(({ kind }) => kind !== 'ClusterServiceVersion' && kind !== 'CustomResourceDefinition'),
  };
}
