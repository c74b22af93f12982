import { sha256Digest } from '../base/index.ts';
import { refKey } from '../kube/index.ts';
import { type Inventory, isWithin } from './inventory.ts';
import type { InstalledObject, KindWatches } from './kind-watches.ts';
import type { Ledger } from './ledger.ts';
import type { Owner } from './ownership.ts';

/** What an earlier process left in place, as it recorded it. */
export interface RecallRequest {
  readonly owner: Owner;
  readonly revision: string;
  /** Digest of the objects, as the record of the installation had it. */
  readonly stateDigest: string;
  readonly recorded: Inventory;
  readonly signal: AbortSignal;
}

/** Digest of which objects are installed, which of them are to be retained, and of the fields that are ours in each: the same as long as no one else has
 *  changed, deleted or added any.
 *  Values that we have changed ourselves within a second do not show: a record of it must not outlive the beginning of the next installation. */
export function stateDigestOf(objects: readonly InstalledObject[]): string {
  const lines = objects.map(
    ({ ref, fingerprint, isRetained }) => `${refKey(ref)} ${fingerprint}${isRetained ? ' retained' : ''}`,
  );
  return sha256Digest(lines.sort().join('\n'));
}

/** Takes what an earlier process has installed for what is in place, without a request for any object, where all objects are still as recorded. */
export async function recallInstallation(
  { watches, ledger }: { readonly watches: KindWatches; readonly ledger: Ledger },
  { owner, revision, stateDigest, recorded, signal }: RecallRequest,
): Promise<boolean> {
  await watches.ensureServed(recorded.kinds, signal);
  const objects = watches.ownedBy(owner.name).filter(({ ref, isInstalled }) => isInstalled && isWithin(recorded, ref));
  if (stateDigestOf(objects) !== stateDigest) return false;
  ledger.recall(owner, revision, objects);
  return true;
}
