import { TerminalError } from '../../base/index.ts';
import type { DeploymentConfig } from '../../operators/index.ts';
import { type AmendmentChoice, amend } from './amendments/index.ts';
import type { CertificateProvider } from './certificates.ts';
import { findProblems } from './checks.ts';
import { supportedModes } from './csv.ts';
import { dropForeignConversions } from './foreign-conversion.ts';
import { generateDeployments } from './generate-deployments.ts';
import { generateCrds, generateOthers } from './generate-manifests.ts';
import { generateClusterRoles, generateRoles, generateServiceAccounts } from './generate-rbac.ts';
import {
  generateCertificates,
  generateMutatingWebhooks,
  generateServices,
  generateValidatingWebhooks,
} from './generate-webhooks.ts';
import { findInstallProblems } from './install-checks.ts';
import type { RegistryBundle, RenderedObject } from './registry-bundle.ts';
import type { Rendering } from './rendering.ts';
import { resolveTargets } from './targets.ts';

export interface RenderOptions {
  readonly installNamespace: string;
  /** Namespaces that the operator is to watch; `[""]`: all. Empty or absent: all, where the bundle supports that. */
  readonly targetNamespaces?: readonly string[];
  /** Absent: webhooks come without certificates. */
  readonly certificates?: CertificateProvider;
  readonly deploymentConfig?: DeploymentConfig;
  /** Default `all`. */
  readonly amendments?: AmendmentChoice;
  /** Takes away conversion webhooks that CRDs ship and the operator does not serve. Default false. */
  readonly dropForeignConversion?: boolean;
}

/** In the order of the output. */
const generators: readonly ((rendering: Rendering) => readonly RenderedObject[])[] = [
  generateServiceAccounts,
  generateRoles,
  generateClusterRoles,
  generateCrds,
  generateOthers,
  generateDeployments,
  generateValidatingWebhooks,
  generateMutatingWebhooks,
  generateServices,
  generateCertificates,
];

/** Everything that keeps a bundle from being rendered and installed, a line each; empty for a good one. */
export function findBundleProblems(bundle: RegistryBundle): readonly string[] {
  return [...findProblems(bundle), ...findInstallProblems(bundle)];
}

/** The objects that a bundle becomes, in the same order every time. Pure; shares parts of `bundle`, changes nothing of it.
 *  @throws TerminalError InvalidBundle listing every problem, a line each · InvalidTargets · UnknownAmendment */
export function renderBundle(bundle: RegistryBundle, options: RenderOptions): readonly RenderedObject[] {
  const { installNamespace, targetNamespaces = [], certificates, deploymentConfig, amendments = 'all' } = options;
  // Without amendments the result is that of the reference, what no cluster accepts included.
  const problems = amendments === 'none' ? findProblems(bundle) : findBundleProblems(bundle);
  if (problems.length > 0) throw new TerminalError('InvalidBundle', problems.join('\n'));
  const targets = resolveTargets(targetNamespaces, installNamespace, supportedModes(bundle.csv));
  const rendering: Rendering = { bundle, installNamespace, targets, certificates, deploymentConfig };
  const objects = generators.flatMap((generate) => generate(rendering));
  const amended = amend(objects, rendering, amendments);
  return options.dropForeignConversion === true ? dropForeignConversions(amended, bundle) : amended;
}
