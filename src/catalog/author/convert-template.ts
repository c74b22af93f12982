import { type JsonObject, TerminalError, textAt } from '../../base/index.ts';
import { basicSchema } from './basic-template.ts';
import { substitutesSchema } from './substitutes-template.ts';

const conversions: Readonly<Record<string, (entries: JsonObject[]) => JsonObject>> = {
  basic: (entries) => ({ schema: basicSchema, entries }),
  substitutes: (entries) => ({ schema: substitutesSchema, entries, substitutions: [] }),
};

/** A document as templates have it: a bundle shrinks to its image.
 *  @throws TerminalError InvalidTemplate for a bundle without image: there is nothing that it could be rendered from */
export function templateEntry(document: JsonObject): JsonObject {
  if (document['schema'] !== 'olm.bundle') return document;
  const image = textAt(document, 'image');
  if (image !== '') return { schema: 'olm.bundle', image };
  const text = `bundle "${textAt(document, 'name')}" has no image: it cannot be rendered from a template`;
  throw new TerminalError('InvalidTemplate', text);
}

/** The template of entries, from which the catalog can be rendered again.
 *  @throws TerminalError InvalidOption for a type that catalogs cannot be made into
 *  @see docs/spec/catalogs.md#templates */
export function convertTemplate(type: string, entries: JsonObject[]): JsonObject {
  const convert = Object.hasOwn(conversions, type) ? conversions[type] : undefined;
  if (convert !== undefined) return convert(entries);
  const text = `unknown template type: ${type}: expected one of ${Object.keys(conversions).join(', ')}`;
  throw new TerminalError('InvalidOption', text);
}
