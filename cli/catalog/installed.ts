import { readFile, stat } from 'node:fs/promises';
import {
  errorMessage,
  isJsonObject,
  type JsonObject,
  objectAt,
  objectsAt,
  parseJson,
  parseYaml,
  TerminalError,
  textAt,
} from '../../src/base/index.ts';
import { compareVersions, type Property, parseTolerantVersion, type Version } from '../../src/constraints/index.ts';
import type { CatalogView, PresentBundle } from '../../src/resolver/index.ts';

const maxInstalledBytes = 64 * 1024 * 1024;
const propertiesAnnotation = 'operatorframework.io/properties';

/** An installed package given by the user: a version of a package, or all of a bundle. */
type Given = { readonly packageName: string; readonly version: Version } | PresentBundle;

function readVersion(packageName: string, text: string, from: string): Version {
  try {
    return parseTolerantVersion(text);
  } catch (thrown) {
    const what = `${from}: expected the version of ${packageName} that is installed, such as 1.2.3, found "${text}"`;
    throw new TerminalError('InvalidOption', `${what} (${errorMessage(thrown)})`, { cause: thrown });
  }
}

/** What resolution wrote on a ClusterServiceVersion, or else the APIs that it owns. */
function propertiesOf(csv: JsonObject): readonly Property[] {
  const name = textAt(objectAt(csv, 'metadata'), 'name');
  const noted = textAt(objectAt(objectAt(csv, 'metadata'), 'annotations'), propertiesAnnotation);
  const content = noted === '' ? null : parseJson(`${propertiesAnnotation} of ${name}`, noted);
  if (isJsonObject(content)) {
    return objectsAt(content, 'properties').map((one) => ({ type: textAt(one, 'type'), value: one['value'] ?? null }));
  }
  const owned = objectsAt(objectAt(objectAt(csv, 'spec'), 'customresourcedefinitions'), 'owned');
  return owned.map((crd) => {
    const group = textAt(crd, 'name').replace(/^[^.]*\./, '');
    return { type: 'olm.gvk', value: { group, version: textAt(crd, 'version'), kind: textAt(crd, 'kind') } };
  });
}

function readCsv(csv: JsonObject, from: string): PresentBundle {
  const name = textAt(objectAt(csv, 'metadata'), 'name');
  const properties = propertiesOf(csv);
  const identity = properties.find(({ type }) => type === 'olm.package')?.value;
  const packageName = isJsonObject(identity) ? textAt(identity, 'packageName') : '';
  const version = readVersion(name, textAt(objectAt(csv, 'spec'), 'version') || '0.0.0', from);
  return { name, version, properties, ...(packageName === '' ? {} : { packageName }) };
}

function isOwn(csv: JsonObject): boolean {
  return textAt(objectAt(objectAt(csv, 'metadata'), 'labels'), 'olm.copiedFrom') === '';
}

function readDocument(content: JsonObject, path: string): readonly Given[] {
  if (content['kind'] === 'ClusterServiceVersion') return [readCsv(content, path)];
  if (textAt(content, 'kind').endsWith('List')) {
    const csvs = objectsAt(content, 'items').filter(({ kind }) => kind === 'ClusterServiceVersion');
    return csvs.filter(isOwn).map((csv) => readCsv(csv, path));
  }
  return Object.entries(content).map(([packageName, version]) => {
    if (typeof version === 'string' || typeof version === 'number') {
      return { packageName, version: readVersion(packageName, String(version), path) };
    }
    throw new TerminalError('InvalidOption', `${path}: expected a version for ${packageName}, as text`);
  });
}

async function readInstalledFile(path: string): Promise<readonly Given[]> {
  const expected = `--installed ${path}: expected NAME=VERSION, or a file of YAML with lines "NAME: VERSION" or ClusterServiceVersions`;
  const status = await stat(path).catch((thrown: unknown) => {
    throw new TerminalError('InvalidOption', `${expected} (${errorMessage(thrown)})`, { cause: thrown });
  });
  if (!status.isFile() || status.size > maxInstalledBytes) throw new TerminalError('InvalidOption', expected);
  const content = parseYaml(path, await readFile(path, 'utf8'));
  if (!isJsonObject(content)) throw new TerminalError('InvalidOption', `${expected}, found something else in it`);
  return readDocument(content, path);
}

/** As a catalog has it; where none has, its name is a guess, and what it provides is unknown. */
function presentBundle(given: Given, catalogs: readonly CatalogView[]): PresentBundle {
  if ('name' in given) return given;
  const { packageName, version } = given;
  const bundles = catalogs.flatMap((catalog) => [...(catalog.package(packageName)?.bundles.values() ?? [])]);
  const found = bundles.find((bundle) => compareVersions(bundle.version, version) === 0);
  if (found !== undefined) {
    return { name: found.name, packageName, version: found.version, properties: found.properties };
  }
  const name = `${packageName}.v${version.major}.${version.minor}.${version.patch}`;
  return { name, packageName, version, properties: [] };
}

/** Reads what is installed: `NAME=VERSION`, a file of such lines, or what `kubectl get csv -o yaml` prints, where copies in other namespaces do
 *  not count.
 *  @throws TerminalError InvalidOption */
export async function readInstalled(
  texts: readonly string[],
): Promise<(catalogs: readonly CatalogView[]) => readonly PresentBundle[]> {
  const each = texts.map(async (text): Promise<readonly Given[]> => {
    const [, packageName, version] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
    if (packageName === undefined || version === undefined) return await readInstalledFile(text);
    return [{ packageName, version: readVersion(packageName, version, `--installed ${text}`) }];
  });
  const installed = (await Promise.all(each)).flat();
  const keys = installed.map((given) => given.packageName ?? ('name' in given ? given.name : ''));
  const twice = keys.find((key, index) => keys.indexOf(key) !== index);
  if (twice !== undefined) throw new TerminalError('InvalidOption', `--installed: ${twice} is named twice`);
  return (catalogs) => installed.map((given) => presentBundle(given, catalogs));
}
