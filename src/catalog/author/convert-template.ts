import { type JsonObject, TerminalError, textAt } from '../../base/index.ts';
import { basicSchema } from './basic-template.ts';
import { substitutesSchema } from './substitutes-template.ts';

const conversions: Readonly<Record<string, (entries: JsonObject[]) => JsonObject>> = {
  basic: (entries) => ({ schema: basicSchema, entries }),
  substitutes: (entries) => ({ schema: substitutesSchema, entries, substitutions: [] }),
};

/** Types of templates that catalogs can be made into. */
export const convertibleTypes: readonly string[] = Object.keys(conversions);

/** A bundle without image has nothing that it could be rendered from. */
function shrunk(document: JsonObject): JsonObject {
  if (document['schema'] !== 'olm.bundle') return document;
  const image = textAt(document, 'image');
  if (image !== '') return { schema: 'olm.bundle', image };
  const text = `bundle "${textAt(document, 'name')}" has no image: it cannot be rendered from a template`;
  throw new TerminalError('InvalidTemplate', text);
}

/** The template that documents of a catalog can be rendered from: bundles shrink to their images.
 *  @throws TerminalError InvalidTemplate, InvalidOption
 *  @see catalogs-and-resolution.md, section 3.4 */
export function convertTemplate(type: string, documents: readonly JsonObject[]): JsonObject {
  const convert = Object.hasOwn(conversions, type) ? conversions[type] : undefined;
  if (convert !== undefined) return convert(documents.map(shrunk));
  const text = `unknown template type: ${type}: expected one of ${convertibleTypes.join(', ')}`;
  throw new TerminalError('InvalidOption', text);
}
