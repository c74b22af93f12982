import { expect, test } from 'vitest';
import type { JsonObject } from '../../base/index.ts';
import type { KubeObject } from '../../kube/index.ts';
import { neededByOthers } from './needed-by-others.ts';

const apiVersion = 'core.rukpak.io/v1alpha1';
const template = { spec: { provisionerClassName: 'x', source: { type: 'upload', upload: {} } } };

interface Installed {
  readonly name: string;
  readonly properties?: readonly JsonObject[];
  /** In the annotation. */
  readonly dependencies?: string;
}

function deploymentOf({ name }: Installed): KubeObject {
  const bundles = [{ name, uid: name, specHash: '' }];
  const record = { uid: `of-${name}`, bundles, installation: 'Done', groupKinds: [], namespaces: [] };
  return {
    apiVersion,
    kind: 'BundleDeployment',
    metadata: { name, uid: `of-${name}` },
    spec: { provisionerClassName: 'x', template },
    status: { activeBundle: name, record },
  } as unknown as KubeObject;
}

function bundleOf({ name, properties, dependencies }: Installed): KubeObject {
  const annotations = {
    ...(properties !== undefined && { 'core.rukpak.io/bundle-properties': JSON.stringify(properties) }),
    ...(dependencies !== undefined && { 'core.rukpak.io/dependencies': dependencies }),
  };
  return { apiVersion, kind: 'Bundle', metadata: { name, uid: name, annotations } };
}

const base = { name: 'base', properties: [{ type: 'olm.package', value: { packageName: 'base', version: '1.0.0' } }] };
const needsBase = { type: 'olm.package.required', value: { packageName: 'base', versionRange: '>=1.0.0' } };

/** The users of `base`. */
function usersAmong(others: readonly Installed[]): readonly string[] {
  const bundles = new Map([base, ...others].map((one) => [one.name, bundleOf(one)]));
  const live = deploymentOf(base);
  const deployments = [live, ...others.map(deploymentOf)];
  const caches = {
    bundles: { get: (name: string) => bundles.get(name) },
    deployments: { values: () => deployments },
  } as unknown as Parameters<typeof neededByOthers>[0];
  return neededByOthers(caches, live, [live]);
}

test('what needs it by a property, or by an annotation alone, is a user', () => {
  const dependencies = '- {type: olm.package, value: {packageName: base, version: ">=1.0.0"}}';
  const others = [
    { name: 'alone', properties: [{ type: 'olm.package', value: { packageName: 'alone', version: '1.0.0' } }] },
    { name: 'noted', properties: [needsBase] },
    { name: 'annotated', dependencies },
  ];
  expect(usersAmong(others).toSorted()).toEqual(['annotated', 'noted']);
});

const costly = Array.from({ length: 12 }, (_, index) => {
  const list = Array.from({ length: 1_500 }, () => '1').join(',');
  return { type: 'olm.constraint', value: { cel: { rule: `[${list}].size() > ${index}` } } };
});

test('what takes too long to read is not read, and counts as a user', () => {
  const others = Array.from({ length: 4 }, (_, index) => ({ name: `costly${index}`, properties: costly }));
  const users = usersAmong([{ name: 'noted', properties: [needsBase] }, ...others]);
  expect(users).toEqual(['noted', 'costly0', 'costly1', 'costly2', 'costly3']);
});

test('what takes too long to evaluate counts as a user', () => {
  const many = Array.from({ length: 2_000 }, (_, index) => ({ type: 'olm.label', value: { label: `l${index}` } }));
  const rule = 'properties.all(a, properties.all(b, a.type + b.type != "x"))';
  const slow = { type: 'olm.constraint', value: { cel: { rule } } };
  expect(usersAmong([{ name: 'slow', properties: [slow, ...many] }])).toEqual(['slow']);
});
