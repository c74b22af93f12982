import { expect, test } from 'vitest';
import {
  shownFinding,
  type TestFiles,
  testBundle,
  tideFiles,
  validateBundle,
} from '../../../test/support/checked-bundle.ts';

const csvFile = 'manifests/tide-gauge.clusterserviceversion.yaml';

function messagesOf(files: TestFiles): readonly string[] {
  return validateBundle(testBundle({ ...tideFiles, ...files }), { select: ['installation'] }).map(shownFinding);
}

test('a bundle that can be installed has no findings, and neither has a chart', () => {
  expect(messagesOf({})).toEqual([]);
  expect(messagesOf({ 'manifests/Chart.yaml': 'name: tide\nversion: 1.0.0\n' })).toEqual([]);
});

test('errors that prevent unpacking are reported with the same message', () => {
  const ingress = 'apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: web}\n';
  expect(messagesOf({ 'manifests/web.yaml': ingress })).toEqual([
    `${csvFile}:1:1 error INST2 unsupported resource "web" with kind "Ingress"`,
  ]);
});

test('rendered objects that no cluster would accept are reported, too', () => {
  const csv = tideFiles[csvFile].replace('labels: {app: tide-gauge}', 'labels: {app: other}');
  expect(messagesOf({ [csvFile]: csv })).toEqual([
    `${csvFile}:1:1 error INST2 deployment 'tide-gauge': spec.selector.matchLabels does not match the labels of its Pod template`,
  ]);
});

test('metadata of Pods that a cluster would refuse is reported', () => {
  const csv = tideFiles[csvFile].replace(
    'labels: {app: tide-gauge}',
    "labels: {app: tide-gauge}\n              annotations: {'not a key': x}",
  );
  expect(messagesOf({ [csvFile]: csv })).toEqual([
    expect.stringContaining(
      `${csvFile}:1:1 error INST3 Deployment/tide-gauge: spec.template.annotations: Invalid value`,
    ),
  ]);
});

test('what cannot be read is reported once', () => {
  const found = messagesOf({ 'manifests/notes.yaml': 'words' });
  expect(found).toHaveLength(1);
  expect(found[0]).toMatch(/^manifests\/notes\.yaml:1:1 error INST1 error parsing objects in "manifests\/notes\.yaml"/);
});

test('a field that is named in the words has its line', () => {
  const crd = 'manifests/tide.example_gauges.yaml';
  const [line = ''] = messagesOf({ [crd]: tideFiles[crd].replace('scope: Namespaced', 'scope: [Namespaced]') });
  expect(line).toMatch(/^manifests\/tide\.example_gauges\.yaml:7:3 error INST1 .*spec\.scope/);
});

test('a bundle without any install mode is reported as unsupported', () => {
  const csv = tideFiles[csvFile].replace('supported: true', 'supported: false');
  expect(messagesOf({ [csvFile]: csv })).toEqual([
    `${csvFile}:1:1 error INST2 unsupported bundle: bundle must support at least one of [AllNamespaces SingleNamespace OwnNamespace] install modes`,
  ]);
});

test('an API version that is a number is reported', () => {
  const service = 'apiVersion: 1\nkind: Service\nmetadata: {name: gauge}\nspec: {ports: [{port: 443}]}\n';
  expect(messagesOf({ 'manifests/service.yaml': service })).toEqual([
    expect.stringMatching(/^manifests\/service\.yaml:1:1 error INST1 .*apiVersion: expected a string/) as string,
  ]);
});
