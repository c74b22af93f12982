import type { JsonObject } from '../../base/index.ts';
import { textAt } from '../../base/index.ts';
import { assertSchema, type CatalogTemplate, entriesOf, onlyBundle, refuseTemplate } from './template.ts';

/** `schema` of a template whose bundles are named by their images only. */
export const basicSchema = 'olm.template.basic';

const bundleFields: ReadonlySet<string> = new Set(['schema', 'image']);

/** Whether a document is a bundle that is to be rendered. */
export function isBundleReference(document: JsonObject): boolean {
  return document['schema'] === 'olm.bundle' && Object.keys(document).every((key) => bundleFields.has(key));
}

/** The reference of such a document.
 *  @throws TerminalError InvalidTemplate for a bundle with more or less in it */
export function bundleReference(document: JsonObject): string {
  const image = textAt(document, 'image');
  if (isBundleReference(document) && image !== '') return image;
  const fields = Object.keys(document).filter((key) => !bundleFields.has(key));
  const what = fields.length === 0 ? 'image must be set' : fields.join(', ');
  return refuseTemplate(`unexpected fields present in basic template bundle: ${what}; expected schema and image only`);
}

/** A template that passes documents through, but for bundles, which it names.
 *  @throws TerminalError InvalidTemplate
 *  @see docs/spec/catalogs.md#templates */
export function readBasicTemplate(document: JsonObject): CatalogTemplate {
  assertSchema(document, basicSchema);
  const entries = entriesOf(document);
  const references = entries.filter(({ schema }) => schema === 'olm.bundle').map(bundleReference);
  return {
    references: [...new Set(references)],
    build: (rendered) => ({
      documents: entries.map((entry) =>
        entry['schema'] === 'olm.bundle' ? onlyBundle(bundleReference(entry), rendered) : entry,
      ),
      warnings: [],
    }),
  };
}
