import {
  type FieldPath,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  SourceText,
  TerminalError,
  type TextPosition,
  YamlPositions,
  type YamlReading,
  yamlFault,
} from '../base/index.ts';
import { FieldError } from './field-error.ts';
import { maxManifestValues } from './format.ts';
import { ReadingFaults } from './reading-faults.ts';

/** Numbers and words that YAML reads as something else are reported as written. */
function shownPlace(file: string, at: Partial<TextPosition> | undefined, written = ''): string {
  if (at?.line === undefined) return '';
  const source = /^[\w.+-]{1,60}$/.test(written) ? `, written as ${written}` : '';
  return ` (${file}:${at.line}:${at.column ?? 1}${source})`;
}

/** What is wrong with the text of a file, in the words that users know. */
function unreadable(file: string, thrown: TerminalError): TerminalError {
  if (thrown.reason !== 'InvalidYaml') {
    return new TerminalError('InvalidBundle', `error parsing ${thrown.message}`, { cause: thrown });
  }
  const { reason, line, column } = yamlFault(thrown);
  const problem = line === undefined ? `yaml: ${reason}` : `yaml: line ${line}: ${reason}`;
  const at = line === undefined || column === undefined ? undefined : { line, column };
  const text = `error parsing ${file}: error converting YAML to JSON: ${problem}${shownPlace(file, at)}`;
  return new TerminalError('InvalidBundle', text, { cause: thrown });
}

function goKind(value: JsonValue): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

/** Fields whose values are those of a Secret, where it is one. */
const secretFields: ReadonlySet<string> = new Set(['data', 'stringData']);

function shownMember([key, value]: [string, unknown]): [string, unknown] {
  return [key, secretFields.has(key) && typeof value === 'object' && value !== null ? '[hidden]' : value];
}

/** Keys in order, as in the texts that users know. What lacks its kind may be a Secret, or a list with one: its values are left out. */
function sortedJson(value: JsonObject): string {
  const text = JSON.stringify(value, (_key, member: unknown) =>
    isJsonObject(member)
      ? Object.fromEntries(
          Object.entries(member)
            .map(shownMember)
            .sort(([a], [b]) => (a < b ? -1 : 1)),
        )
      : member,
  );
  return text.length > 2000 ? `${text.slice(0, 2000)}…` : text;
}

/** How the files of a bundle are read: as every other tool for bundles does. What has too many values is not read to its end. */
export const bundleYaml: YamlReading = { isLastKeyTaken: true, maxNodes: 2 * maxManifestValues };

/** Counts the values of all manifests of a bundle. */
export class ValueCount {
  #left = maxManifestValues;

  /** @throws TerminalError InvalidBundle */
  add(document: JsonValue): void {
    const pending: (JsonValue | undefined)[] = [document];
    while (pending.length > 0) {
      const value = pending.pop();
      this.#left -= 1;
      if (this.#left < 0) {
        const text = `the manifests of the bundle have more than the limit of ${maxManifestValues} values`;
        throw new TerminalError('InvalidBundle', text);
      }
      if (typeof value !== 'object' || value === null) continue;
      for (const child of Object.values(value)) pending.push(child);
    }
  }
}

/** How manifests are read, and what becomes of them. */
export interface ManifestOptions {
  /** An object without `apiVersion` is read all the same. Default false. */
  readonly mayLackApiVersion?: boolean;
  /** Counts with the other manifests of a bundle. */
  readonly values?: ValueCount;
  /** Gets one object after the other; a `FieldError` that it throws is reported with the place in the file. `place` is where the
   *  object begins, for as long as it is retained: ` (manifests/a.yaml:7:1)`, empty when that is not known. */
  readonly take: (object: JsonObject, place: () => string) => void;
}

/** Items of typed lists may omit what the list's kind implies. */
function itemOf(list: JsonObject, item: JsonValue): JsonValue {
  const kind = list['kind'];
  if (!isJsonObject(item) || typeof kind !== 'string' || kind === 'List') return item;
  const inferred = { apiVersion: list['apiVersion'], kind: kind.replace(/List$/, '') };
  return { ...inferred, ...item };
}

