/** File-based catalogs: read as a stream of documents (`Meta`), checked, written, indexed, drawn and served. Chooses nothing: that is
 *  `src/resolver`, whose `CatalogPackage` a package becomes once it is checked.
 *  @imports src/drawing, src/formats, src/resolver, src/content, src/metrics, src/constraints, src/api, src/base
 *  @packages @bufbuild/protobuf, @grpc/grpc-js, graphql */
export { type BundleDocument, type BundleParts, bundleDocument } from './author/bundle-document.ts';
export { type CompositeComponent, readComposite } from './author/composite.ts';
export { convertTemplate, templateEntry } from './author/convert-template.ts';
export {
  areSameCatalogs,
  type BundleChange,
  type BundleSummary,
  type CatalogDifference,
  type Changed,
  type ChannelChange,
  ComparedCatalog,
  compareCatalogs,
  type Difference,
  type EntryChange,
  type PackageChange,
} from './author/diff.ts';
export { catalogDockerfile, configsLabel, type DockerfileOptions } from './author/dockerfile.ts';
export { initPackage, type PackageStart } from './author/init-package.ts';
export { type MigrateLevel, migrateDocument, readMigrateLevel } from './author/migrate.ts';
export { type MissingRequirement, missingRequirements } from './author/missing.ts';
export { type PackageSelection, pruneDocument, prunePackage, type RetainedPackage } from './author/prune.ts';
export type { BuiltTemplate, CatalogTemplate } from './author/template.ts';
export { readTemplate, templateTypes } from './author/templates.ts';
export { type CatalogCheck, createCatalogCheck } from './check/check.ts';
export type { CatalogFinding, CatalogReport, CatalogRule } from './check/finding.ts';
export { findingTree } from './check/tree.ts';
export { type CatalogWarnings, catalogWarnings } from './check/warnings.ts';
export {
  type DescribedChannel,
  type DescribedEntry,
  type DescribedPackage,
  describeDefaultChannel,
  describePackage,
} from './describe-package.ts';
export { type ChannelLayout, type DrawnHop, layOutPackage, type Marks } from './draw/layout.ts';
export { drawMermaid, type MermaidOptions } from './draw/mermaid.ts';
export { drawSvg } from './draw/picture.ts';
export { drawText } from './draw/text.ts';
export { createQueryAnswer } from './graphql/answer-query.ts';
export { readRegistry, startRegistryServer } from './grpc/on-demand.ts';
export type { RegistryEndpoint, RegistryLimits, RegistryReadOptions } from './grpc/registry-client.ts';
export type { RegistryServer, RegistryServerOptions } from './grpc/registry-server.ts';
export { openRegistryThreads, type RegistryThreads } from './grpc/registry-threads.ts';
export type { CatalogQuery } from './http/catalog-handler.ts';
export { type CatalogServer, type CatalogServerOptions, startCatalogServer } from './http/catalog-server.ts';
export type { Meta, MetaPlace } from './meta.ts';
export { type CatalogIdentity, createCatalogView } from './read/catalog-view.ts';
export { databaseLabel, isDatabaseStart, readCatalogDatabase } from './read/database.ts';
export { type CatalogFault, faultText, UnreadableCatalog } from './read/faults.ts';
export { PackageBuilder, readPackages } from './read/packages.ts';
export { type ReadOptions, readCatalogFolder, readCatalogStream, readStagedCatalog } from './read/read-catalog.ts';
export { buildCatalogIndex, type IndexBuildOptions, type IndexedCatalog } from './store/build-index.ts';
export {
  type CatalogIndex,
  type MetaFilter,
  type MetaSelection,
  openCatalogIndex,
} from './store/catalog-index.ts';
export { orderChannel } from './store/channel-heads.ts';
export { canonicalMeta } from './write/canonical.ts';
export { type WriteOptions, writeCatalog, writeCatalogFolder } from './write/write-catalog.ts';
