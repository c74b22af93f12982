/** Validates registry+v1 bundles: a table of checks, each with a stable id. Main types: `BundleUnderCheck`, `Check`, `Finding`.
 *  Pure: files come in as bytes, findings go out; what a cluster's rules are is handed in. Never throws for what a bundle holds.
 *  @imports src/formats, src/content, src/constraints, src/schema, src/base */
export type { BundleUnderCheck, OtherEntry } from './bundle.ts';
export type { ApiRules, Check, CheckContext, ImagePlatform } from './check.ts';
export { imagesOf } from './checks/multiarch.ts';
export type { Finding, Severity, Suite } from './finding.ts';
export { type BundleContent, readBundleForChecks } from './read-bundle.ts';
export { runChecks } from './run.ts';
export { type Selection, selectChecks } from './select.ts';
export { checks } from './table.ts';
