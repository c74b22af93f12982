import { expect, test } from 'vitest';
import {
  shownFinding,
  type TestFiles,
  testBundle,
  tideFiles,
  validateBundle,
} from '../../../test/support/checked-bundle.ts';

const csvFile = 'manifests/tide-gauge.clusterserviceversion.yaml';

function said(files: TestFiles): readonly string[] {
  return validateBundle(testBundle({ ...tideFiles, ...files }), { select: ['installation'] }).map(shownFinding);
}

test('nothing is said of a bundle that can be installed, nor of one that is a chart', () => {
  expect(said({})).toEqual([]);
  expect(said({ 'manifests/Chart.yaml': 'name: tide\nversion: 1.0.0\n' })).toEqual([]);
});

test('what would keep the bundle from being unpacked is said in the same words', () => {
  const ingress = 'apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: web}\n';
  expect(said({ 'manifests/web.yaml': ingress })).toEqual([
    `${csvFile}:1:1 error INST2 unsupported resource "web" with kind "Ingress"`,
  ]);
});

test('what no cluster would take although it can be rendered is said, too', () => {
  const csv = tideFiles[csvFile].replace('labels: {app: tide-gauge}', 'labels: {app: other}');
  expect(said({ [csvFile]: csv })).toEqual([
    `${csvFile}:1:1 error INST2 deployment 'tide-gauge': spec.selector.matchLabels does not match the labels of its Pod template`,
  ]);
});

test('metadata of Pods that a cluster would refuse is reported', () => {
  const csv = tideFiles[csvFile].replace(
    'labels: {app: tide-gauge}',
    "labels: {app: tide-gauge}\n              annotations: {'not a key': x}",
  );
  expect(said({ [csvFile]: csv })).toEqual([
    expect.stringContaining(
      `${csvFile}:1:1 error INST3 Deployment/tide-gauge: spec.template.annotations: Invalid value`,
    ),
  ]);
});

test('what cannot be read is said once', () => {
  const found = said({ 'manifests/notes.yaml': 'words' });
  expect(found).toHaveLength(1);
  expect(found[0]).toMatch(/^manifests\/notes\.yaml:1:1 error INST1 error parsing objects in "manifests\/notes\.yaml"/);
});

test('a field that is named in the words has its line', () => {
  const crd = 'manifests/tide.example_gauges.yaml';
  const [line = ''] = said({ [crd]: tideFiles[crd].replace('scope: Namespaced', 'scope: [Namespaced]') });
  expect(line).toMatch(/^manifests\/tide\.example_gauges\.yaml:7:3 error INST1 .*spec\.scope/);
});

test('a bundle without any install mode is told to be unsupported', () => {
  const csv = tideFiles[csvFile].replace('supported: true', 'supported: false');
  expect(said({ [csvFile]: csv })).toEqual([
    `${csvFile}:1:1 error INST2 unsupported bundle: bundle must support at least one of [AllNamespaces SingleNamespace OwnNamespace] install modes`,
  ]);
});

test('an API version that is a number is told', () => {
  const service = 'apiVersion: 1\nkind: Service\nmetadata: {name: gauge}\nspec: {ports: [{port: 443}]}\n';
  expect(said({ 'manifests/service.yaml': service })).toEqual([
    expect.stringMatching(/^manifests\/service\.yaml:1:1 error INST1 .*apiVersion: expected a string/) as string,
  ]);
});
