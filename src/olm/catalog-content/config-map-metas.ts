import { packageAnnotation } from '../../api/index.ts';
import {
  cutText,
  type JsonObject,
  type JsonValue,
  listOfTexts,
  objectAt,
  objectsAt,
  parseYaml,
  TerminalError,
  textAt,
} from '../../base/index.ts';
import { bundleDocument, type Meta } from '../../catalog/index.ts';
import { contentFault } from './unpack-job.ts';

const maxMessageCharacters = 1000;

/** A channel of a package, and the objects of the ConfigMap that it is made of. */
interface Lists {
  readonly configMap: string;
  /** By `GROUP/PLURAL`, each with all its versions. */
  readonly definitions: ReadonlyMap<string, JsonObject>;
  readonly csvs: ReadonlyMap<string, JsonObject>;
}

function refuse(configMap: string, why: string, cause?: unknown): never {
  const message = cutText(`configmap ${configMap}: ${why}`, maxMessageCharacters);
  throw new TerminalError(contentFault, message, cause === undefined ? {} : { cause });
}

function listIn(configMap: string, data: Readonly<Record<string, string>>, key: string): readonly JsonObject[] {
  const text = Object.hasOwn(data, key) ? data[key] : undefined;
  if (text === undefined) return refuse(configMap, `couldn't find expected key ${key} in configmap`);
  let list: JsonValue;
  try {
    list = parseYaml(`key ${key}`, text, { isLastKeyTaken: true }) ?? [];
  } catch (thrown) {
    if (thrown instanceof TerminalError) return refuse(configMap, thrown.message, thrown);
    throw thrown;
  }
  const objects = objectsAt({ list }, 'list');
  if (!Array.isArray(list) || objects.length !== list.length) {
    return refuse(configMap, `key ${key}: expected a list of objects`);
  }
  return objects;
}

function definitionKey(definition: JsonObject): string {
  const spec = objectAt(definition, 'spec');
  return `${textAt(spec, 'group')}/${textAt(objectAt(spec, 'names'), 'plural')}`;
}

function csvNameOf(csv: JsonObject): string {
  return textAt(objectAt(csv, 'metadata'), 'name');
}

/** The definitions that an operator owns, each once, as far as the ConfigMap has them. */
function ownedBy(csv: JsonObject, { definitions }: Lists): readonly JsonObject[] {
  const owned = objectsAt(objectAt(csv, 'spec', 'customresourcedefinitions'), 'owned');
  const keys = owned.map((description) => {
    const name = textAt(description, 'name');
    const dot = name.indexOf('.');
    return `${name.slice(dot + 1)}/${name.slice(0, Math.max(0, dot))}`;
  });
  return [...new Set(keys)].map((key) => definitions.get(key)).filter((found) => found !== undefined);
}

function bundleOf(packageName: string, csv: JsonObject, lists: Lists): JsonObject {
  const objects = [csv, ...ownedBy(csv, lists)];
  const annotations = { [packageAnnotation]: packageName };
  try {
    return bundleDocument({ objects, annotations, dependencies: undefined, properties: undefined }).document;
  } catch (thrown) {
    if (thrown instanceof TerminalError) return refuse(lists.configMap, `${csvNameOf(csv)}: ${thrown.message}`, thrown);
    throw thrown;
  }
}

function entryOf(csv: JsonObject): JsonObject {
  const spec = objectAt(csv, 'spec');
  const [replaces, skips] = [textAt(spec, 'replaces'), listOfTexts(spec, 'skips')];
  const skipRange = textAt(objectAt(csv, 'metadata', 'annotations'), 'olm.skipRange');
  return {
    name: csvNameOf(csv),
    ...(replaces === '' ? {} : { replaces }),
    ...(skips.length === 0 ? {} : { skips }),
    ...(skipRange === '' ? {} : { skipRange }),
  };
}

/** The head of a channel and what it replaces, as far as the ConfigMap has it. */
function chainOf(head: string, { csvs }: Lists): readonly JsonObject[] {
  const chain = new Map<string, JsonObject>();
  let name = head;
  for (let csv = csvs.get(name); csv !== undefined && !chain.has(name); csv = csvs.get(name)) {
    chain.set(name, csv);
    name = textAt(objectAt(csv, 'spec'), 'replaces');
  }
  return [...chain.values()];
}

function* documentsOf(manifest: JsonObject, lists: Lists): Generator<JsonObject> {
  const name = textAt(manifest, 'packageName');
  const channels = objectsAt(manifest, 'channels');
  const [only] = channels.length === 1 ? channels : [];
  const defaultChannel = textAt(manifest, 'defaultChannel') || textAt(only, 'name');
  const head = lists.csvs.get(
    textAt(
      channels.find((one) => textAt(one, 'name') === defaultChannel),
      'currentCSV',
    ),
  );
  const [icon] = objectsAt(objectAt(head, 'spec'), 'icon');
  yield { schema: 'olm.package', name, defaultChannel, ...(icon === undefined ? {} : { icon }) };
  const bundled = new Set<JsonObject>();
  for (const channel of channels) {
    const current = textAt(channel, 'currentCSV');
    const chain = chainOf(current, lists);
    if (chain.length === 0) {
      refuse(
        lists.configMap,
        `package ${name}, channel ${textAt(channel, 'name')}: there is no CSV ${JSON.stringify(current)}`,
      );
    }
    yield { schema: 'olm.channel', package: name, name: textAt(channel, 'name'), entries: chain.map(entryOf) };
    for (const csv of chain) bundled.add(csv);
  }
  for (const csv of bundled) yield bundleOf(name, csv, lists);
}

/** The catalog in a ConfigMap: lists in YAML of CustomResourceDefinitions, ClusterServiceVersions and packages, whose channels name their heads.
 *  `configMap` is its name, for messages.
 *  @throws TerminalError CatalogContentFault */
export function* configMapMetas(configMap: string, data: Readonly<Record<string, string>>): Generator<Meta> {
  const definitions = listIn(configMap, data, 'customResourceDefinitions');
  const csvs = listIn(configMap, data, 'clusterServiceVersions');
  const lists: Lists = {
    configMap,
    definitions: new Map(definitions.map((definition) => [definitionKey(definition), definition])),
    csvs: new Map(csvs.map((csv) => [csvNameOf(csv), csv])),
  };
  for (const manifest of listIn(configMap, data, 'packages')) {
    for (const value of documentsOf(manifest, lists)) {
      const [schema, packageName, name] = [textAt(value, 'schema'), textAt(value, 'package'), textAt(value, 'name')];
      yield { schema, package: packageName, name, value, place: { file: `configmap ${configMap}`, line: 1 } };
    }
  }
}
