import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { findingsOf, type TestFiles, tideCsv, tideFiles } from '../../../test/support/checked-bundle.ts';

const csvFile = 'manifests/tide-gauge.clusterserviceversion.yaml';
const crdFile = 'manifests/tide.example_gauges.yaml';
const crd = tideFiles[crdFile];
const second = '  - {name: v1beta1, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}}\n';

function found(files: TestFiles, ids: RegExp): readonly string[] {
  return findingsOf(files).filter((line) => ids.test(line.split(' ')[2] ?? ''));
}

const withCrd = (text: string): TestFiles => ({ ...tideFiles, [crdFile]: text });
const withCsv = (from: string, to: string): TestFiles => ({ ...tideFiles, [csvFile]: tideCsv.replace(from, to) });

test('BF-K1 a CRD with another name than plural and group', () => {
  expect(found(withCrd(crd.replace('name: gauges.tide.example', 'name: gauge.tide.example')), /CRD/)).toEqual([
    `${crdFile}:4:3 error CRD1 metadata.name: Invalid value: "gauge.tide.example": must be spec.names.plural+"."+spec.group`,
  ]);
});

test('BF-K2 two storage versions', () => {
  const [line = ''] = found(withCrd(crd + second.replace('storage: false', 'storage: true')), /CRD/);
  expect(line).toMatch(
    /gauges.yaml:13:3 error CRD4 spec.versions: Invalid value: .*: must have exactly one version marked as storage version/,
  );
});

test('BF-K3 an owned version is not in the CRD', () => {
  const key = 'tide.example/v2, Kind=Gauge';
  expect(found(withCsv('      version: v1\n', '      version: v2\n'), /^B\d/)).toEqual([
    `${csvFile}:13:7 error B2 Value ${key}: owned CRD "${key}" not found in bundle "tide-gauge.v0.4.0"`,
  ]);
});

test('BF-K4 a CRD is not owned', () => {
  const key = 'tide.example/v1, Kind=Gauge';
  const owned = '    - name: gauges.tide.example\n      version: v1\n      kind: Gauge\n';
  expect(found(withCsv(`    owned:\n${owned}`, '    owned: []\n'), /^B\d/)).toEqual([
    `${crdFile}:14:5 error B3 Value ${key}: CRD "${key}" is present in bundle "tide-gauge.v0.4.0" but not defined in CSV`,
  ]);
});

test('BF-K5 v1 is owned, and the CRD has v1beta1 as well', () => {
  expect(found(withCrd(crd + second), /^(B|CRD)\d/)).toEqual([]);
});

const oldCrd = `apiVersion: apiextensions.k8s.io/v1beta1
kind: CustomResourceDefinition
metadata: {name: gauges.tide.example}
spec:
  group: tide.example
  names: {plural: gauges, kind: Gauge}
  version: v1
`;

test('BF-K6 one kind as CRD of v1 and of v1beta1', () => {
  const key = 'tide.example/v1, Kind=Gauge';
  expect(found({ ...tideFiles, 'manifests/x.yaml': oldCrd }, /^(B|CRD)\d/)).toEqual([
    `manifests/x.yaml:7:3 error B1 Value ${key}: duplicate CRD "${key}" in bundle "tide-gauge.v0.4.0"`,
  ]);
});

test('a CRD of v1beta1 is evaluated as the v1 that is installed', () => {
  const service = '{service: {name: a, namespace: b, path: /c}}';
  const conversion = `  preserveUnknownFields: false\n  conversion: {strategy: Webhook, webhookClientConfig: ${service}}\n`;
  expect(found(withCrd(oldCrd + conversion), /^(B|CRD)\d*/)).toEqual([]);
  const unstructured =
    '  preserveUnknownFields: false\n  validation: {openAPIV3Schema: {properties: {spec: {properties: {a: {type: string}}}}}}\n';
  const [line = '', ...more] = found(withCrd(oldCrd + unstructured), /^(B|CRD)\d*/);
  expect(line).toMatch(/error CRD13 spec.versions\[0\].schema.openAPIV3Schema.properties\[spec\].type: Required value/);
  expect(more).toHaveLength(0);
});

test('a CRD of v1beta1 is warned about', () => {
  expect(found(withCrd(oldCrd), /^(B|CRD|L|T9)\d*/)).toEqual([
    `${crdFile}:1:1 warning T9 CustomResourceDefinition of apiextensions.k8s.io/v1beta1: deprecated in 1.16+, removed in 1.22`,
  ]);
});

test('BF-K7 a group of Kubernetes without approval', () => {
  const [line = ''] = found(withCrd(crd.replaceAll('tide.example', 'x.k8s.io')), /CRD/);
  expect(line).toContain(
    'error CRD12 metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups',
  );
});

test.each([
  {
    name: 'a schema without type',
    property: '{}',
    text: '.type: Required value: must not be empty for specified object fields',
  },
  {
    name: 'a default of another type',
    property: '{type: integer, default: two}',
    text: '.default: Invalid value: "string"',
  },
  {
    name: 'a rule that does not compile',
    property: '{type: string, x-kubernetes-validations: [{rule: "self > 1"}]}',
    text: '.x-kubernetes-validations[0].rule: Invalid value',
  },
])('schemas are checked: $name', ({ property, text }) => {
  const [line = ''] = found(withCrd(`${crd}              odd: ${property}\n`), /CRD13/);
  expect(line).toMatch(/gauges.yaml:26:\d+ error CRD13 spec.versions\[0\].schema.openAPIV3Schema.properties\[spec\]/);
  expect(line).toContain(text);
});

