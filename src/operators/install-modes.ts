import type { ClusterServiceVersion, InstallModeType } from '../api/index.ts';

/** A mode that the targets need, and what they are called in its message. */
interface Need {
  readonly mode: InstallModeType;
  readonly watched: string;
}

function needsOf(ownNamespace: string, targets: readonly string[]): readonly Need[] {
  const own: Need = { mode: 'OwnNamespace', watched: 'own namespace' };
  const [first] = targets;
  if (targets.length === 1) {
    if (first === '') return [{ mode: 'AllNamespaces', watched: 'all namespaces' }];
    return first === ownNamespace ? [own] : [{ mode: 'SingleNamespace', watched: 'one namespace' }];
  }
  const several: Need = { mode: 'MultiNamespace', watched: `${targets.length} namespaces` };
  return targets.includes(ownNamespace) ? [several, own] : [several];
}

/** Why the install modes of an operator in `ownNamespace` do not allow these target namespaces; undefined if they do. A mode that is not listed is
 *  not supported; no mode implies another.
 *  @see docs/spec/olm-v0.md#operatorgroup-membership-and-install-modes */
export function unsupportedTargets(
  { spec }: { readonly spec: Pick<ClusterServiceVersion['spec'], 'installModes'> },
  ownNamespace: string,
  targets: readonly string[],
): string | undefined {
  if (targets.length === 0) {
    return 'operatorgroup has invalid selected namespaces, cannot configure to watch zero namespaces';
  }
  const supported = new Set((spec.installModes ?? []).filter((mode) => mode.supported).map(({ type }): string => type));
  const missing = needsOf(ownNamespace, targets).find(({ mode }) => !supported.has(mode));
  if (missing !== undefined) {
    return `${missing.mode} InstallModeType not supported, cannot configure to watch ${missing.watched}`;
  }
  if (targets.length > 1 && targets.includes('')) {
    return 'operatorgroup has invalid selected namespaces, NamespaceAll found when |selected namespaces| > 1';
  }
  return undefined;
}
