import type { ClusterServiceVersion } from '../../api/index.ts';

/** The ClusterServiceVersions of one namespace, without copies. */
export interface Versions {
  get(name: string): ClusterServiceVersion | undefined;
  /** Those whose `spec.replaces` is `name`. */
  replacing(name: string): readonly ClusterServiceVersion[];
}

/** The one that `csv` replaces, if it exists.
 *  @see docs/spec/olm-v0.md#replacement-chain-and-operatorcondition-gate */
export function replacedBy(csv: ClusterServiceVersion, versions: Versions): ClusterServiceVersion | undefined {
  const { replaces } = csv.spec;
  return replaces === undefined || replaces === csv.metadata.name ? undefined : versions.get(replaces);
}

function isOlder(a: ClusterServiceVersion, b: ClusterServiceVersion): boolean {
  const [first, second] = [a, b].map(({ metadata }) => `${metadata.creationTimestamp ?? ''} ${metadata.name}`);
  return (first ?? '') < (second ?? '');
}

/** Those that replace `csv`, newest first; without those that are being deleted. */
export function replacementsOf(csv: ClusterServiceVersion, versions: Versions): readonly ClusterServiceVersion[] {
  const { name } = csv.metadata;
  return versions
    .replacing(name)
    .filter(({ metadata }) => metadata.name !== name && metadata.deletionTimestamp === undefined)
    .toSorted((a, b) => (isOlder(a, b) ? 1 : -1));
}

/** All that replace `csv`, directly or not; each once, also where they form a circle. */
function successorsOf(csv: ClusterServiceVersion, versions: Versions): readonly ClusterServiceVersion[] {
  const found = new Map<string, ClusterServiceVersion>();
  const waiting = [csv];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const successor of replacementsOf(next, versions)) {
      const { name } = successor.metadata;
      if (name === csv.metadata.name || found.has(name)) continue;
      found.set(name, successor);
      waiting.push(successor);
    }
  }
  return [...found.values()];
}

/** All that `csv` replaces, directly or not; each once, also where they form a circle. */
export function predecessorsOf(csv: ClusterServiceVersion, versions: Versions): readonly ClusterServiceVersion[] {
  const found = new Map<string, ClusterServiceVersion>();
  for (let next = replacedBy(csv, versions); next !== undefined; next = replacedBy(next, versions)) {
    const { name } = next.metadata;
    if (name === csv.metadata.name || found.has(name)) break;
    found.set(name, next);
  }
  return [...found.values()];
}

/** Names of `csv` and of all that it is linked to by `spec.replaces`. */
export function chainOf(csv: ClusterServiceVersion, versions: Versions): ReadonlySet<string> {
  const linked = [...predecessorsOf(csv, versions), ...successorsOf(csv, versions)];
  return new Set([csv.metadata.name, ...linked.map(({ metadata }) => metadata.name)]);
}

/** Whether it was installed, though it may give way to another one by now. */
function wasInstalled({ status }: ClusterServiceVersion): boolean {
  if (status?.phase === 'Succeeded') return true;
  const hasGivenWay = status?.phase === 'Replacing' || status?.phase === 'Deleting';
  return hasGivenWay && (status.conditions ?? []).some(({ phase }) => phase === 'Succeeded');
}

/** Row T37: whether what replaces `csv` was installed. With fail-forward, where failed versions may be replaced, the end of the chain counts.
 *  @see docs/spec/olm-v0.md#state-machine */
export function isReplacementInstalled(
  csv: ClusterServiceVersion,
  versions: Versions,
  isFailForward: boolean,
): boolean {
  const successors = successorsOf(csv, versions);
  if (!isFailForward && replacementsOf(csv, versions).some(wasInstalled)) return true;
  return successors.some(
    (one) => one.status?.phase === 'Succeeded' && (!isFailForward || replacementsOf(one, versions).length === 0),
  );
}

const pastRequirements = ['InstallReady', 'Installing', 'Succeeded', 'Replacing', 'Deleting'];
/** Failures of one that owns nothing yet. */
const idleReasons = [
  'OwnerConflict',
  'InvalidInstallStrategy',
  'InvalidWebhookDescription',
  'InvalidInstallModes',
  'NoTargetNamespaces',
  'UnsupportedOperatorGroup',
  'NoOperatorGroup',
  'TooManyOperatorGroups',
  'InterOperatorGroupOwnerConflict',
  'CannotModifyStaticOperatorGroupProvidedAPIs',
];

/** Whether `other`, which owns the same definition, counts before `csv`: it is further, or it is older. */
function comesFirst(other: ClusterServiceVersion, csv: ClusterServiceVersion): boolean {
  const { phase = '', reason = '' } = other.status ?? {};
  if (pastRequirements.includes(phase)) return true;
  if (phase === 'Failed' && idleReasons.includes(reason)) return false;
  return isOlder(other, csv);
}

/** Row T7: whether another one of the namespace, outside of the chain, owns a definition that `csv` owns. `owners` are the ones that own any of them.
 *  @see docs/spec/olm-v0.md#state-machine */
export function hasForeignDefinition(
  csv: ClusterServiceVersion,
  owners: readonly ClusterServiceVersion[],
  versions: Versions,
): boolean {
  const chain = chainOf(csv, versions);
  return owners.some((other) => !chain.has(other.metadata.name) && comesFirst(other, csv));
}
