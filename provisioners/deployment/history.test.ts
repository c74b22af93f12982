import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/index.ts';
import type { KubeObject } from '../../src/kube/index.ts';
import { nextHistory, versionOf } from './history.ts';

const digest = `sha256:${'ab'.repeat(32)}`;
const commit = '1a2b3c4d5e'.repeat(4);

function bundle(
  source: object,
  options: { readonly resolved?: object; readonly annotations?: object } = {},
): KubeObject {
  const { resolved, annotations = {} } = options;
  return {
    apiVersion: 'core.rukpak.io/v1alpha1',
    kind: 'Bundle',
    metadata: { name: 'b', annotations },
    spec: { provisionerClassName: 'core-rukpak-io-plain', source },
    status: resolved === undefined ? {} : { resolvedSource: resolved },
  } as unknown as KubeObject;
}

const git = (ref: object): object => ({
  type: 'git',
  git: { repository: 'https://user:secret@git.example.com/combo.git', ref },
});
const image = (ref: string): object => ({ type: 'image', image: { ref } });
const packaged = { properties: [{ type: 'olm.package', value: { packageName: 'combo', version: '1.2.3' } }], digest };

test.each([
  {
    name: 'the tag of an image',
    of: bundle(image('registry.example.com/combo:v1'), { resolved: image(`registry.example.com/combo@${digest}`) }),
    version: 'v1',
    source: 'registry.example.com/combo:v1 (sha256:abababababab)',
  },
  {
    name: 'the digest of an image without a tag',
    of: bundle(image(`registry.example.com/combo@${digest}`)),
    version: 'sha256:abababababab',
    source: 'registry.example.com/combo (sha256:abababababab)',
  },
  {
    name: 'the tag of a repository, and its commit',
    of: bundle(git({ tag: 'v2' }), { resolved: git({ commit }) }),
    version: 'v2',
    source: 'https://redacted@git.example.com/combo.git v2 (1a2b3c4)',
  },
  {
    name: 'the commit of a branch',
    of: bundle(git({ branch: 'main' }), { resolved: git({ commit }) }),
    version: 'main@1a2b3c4',
    source: 'https://redacted@git.example.com/combo.git main (1a2b3c4)',
  },
  {
    name: 'a commit',
    of: bundle(git({ commit })),
    version: '1a2b3c4',
    source: 'https://redacted@git.example.com/combo.git 1a2b3c4',
  },
  {
    name: 'the digest of an upload',
    of: bundle({ type: 'upload', upload: {} }),
    version: 'sha256:abababababab',
    source: 'upload (sha256:abababababab)',
  },
  {
    name: 'the version that an author notes',
    of: bundle(
      { type: 'configMaps', configMaps: [{ configMap: { name: 'one' } }] },
      { annotations: { 'core.rukpak.io/package-version': '3.0.0' } },
    ),
    version: '3.0.0',
    source: 'configMaps one',
  },
])('a version is $name', ({ of, version, source }) => {
  const content = { properties: [], digest };
  expect(versionOf(of, content)).toEqual({ activeVersion: version, activeSource: source });
});

test('a package version is shown before a tag, and lost content hides nothing', () => {
  const of = bundle(image('registry.example.com/combo:v1'));
  expect(versionOf(of, packaged).activeVersion).toBe('1.2.3');
  expect(versionOf(of, undefined)).toEqual({ activeVersion: 'v1', activeSource: 'registry.example.com/combo:v1' });
});

const revision = (name: string, spec: JsonObject = { config: { name } }): JsonObject => ({
  bundle: name,
  version: name,
  spec,
});

test('revisions are numbered, the last ten stay, and the same one is not recorded twice', () => {
  let history: readonly JsonObject[] = [];
  for (let index = 1; index <= 12; index++) history = nextHistory(history, revision(`b${index}`));
  expect(history.map((one) => one['revision'])).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  expect(nextHistory(history, revision('b12'))).toBe(history);
  expect(nextHistory(history, revision('b11')).at(-1)).toMatchObject({ revision: 13, bundle: 'b11' });
});

test('large specs leave room: older revisions go first, and one that is too large is kept without its spec', () => {
  const large = (name: string, kibibytes: number): JsonObject =>
    revision(name, { config: { values: 'x'.repeat(kibibytes * 1024) } });
  let history: readonly JsonObject[] = [];
  for (const name of ['a', 'b', 'c', 'd']) history = nextHistory(history, large(name, 50));
  expect(history.map((one) => one['bundle'])).toEqual(['c', 'd']);
  const cut = nextHistory(history, large('e', 200));
  expect(cut).toEqual([{ revision: 5, bundle: 'e', version: 'e' }]);
  expect(nextHistory(cut, large('e', 200))).toBe(cut);
});
