import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { type DependencyPolicy, parseBundle, parseBundleDeployment } from '../../src/api/index.ts';
import type { JsonObject } from '../../src/base/index.ts';
import type { FactsReader } from '../review/facts.ts';
import { RuleEvaluator } from '../review/rule-evaluator.ts';
import { readClusterState } from './cluster-state.ts';
import { checkRemoval, checkTemplate } from './dependency-check.ts';

const apiVersion = 'core.rukpak.io/v1alpha1';
const packageKey = 'operators.operatorframework.io.bundle.package.v1';

function specOf(name: string): JsonObject {
  const source = { type: 'image', image: { ref: `registry.example/${name}:v1` } };
  return { provisionerClassName: 'core-rukpak-io-plain', source };
}

function bundleOf(name: string, annotations: JsonObject): JsonObject {
  const labels =
    annotations['core.rukpak.io/dependencies'] === undefined ? {} : { 'core.rukpak.io/has-dependencies': 'true' };
  const metadata = { name: `${name}-1`, uid: `${name}-1`, annotations, labels };
  return { apiVersion, kind: 'Bundle', metadata, spec: specOf(name), status: { phase: 'Unpacked' } };
}

function deploymentOf(name: string, annotations: JsonObject = {}): JsonObject {
  const spec = { provisionerClassName: 'core-rukpak-io-plain', template: { spec: specOf(name) } };
  const bundles = [{ name: `${name}-1`, uid: `${name}-1`, specHash: '' }];
  const record = { uid: name, bundles, installation: 'Done', groupKinds: [], namespaces: [] };
  const status = { activeBundle: `${name}-1`, record };
  return { apiVersion, kind: 'BundleDeployment', metadata: { name, uid: name, annotations }, spec, status };
}

const provides = { [packageKey]: 'base', 'core.rukpak.io/package-version': '1.0.0' };
const needs = {
  'core.rukpak.io/dependencies': '[{"type":"olm.package","value":{"packageName":"base","version":">=1.0.0"}}]',
};

function reader(bundles: readonly JsonObject[], deployments: readonly JsonObject[]): FactsReader & { asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    readConfigMap: () => Promise.resolve(undefined),
    readObjects: () => Readable.from([]),
    hasDependencies: () => {
      asked.push('dependencies');
      const label = 'core.rukpak.io/has-dependencies';
      return Promise.resolve(bundles.some((bundle) => parseBundle(bundle).metadata.labels?.[label] === 'true'));
    },
    listBundles: () => {
      asked.push('bundles');
      return Readable.from([bundles.map(parseBundle)]);
    },
    listDeployments: () => Readable.from([deployments.map(parseBundleDeployment)]),
    listPlatformOperators: () => Promise.resolve([]),
    offersFor: () => [],
    mayDo: () => Promise.resolve(true),
    isAbsent: () => Promise.resolve(false),
    servesApi: ({ kind }) => {
      asked.push(kind);
      return Promise.resolve(kind === 'Harbour');
    },
  };
}

function options(facts: FactsReader, dependencyPolicy: DependencyPolicy): Parameters<typeof checkRemoval>[1] {
  return { facts, rules: new RuleEvaluator(), dependencyPolicy, signal: new AbortController().signal };
}

const both = [bundleOf('base', provides), bundleOf('user', needs)];
const base = parseBundleDeployment(deploymentOf('base'));
const text = 'bundledeployment "base" is required by user';

test('the policy decides whether the removal of a requirement is allowed, warned of or denied; an annotation allows it', async () => {
  const facts = reader(both, [deploymentOf('base'), deploymentOf('user')]);
  expect(await checkRemoval(base, options(facts, 'warn'))).toMatchObject({ denials: [], warnings: [text] });
  expect(await checkRemoval(base, options(facts, 'enforce'))).toMatchObject({
    denials: [{ form: 'invalid', text }],
    warnings: [],
  });
  const ignoring = parseBundleDeployment(deploymentOf('base', { 'core.rukpak.io/ignore-dependencies': 'true' }));
  expect(await checkRemoval(ignoring, options(facts, 'enforce'))).toMatchObject({
    denials: [],
    warnings: [`${text} (allowed by the annotation core.rukpak.io/ignore-dependencies)`],
  });
  expect(await checkRemoval(base, options(facts, 'off'))).toMatchObject({ denials: [], warnings: [] });
});

test('the garbage collector does not delete a dependency of a PlatformOperator that others require, whatever the policy', async () => {
  const facts = reader(both, [deploymentOf('base'), deploymentOf('user')]);
  const collector = 'system:serviceaccount:kube-system:generic-garbage-collector';
  const denials = async (controller: boolean, username: string): Promise<number> => {
    const owner = { apiVersion: 'platform.openshift.io/v1alpha1', kind: 'PlatformOperator', name: 'p', uid: 'p' };
    const metadata = { ...base.metadata, ownerReferences: [{ ...owner, controller }] };
    return (await checkRemoval({ ...base, metadata }, options(facts, 'warn'), username)).denials.length;
  };
  expect(await denials(false, collector)).toBe(1);
  expect(await denials(false, 'admin')).toBe(0);
  // The package itself is deleted with its PlatformOperator.
  expect(await denials(true, collector)).toBe(0);
});

