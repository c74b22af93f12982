import { describe, expect, test } from 'vitest';
import { defaultProfile, exclusionOf, type InclusionProfile, omissionOf } from './inclusion.ts';
import { manifestOf, type ReleaseManifest } from './manifest.ts';

const include = { [`include.release.openshift.io/${defaultProfile}`]: 'true' };
const manifest = (annotations: Readonly<Record<string, string>> | undefined, kind = 'ConfigMap'): ReleaseManifest => {
  const apiVersion = kind === 'FeatureGate' ? 'config.openshift.io/v1' : 'v1';
  const metadata = { name: 'a', ...(annotations === undefined ? {} : { annotations }) };
  return manifestOf({ directory: 'release-manifests', name: '0000_10_a_x.yaml' }, { apiVersion, kind, metadata }, '');
};
const cluster: InclusionProfile = {
  engine: 'engine',
  profile: defaultProfile,
  featureSet: '',
  enabledFeatureGates: new Set(['A']),
  majorVersion: 4n,
};

describe('CV-71: what a cluster loads', () => {
  const set = 'release.openshift.io/feature-set';
  const gate = 'release.openshift.io/feature-gate';
  const major = 'release.openshift.io/major-version';
  test.each([
    [undefined, 'no annotations'],
    [{}, 'no annotations'],
    [{ other: 'x' }, 'include.release.openshift.io/self-managed-high-availability is not set'],
    [{ [`include.release.openshift.io/${defaultProfile}`]: 'yes' }, 'is "yes", not "true"'],
    [{ ...include, 'exclude.release.openshift.io/engine': 'true' }, 'exclude.release.openshift.io/engine=true'],
    [{ ...include, 'exclude.release.openshift.io/other': 'true' }, undefined],
    [{ ...include, [set]: 'Default', [gate]: 'A' }, 'only one of them may be'],
    [{ ...include, [set]: 'Default,TechPreviewNoUpgrade' }, undefined],
    [{ ...include, [set]: 'TechPreviewNoUpgrade' }, 'feature set Default is not one of TechPreviewNoUpgrade'],
    [{ ...include, [set]: 'OKD, Default' }, 'unknown feature set " Default"'],
    [{ ...include, [set]: '' }, 'unknown feature set ""'],
    [{ ...include, [gate]: 'A,-B' }, undefined],
    [{ ...include, [gate]: 'A, ,-B' }, undefined],
    [{ ...include, [gate]: 'B' }, 'feature gate B is not enabled'],
    [{ ...include, [gate]: '-A' }, 'feature gate A is enabled'],
    [{ ...include, [major]: '4' }, 'is for FeatureGates and CustomResourceDefinitions only'],
  ])('%j: %s', (annotations, reason) => {
    const found = exclusionOf(manifest(annotations), cluster);
    if (reason === undefined) expect(found).toBeUndefined();
    else expect(found).toContain(reason);
  });

  test.each([
    ['4', true],
    ['5', false],
    ['-5', true],
    ['-4', false],
    ['4,-4', false],
    ['3,4', true],
  ])('a FeatureGate for the major version %s', (versions, isLoaded) => {
    const found = exclusionOf(manifest({ ...include, [major]: versions }, 'FeatureGate'), cluster);
    expect(found === undefined).toBe(isLoaded);
  });
});

describe('what a cluster applies', () => {
  const capabilities = { known: new Set(['A', 'B']), enabled: new Set(['A']) };
  test.each([
    ['A', undefined],
    ['A+B', 'disabled capabilities: B'],
    ['C', 'unrecognized capability names: C'],
    ['C+B', 'unrecognized capability names: C, disabled capabilities: B'],
  ])('CV-72: of the capability %s', (names, reason) => {
    const annotated = manifest({ 'capability.openshift.io/name': names });
    expect(omissionOf(annotated, { capabilities, overrides: [] })).toBe(reason);
  });

  test('CV-78: an object that is overridden is left alone; of objects without namespace that of the override does not count', () => {
    const override = { group: '', kind: 'ConfigMap', namespace: 'any', name: 'a', unmanaged: true };
    const omission = (changes: object): string | undefined =>
      omissionOf(manifest(include), { capabilities, overrides: [{ ...override, ...changes }] });
    expect(omission({})).toBe('overridden');
    expect(omission({ unmanaged: false })).toBeUndefined();
    expect(omission({ group: 'v1' })).toBeUndefined();
    expect(omission({ name: 'b' })).toBeUndefined();
  });
});
