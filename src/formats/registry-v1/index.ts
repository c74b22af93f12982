/** registry+v1: an operator's bundle in, the objects that install it out. Pure: never touches network, disk or clock. */
export { type Amendment, type AmendmentChoice } from './amendments/index.ts';
export { type BundleObjects, readManifests, readStagedBundle } from './bundle-objects.ts';
export { type CertificateProvider, certificateProviderNames, findCertificateProvider } from './certificates.ts';
export { configProblems, type OperatorConfig, readConfig } from './config.ts';
export { asCurrentDefinition } from './crd-v1beta1.ts';
export { type ClusterServiceVersion, inspectCsv, readCsv, supportedModes } from './csv.ts';
export { type ExplainedObjects, type Explanation, explainBundle, explainObjects } from './explain.ts';
export { webhookMembers } from './generate-webhooks.ts';
export { defaultInstallNamespace, type SuggestedNamespace } from './install-namespace.ts';
export { findKind, isStandardKind } from './kinds.ts';
export { type BundleFiles, RegistryBundleReader, readRegistryBundle } from './read.ts';
export type { RegistryBundle, RenderedObject } from './registry-bundle.ts';
export { registryV1 } from './registry-v1.ts';
export { findBundleProblems, type RenderOptions, renderBundle } from './render.ts';
export { assertSupported, type Support } from './support.ts';
