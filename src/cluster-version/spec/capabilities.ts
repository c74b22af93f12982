import type { ClusterVersionSpec } from '../../api/index.ts';
import {
  type ClusterChoices,
  capabilitiesOf,
  manifestKeyText,
  omissionOf,
  type ReleaseManifest,
} from '../../release/index.ts';

/** The capabilities that releases may name. */
export interface CapabilityRegistry {
  readonly known: readonly string[];
  /** By the name of a baseline set. */
  readonly sets: Readonly<Record<string, readonly string[]>>;
}

const additions: readonly (readonly [set: string, added: readonly string[]])[] = [
  ['v4.11', ['baremetal', 'marketplace', 'openshift-samples']],
  ['v4.12', ['CSISnapshot', 'Console', 'Insights', 'Storage']],
  ['v4.13', ['NodeTuning']],
  ['v4.14', ['Build', 'DeploymentConfig', 'ImageRegistry', 'MachineAPI']],
  ['v4.15', ['CloudCredential', 'OperatorLifecycleManager']],
  ['v4.16', ['CloudControllerManager', 'Ingress']],
  ['v4.17', []],
  ['v4.18', ['OperatorLifecycleManagerV1']],
];

function accumulate(): CapabilityRegistry {
  const sets: Record<string, readonly string[]> = { None: [] };
  let all: readonly string[] = [];
  for (const [set, added] of additions) {
    all = [...all, ...added].toSorted();
    sets[set] = all;
  }
  return { known: all, sets: { ...sets, vCurrent: all } };
}

/** The capabilities of OpenShift. */
export const usualCapabilities: CapabilityRegistry = accumulate();

/** Which capabilities of a release are enabled, and why. */
export interface Capabilities {
  readonly known: readonly string[];
  readonly enabled: readonly string[];
  /** Those that the spec does not enable, but that cannot be disabled any more. */
  readonly implicit: readonly string[];
}

/** Enabled capabilities: those of the spec, and those that were enabled before, because none can be disabled.
 *  @see docs/spec/cluster-version.md#capabilities */
export function resolveCapabilities(
  spec: ClusterVersionSpec,
  before: readonly string[],
  { known, sets }: CapabilityRegistry,
): Capabilities {
  const { baselineCapabilitySet: baseline = '', additionalEnabledCapabilities: additional = [] } =
    spec.capabilities ?? {};
  const requested = new Set([...(sets[baseline === '' ? 'vCurrent' : baseline] ?? []), ...additional]);
  const implicit = [...new Set(before)].filter((name) => !requested.has(name) && known.includes(name));
  return {
    known: known.toSorted(),
    enabled: [...new Set([...requested, ...implicit])].toSorted(),
    implicit: implicit.toSorted(),
  };
}

/** Capabilities that a new release adds to objects which the cluster already has: they are enabled, because nothing may vanish with an update.
 *  @see docs/spec/cluster-version.md#capabilities */
export function impliedCapabilities(
  current: readonly ReleaseManifest[],
  next: readonly ReleaseManifest[],
  choices: ClusterChoices,
): readonly string[] {
  const applied = new Map(
    current
      .filter((manifest) => omissionOf(manifest, { ...choices, overrides: [] }) === undefined)
      .map((manifest) => [manifestKeyText(manifest.key), manifest]),
  );
  const implied = new Set<string>();
  for (const manifest of next) {
    const before = applied.get(manifestKeyText(manifest.key));
    if (before === undefined) continue;
    const known = new Set(capabilitiesOf(before));
    for (const name of capabilitiesOf(manifest)) {
      if (!known.has(name) && !choices.capabilities.enabled.has(name)) implied.add(name);
    }
  }
  return [...implied].toSorted();
}
