import type { JsonObject } from '../../base/index.ts';
import type { DecodedMeta } from './decode.ts';
import { type DocumentWarning, documentWarnings, schemaWarning } from './document-warnings.ts';
import type { CatalogFinding } from './finding.ts';
import { graphWarnings } from './graph-warnings.ts';
import type { ModelPackage } from './model.ts';

/** Rules that only warn. They need the language of constraints, which most readers of catalogs never load. */
export interface CatalogWarnings {
  readonly ofSchema: (schema: string) => DocumentWarning | undefined;
  readonly ofDocument: (document: DecodedMeta, value: JsonObject) => Iterable<DocumentWarning>;
  readonly ofPackage: (model: ModelPackage, known: ReadonlySet<string>) => Iterable<CatalogFinding>;
}

/** All rules that only warn. */
export const catalogWarnings: CatalogWarnings = {
  ofSchema: schemaWarning,
  ofDocument: documentWarnings,
  ofPackage: graphWarnings,
};
