import {
  errorMessage,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseJson,
  parseYamlDocuments,
  TerminalError,
  yamlFault,
} from '../base/index.ts';

function refuse(text: string, cause?: unknown): never {
  throw new TerminalError('InvalidBundle', text, { cause });
}

function yamlProblem(thrown: unknown): string {
  const { reason, line } = yamlFault(thrown);
  return line === undefined ? `yaml: ${reason}` : `yaml: line ${line}: ${reason}`;
}

function parseDocuments(file: string, text: string): JsonValue[] {
  if (/^\s*\{/.test(text)) {
    try {
      return [parseJson(file, text)];
    } catch (thrown) {
      if (!(thrown instanceof TerminalError) || thrown.reason !== 'InvalidJson')
        return refuse(`error parsing ${errorMessage(thrown)}`, thrown);
    }
  }
  try {
    return parseYamlDocuments(file, text);
  } catch (thrown) {
    if (!(thrown instanceof TerminalError)) throw thrown;
    if (thrown.reason !== 'InvalidYaml') return refuse(`error parsing ${thrown.message}`, thrown);
    return refuse(`error parsing ${file}: error converting YAML to JSON: ${yamlProblem(thrown)}`, thrown);
  }
}

function goKind(value: JsonValue): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

/** Keys in order, as in the texts that users know. */
function sortedJson(value: JsonObject): string {
  const text = JSON.stringify(value, (_key, member: unknown) =>
    isJsonObject(member) ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1))) : member,
  );
  return text.length > 2000 ? `${text.slice(0, 2000)}…` : text;
}

/** How strictly manifests are read. */
export interface ManifestOptions {
  /** An object without `apiVersion` is read all the same. Default false. */
  readonly mayLackApiVersion?: boolean;
}

function checkObject(file: string, value: JsonValue, options: ManifestOptions): JsonObject {
  if (!isJsonObject(value)) {
    refuse(
      `unable to decode "${file}": json: cannot unmarshal ${goKind(value)} into Go value of type unstructured.detector`,
    );
  }
  if (typeof value['kind'] !== 'string' || value['kind'] === '') {
    refuse(`unable to decode "${file}": Object 'Kind' is missing in '${sortedJson(value)}'`);
  }
  const hasApiVersion = typeof value['apiVersion'] === 'string' && value['apiVersion'] !== '';
  if (!hasApiVersion && options.mayLackApiVersion !== true) {
    refuse(`unable to decode "${file}": Object 'apiVersion' is missing in '${sortedJson(value)}'`);
  }
  if (value['metadata'] !== undefined && value['metadata'] !== null && !isJsonObject(value['metadata'])) {
    refuse(`unable to decode "${file}": metadata: expected an object, found ${goKind(value['metadata'])}`);
  }
  return value;
}

/** Items of typed lists may leave out what the list's own kind says. */
function itemOf(list: JsonObject, item: JsonValue): JsonValue {
  const kind = list['kind'];
  if (!isJsonObject(item) || typeof kind !== 'string' || kind === 'List') return item;
  const inferred = { apiVersion: list['apiVersion'], kind: kind.replace(/List$/, '') };
  return { ...inferred, ...item };
}

function flatten(file: string, value: JsonValue, options: ManifestOptions): JsonObject[] {
  const object = checkObject(file, value, options);
  const items = object['items'];
  const isList = typeof object['kind'] === 'string' && object['kind'].endsWith('List') && Array.isArray(items);
  return isList ? items.flatMap((item) => flatten(file, itemOf(object, item), options)) : [object];
}

/** The objects of one manifest: several documents, YAML or JSON, lists flattened, empty documents left out; everything else verbatim.
 *  `file` is the path in the bundle, for messages.
 *  @throws TerminalError InvalidBundle, with the texts of the reference's section 5.1 */
export function parseManifestFile(file: string, content: Buffer, options: ManifestOptions = {}): JsonObject[] {
  const documents = parseDocuments(file, content.toString('utf8'));
  return documents.filter((document) => document !== null).flatMap((document) => flatten(file, document, options));
}
