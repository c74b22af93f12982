import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Finding } from '../../src/bundle-checks/index.ts';
import type { BundleFiles } from '../../src/formats/index.ts';
import { type BareCluster, openBareCluster } from '../support/bare-cluster.ts';
import { type TestFiles, testBundle, tideCsv, tideFiles, validateBundle } from '../support/checked-bundle.ts';
import { corpusBundle, expectedRenderings, hasCorpus } from '../support/index.ts';
import { filesOf, installationProblems, prepareNamespaces } from '../support/installable.ts';

let cluster: BareCluster;
beforeAll(async () => {
  cluster = await openBareCluster();
  await prepareNamespaces(cluster.kube);
});
afterAll(() => cluster[Symbol.asyncDispose]());

function flat({ manifests = [], metadata }: BundleFiles): TestFiles {
  const inFolder = (folder: string, entries: typeof metadata): [string, Buffer][] =>
    entries.flatMap((entry) =>
      entry.kind === 'file' ? [[`${folder}/${entry.name}`, Buffer.from(entry.content)]] : [],
    );
  return Object.fromEntries([...inFolder('manifests', manifests), ...inFolder('metadata', metadata)]);
}

function errorsOf(files: TestFiles): readonly Finding[] {
  const findings = validateBundle(testBundle(files), { select: ['default', 'installation'] });
  return findings.filter(({ severity }) => severity === 'error');
}

/** Of the corpus, with the findings of `bundle validate`. The cluster installs what it passes; what other tools for bundles ask for besides
 *  keeps a bundle from being published, not from being installed. */
const invalid: Readonly<Record<string, readonly string[]>> = {
  'eventing-kogito/1.1.0': ['L8'],
  'sigstore-helm-operator/0.0.1': ['B4'],
};

test.skipIf(!hasCorpus)(
  'bundles that bundle validate accepts are accepted by a cluster, in every install mode',
  { tags: 'long' },
  async () => {
    const found: Record<string, readonly string[]> = {};
    for (const { bundle } of expectedRenderings()) {
      const files = corpusBundle(bundle);
      const ids = [...new Set(errorsOf(flat(files)).map(({ id }) => id))];
      if (ids.length > 0) found[bundle] = ids;
      else expect(await installationProblems(cluster.kube, files), bundle).toEqual([]);
    }
    expect(found).toEqual(invalid);
  },
);

const csvFile = 'manifests/tide-gauge.clusterserviceversion.yaml';
const crdFile = 'manifests/tide.example_gauges.yaml';
const replaced = (from: string, to: string): TestFiles => {
  expect(tideCsv).toContain(from);
  return { ...tideFiles, [csvFile]: tideCsv.replace(from, to) };
};

test.each<[string, () => TestFiles]>([
  [
    'a CRD of v1beta1 that cannot be v1',
    () => ({ ...tideFiles, [crdFile]: betaCrd('{properties: {spec: {properties: {}}}}', false) }),
  ],
  [
    'a deployment with a label that is none',
    () => replaced('      - name: tide-gauge\n', '      - name: tide-gauge\n        label: {a: "b c"}\n'),
  ],
  ['a rule without verbs', () => replaced('          verbs: [get, list, watch]\n', '')],
])('a bundle that a cluster refuses is an error of bundle validate: %s', async (_name, make) => {
  const files = make();
  expect(await installationProblems(cluster.kube, filesOf(files))).not.toEqual([]);
  expect(errorsOf(files)).not.toEqual([]);
});

function betaCrd(schema: string, preserveUnknownFields = true): string {
  return `apiVersion: apiextensions.k8s.io/v1beta1
kind: CustomResourceDefinition
metadata: {name: gauges.tide.example}
spec:
  group: tide.example
  names: {plural: gauges, kind: Gauge}
  version: v1
  preserveUnknownFields: ${preserveUnknownFields}
  validation: {openAPIV3Schema: ${schema}}
`;
}

test('a CRD of v1beta1 that can be v1 without loss is accepted', async () => {
  const files = {
    ...tideFiles,
    [crdFile]: betaCrd('{properties: {spec: {properties: {a: {anyOf: [{type: integer}, {type: string}]}}}}}'),
  };
  expect(errorsOf(files)).toEqual([]);
  expect(await installationProblems(cluster.kube, filesOf(files))).toEqual([]);
});
