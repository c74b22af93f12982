import { isJsonObject, type JsonObject, objectsAt, textAt } from '../../src/base/index.ts';
import { type Meta, readCatalogFolder } from '../../src/catalog/index.ts';

/** A call of api.Registry. */
export interface Question {
  readonly method: string;
  /** '' for those about the whole catalog. */
  readonly packageName: string;
  readonly request: JsonObject;
}

/** By this name there is nothing in any catalog. */
const absent = 'absent.v9.9.9';

function channelQuestions({ package: pkgName, name: channelName, value }: Meta): readonly Question[] {
  const ask = (method: string, request: JsonObject): Question => ({ method, packageName: pkgName, request });
  const entries = objectsAt(value, 'entries');
  const edges = (entry: JsonObject): readonly string[] => {
    const skips = Array.isArray(entry['skips']) ? entry['skips'] : [];
    return [textAt(entry, 'replaces'), ...skips].filter((name) => typeof name === 'string' && name !== '') as string[];
  };
  const names = new Set([...entries.flatMap((entry) => [textAt(entry, 'name'), ...edges(entry)]), absent]);
  // Where there are several, opm answers with any of them.
  const hasOneReplacement = (csvName: string): boolean =>
    entries.filter((entry) => edges(entry).includes(csvName)).length <= 1;
  return [
    ask('GetBundleForChannel', { pkgName, channelName }),
    ...[...names].flatMap((csvName) => [
      ask('GetBundle', { pkgName, channelName, csvName }),
      ...(hasOneReplacement(csvName) ? [ask('GetBundleThatReplaces', { csvName, pkgName, channelName })] : []),
      ask('GetChannelEntriesThatReplace', { csvName }),
    ]),
  ];
}

const providerMethods = [
  'GetChannelEntriesThatProvide',
  'GetLatestChannelEntriesThatProvide',
  'GetDefaultBundleThatProvides',
];

function bundleQuestions({ package: packageName, value }: Meta): readonly Question[] {
  const provided = objectsAt(value, 'properties').flatMap((property) => {
    const api = property['type'] === 'olm.gvk' ? property['value'] : undefined;
    return isJsonObject(api) ? [api] : [];
  });
  return provided.flatMap(({ group = '', version = '', kind = '' }) =>
    providerMethods.map((method) => ({ method, packageName, request: { group, version, kind } })),
  );
}

function questionsAbout(meta: Meta): readonly Question[] {
  const { schema, package: packageName, name } = meta;
  if (schema === 'olm.channel') return channelQuestions(meta);
  if (schema === 'olm.bundle') return bundleQuestions(meta);
  if (schema !== 'olm.package') return [];
  return [
    { method: 'GetPackage', packageName: name, request: { name } },
    { method: 'GetBundleForChannel', packageName, request: { pkgName: name, channelName: absent } },
  ];
}

/** Every question that a client may have about a catalog, each once, and some that have no answer. */
export async function questionsOf(catalogDir: string): Promise<readonly Question[]> {
  const noApi = { group: 'absent.example', version: 'v1', kind: 'Absent' };
  const questions: Question[] = [
    { method: 'ListPackages', packageName: '', request: {} },
    { method: 'ListBundles', packageName: '', request: {} },
    { method: 'GetPackage', packageName: '', request: { name: absent } },
    { method: 'GetChannelEntriesThatReplace', packageName: '', request: { csvName: '' } },
    ...providerMethods.map((method) => ({ method, packageName: '', request: noApi })),
  ];
  for await (const meta of readCatalogFolder(catalogDir)) questions.push(...questionsAbout(meta));
  return [...new Map(questions.map((question) => [JSON.stringify(question), question])).values()];
}
