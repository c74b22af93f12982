import {
  goQuote,
  isJsonObject,
  type JsonObject,
  listOfTexts,
  objectsAt,
  TerminalError,
  textAt,
} from '../../base/index.ts';
import { bundleReference, isBundleReference } from './basic-template.ts';
import { bundleVersion, compareBundleVersions } from './bundle-version.ts';
import { assertSchema, type CatalogTemplate, entriesOf, onlyBundle, refuseTemplate } from './template.ts';

/** `schema` of a template that puts rebuilt bundles in the places of others. */
export const substitutesSchema = 'olm.template.substitutes';

interface Substitution {
  /** Reference of the bundle that takes the place. */
  readonly name: string;
  /** Name of the bundle whose place it is. */
  readonly base: string;
}

function readSubstitutions(document: JsonObject): readonly Substitution[] {
  const list = document['substitutions'] ?? [];
  if (!Array.isArray(list)) return refuseTemplate('unmarshalling template: substitutions: expected a list');
  const used = new Set<string>();
  return list.map((item, index) => {
    const at = `substitutions[${index}]`;
    const given = isJsonObject(item) ? item : undefined;
    const [name, base] = [textAt(given, 'name'), textAt(given, 'base')];
    if (name === '') refuseTemplate(`${at}: substitution name cannot be empty`);
    if (base === '') refuseTemplate(`${at}: substitution base cannot be empty`);
    if (name === base) refuseTemplate(`${at}: substitution name and base cannot be the same`);
    for (const word of [name, base]) {
      if (used.has(word)) refuseTemplate(`${at}: ${goQuote(word)} is used in another substitution already`);
      used.add(word);
    }
    return { name, base };
  });
}

/** What leads into a bundle of a channel. */
interface Edges {
  readonly replaces: string;
  readonly skips: readonly string[];
  readonly skipRange: string;
}

/** An entry without what is empty. */
function entryOf(name: string, { replaces, skips, skipRange }: Edges): JsonObject {
  return {
    name,
    ...(replaces === '' ? {} : { replaces }),
    ...(skips.length === 0 ? {} : { skips: [...new Set(skips)] }),
    ...(skipRange === '' ? {} : { skipRange }),
  };
}

/** What becomes of one entry of a channel. */
function substitutedEntries(entry: JsonObject, base: string, substitute: string): readonly JsonObject[] {
  const name = textAt(entry, 'name');
  const skips = listOfTexts(entry, 'skips');
  const edges = { replaces: textAt(entry, 'replaces'), skips, skipRange: textAt(entry, 'skipRange') };
  if (name === base) return [{ name: base }, entryOf(substitute, { ...edges, skips: [...skips, base] })];
  if (edges.replaces === base) return [entryOf(name, { ...edges, replaces: substitute, skips: [...skips, base] })];
  if (skips.includes(base)) return [entryOf(name, { ...edges, skips: [...skips, substitute] })];
  return [entry];
}

function substituted(document: JsonObject, packageName: string, names: Substitution): JsonObject {
  if (document['schema'] !== 'olm.channel' || textAt(document, 'package') !== packageName) return document;
  const entries = objectsAt(document, 'entries').flatMap((entry) => substitutedEntries(entry, names.base, names.name));
  return { ...document, entries };
}

/** The documents with one bundle more, which is in the place of its base. */
function applySubstitution(documents: readonly JsonObject[], base: string, substitute: JsonObject): JsonObject[] {
  const isBundle = ({ schema }: JsonObject): boolean => schema === 'olm.bundle';
  const replaced = documents.find((one) => isBundle(one) && textAt(one, 'name') === base);
  if (replaced === undefined) return refuseTemplate(`base bundle ${goQuote(base)} does not exist in catalog`);
  const [name, packageName] = [textAt(substitute, 'name'), textAt(replaced, 'package')];
  if (textAt(substitute, 'package') !== packageName) {
    refuseTemplate(`bundle ${goQuote(name)} does not belong to this package: ${goQuote(packageName)}`);
  }
  if (
    documents.some((one) => isBundle(one) && textAt(one, 'name') === name && textAt(one, 'package') === packageName)
  ) {
    refuseTemplate(`bundle ${goQuote(name)} is in the catalog already`);
  }
  if (compareBundleVersions(bundleVersion(replaced), bundleVersion(substitute)) >= 0) {
    refuseTemplate(`base bundle ${goQuote(base)} is not less than substitute bundle ${goQuote(name)}`);
  }
  return [...documents.map((one) => substituted(one, packageName, { base, name })), substitute];
}

/** A template in which rebuilt bundles take the places of others.
 *  @throws TerminalError InvalidTemplate
 *  @see docs/spec/catalogs.md#templates */
export function readSubstitutesTemplate(document: JsonObject): CatalogTemplate {
  assertSchema(document, substitutesSchema);
  const entries = entriesOf(document);
  const substitutions = readSubstitutions(document);
  const references = [
    ...entries.filter(isBundleReference).map(bundleReference),
    ...substitutions.map(({ name }) => name),
  ];
  return {
    references: [...new Set(references)],
    build: (rendered) => {
      let documents = entries.map((entry) =>
        isBundleReference(entry) ? onlyBundle(bundleReference(entry), rendered) : entry,
      );
      for (const { name, base } of substitutions) {
        try {
          documents = applySubstitution(documents, base, onlyBundle(name, rendered));
        } catch (thrown) {
          if (!(thrown instanceof TerminalError)) throw thrown;
          refuseTemplate(`render: error processing substitution ${base}->${name}: ${thrown.message}`, thrown);
        }
      }
      return { documents, warnings: [] };
    },
  };
}
