import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type JsonObject, parseYaml } from '../../../src/base/index.ts';
import type { KubeObject, ObjectMeta } from '../../core/kube-object.ts';
import type { ResourceType } from '../../core/resource-type.ts';
import { crdStatus } from './crd-status.ts';
import { resourceTypesOfCrd } from './custom-types.ts';

function readCrd(file: string): KubeObject {
  const text = readFileSync(new URL(`../../../crds/${file}`, import.meta.url), 'utf8');
  return parseYaml(file, text) as unknown as KubeObject;
}

function typeOf(file: string): ResourceType {
  const [type] = resourceTypesOfCrd(readCrd(file));
  if (type === undefined) throw new Error(`${file}: no version served`);
  return type;
}

const bundles = typeOf('core.rukpak.io_bundles.yaml');
const deployments = typeOf('core.rukpak.io_bundledeployments.yaml');

function refusal(type: ResourceType, spec: JsonObject, name = 'x'): string {
  const metadata: ObjectMeta = { name };
  const object: KubeObject = { apiVersion: 'core.rukpak.io/v1alpha1', kind: type.kind, metadata, spec };
  const errors = type.strategy.validate(object, undefined, undefined);
  return errors.map((error) => `${error.field}: ${error.message}`).join('\n');
}

const provisionerClassName = 'core-rukpak-io-plain';
const image = { ref: 'localhost/x:1' };
const git = (ref: JsonObject): JsonObject => ({ repository: 'https://x', ref });
const bundle = (source: JsonObject): JsonObject => ({ provisionerClassName, source });
const good = bundle({ type: 'image', image });

test('a valid Bundle and BundleDeployment are accepted', () => {
  expect(refusal(bundles, good)).toBe('');
  expect(refusal(deployments, { provisionerClassName, template: { spec: good } })).toBe('');
});

test('A1: a Bundle name over 52 characters', () => {
  expect(refusal(bundles, good, 'a'.repeat(53))).toBe('metadata.name: Too long: may not be more than 52 bytes');
});

test('A2: two source members', () => {
  const spec = bundle({ type: 'invalid source', image, git: git({ commit: 'x', tag: 'y' }) });
  expect(refusal(bundles, spec)).toContain('must validate one and only one schema (oneOf). Found 2 valid alternatives');
});

test('A3: no source member', () => {
  expect(refusal(bundles, bundle({ type: 'invalid source' }))).toContain(
    'must validate one and only one schema (oneOf). Found none valid',
  );
});

test('A4: two git references', () => {
  expect(refusal(bundles, bundle({ type: 'git', git: git({ commit: 'x', tag: 'y' }) }))).toContain(
    '"spec.source.git.ref" must validate one and only one schema (oneOf). Found 2 valid alternatives',
  );
});

test('A5: an empty git reference', () => {
  expect(refusal(bundles, bundle({ type: 'git', git: git({}) }))).toContain(
    '"spec.source.git.ref" must validate one and only one schema (oneOf). Found none valid',
  );
});

test('A6: a Bundle class that is no name', () => {
  expect(refusal(bundles, { ...good, provisionerClassName: 'invalid/class-name' })).toContain(
    'Invalid value: "invalid/class-name": spec.provisionerClassName',
  );
});

test('A7: a BundleDeployment name over 45 characters', () => {
  const spec = { provisionerClassName, template: { spec: good } };
  expect(refusal(deployments, spec, 'a'.repeat(46))).toBe('metadata.name: Too long: may not be more than 45 bytes');
});

test('A8, A9: BundleDeployment classes that are no names', () => {
  const bad = 'invalid/class-name';
  expect(refusal(deployments, { provisionerClassName: bad, template: { spec: good } })).toContain(
    'Invalid value: "invalid/class-name": spec.provisionerClassName',
  );
  const template = { spec: { ...good, provisionerClassName: bad } };
  expect(refusal(deployments, { provisionerClassName, template })).toContain(
    'Invalid value: "invalid/class-name": spec.template.spec.provisionerClassName',
  );
});

test('a CRD becomes Established in two steps and keeps its times', () => {
  const crd = readCrd('core.rukpak.io_bundles.yaml');
  const first = crdStatus(crd, [], 0);
  const second = crdStatus({ ...crd, status: first }, [], 5000);
  const third = crdStatus({ ...crd, status: second }, [], 9000);
  const states = (status: JsonObject): string => JSON.stringify(status['conditions']);
  expect(states(first)).toContain('"reason":"Installing","status":"False","type":"Established"');
  expect(states(second)).toContain('"reason":"InitialNamesAccepted","status":"True","type":"Established"');
  expect(states(second)).toContain('{"lastTransitionTime":"1970-01-01T00:00:00Z","message":"no conflicts found"');
  expect(third).toEqual(second);
  expect(second).toMatchObject({ acceptedNames: { plural: 'bundles', kind: 'Bundle' }, storedVersions: ['v1alpha1'] });
});

test('a CRD whose kind another one has is not accepted', () => {
  const crd = readCrd('core.rukpak.io_bundles.yaml');
  const other = {
    ...crd,
    metadata: { name: 'others.core.rukpak.io' },
    status: { acceptedNames: { plural: 'others', kind: 'Bundle' } },
  };
  expect(crdStatus(crd, [other], 0)['conditions']).toMatchObject([
    { type: 'NamesAccepted', status: 'False', reason: 'KindConflict', message: '"Bundle" is already in use' },
    { type: 'Established', status: 'False', reason: 'NotAccepted' },
  ]);
});

test('status is apart from the rest', () => {
  const object = (spec: JsonObject, status: JsonObject): KubeObject => ({
    apiVersion: 'core.rukpak.io/v1alpha1',
    kind: 'Bundle',
    metadata: { name: 'x' },
    spec,
    status,
  });
  const old = object(good, { phase: 'Pending' });
  const update = object({ ...good, provisionerClassName: 'b' }, { phase: 'Unpacked' });
  bundles.strategy.prepareForUpdate(update, old);
  expect(update['status']).toEqual({ phase: 'Pending' });
  expect(bundles.strategy.isNewGeneration(update, old)).toBe(true);
  const status = object({}, { phase: 'Unpacked', unknown: 1 });
  bundles.strategy.prepareForStatusUpdate(status, old);
  bundles.strategy.applyDefaults(status);
  expect(status).toEqual(object(good, { phase: 'Unpacked' }));
  expect(bundles.strategy.isNewGeneration(status, old)).toBe(false);
});
