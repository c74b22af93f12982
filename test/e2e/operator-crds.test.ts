import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/index.ts';
import { acmeCsv, eventually, sampleCrd } from '../support/index.ts';
import type { Files } from './contents.ts';
import { operator } from './registry-contents.ts';
import { bundleDeployment, conditionOf, startWorld } from './world.ts';

const name = 'samples.samples.example.com';
const ref = { apiVersion: 'core.rukpak.io/v1alpha1', kind: 'BundleDeployment', name: 'sampler' };
const asTest = { fieldManager: 'test' };
const installed = { type: 'Installed', status: 'True', reason: 'InstallationSucceeded' };

/** The operator whose samples have these fields. */
function sampler(version: string, fields: JsonObject): Files {
  const schema = { type: 'object', properties: { spec: { type: 'object', properties: fields } } };
  const { status: _status, ...crd } = sampleCrd([{ name: 'v1', schema }]);
  const owned = [{ name, kind: 'Sample', version: 'v1' }];
  const csv = acmeCsv({ version, customresourcedefinitions: { owned } }, { name: `sampler.v${version}` });
  return operator([csv, crd]);
}

test('RV-S3, RV-S10, RV-S11 a CRD that is new passes, one that loses a field is refused until nothing is enforced', async () => {
  await using world = await startWorld();
  const crdRef = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name };
  const crdText = async (): Promise<string> => JSON.stringify((await world.kube.get(crdRef))['spec']);
  const size = { type: 'integer' };
  const first = world.imageSource('sampler:v1', sampler('1.0.0', { size, mode: { type: 'string' } }));
  const className = 'core-rukpak-io-registry';
  const options = { provisionerClassName: className, templateClassName: className };
  await world.kube.create(bundleDeployment('sampler', first, options), asTest);
  await world.deploymentWith('sampler', installed);
  const next = world.imageSource('sampler:v2', sampler('2.0.0', { mode: { type: 'string' } }));
  await world.kube.patch(ref, { spec: { template: { spec: { source: next } } } }, asTest);
  const refused = await world.deploymentWith('sampler', { ...installed, status: 'False', reason: 'UpgradeFailed' });
  expect(conditionOf(refused, 'Installed')?.message).toContain(
    `validating upgrade for CRD "${name}": existingFieldRemoval: removed field : v1.^.spec.size`,
  );
  await expect(crdText()).resolves.toContain('"size"');
  const annotations = { 'core.rukpak.io/safe-crd-upgrade-validation': 'false' };
  await world.kube.patch(ref, { metadata: { annotations } }, asTest);
  await eventually(async () => expect(await crdText()).not.toContain('"size"'));
  await world.deploymentWith('sampler', installed);
}, 240_000);
