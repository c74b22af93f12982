import { expect, test } from 'vitest';
import type { KubeObject } from '../../kube/index.ts';
import { hasDefinitions, notedTexts, readNoted } from './noted.ts';
import { presentBeside } from './present.ts';

const provisionerClassName = 'core-rukpak-io-plain';
const deployment = {
  apiVersion: 'core.rukpak.io/v1alpha1',
  kind: 'BundleDeployment',
  metadata: { name: 'tide', uid: 'of-deployment' },
  spec: { provisionerClassName, template: { spec: { provisionerClassName, source: { type: 'upload', upload: {} } } } },
  status: {
    activeBundle: 'tide-1',
    record: {
      uid: 'of-deployment',
      bundles: [{ name: 'tide-1', uid: 'of-bundle', specHash: '' }],
      installation: 'Done',
      groupKinds: [],
      namespaces: [],
    },
  },
};
const properties = [{ type: 'olm.package', value: { packageName: 'base', version: '1.0.0' } }];

const bundleWith = (name: string, uid: string, text: string): KubeObject => {
  const annotations = { 'core.rukpak.io/bundle-properties': text };
  return { apiVersion: deployment.apiVersion, kind: 'Bundle', metadata: { name, uid, annotations } };
};

test.each([
  { what: 'the recorded Bundle', uid: 'of-bundle', found: properties },
  { what: 'a Bundle of the same name, which a user has created', uid: 'of-another', found: [] },
])('of $what the properties are $found', ({ uid, found }) => {
  const bundle = bundleWith('tide-1', uid, JSON.stringify(properties));
  const texts = notedTexts({ get: () => bundle }, [deployment]);
  expect(readNoted(texts.get(deployment) ?? '')).toEqual(found);
});

test('of very many bundles those with the longest properties do not count', () => {
  const long = JSON.stringify([{ type: 'x', value: Array.from({ length: 20_000 }, () => ({})) }]);
  const deployments = Array.from({ length: 200 }, (_, index) => {
    const name = `many-${index}`;
    const bundles = [{ name, uid: name, specHash: '' }];
    const { record } = deployment.status;
    return { ...deployment, status: { activeBundle: name, record: { ...record, bundles } } };
  });
  const get = (name: string): KubeObject =>
    bundleWith(name, name, name === 'many-199' ? JSON.stringify(properties) : long);
  const texts = notedTexts({ get }, deployments);
  const characters = [...texts.values()].reduce((sum, text) => sum + text.length, 0);
  expect(characters).toBeLessThanOrEqual(4 * 1024 * 1024);
  expect(texts.size).toBeGreaterThan(60);
  const short = deployments.at(-1);
  expect(short && readNoted(texts.get(short) ?? '')).toEqual(properties);
});

test.each([
  { kind: 'CustomResourceDefinition.apiextensions.k8s.io', isClaim: false },
  { kind: 'APIService.apiregistration.k8s.io', isClaim: false },
  { kind: 'Deployment.apps', isClaim: true },
])('of a BundleDeployment of users that has installed $kind, what it provides is a mere claim: $isClaim', (row) => {
  const record = { ...deployment.status.record, groupKinds: ['ConfigMap', row.kind] };
  const live = { ...deployment, status: { ...deployment.status, record } };
  const standing = {
    name: 'tide',
    choice: undefined,
    noted: JSON.stringify(properties),
    packageName: undefined,
    isRequested: false,
    hasNeverSucceeded: false,
    isBeingDeleted: false,
    hasDefinitions: hasDefinitions(live),
  };
  expect(presentBeside([standing], 'wave', []).others).toMatchObject([{ packageName: 'base', isClaim: row.isClaim }]);
});
