/** Bundle formats: a bundle's files in, checked objects out. One file a format, all pure; never touches network or disk: charts are rendered by an engine that is passed in.
 *  @imports src/operators, src/content, src/pod-security, src/constraints, src/api, src/base
 *  @packages ajv */
import { helmProvisionerClass, plainProvisionerClass, registryProvisionerClass } from '../api/index.ts';
import { TerminalError } from '../base/index.ts';
import type { BundleFormat } from './format.ts';
import { helmV3 } from './helm/index.ts';
import { plainV0 } from './plain-v0.ts';
import { registryV1 } from './registry-v1/index.ts';

export {
  type BundleContent,
  type BundleFormat,
  type BundleReader,
  type ChartFile,
  type ChartRenderer,
  type ChartRequest,
  type ClusterFacts,
  conversionFailed,
  type InstallNamespace,
  type InstallTerms,
  type LintMessage,
  maxManifestFileBytes,
  type ReleaseFacts,
  type ReleaseTerms,
  type Rendered,
  type RenderedHook,
  type RenderTools,
  renderFailed,
  type ValuesDocument,
} from './format.ts';
export {
  type ChartConfig,
  type ChartDependency,
  type ChartMetadata,
  findChart,
  readChartConfig,
  readChartMetadata,
  retainRandomValues,
  type ValuesReference,
} from './helm/index.ts';
export { bundleYaml, readManifestFile } from './manifest-file.ts';
export { readStaged } from './read-staged.ts';
export { BundleFaults } from './reading-faults.ts';
export {
  type Amendment,
  type AmendmentChoice,
  asCurrentDefinition,
  assertSupported,
  type BundleFiles,
  type BundleObjects,
  type CertificateProvider,
  type ClusterServiceVersion,
  certificateProviderNames,
  configProblems,
  defaultInstallNamespace,
  type ExplainedObjects,
  type Explanation,
  explainBundle,
  explainObjects,
  findBundleProblems,
  findCertificateProvider,
  findKind,
  inspectCsv,
  isStandardKind,
  type OperatorConfig,
  type RegistryBundle,
  RegistryBundleReader,
  type RenderedObject,
  type RenderOptions,
  readConfig,
  readCsv,
  readManifests,
  readRegistryBundle,
  readStagedBundle,
  renderBundle,
  type SuggestedNamespace,
  supportedModes,
  webhookMembers,
} from './registry-v1/index.ts';

/** One row a provisioner class. */
const formats: ReadonlyMap<string, BundleFormat> = new Map([
  [plainProvisionerClass, plainV0],
  [registryProvisionerClass, registryV1],
  [helmProvisionerClass, helmV3],
]);

/** Values of `provisionerClassName` that there is a format for. */
export const provisionerClasses: readonly string[] = [...formats.keys()];

/** The format that a provisioner class reads; undefined for a foreign class. */
export function findFormat(provisionerClassName: string): BundleFormat | undefined {
  return formats.get(provisionerClassName);
}

/** The format that a provisioner class reads.
 *  @throws TerminalError UnknownProvisioner */
export function formatOf(provisionerClassName: string): BundleFormat {
  const format = findFormat(provisionerClassName);
  if (format !== undefined) return format;
  throw new TerminalError('UnknownProvisioner', `provisioner class "${provisionerClassName}" has no bundle format`);
}
