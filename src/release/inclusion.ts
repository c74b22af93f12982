import { annotationsOf, type ManifestKey, type ReleaseManifest } from './manifest.ts';

/** What a cluster takes of a release. */
export interface InclusionProfile {
  /** The engine's name, for `exclude.release.openshift.io/NAME`; empty for none. */
  readonly engine: string;
  /** For `include.release.openshift.io/NAME`. */
  readonly profile: string;
  /** The cluster's feature set; empty or `Default` for the default one. */
  readonly featureSet: string;
  readonly enabledFeatureGates: ReadonlySet<string>;
  /** Of the payload. */
  readonly majorVersion: bigint;
}

/** What is checked again before each write. */
export interface ClusterChoices {
  readonly capabilities: { readonly known: ReadonlySet<string>; readonly enabled: ReadonlySet<string> };
  readonly overrides: readonly (ManifestKey & { readonly unmanaged: boolean })[];
}

export const defaultProfile = 'self-managed-high-availability';
const featureSets = ['Default', 'CustomNoUpgrade', 'DevPreviewNoUpgrade', 'OKD', 'TechPreviewNoUpgrade'] as const;

/** Annotations of manifests. */
const releaseAnnotations = {
  capability: 'capability.openshift.io/name',
  featureGate: 'release.openshift.io/feature-gate',
  featureSet: 'release.openshift.io/feature-set',
  majorVersion: 'release.openshift.io/major-version',
  excludePrefix: 'exclude.release.openshift.io/',
  includePrefix: 'include.release.openshift.io/',
} as const;

type Annotations = ReadonlyMap<string, string>;
type Test = (annotations: Annotations, cluster: InclusionProfile, key: ManifestKey) => string | undefined;

const isDefinition = ({ group, kind }: ManifestKey): boolean =>
  (kind === 'CustomResourceDefinition' && group === 'apiextensions.k8s.io') ||
  (kind === 'FeatureGate' && group === 'config.openshift.io');

const excludedByEngine: Test = (annotations, { engine }) => {
  const key = `${releaseAnnotations.excludePrefix}${engine}`;
  return engine !== '' && annotations.get(key) === 'true' ? `${key}=true` : undefined;
};

const featureAnnotationsConflict: Test = (annotations) => {
  const { featureSet, featureGate } = releaseAnnotations;
  if (!annotations.has(featureSet) || !annotations.has(featureGate)) return undefined;
  return `both ${featureSet} and ${featureGate} are set: only one of them may be`;
};

/** Entries are compared as written, with their spaces. */
const outsideFeatureSet: Test = (annotations, cluster) => {
  const listed = annotations.get(releaseAnnotations.featureSet);
  if (listed === undefined) return undefined;
  const current = cluster.featureSet === '' ? 'Default' : cluster.featureSet;
  const names = listed.split(',');
  const unknown = names.find((name) => !featureSets.some((known) => known === name));
  if (unknown !== undefined) return `${releaseAnnotations.featureSet}: unknown feature set "${unknown}"`;
  return names.includes(current) ? undefined : `feature set ${current} is not one of ${listed}`;
};

/** A list with commas whose entries may be negated; empty ones do not count. */
function entriesOf(list: string): { readonly name: string; readonly isNegated: boolean }[] {
  const entries = list.split(',').map((entry) => entry.trim());
  return entries
    .filter((entry) => entry !== '')
    .map((entry) => ({ name: entry.replace(/^-/, ''), isNegated: entry.startsWith('-') }));
}

const gateNotMet: Test = (annotations, { enabledFeatureGates }) => {
  const unmet = entriesOf(annotations.get(releaseAnnotations.featureGate) ?? '').find(
    ({ name, isNegated }) => enabledFeatureGates.has(name) === isNegated,
  );
  if (unmet === undefined) return undefined;
  return `feature gate ${unmet.name} is ${unmet.isNegated ? 'enabled' : 'not enabled'}`;
};

const outsideMajorVersion: Test = (annotations, { majorVersion }, key) => {
  const listed = annotations.get(releaseAnnotations.majorVersion);
  if (listed === undefined) return undefined;
  if (!isDefinition(key)) {
    return `${releaseAnnotations.majorVersion} is for FeatureGates and CustomResourceDefinitions only`;
  }
  const current = String(majorVersion);
  const entries = entriesOf(listed);
  const isNegated = entries.some((entry) => entry.isNegated && entry.name === current);
  const listedMajors = entries.filter((entry) => !entry.isNegated);
  const isListed = listedMajors.length === 0 || listedMajors.some(({ name }) => name === current);
  return isListed && !isNegated ? undefined : `major version ${current} is not one of ${listed}`;
};

const outsideProfile: Test = (annotations, { profile }) => {
  const key = `${releaseAnnotations.includePrefix}${profile}`;
  const value = annotations.get(key);
  if (value === 'true') return undefined;
  return value === undefined ? `${key} is not set` : `${key} is "${value}", not "true"`;
};

/** In this order; the first that applies excludes. */
const loadTests: readonly Test[] = [
  (annotations) => (annotations.size === 0 ? 'no annotations' : undefined),
  excludedByEngine,
  featureAnnotationsConflict,
  outsideFeatureSet,
  gateNotMet,
  outsideMajorVersion,
  outsideProfile,
];

/** Why a cluster does not load a manifest; undefined when it does.
 *  @see docs/spec/cluster-version.md#inclusion-filter-in-this-order */
export function exclusionOf(manifest: ReleaseManifest, cluster: InclusionProfile): string | undefined {
  const annotations = annotationsOf(manifest);
  for (const test of loadTests) {
    const reason = test(annotations, cluster, manifest.key);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** The capabilities that an object belongs to, as its annotation lists them. */
export function capabilitiesOf(manifest: ReleaseManifest): string[] {
  const list = annotationsOf(manifest).get(releaseAnnotations.capability) ?? '';
  return list === '' ? [] : list.split('+');
}

function disabledCapabilities(manifest: ReleaseManifest, { known, enabled }: ClusterChoices['capabilities']): string[] {
  const names = capabilitiesOf(manifest);
  const unknown = names.filter((name) => !known.has(name));
  const disabled = names.filter((name) => known.has(name) && !enabled.has(name));
  return [
    ...(unknown.length === 0 ? [] : [`unrecognized capability names: ${unknown.join(', ')}`]),
    ...(disabled.length === 0 ? [] : [`disabled capabilities: ${disabled.join(', ')}`]),
  ];
}

/** Whether an override is for an object; the namespace of objects without one does not count.
 *  @see docs/spec/cluster-version.md#overrides */
function isOverridden(key: ManifestKey, overrides: ClusterChoices['overrides']): boolean {
  return overrides.some(
    ({ unmanaged, group, kind, namespace, name }) =>
      unmanaged &&
      group === key.group &&
      kind === key.kind &&
      name === key.name &&
      (key.namespace === '' || namespace === key.namespace),
  );
}

/** Why a loaded manifest is not applied; undefined when it is. */
export function omissionOf(manifest: ReleaseManifest, choices: ClusterChoices): string | undefined {
  const reasons = disabledCapabilities(manifest, choices.capabilities);
  if (reasons.length > 0) return reasons.join(', ');
  return isOverridden(manifest.key, choices.overrides) ? 'overridden' : undefined;
}
