/** File-based catalogs: read as a stream of documents (`Meta`), checked, written, indexed, drawn and served. Chooses nothing: that is
 *  `src/resolver`, whose `CatalogPackage` a package becomes once it is checked. */
export type { Meta, MetaPlace } from './meta.ts';
