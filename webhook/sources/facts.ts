import type { BundleSource } from '../../src/api/index.ts';
import { isJsonObject, type JsonObject, mapLimit, normalizePath } from '../../src/base/index.ts';
import { metadataFileNames } from '../../src/dependencies/index.ts';
import { type ConfigMapFacts, definitionOf } from '../../src/sources/definitions/index.ts';
import type { FactsReader } from '../review/facts.ts';

/** What the rules for a source need to know of the cluster. */
export interface SourceFacts extends ConfigMapFacts {
  /** Files of the content's `metadata` directory, where the content can be read already. */
  readonly metadata: ReadonlyMap<string, Buffer>;
}

const concurrentReads = 8;

function contentOf(configMap: JsonObject, key: string): Buffer | undefined {
  const { data, binaryData } = configMap;
  const text = isJsonObject(data) ? data[key] : undefined;
  if (typeof text === 'string') return Buffer.from(text);
  const base64 = isJsonObject(binaryData) ? binaryData[key] : undefined;
  return typeof base64 === 'string' ? Buffer.from(base64, 'base64') : undefined;
}

/** The metadata files in the content of a ConfigMap source. */
function metadataOf(source: BundleSource, configMaps: ReadonlyMap<string, JsonObject>): ReadonlyMap<string, Buffer> {
  // Each once, however often the source names it.
  const named = new Set<JsonObject>();
  for (const { configMap, path = '' } of source.configMaps ?? []) {
    const found = configMaps.get(configMap.name ?? '');
    if (found !== undefined && normalizePath(`./${path}/.`) === 'metadata') named.add(found);
  }
  const files = [...named].flatMap((found) =>
    metadataFileNames.flatMap((key): [string, Buffer][] => {
      const content = contentOf(found, key);
      return content === undefined ? [] : [[key, content]];
    }),
  );
  return new Map(files);
}

/** Reads the facts that the rules for a source need. */
export async function readSourceFacts(
  source: BundleSource,
  { facts, signal }: { readonly facts: FactsReader; readonly signal: AbortSignal },
): Promise<SourceFacts> {
  const names = definitionOf(source)
    .inputs.configMapNames(source)
    .filter((name) => name !== '');
  if (names.length === 0) return { configMaps: new Map(), metadata: new Map() };
  const found = await mapLimit(names, concurrentReads, async (name): Promise<[string, JsonObject][]> => {
    const configMap = await facts.readConfigMap(name, { signal });
    return configMap === undefined ? [] : [[name, configMap]];
  });
  const configMaps = new Map(found.flat());
  return {
    configMaps: new Map([...configMaps].map(([name, { immutable }]) => [name, immutable === true])),
    metadata: metadataOf(source, configMaps),
  };
}
