import { expect, test } from 'vitest';
import {
  shownFinding,
  type TestFiles,
  testBundle,
  tideFiles,
  validateBundle,
} from '../../../test/support/checked-bundle.ts';

const csvFile = 'manifests/tide-gauge.clusterserviceversion.yaml';
const crdFile = 'manifests/tide.example_gauges.yaml';
const metadataFile = 'metadata/annotations.yaml';
type Changes = readonly (readonly [from: string, to: string])[];

/** The bundle with pieces of one file replaced. */
function changed(file: keyof typeof tideFiles, ...changes: Changes): TestFiles {
  const text = changes.reduce((before, [from, to]) => {
    expect(before).toContain(from);
    return before.replace(from, () => to);
  }, tideFiles[file]);
  return { ...tideFiles, [file]: text };
}

const csv = (...changes: Changes): TestFiles => changed(csvFile, ...changes);
const crd = (...changes: Changes): TestFiles => changed(crdFile, ...changes);
const annotated = (...lines: readonly string[]): TestFiles =>
  csv(['spec:\n', `  annotations:\n${lines.map((line) => `    ${line}\n`).join('')}spec:\n`]);
const webhook = (more: string): TestFiles =>
  csv([
    '  relatedImages:',
    `  webhookdefinitions:\n  - {generateName: v.tide.example, type: ValidatingAdmissionWebhook, deploymentName: tide-gauge, sideEffects: None, admissionReviewVersions: [v1]${more}}\n  relatedImages:`,
  ]);
const converted = (webhookText: string, more = ''): TestFiles =>
  crd([
    '  scope: Namespaced\n',
    `  scope: Namespaced\n${more}  conversion: {strategy: Webhook, webhook: ${webhookText}}\n`,
  ]);
