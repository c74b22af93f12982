import { describe, expect, test } from 'vitest';
import { parseBundleDeployment, templateHashLabel } from '../../src/api/index.ts';
import type { KubeObject } from '../../src/kube/index.ts';
import { bundleOfTemplate } from '../bundle-template.ts';
import { findMatch, hasAllMetadata, metadataPatch } from './bundle-match.ts';

const provisionerClassName = 'core-rukpak-io-plain';
const image = (ref: string): Record<string, unknown> => ({ type: 'image', image: { ref } });
const upload = { type: 'upload', upload: {} };

function desiredBy(source: object, metadata?: object, name = 'app'): KubeObject {
  const template = { ...(metadata === undefined ? {} : { metadata }), spec: { provisionerClassName, source } };
  return bundleOfTemplate(
    parseBundleDeployment({
      apiVersion: 'core.rukpak.io/v1alpha1',
      kind: 'BundleDeployment',
      metadata: { name, uid: 'uid-1' },
      spec: { provisionerClassName, template },
    }),
  );
}

/** The Bundle as it is in a cluster, changed by `change`. */
function made(desired: KubeObject, change: Partial<KubeObject['metadata']> = {}): KubeObject {
  return { ...desired, metadata: { ...desired.metadata, creationTimestamp: '2026-01-01T00:00:00Z', ...change } };
}

const hashed = (hash: string): { labels: Record<string, string> } => ({ labels: { [templateHashLabel]: hash } });

describe('the Bundle of a template', () => {
  test('U17 is the one with the hash of the template, whatever its name', () => {
    const desired = desiredBy(image('a:1'));
    const bundle = made(desired, { name: 'quite-another' });
    expect(findMatch([bundle], desired, undefined)).toBe(bundle);
    expect(hasAllMetadata(bundle, desired)).toBe(true);
  });

  test('U18 is not one with another spec', () => {
    expect(findMatch([made(desiredBy(image('a:1')))], desiredBy(image('a:2')), undefined)).toBeUndefined();
  });

  test.each([
    { name: 'U19 labels', metadata: { labels: { app: 'new' } } },
    { name: 'U20 annotations', metadata: { annotations: { note: 'new' } } },
  ])(
    '$name that differ make another hash: the Bundle matches, but does not have the metadata of the template yet',
    ({ metadata }) => {
      const bundle = made(desiredBy(image('a:1')));
      const desired = desiredBy(image('a:1'), metadata);
      expect(bundle.metadata.labels?.[templateHashLabel]).not.toBe(desired.metadata.labels?.[templateHashLabel]);
      expect(findMatch([bundle], desired, undefined)).toBe(bundle);
      expect(hasAllMetadata(bundle, desired)).toBe(false);
    },
  );

  test('U21 is found with hyphens in names and labels', () => {
    const desired = desiredBy(image('a-b:1-c'), { labels: { 'a-b': 'c-d' } }, 'with-some-hyphens');
    const bundle = made(desired);
    expect(findMatch([bundle], desired, undefined)).toBe(bundle);
    expect(hasAllMetadata(bundle, desired)).toBe(true);
  });

  test('Q26 is recognised by its spec when another release gave it another hash, in any order and with empty members', () => {
    const git = { type: 'git', git: { repository: 'https://x', ref: { tag: 'v1' } } };
    const desired = desiredBy(git);
    const older = made(desired, { name: 'app-6c9f4', ...hashed('6c9f4') });
    older['spec'] = {
      source: { git: { ref: { tag: 'v1' }, auth: { secret: {} }, repository: 'https://x' }, type: 'git' },
      provisionerClassName,
    };
    expect(findMatch([older], desired, undefined)).toBe(older);
  });

  test('is rather the active one, and never one that goes while another stays', () => {
    const desired = desiredBy(image('a:1'));
    const exact = made(desired);
    const active = made(desired, { name: 'active', ...hashed('older') });
    const going = made(desired, { name: 'going', deletionTimestamp: '2026-01-02T00:00:00Z' });
    expect(findMatch([exact, going, active], desired, 'active')).toBe(active);
    expect(findMatch([active, exact, going], desired, 'going')).toBe(exact);
    expect(findMatch([going], desired, undefined)).toBe(going);
  });

  test('of an upload is another one for other labels, which identify what was uploaded', () => {
    const first = desiredBy(upload, { labels: { bundleDigest: '1' } });
    const second = desiredBy(upload, { labels: { bundleDigest: '2' } });
    expect(findMatch([made(first)], second, undefined)).toBeUndefined();
    expect(findMatch([made(first), made(second)], second, undefined)?.metadata.labels).toMatchObject({
      bundleDigest: '2',
    });
  });

  test('of an upload is recognised by all its labels when another release gave it another hash', () => {
    const desired = desiredBy(upload, { labels: { bundleDigest: '1' } });
    const older = made(desired, { labels: { ...desired.metadata.labels, [templateHashLabel]: '6c9f4' } });
    expect(findMatch([older], desired, undefined)).toBe(older);
  });
});

describe('labels and annotations in place', () => {
  const fields = (manager: string, labels: readonly string[], annotations: readonly string[] = []): object => ({
    manager,
    operation: 'Update',
    fieldsV1: {
      'f:metadata': {
        'f:labels': { '.': {}, ...Object.fromEntries(labels.map((key) => [`f:${key}`, {}])) },
        'f:annotations': { '.': {}, ...Object.fromEntries(annotations.map((key) => [`f:${key}`, {}])) },
      },
    },
  });

  test('what an earlier template gave goes, what others gave stays', () => {
    const desired = desiredBy(image('a:1'), { labels: { app: 'new' }, annotations: { note: 'new' } });
    const live = made(desired, {
      labels: { app: 'old', tier: 'web', mine: 'x', both: 'y' },
      annotations: { note: 'old', url: 'z' },
      managedFields: [
        fields('longshore', ['app', 'tier', 'both', 'went-already'], ['note', 'url']),
        fields('kubectl-label', ['mine', 'both']),
      ] as never[],
    });
    expect(metadataPatch(live, desired)).toEqual({
      labels: { ...desired.metadata.labels, tier: null },
      annotations: { note: 'new', url: null },
    });
  });

  test('nothing goes where the server has recorded nothing', () => {
    const desired = desiredBy(image('a:1'));
    for (const managedFields of [undefined, [], [{ manager: 'longshore' }], [{ fieldsV1: 3 }]]) {
      const live = made(desired, { labels: { a: 'b' }, ...(managedFields === undefined ? {} : { managedFields }) });
      expect(metadataPatch(live, desired)).toEqual({ labels: desired.metadata.labels, annotations: {} });
    }
  });
});
