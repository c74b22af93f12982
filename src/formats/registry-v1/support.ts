import { TerminalError } from '../../base/index.ts';
import { type AmendmentChoice, chosenAmendments } from './amendments/index.ts';
import { supportedModes } from './csv.ts';
import type { RegistryBundle } from './registry-bundle.ts';

/** What an installer has to offer a bundle. */
export interface Support {
  readonly hasCertificates: boolean;
  readonly amendments: AmendmentChoice;
}

type Check = (bundle: RegistryBundle, support: Support) => string | undefined;

const aggregatedApis: Check = ({ csv }, { amendments }) => {
  const isAmended = chosenAmendments(amendments).some(({ name }) => name === 'api-services');
  const isOwner = (csv.spec.apiservicedefinitions.owned ?? []).length > 0;
  return isOwner && !isAmended ? 'apiServiceDefintions are not supported' : undefined;
};

const certificates: Check = ({ csv }, { hasCertificates }) => {
  const hasWebhooks = (csv.spec.webhookdefinitions ?? []).length > 0;
  if (!hasWebhooks || hasCertificates) return undefined;
  return 'webhookDefinitions are not supported: certificate provider is nil';
};

const installModes: Check = ({ csv }, { amendments }) => {
  const modes = supportedModes(csv).filter((mode) => mode !== 'MultiNamespace' || amendments !== 'none');
  if (modes.length > 0) return undefined;
  return 'bundle must support at least one of [AllNamespaces SingleNamespace OwnNamespace] install modes';
};

/** The first that speaks decides. */
const checks: readonly Check[] = [aggregatedApis, certificates, installModes];

/** Refuses what cannot be installed with what there is. Several namespaces can be watched, which the reference's installer cannot
 *  be asked for: only without amendments such a bundle is refused.
 *  @throws TerminalError UnsupportedBundle
 *  @see docs/spec/registry-v1-rendering.md#support-gates */
export function assertSupported(bundle: RegistryBundle, support: Support): void {
  const [problem] = checks.map((check) => check(bundle, support)).filter((text) => text !== undefined);
  if (problem !== undefined) throw new TerminalError('UnsupportedBundle', `unsupported bundle: ${problem}`);
}
