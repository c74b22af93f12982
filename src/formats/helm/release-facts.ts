import { isJsonObject, type JsonObject, type JsonValue, parseYamlDocuments, TerminalError } from '../../base/index.ts';
import { type ChartFile, type ReleaseFacts, renderFailed, type ValuesDocument } from '../format.ts';

/** Of one document, keys included: the largest charts have a tenth of these. */
const maxNodes = 200_000;

/** @throws TerminalError RenderFailed for very many values; as `parseYamlDocuments` */
function readFirst(what: string, text: string): JsonObject {
  try {
    const [document] = parseYamlDocuments(what, text, { maxNodes });
    return isJsonObject(document) ? document : {};
  } catch (thrown) {
    if (!(thrown instanceof TerminalError) || thrown.reason !== 'TooManyValues') throw thrown;
    throw new TerminalError(renderFailed, thrown.message, { cause: thrown });
  }
}

function merged(base: JsonObject, over: JsonObject): JsonObject {
  const result: Record<string, JsonValue> = { ...(base as Record<string, JsonValue>) };
  for (const [key, value = null] of Object.entries(over)) {
    const before = Object.hasOwn(result, key) ? result[key] : undefined;
    result[key] = isJsonObject(value) && isJsonObject(before) ? merged(before, value) : value;
  }
  return result;
}

/** `a.b` of `--set-file` as `{a: {b: text}}`; lists are named by their last value alone, as far as it is shown to users. */
function atPath(path: string, text: string): JsonObject {
  const parts = path.split('.').reverse();
  return parts.reduce<JsonValue>((value, part) => ({ [part]: value }), text) as JsonObject;
}

function valuesOf({ text, targetPath }: ValuesDocument): JsonObject {
  return targetPath === undefined ? readFirst('values', text) : atPath(targetPath, text);
}

function firstDocument(files: readonly ChartFile[], name: string): JsonObject {
  const file = files.find(({ path }) => path === name);
  return file === undefined ? {} : readFirst(name, new TextDecoder().decode(file.content));
}

/** What Helm records of a release besides its objects. */
export function releaseFactsOf(files: readonly ChartFile[], values: readonly ValuesDocument[]): ReleaseFacts {
  const [whole, single] = [
    values.filter(({ targetPath }) => targetPath === undefined),
    values.filter(({ targetPath }) => targetPath !== undefined),
  ];
  return {
    chart: firstDocument(files, 'Chart.yaml'),
    chartValues: firstDocument(files, 'values.yaml'),
    values: [...whole, ...single].map(valuesOf).reduce(merged, {}),
  };
}