/** What `takeObjects` needs in every object. */
interface Given {
  readonly file: string;
  readonly options: ManifestOptions;
  /** Where a value of the document stands; and how it is written, unless that was `message`. */
  readonly place: (path: FieldPath, message: string) => string;
  readonly faults: ReadingFaults;
}

function isText(value: JsonValue | undefined): boolean {
  return typeof value === 'string' && value !== '';
}

function checkObject(file: string, value: JsonValue, options: ManifestOptions): JsonObject {
  const fail = (problem: string, ...path: FieldPath): never => {
    throw new FieldError(path, `unable to decode "${file}": ${problem}`);
  };
  if (!isJsonObject(value)) {
    return fail(`json: cannot unmarshal ${goKind(value)} into Go value of type unstructured.detector`);
  }
  const { kind, apiVersion } = value;
  const [metadata, items] = [value['metadata'] ?? {}, value['items'] ?? []];
  if (!isText(kind)) fail(`Object 'Kind' is missing in '${sortedJson(value)}'`);
  if (!isText(apiVersion) && options.mayLackApiVersion !== true) {
    fail(`Object 'apiVersion' is missing in '${sortedJson(value)}'`);
  }
  if (!isJsonObject(metadata)) fail(`metadata: expected an object, found ${goKind(metadata)}`, 'metadata');
  // As Kubernetes' own decoder: what has items is a list, whatever its kind.
  if (!Array.isArray(items)) fail(`items: expected a list, found ${goKind(items)}`, 'items');
  return value;
}

/** Gives `take` the object, or the items of a list.
 *  @throws TerminalError InvalidBundle */
function takeObjects(value: JsonValue, path: FieldPath, given: Given): void {
  try {
    const { file, options, place, faults } = given;
    const object = checkObject(file, value, options);
    if (object['items'] === undefined) options.take(object, () => place(path, ''));
    if (!Array.isArray(object['items'])) return;
    for (const [index, item] of object['items'].entries()) {
      faults.attempt(() => takeObjects(itemOf(object, item), [...path, 'items', index], given));
    }
  } catch (thrown) {
    if (!(thrown instanceof FieldError)) throw thrown;
    const text = `${thrown.message}${given.place([...path, ...thrown.path], thrown.message)}`;
    throw new TerminalError('InvalidBundle', text, { cause: thrown });
  }
}

/** A manifest that was read. */
export interface ManifestFile {
  /** Its path in the bundle, for messages. */
  readonly path: string;
  /** What it is made of; for places in it. */
  readonly source: Pick<SourceText, 'content'>;
  /** All documents, empty ones as null. */
  readonly documents: Iterable<JsonValue>;
}

/** The objects of all documents: lists flattened, empty documents left out; everything else verbatim.
 *  @throws TerminalError InvalidBundle, with the texts of docs/spec/rukpak-v1alpha1.md#plain-v0 and the place in the file; BundleFaults for several */
export function takeManifestObjects({ path: file, source, documents }: ManifestFile, options: ManifestOptions): void {
  const faults = new ReadingFaults();
  let index = 0;
  const takeAll = (): void => {
    for (const document of documents) {
      options.values?.add(document);
      const at = index;
      const place = (path: FieldPath, message: string): string => {
        const positions = new YamlPositions(source);
        const written = positions.source(at, path) ?? '';
        return shownPlace(file, positions.find(at, path), message.includes(written) ? '' : written);
      };
      if (document !== null) faults.attempt(() => takeObjects(document, [], { file, options, place, faults }));
      index += 1;
    }
  };
  faults.attempt(takeAll);
  faults.assertNone();
}

function* readable(file: string, source: SourceText): Iterable<JsonValue> {
  try {
    yield* source.documents(file, bundleYaml);
  } catch (thrown) {
    throw thrown instanceof TerminalError ? unreadable(file, thrown) : thrown;
  }
}

/** The objects of one manifest: several documents, YAML or JSON. `file` is the path in the bundle, for messages. Takes `content` over, as `SourceText` does.
 *  @throws TerminalError InvalidBundle, as `takeManifestObjects` */
export function readManifestFile(file: string, content: Buffer, options: ManifestOptions): void {
  const source = new SourceText(content);
  takeManifestObjects({ path: file, source, documents: readable(file, source) }, options);
}
