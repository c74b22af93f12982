/** Bundle formats: a bundle's files in, checked objects out. One file a format, all pure; never touches network or disk. */
import { TerminalError } from '../base/index.ts';
import type { BundleFormat } from './format.ts';
import { plainV0 } from './plain-v0.ts';

export { type BundleFormat, type ManifestCollector, maxManifestFileBytes } from './format.ts';
export { parseManifestFile } from './manifest-file.ts';
export {
  type Amendment,
  type AmendmentChoice,
  amendments,
  assertSupported,
  type BundleFiles,
  type CertificateProvider,
  type ClusterServiceVersion,
  certificateProviderNames,
  configProblems,
  defaultInstallNamespace,
  type Explanation,
  explainBundle,
  findCertificateProvider,
  type OperatorConfig,
  type RegistryBundle,
  type RenderedObject,
  type RenderOptions,
  readConfig,
  readRegistryBundle,
  renderBundle,
  type SuggestedNamespace,
  supportedModes,
} from './registry-v1/index.ts';

/** One row a provisioner class: registry+v1 and helm+v3 get theirs here. */
const formats: ReadonlyMap<string, BundleFormat> = new Map([['core-rukpak-io-plain', plainV0]]);

/** The format that a provisioner class reads.
 *  @throws TerminalError UnknownProvisioner */
export function formatOf(provisionerClassName: string): BundleFormat {
  const format = formats.get(provisionerClassName);
  if (format !== undefined) return format;
  throw new TerminalError('UnknownProvisioner', `provisioner class "${provisionerClassName}" has no bundle format`);
}
