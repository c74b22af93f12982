import type { ClusterCatalogConditionType, ClusterCatalogReason } from '../../api/index.ts';
import type { JsonObject } from '../../base/index.ts';
import { type StatusHolder, type StatusWriter, type WorkState } from '../../controller/index.ts';
import { type Condition, conditionsOf } from '../../kube/index.ts';
import type { CatalogRecord } from '../catalog-content/catalog-store.ts';
import { blocked, unpacking } from './plan.ts';

/** What is found for a catalog. */
export interface Findings {
  /** What is served. */
  readonly stored: CatalogRecord | undefined;
  /** Of the work on it. */
  readonly state: WorkState | { readonly kind: 'done' };
  readonly isUnavailable: boolean;
}

interface Claim {
  readonly type: ClusterCatalogConditionType;
  readonly status: Condition['status'];
  readonly reason: ClusterCatalogReason;
  readonly message: string;
}

const unavailable = 'Catalog availability mode is set to Unavailable';

function progressing({ state, isUnavailable }: Findings, isFirst: boolean): Claim | undefined {
  const type = 'Progressing';
  if (isUnavailable) return { type, status: 'True', reason: 'Succeeded', message: unavailable };
  if (state.kind === 'failed') {
    const isBlocked = state.error.reason === blocked;
    const { message } = state.error;
    return { type, status: isBlocked ? 'False' : 'True', reason: isBlocked ? 'Blocked' : 'Retrying', message };
  }
  if (state.kind !== 'done') {
    // What came of it before stands until the next outcome.
    const text = 'Resolving and unpacking the image for the first time';
    return isFirst ? { type, status: 'True', reason: unpacking, message: text } : undefined;
  }
  const message = 'Successfully unpacked and stored content from resolved source';
  return { type, status: 'True', reason: 'Succeeded', message };
}

function serving({ stored, state, isUnavailable }: Findings): Claim | undefined {
  const type = 'Serving';
  if (isUnavailable) return { type, status: 'False', reason: 'UserSpecifiedUnavailable', message: unavailable };
  if (stored !== undefined) {
    return { type, status: 'True', reason: 'Available', message: 'Serving desired content from resolved source' };
  }
  // Content that was lost is on its way, and others may have it.
  if (state.kind !== 'failed') return undefined;
  const message = 'No content of the catalog is stored; condition Progressing has the reason';
  return { type, status: 'False', reason: 'Unavailable', message };
}

function validity({ faults, faultCount, packageCount, ref }: CatalogRecord): Claim {
  const type = 'Valid';
  if (faultCount === 0) {
    return {
      type,
      status: 'True',
      reason: 'AllPackagesValid',
      message: `All ${packageCount} packages of ${ref} are valid`,
    };
  }
  const more = faultCount - faults.length;
  const lines = more > 0 ? [...faults, `and ${more} more`] : faults;
  const message = `${faultCount} faults in ${ref}, which is served all the same:\n${lines.join('\n')}`;
  return { type, status: 'False', reason: 'InvalidPackages', message };
}

function claimsOf(findings: Findings, isFirst: boolean): readonly Claim[] {
  const { stored } = findings;
  const claims = [
    progressing(findings, isFirst),
    serving(findings),
    stored === undefined ? undefined : validity(stored),
  ];
  return claims.filter((claim) => claim !== undefined);
}

function contentOf({ stored, state, isUnavailable }: Findings, base: string): JsonObject {
  if (stored !== undefined) {
    const { ref, unpackedAt: lastUnpacked } = stored;
    return { resolvedSource: { type: 'Image', image: { ref } }, urls: { base }, lastUnpacked };
  }
  const isUnstored = isUnavailable || state.kind === 'failed';
  return isUnstored ? { resolvedSource: null, urls: null, lastUnpacked: null } : {};
}

/** Sets the status that reports the findings. `base` is where the catalog is served.
 *  @see docs/spec/catalogs.md#v1-clustercatalog */
export function setStatus(
  run: StatusHolder & { readonly status: StatusWriter },
  findings: Findings,
  base: string,
): void {
  const isFirst = !conditionsOf(run.object).some(({ type }) => type === 'Progressing');
  run.status.set(run, claimsOf(findings, isFirst));
  if (findings.stored === undefined && findings.state.kind !== 'running') run.status.remove(run, 'Valid');
  run.status.setFields(run, contentOf(findings, base));
}
