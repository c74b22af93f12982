import { TerminalError } from '../../base/index.ts';
import { type AmendmentChoice, chosenAmendments } from './amendments/index.ts';
import { supportedModes } from './csv.ts';
import type { RegistryBundle } from './registry-bundle.ts';

/** What an installer has to offer a bundle. */
export interface Support {
  readonly hasCertificates: boolean;
  readonly amendments: AmendmentChoice;
}

function problemOf({ csv }: RegistryBundle, support: Support): string | undefined {
  const isAmended = chosenAmendments(support.amendments).some(({ name }) => name === 'api-services');
  if ((csv.spec.apiservicedefinitions.owned ?? []).length > 0 && !isAmended) {
    return 'apiServiceDefintions are not supported';
  }
  if ((csv.spec.webhookdefinitions ?? []).length > 0 && !support.hasCertificates) {
    return 'webhookDefinitions are not supported: certificate provider is nil';
  }
  const modes = supportedModes(csv);
  const isOnlyMulti = modes.length === 0 || (modes.length === 1 && modes[0] === 'MultiNamespace');
  if (!isOnlyMulti || (support.amendments !== 'none' && modes.length > 0)) return undefined;
  return 'bundle must support at least one of [AllNamespaces SingleNamespace OwnNamespace] install modes';
}

/** Refuses what cannot be installed with what there is. Several namespaces can be watched, which the reference's installer cannot
 *  be asked for: only without amendments such a bundle is refused.
 *  @throws TerminalError UnsupportedBundle
 *  @see registry-v1-rendering.md, section 4 */
export function assertSupported(bundle: RegistryBundle, support: Support): void {
  const problem = problemOf(bundle, support);
  if (problem !== undefined) throw new TerminalError('UnsupportedBundle', `unsupported bundle: ${problem}`);
}
