import { isJsonObject, parseYamlDocuments, textAt } from '../../src/base/index.ts';
import { type CatalogReport, catalogWarnings, createCatalogCheck, type Meta } from '../../src/catalog/index.ts';

/** What is wrong with a catalog, each document of which stands on a line of its own. */
export function check(...documents: readonly string[]): CatalogReport {
  const check = createCatalogCheck(catalogWarnings);
  for (const [index, text] of documents.entries()) {
    const [value] = parseYamlDocuments('catalog.yaml', text);
    if (!isJsonObject(value)) throw new Error(`no document: ${text}`);
    const named = { schema: textAt(value, 'schema'), package: textAt(value, 'package'), name: textAt(value, 'name') };
    const meta: Meta = { ...named, value, place: { file: 'catalog.yaml', line: index + 1 } };
    check.add(meta);
  }
  return check.finish();
}

/** An `olm.package`, in one line of YAML as all others here. */
export const pkg = (name = 'p', defaultChannel = 'c'): string =>
  `{schema: olm.package, name: "${name}", defaultChannel: "${defaultChannel}"}`;
/** An `olm.channel`; `entries` in YAML. */
export const channel = (entries: string, name = 'c', of = 'p'): string =>
  `{schema: olm.channel, package: "${of}", name: "${name}", entries: [${entries}]}`;
/** The property with the package and version of a bundle. */
export const identity = (version: string, of = 'p'): string =>
  `{type: olm.package, value: {packageName: ${of}, version: ${version}}}`;

/** An `olm.bundle` that is whole but for what is given. */
export function bundle(
  version: string,
  rest: {
    readonly of?: string;
    readonly name?: string;
    readonly properties?: string;
    readonly image?: string;
    readonly more?: string;
  } = {},
): string {
  const {
    of = 'p',
    name = `${of}.v${version}`,
    image = `registry.example/${of}:${version.replace('+', '_')}`,
    more = '',
  } = rest;
  const properties = rest.properties ?? identity(version, of);
  return `{schema: olm.bundle, package: "${of}", name: "${name}", image: "${image}", properties: [${properties}]${more}}`;
}
/** An `olm.deprecations`; `entries` in YAML. */
export const deprecations = (entries: string, of = 'p'): string =>
  `{schema: olm.deprecations, package: "${of}", entries: [${entries}]}`;
/** An entry of `deprecations`. */
export const reference = (schema: string, name: string, message = 'old'): string =>
  `{reference: {schema: "${schema}", name: "${name}"}, message: "${message}"}`;

/** A valid catalog. */
export const whole: readonly string[] = [pkg(), channel('{name: p.v1.0.0}'), bundle('1.0.0')];
/** The valid catalog with another bundle. */
export const withBundle = (text: string): readonly string[] => [pkg(), channel('{name: p.v1.0.0}'), text];
/** The valid catalog with these properties of its bundle, in YAML. */
export const withProperties = (properties: string): readonly string[] => withBundle(bundle('1.0.0', { properties }));
/** The valid catalog, and more documents. */
export const withDeprecations = (...texts: readonly string[]): readonly string[] => [...whole, ...texts];
/** A package of one channel. */
export const graph = (entries: string, ...versions: readonly string[]): readonly string[] => [
  pkg(),
  channel(entries),
  ...versions.map((version) => bundle(version)),
];

/** An entry of a channel: name ← what it replaces; skips; range. Versions in short: `v2←v1; v0; <2.0.0`. */
export function entry(notation: string): string {
  const [edge = '', skips = '', range = ''] = notation.split('; ');
  const name = (short: string): string => `p.v${short.trim().slice(1)}.0.0`;
  const [own = '', replaces] = edge.split('←');
  const parts = [`name: ${name(own)}`];
  if (replaces !== undefined) parts.push(`replaces: ${name(replaces)}`);
  if (skips !== '') parts.push(`skips: [${skips.split(',').map(name).join(', ')}]`);
  if (range !== '') parts.push(`skipRange: "${range}"`);
  return `{${parts.join(', ')}}`;
}