test('unmet dependencies of an unpacked bundle are reported for the deployment', async () => {
  const facts = reader(both, [deploymentOf('user')]);
  const user = parseBundleDeployment(deploymentOf('user'));
  const lacking = 'dependencies are not met: package base >=1.0.0';
  expect(await checkTemplate(user, options(facts, 'warn'))).toMatchObject({ denials: [], warnings: [lacking] });
  expect((await checkTemplate(user, options(facts, 'enforce'))).denials).toEqual([{ form: 'invalid', text: lacking }]);
  const unpacked = parseBundleDeployment(deploymentOf('other'));
  expect(await checkTemplate(unpacked, options(facts, 'enforce'))).toMatchObject({ denials: [], warnings: [] });
});

test('what a user has written on a Bundle denies nothing: neither on one of the name of an active one, nor on one of the same spec', async () => {
  const hers = {
    ...bundleOf('user', needs),
    metadata: { ...(bundleOf('user', needs)['metadata'] as JsonObject), uid: 'hers' },
  };
  const facts = reader([bundleOf('base', provides), hers], [deploymentOf('base'), deploymentOf('user')]);
  expect(await checkRemoval(base, options(facts, 'enforce'))).toMatchObject({ denials: [], warnings: [] });
  const lacking = 'dependencies are not met: package base >=1.0.0';
  const alone = reader([hers], [deploymentOf('other')]);
  const user = parseBundleDeployment(deploymentOf('user'));
  expect(await checkTemplate(user, options(alone, 'enforce'))).toMatchObject({ denials: [], warnings: [lacking] });
});

test('where nothing has dependencies no list is read', async () => {
  const facts = reader([bundleOf('base', provides)], [deploymentOf('base')]);
  expect(await checkTemplate(base, options(facts, 'enforce'))).toMatchObject({ denials: [], warnings: [] });
  expect(facts.asked).toEqual(['dependencies']);
});

const gvk = (kind: string): JsonObject => ({
  type: 'olm.gvk',
  value: { group: 'tide.example', version: 'v1', kind },
});

test('of the APIs that others need, those that the change may take away are looked for', async () => {
  const brings = { 'core.rukpak.io/bundle-properties': JSON.stringify([gvk('Harbour'), gvk('Unused')]) };
  const needed = [gvk('Harbour'), ...Array.from({ length: 200 }, (_, index) => gvk(`Absent${index}`))];
  const bundles = [
    bundleOf('base', brings),
    bundleOf('user', { 'core.rukpak.io/dependencies': JSON.stringify(needed) }),
  ];
  const facts = reader(bundles, [deploymentOf('base'), deploymentOf('user')]);
  expect(await checkRemoval(base, options(facts, 'enforce'))).toMatchObject({ denials: [{ form: 'invalid', text }] });
  expect(facts.asked).toEqual(['dependencies', 'bundles', 'Harbour']);
});

test('what bundles with very long annotations need denies nothing, what others need does', async () => {
  const long = (name: string): JsonObject => {
    const packageName = 'x'.repeat(60_000);
    const list = ['base', packageName].map((one) => ({
      type: 'olm.package',
      value: { packageName: one, version: '>=1.0.0' },
    }));
    return bundleOf(name, { 'core.rukpak.io/dependencies': JSON.stringify(list) });
  };
  const names = Array.from({ length: 8 }, (_, index) => `long${index}`);
  const facts = reader(
    [...both, ...names.map(long)],
    ['base', 'user', ...names].map((name) => deploymentOf(name)),
  );
  const { denials } = await checkRemoval(base, options(facts, 'enforce'));
  expect(denials).toEqual([
    { form: 'invalid', text: 'bundledeployment "base" is required by long0, long1, long2, long3, user' },
  ]);
});

test('what many bundles provide does not keep what they need from counting', async () => {
  const api = { type: 'olm.gvk', value: { group: 'x'.repeat(10_000), version: 'v1', kind: 'X' } };
  const both = { ...needs, 'core.rukpak.io/bundle-properties': JSON.stringify([api]) };
  const names = Array.from({ length: 100 }, (_, index) => `user${index}`);
  const facts = reader(
    [bundleOf('base', provides), ...names.map((name) => bundleOf(name, both))],
    ['base', ...names].map((name) => deploymentOf(name)),
  );
  const { active } = await readClusterState({ facts, signal: new AbortController().signal });
  expect(active.filter(({ dependencies }) => dependencies.length > 0)).toHaveLength(100);
});

test('of very many bundles those with the longest annotations are not kept, others count', async () => {
  const property = { type: 'other', value: 'x'.repeat(60_000) };
  const longest = { 'core.rukpak.io/bundle-properties': JSON.stringify([property]) };
  const names = Array.from({ length: 400 }, (_, index) => `long${index}`);
  const facts = reader(
    [...names.map((name) => bundleOf(name, longest)), ...both],
    [...names, 'base', 'user'].map((name) => deploymentOf(name)),
  );
  const { active } = await readClusterState({ facts, signal: new AbortController().signal });
  expect(active.length).toBeLessThan(300);
  expect(active.map(({ name }) => name)).toEqual(expect.arrayContaining(['base', 'user']));
});
