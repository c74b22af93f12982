import { describe, expect, test } from 'vitest';
import { parseBundleDeployment, templateHashLabel } from '../../src/api/index.ts';
import type { KubeObject } from '../../src/kube/index.ts';
import { bundleOfTemplate } from '../bundle-template.ts';
import { bearsAll, findMatch, metadataPatch } from './bundle-match.ts';

const provisionerClassName = 'core-rukpak-io-plain';
const image = (ref: string): Record<string, unknown> => ({ type: 'image', image: { ref } });
const upload = { type: 'upload', upload: {} };

function wantedBy(source: object, metadata?: object, name = 'app'): KubeObject {
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

/** The Bundle as it stands in a cluster, with what `change` says otherwise. */
function made(wanted: KubeObject, change: Partial<KubeObject['metadata']> = {}): KubeObject {
  return { ...wanted, metadata: { ...wanted.metadata, creationTimestamp: '2026-01-01T00:00:00Z', ...change } };
}

const hashed = (hash: string): { labels: Record<string, string> } => ({ labels: { [templateHashLabel]: hash } });

describe('the Bundle of a template', () => {
  test('U17 is the one with the hash of the template, whatever its name', () => {
    const wanted = wantedBy(image('a:1'));
    const bundle = made(wanted, { name: 'quite-another' });
    expect(findMatch([bundle], wanted, undefined)).toBe(bundle);
    expect(bearsAll(bundle, wanted)).toBe(true);
  });

  test('U18 is not one with another spec', () => {
    expect(findMatch([made(wantedBy(image('a:1')))], wantedBy(image('a:2')), undefined)).toBeUndefined();
  });

  test.each([
    { name: 'U19 labels', metadata: { labels: { app: 'new' } } },
    { name: 'U20 annotations', metadata: { annotations: { note: 'new' } } },
  ])(
    '$name that differ make another hash: the Bundle is the one, but is not yet as the template says',
    ({ metadata }) => {
      const bundle = made(wantedBy(image('a:1')));
      const wanted = wantedBy(image('a:1'), metadata);
      expect(bundle.metadata.labels?.[templateHashLabel]).not.toBe(wanted.metadata.labels?.[templateHashLabel]);
      expect(findMatch([bundle], wanted, undefined)).toBe(bundle);
      expect(bearsAll(bundle, wanted)).toBe(false);
    },
  );

  test('U21 is found with hyphens in names and labels', () => {
    const wanted = wantedBy(image('a-b:1-c'), { labels: { 'a-b': 'c-d' } }, 'with-some-hyphens');
    const bundle = made(wanted);
    expect(findMatch([bundle], wanted, undefined)).toBe(bundle);
    expect(bearsAll(bundle, wanted)).toBe(true);
  });

  test('Q26 is recognised by its spec when another release gave it another hash, in any order and with empty members', () => {
    const git = { type: 'git', git: { repository: 'https://x', ref: { tag: 'v1' } } };
    const wanted = wantedBy(git);
    const older = made(wanted, { name: 'app-6c9f4', ...hashed('6c9f4') });
    older['spec'] = {
      source: { git: { ref: { tag: 'v1' }, auth: { secret: {} }, repository: 'https://x' }, type: 'git' },
      provisionerClassName,
    };
    expect(findMatch([older], wanted, undefined)).toBe(older);
  });

  test('is rather the active one, and never one that goes while another stays', () => {
    const wanted = wantedBy(image('a:1'));
    const exact = made(wanted);
    const active = made(wanted, { name: 'active', ...hashed('older') });
    const going = made(wanted, { name: 'going', deletionTimestamp: '2026-01-02T00:00:00Z' });
    expect(findMatch([exact, going, active], wanted, 'active')).toBe(active);
    expect(findMatch([active, exact, going], wanted, 'going')).toBe(exact);
    expect(findMatch([going], wanted, undefined)).toBe(going);
  });

  test('of an upload is another one for other labels, which say what was uploaded', () => {
    const first = wantedBy(upload, { labels: { bundleDigest: '1' } });
    const second = wantedBy(upload, { labels: { bundleDigest: '2' } });
    expect(findMatch([made(first)], second, undefined)).toBeUndefined();
    expect(findMatch([made(first), made(second)], second, undefined)?.metadata.labels).toMatchObject({
      bundleDigest: '2',
    });
  });

  test('of an upload is recognised by all its labels when another release gave it another hash', () => {
    const wanted = wantedBy(upload, { labels: { bundleDigest: '1' } });
    const older = made(wanted, { labels: { ...wanted.metadata.labels, [templateHashLabel]: '6c9f4' } });
    expect(findMatch([older], wanted, undefined)).toBe(older);
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
    const wanted = wantedBy(image('a:1'), { labels: { app: 'new' }, annotations: { note: 'new' } });
    const live = made(wanted, {
      labels: { app: 'old', tier: 'web', mine: 'x', both: 'y' },
      annotations: { note: 'old', url: 'z' },
      managedFields: [
        fields('longshore', ['app', 'tier', 'both', 'went-already'], ['note', 'url']),
        fields('kubectl-label', ['mine', 'both']),
      ] as never[],
    });
    expect(metadataPatch(live, wanted)).toEqual({
      labels: { ...wanted.metadata.labels, tier: null },
      annotations: { note: 'new', url: null },
    });
  });

  test('nothing goes where the server has recorded nothing', () => {
    const wanted = wantedBy(image('a:1'));
    for (const managedFields of [undefined, [], [{ manager: 'longshore' }], [{ fieldsV1: 3 }]]) {
      const live = made(wanted, { labels: { a: 'b' }, ...(managedFields === undefined ? {} : { managedFields }) });
      expect(metadataPatch(live, wanted)).toEqual({ labels: wanted.metadata.labels, annotations: {} });
    }
  });
});