const configMap = (name: string): string => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n`;
const service = 'clientConfig: {service: {namespace: tide, name: gauge}}';

const cases: readonly { readonly id: string; readonly files: TestFiles; readonly text: string | RegExp }[] = [
  { id: 'F3', files: changed(metadataFile, ['annotations:\n', 'labels:\n']), text: 'Could not find annotations file' },
  { id: 'F13', files: changed(metadataFile, ['stable,candidate', '"stable, candidate"']), text: /channel/ },
  { id: 'CSV4', files: annotated('capabilities: Basic Install'), text: 'example annotations not found' },
  {
    id: 'CSV5',
    files: annotated('alm-examples: "[]"', 'olm.examples: "[]"'),
    text: 'both `alm-examples` and `olm.examples` are present. Checking only `alm-examples` ',
  },
  {
    id: 'CSV8',
    files: csv(['gauges.tide.example', 'gauges']),
    text: `: couldn't parse plural.group from crd name: gauges`,
  },
  { id: 'CSV16', files: tideFiles, text: /^csv\.Spec\.minKubeVersion is not informed\. It is recommended/ },
  { id: 'CSV21', files: csv(['operators.coreos.com/v1alpha1', '""']), text: `'apiVersion' is missing` },
  { id: 'CSV22', files: annotated('olm.operatorGroup: tide'), text: /olm\.operatorGroup/ },
  { id: 'CSV28', files: csv(['type: AllNamespaces', 'type: EveryNamespace']), text: /EveryNamespace/ },
  { id: 'CSV31', files: annotated(`description: ${'x'.repeat(210_000)}`), text: /annotations/ },
  { id: 'CSV34', files: webhook(', failurePolicy: Never'), text: /failurePolicy: Unsupported value: "Never"/ },
  { id: 'CSV35', files: webhook(', containerPort: 70000'), text: /70000/ },
  { id: 'CSV36', files: annotated(`olm.properties: '{"type": "x"}'`), text: /olm\.properties/ },
  {
    id: 'L7',
    files: crd(['apiextensions.k8s.io/v1', 'apiextensions.k8s.io/v2']),
    text: /^unsupported CRD version .*v2/,
  },
  { id: 'CRD2', files: crd(['  group: tide.example\n', '']), text: 'spec.group: Required value' },
  {
    id: 'CRD2',
    files: crd(['  group: tide.example\n', '  group: tide\n']),
    text: 'spec.group: Invalid value: "tide": should be a domain with at least one dot',
  },
  { id: 'CRD3', files: crd(['  scope: Namespaced\n', '']), text: 'spec.scope: Required value' },
  {
    id: 'CRD3',
    files: crd(['scope: Namespaced', 'scope: Everywhere']),
    text: 'spec.scope: Unsupported value: "Everywhere": supported values: "Cluster", "Namespaced"',
  },
  {
    id: 'CRD5',
    files: crd([
      '  - name: v1\n',
      '  - {name: v1, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}}\n  - name: v1\n',
    ]),
    text: /^spec\.versions: Invalid value: .*must contain unique version names$/s,
  },
  {
    id: 'CRD6',
    files: crd(['  - name: v1\n', '  - name: V1\n']),
    text: /^spec\.versions\[0\]\.name: Invalid value: "V1"/,
  },
  { id: 'CRD7', files: crd(['    kind: Gauge\n', '']), text: 'spec.names.kind: Required value' },
  {
    id: 'CRD8',
    files: crd(['listKind: GaugeList', 'listKind: Gauge']),
    text: 'spec.names.listKind: Invalid value: "Gauge": kind and listKind may not be the same',
  },
  {
    id: 'CRD9',
    files: converted('{conversionReviewVersions: [v1]}'),
    text: /^spec\.conversion\.webhookClientConfig: Required value/,
  },
  {
    id: 'CRD10',
    files: converted(`{${service}}`),
    text: 'spec.conversion.conversionReviewVersions: Required value',
  },
  {
    id: 'CRD11',
    files: converted(`{${service}, conversionReviewVersions: [v1]}`, '  preserveUnknownFields: true\n'),
    text: 'spec.conversion.strategy: Invalid value: "Webhook": must be None if spec.preserveUnknownFields is true',
  },
  {
    id: 'CRD14',
    files: crd([
      '    storage: true\n',
      '    storage: true\n    additionalPrinterColumns: [{name: x, type: odd, jsonPath: .x}]\n',
    ]),
    text: /additionalPrinterColumns\[0\]\.type: Invalid value/,
  },
  {
    id: 'CRD15',
    files: crd(['    served: true\n', '    served: true\n    serving: true\n']),
    text: /^unknown field "spec\.versions\[0\]\.serving"$/,
  },
  {
    id: 'T4',
    files: {
      ...tideFiles,
      'manifests/map.yaml': `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: map, annotations: {x: ${'x'.repeat(262_145)}}}\n`,
    },
    text: /metadata\.annotations: Too long: may not be more than 262144 bytes$/,
  },
  {
    id: 'B9',
    files: csv([/image: registry\.example\/tide\/gauge@sha256:\w+/.exec(tideFiles[csvFile])?.[0] ?? '', 'image: ""']),
    text: /^Field spec\.relatedImages\[0\]\.image: relatedImages\[0\] has an empty image field$/,
  },
  {
    id: 'B11',
    files: csv(
      ['spec:\n', '  annotations: {olm.substitutesFor: tide-gauge.v0.3.0}\nspec:\n'],
      ['  version: 0.4.0\n', '  version: 0.4.0\n  release: "2"\n'],
    ),
    text: 'bundle "tide-gauge.v0.4.0" cannot have both a release version ("2") and olm.substitutesFor annotation ("tide-gauge.v0.3.0")',
  },
  { id: 'T10', files: crd(['metadata:\n', 'metadata:\n  annotations: {tide: true}\n']), text: /tide/ },
  {
    id: 'T12',
    files: { ...tideFiles, 'manifests/a b.yaml': configMap('one'), 'manifests/a-b.yaml': configMap('two') },
    text: /a-b\.yaml/,
  },
  {
    id: 'DEP2',
    files: csv(['  version: 0.4.0\n', '  version: 0.4.0\n  minKubeVersion: "1.22"\n']),
    text: 'unable to use csv.Spec.MinKubeVersion to verify the CRD/Webhook apis because it has an invalid value: 1.22',
  },
  {
    id: 'DEP126',
    files: {
      ...tideFiles,
      'manifests/scaler.yaml': configMap('scaler')
        .replace('ConfigMap', 'HorizontalPodAutoscaler')
        .replace('v1', 'autoscaling/v2beta2'),
    },
    text: 'this bundle is using APIs which were deprecated and removed in v1.26. More info: https://kubernetes.io/docs/reference/using-api/deprecation-guide/#v1-26. Migrate the API(s) for HorizontalPodAutoscaler: (["scaler"])',
  },
  { id: 'T15', files: converted(`{${service}, conversionReviewVersions: [v1]}`), text: /no port, 443 is taken$/ },
];

test.each(cases)('$id has the message of the reference, in the line that it is about', ({ id, files, text }) => {
  const found = validateBundle(testBundle(files), { select: ['default', 'deprecated-apis'] }).filter(
    (finding) => finding.id === id,
  );
  const texts = found.map(({ message }) => message);
  expect(texts, found.map(shownFinding).join('\n')).toContainEqual(
    typeof text === 'string' ? text : expect.stringMatching(text),
  );
  expect(
    found.every(({ file = '', line = 0, fieldPath }) => /^m[ae]/.test(file) && (line > 0 || fieldPath === undefined)),
  ).toBe(true);
});

test('L11 a file that is too large to be read is reported with its size', () => {
  const large = { path: 'manifests/large.yaml', kind: 'too large', sizeBytes: 99 } as const;
  expect(validateBundle(testBundle(tideFiles, [large])).map(shownFinding)).toContainEqual(
    'manifests/large.yaml error L11 manifests/large.yaml: 99 bytes, more than what is read',
  );
});