const account = 'apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: tide-gauge\n';

test('BF-B1 the ServiceAccount of the deployment is shipped', () => {
  const [line = ''] = found({ ...tideFiles, 'manifests/sa.yaml': account }, /^B/);
  expect(line).toContain(
    'manifests/sa.yaml:4:3 error B4 Value tide-gauge: invalid service account found in bundle. This',
  );
});

test('BF-B2 an Ingress', () => {
  const ingress = 'apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: x}\n';
  expect(found({ ...tideFiles, 'manifests/ingress.yaml': ingress }, /^T/)).toEqual([
    'manifests/ingress.yaml:2:1 error T1 Value networking.k8s.io/v1, Kind=Ingress: unsupported media type registry+v1 for bundle object',
  ]);
});

test('BF-B3 a Service with a namespace is a warning', () => {
  const service = 'apiVersion: v1\nkind: Service\nmetadata: {name: x, namespace: sea}\nspec: {ports: [{port: 1}]}\n';
  expect(found({ ...tideFiles, 'manifests/service.yaml': service }, /^T/)).toEqual([
    'manifests/service.yaml:3:21 warning T3 Value x: error validating object: metadata.namespace: Forbidden: not allowed on this type.',
  ]);
});

/** A ConfigMap that is so large when compressed, and in base64. */
function packed(bytes: number): TestFiles {
  const data = randomBytes(Math.floor((bytes * 9) / 16)).toString('base64');
  return {
    ...tideFiles,
    'manifests/large.json': { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' }, data: { data } },
  };
}

test('BF-B4 1.1 MB compressed', () => {
  const [line = ''] = found(packed(1_450_000), /^B/);
  expect(line).toMatch(
    /^manifests error B6 maximum bundle compressed size with gzip size exceeded: size=~1.1 MB , max=1.0 MB. Bundle uncompressed size is 1.1 MB/,
  );
});

test('BF-B5 0.95 MiB compressed', () => {
  const [line = ''] = found(packed(1_310_000), /^B/);
  expect(line).toMatch(/^manifests warning B7 nearing maximum bundle compressed size with gzip: size=~/);
});

test('BF-B6 a related image with capitals', () => {
  const image = 'UPPER/x';
  const files = withCsv('  - name: gauge\n', `  - name: upper\n    image: ${image}\n  - name: gauge\n`);
  const [line = ''] = found(files, /^B/);
  expect(line).toContain(
    `error B10 Field spec.relatedImages[0].image: relatedImages[0] has an invalid image pullspec "${image}": invalid reference format`,
  );
});

test('BF-B7 a name with a release', () => {
  const text = tideCsv
    .replace('tide-gauge.v0.4.0', 'tide-gauge-v1.0.0-2')
    .replace('version: 0.4.0', 'version: 1.0.0\n  release: "2"');
  expect(found({ ...tideFiles, [csvFile]: text }, /^(B|CSV1|CSV30|GP7)$/)).toEqual([]);
  const [line = ''] = found({ ...tideFiles, [csvFile]: text.replace('-2\n', '-3\n') }, /^B8/);
  expect(line).toContain('does not match expected name "tide-gauge-v1.0.0-2"');
});

test('manifests that a cluster would refuse are reported', () => {
  const map = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: Bad_Name\ndata: {a: b}\n';
  const [line = ''] = found({ ...tideFiles, 'manifests/map.yaml': map }, /^T/);
  expect(line).toContain(
    'manifests/map.yaml:4:3 error T7 ConfigMap "Bad_Name": metadata.name: Invalid value: "Bad_Name"',
  );
});

test('images that are used and not listed are reported, and those without digest', () => {
  const other = `    image: registry.example/tide/other:v1\n`;
  const files = { ...tideFiles, [csvFile]: tideCsv.replace(/ {4}image: registry.example.*\n/, other) };
  expect(found(files, /^T/).map((line) => line.replace(/@sha256:[0-9a-f]+/, ''))).toEqual([
    `${csvFile}:18:5 warning T14 related image "registry.example/tide/other:v1" is named without digest`,
    `${csvFile}:35:17 warning T13 image "registry.example/tide/gauge" is used but not in spec.relatedImages`,
  ]);
});

test('file names that differ only in case are reported', () => {
  const files = {
    ...tideFiles,
    'manifests/A.yaml': account.replace('tide-gauge', 'a'),
    'manifests/a.yaml': account.replace('tide-gauge', 'b'),
  };
  expect(found(files, /^T/)).toEqual([
    'manifests/a.yaml warning T11 manifests/a.yaml and manifests/A.yaml differ in upper and lower case only',
  ]);
});

test('a CRD whose conversion webhook the operator does not serve', () => {
  const conversion =
    '  conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {url: "https://a.example"}}}\n';
  const files = withCrd(crd.replace('spec:\n', `spec:\n${conversion}`));
  expect(found(files, /^T16$/)).toEqual([
    `${crdFile}:6:3 warning T16 custom resource definition 'gauges.tide.example' is converted by a webhook that no webhookdefinition serves: every conversion fails`,
  ]);
  expect(found(tideFiles, /^T16$/)).toEqual([]);
});
