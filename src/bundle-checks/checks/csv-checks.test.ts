import { expect, test } from 'vitest';
import { findingsOf, type TestFiles, tideCsv, tideFiles } from '../../../test/support/checked-bundle.ts';

const file = 'manifests/tide-gauge.clusterserviceversion.yaml';

/** The bundle with pieces of its ClusterServiceVersion replaced. */
function changed(...changes: readonly (readonly [string, string])[]): TestFiles {
  const text = changes.reduce((before, [from, to]) => {
    expect(before).toContain(from);
    return before.replace(from, () => to);
  }, tideCsv);
  return { ...tideFiles, [file]: text };
}

function annotated(...lines: readonly string[]): TestFiles {
  return changed(['spec:\n', `  annotations:\n${lines.map((line) => `    ${line}\n`).join('')}spec:\n`]);
}

/** Findings with these ids, without the file. */
function found(files: TestFiles, ids = /CSV\d+|L6/): readonly string[] {
  return findingsOf(files)
    .filter((line) => ids.test(line.split(' ')[2] ?? ''))
    .map((line) => line.replace(`${file}:`, ''));
}

const errorsOf = (files: TestFiles): readonly string[] => found(files).filter((line) => line.includes(' error '));
const replicas = '          replicas: 1\n';
const modes = '  installModes:\n  - type: AllNamespaces\n    supported: true\n';

test('BF-C1 a name of 64 characters', () => {
  const name = `tide.v${'1'.repeat(58)}`;
  expect(errorsOf(changed(['tide-gauge.v0.4.0', name]))).toEqual([
    `4:3 error CSV1 metadata.name "${name}" is invalid: must be no more than 63 bytes`,
  ]);
});

test('BF-C2 a name with capitals', () => {
  const [line = ''] = errorsOf(changed(['tide-gauge.v0.4.0', 'Tide.v1']));
  expect(line).toContain(
    '4:3 error CSV1 metadata.name "Tide.v1" is invalid: a lowercase RFC 1123 subdomain must consist',
  );
});

test('BF-C3 replaces is no name', () => {
  const [line = ''] = errorsOf(changed(['spec:\n', 'spec:\n  replaces: Bad_Name\n']));
  expect(line).toContain('6:3 error CSV2 spec.replaces "Bad_Name" is invalid: a lowercase RFC 1123 subdomain');
});

test('BF-C4 no annotations', () => {
  expect(found(tideFiles, /^CSV([3-9]|1[01])$/)).toEqual(['3:1 warning CSV3 annotations not found']);
});

test('BF-C5 the examples are cut off', () => {
  expect(errorsOf(annotated("alm-examples: '{'"))).toEqual([
    '6:5 error CSV6 Value invalid character at 1\n {<--(see the invalid character): invalid example',
  ]);
  expect(errorsOf(annotated(`alm-examples: '[{"a": 1,}]'`))).toEqual([
    '6:5 error CSV6 Value invalid character at 10\n [{"a": 1,}<--(see the invalid character): invalid example',
  ]);
});

test('BF-C6 the examples are an object', () => {
  expect(errorsOf(annotated("alm-examples: '{}'"))).toEqual([
    '6:5 error CSV7 Value json: cannot unmarshal object into a list of objects: error decoding example CustomResource',
  ]);
});

test('BF-C7 an example of a foreign kind', () => {
  const files = annotated(`alm-examples: '[{"apiVersion": "tide.example/v1", "kind": "Moon"}]'`);
  expect(found(files, /^CSV([4-9]|1[01])$/)).toEqual([
    '6:5 error CSV9 Value tide.example/v1, Kind=Moon: example must have a provided API',
    '6:5 warning CSV10 Value tide.example/v1, Kind=Gauge: provided API should have an example annotation',
  ]);
});

test('empty examples count as none', () => {
  expect(found(annotated('alm-examples: ""'), /^CSV([4-9]|1[01])$/)).toEqual([
    '6:5 warning CSV10 Value tide.example/v1, Kind=Gauge: provided API should have an example annotation',
  ]);
});

test('examples are held against the schemas of the CRDs', () => {
  const example = { apiVersion: 'tide.example/v1', kind: 'Gauge', metadata: {}, spec: { station: 'X', tide: 1 } };
  expect(found(annotated(`alm-examples: '${JSON.stringify([example])}'`), /CSV2[34]/)).toEqual([
    '6:5 warning CSV23 example[0] Gauge: spec.station: Invalid value: "X": spec.station in body should be at least 3 chars long',
    '6:5 warning CSV24 example[0] Gauge: unknown field "spec.tide"',
  ]);
});

test('in examples that are written line for line, the line is named', () => {
  const block = [
    '|-',
    '[',
    '  {"apiVersion": "tide.example/v1", "kind": "Gauge",',
    '   "spec": {',
    '     "station": "X",',
  ];
  const examples = (rest: string): string => `alm-examples: ${[...block, rest].join('\n      ')}`;
  expect(found(annotated(examples('  "tide": 1}}]')), /CSV2[34]/)).toEqual([
    expect.stringMatching(/^10:12 warning CSV23 example\[0\] Gauge: spec.station: Invalid value/) as string,
    '11:9 warning CSV24 example[0] Gauge: unknown field "spec.tide"',
  ]);
  expect(found(annotated(examples('  "tide": 1}},\n        {"kind": "Moon"}]')), /CSV9/)).toEqual([
    expect.stringMatching(/^12:10 error CSV9 /) as string,
  ]);
  expect(found(annotated(examples('  tide: 1}}]')), /CSV6/)).toEqual([
    expect.stringMatching(/^11:9 error CSV6 /) as string,
  ]);
});

test('list items with empty required fields are reported', () => {
  const files = changed(
    ['    supported: true\n', ''],
    ['  - name: gauge\n    image:', '  - image:'],
    [
      '      kind: Gauge\n',
      '      kind: Gauge\n      resources: [{kind: Pod}]\n      specDescriptors: [{description: x}]\n',
    ],
  );
  expect(found(files, /CSV37/)).toEqual([
    expect.stringMatching(/warning CSV37 spec\.installModes\[0\]\.supported is missing$/) as string,
    expect.stringMatching(
      /CSV37 spec\.customresourcedefinitions\.owned\[0\]\.resources\[0\]\.version is missing$/,
    ) as string,
    expect.stringMatching(
      /CSV37 spec\.customresourcedefinitions\.owned\[0\]\.specDescriptors\[0\]\.path is missing$/,
    ) as string,
    expect.stringMatching(/CSV37 spec\.relatedImages\[0\]\.name is missing$/) as string,
  ]);
});

test('BF-C8 no install modes', () => {
  expect(errorsOf(changed([modes, '']))).toEqual(['5:1 error CSV12 install modes not found']);
});

test('BF-C9 all install modes are false', () => {
  expect(errorsOf(changed(['supported: true', 'supported: false']))).toEqual([
    '8:3 error CSV15 none of InstallModeTypes are supported',
  ]);
});

test('BF-C10 an install mode is listed twice', () => {
  const twice = `${modes}  - {type: OwnNamespace, supported: true}\n  - {type: OwnNamespace, supported: false}\n`;
  expect(errorsOf(changed([modes, twice]))).toEqual(['12:5 error CSV13 duplicate install modes present']);
});

test('BF-C11 a conversion webhook, and OwnNamespace too', () => {
  const webhook =
    '  webhookdefinitions:\n  - type: ConversionWebhook\n    generateName: c.tide.example\n    deploymentName: tide-gauge\n    sideEffects: None\n    admissionReviewVersions: [v1]\n    conversionCRDs: [gauges.tide.example]\n';
  const files = changed([modes, `${modes}  - {type: OwnNamespace, supported: true}\n${webhook}`]);
  expect(errorsOf(files)).toEqual([
    '18:5 error CSV14 only AllNamespaces InstallModeType is supported when conversionCRDs is present',
  ]);
});

test('BF-C12 no displayName', () => {
  expect(errorsOf(changed(['  displayName: Tide gauge\n', '']))).toEqual([
    '5:1 error CSV18 Field Spec.DisplayName, Value field: required field missing',
  ]);
});

test('BF-C13 no strategy', () => {
  expect(errorsOf(changed(['    strategy: deployment\n', '']))).toEqual([
    '19:3 error CSV18 Field Spec.InstallStrategy.StrategyName, Value field: required field missing',
  ]);
});

test('missing required fields of list items are reported', () => {
  expect(errorsOf(changed(['      kind: Gauge\n', '']))).toContain(
    '13:7 error CSV18 Field spec.customresourcedefinitions.owned[0].kind, Value field: required field missing',
  );
});

test('BF-C14 olm.SkipRange', () => {
  expect(errorsOf(annotated('olm.SkipRange: "<1.0.0"'))).toEqual([
    '6:5 error CSV19 provided annotation olm.SkipRange uses wrong case and should be olm.skipRange instead',
  ]);
});

test('BF-C15 olm.properties', () => {
  expect(found(annotated("olm.properties: '[]'"), /CSV20/)).toEqual([
    '6:5 warning CSV20 found olm.properties annotation, please define these properties in metadata/properties.yaml instead',
  ]);
});

test('BF-R5 a tolerant spec.version is accepted', () => {
  expect(errorsOf(changed(['version: 0.4.0', 'version: v1.2']))).toEqual([]);
  expect(errorsOf(changed(['version: 0.4.0', 'version: 1.2-rc']))).toEqual([
    '7:3 error CSV29 spec.version "1.2-rc" is invalid: Short version cannot contain PreRelease/Build meta data',
  ]);
});

test('BF-R6 minKubeVersion with two numbers', () => {
  expect(errorsOf(changed(['spec:\n', 'spec:\n  minKubeVersion: "1.22"\n']))).toEqual([
    '6:3 error CSV17 csv.Spec.MinKubeVersion has an invalid value: 1.22',
  ]);
});

test('BF-R8 a release with a leading zero', () => {
  expect(errorsOf(changed(['spec:\n', 'spec:\n  release: "01"\n']))).toEqual([
    '6:3 error CSV30 numeric identifiers in release version must not have leading zeros',
  ]);
});

test('BF-R4 skipRange with a comma', () => {
  const [line = ''] = errorsOf(annotated('olm.skipRange: ">=1.0.0, <2.0.0"'));
  expect(line).toContain(
    '6:5 error CSV27 olm.skipRange ">=1.0.0, <2.0.0" is invalid: Could not parse Range ">=1.0.0,"',
  );
});

test('skips are names', () => {
  const [line = ''] = errorsOf(changed(['spec:\n', 'spec:\n  skips: [tide.v1, Bad_Name]\n']));
  expect(line).toContain('6:20 error CSV26 spec.skips[1] "Bad_Name" is invalid: ');
});

test('a number in place of a string is reported as it is written', () => {
  expect(errorsOf(changed(['version: 0.4.0', 'version: 1.10']))).toEqual([
    `7:3 error L6 unable to parse CSV ${file}: spec.version: expected a string, found the number 1.1 (written 1.10)`,
  ]);
});

test('all annotations that are not strings are reported at their keys', () => {
  expect(errorsOf(annotated('certified: true', 'other: [1]')).map((line) => line.slice(0, 12))).toEqual([
    '6:5 error L6',
    '7:5 error L6',
  ]);
});

test('unknown fields are warnings, deep ones too', () => {
  expect(found(changed([replicas, `${replicas}          replica: 2\n`]), /CSV25/)).toEqual([
    '26:11 warning CSV25 unknown field "spec.install.spec.deployments[0].spec.replica"',
  ]);
});

test('deployments are validated like by a cluster', () => {
  const files = changed([
    '              - name: manager\n',
    '              - name: Manager\n                env: [{value: x}]\n',
  ]);
  expect(errorsOf(files).map((line) => line.slice(0, 120))).toEqual([
    expect.stringContaining(
      '34:17 error CSV32 spec.install.spec.deployments[0].spec.template.spec.containers[0].name: Invalid value: "Manager"',
    ),
    expect.stringContaining(
      '35:23 error CSV32 spec.install.spec.deployments[0].spec.template.spec.containers[0].env[0].name: Required value',
    ),
  ]);
});

test('a mount of the volume with certificates that the installation adds is fine where it does', () => {
  const mount = ['volumeMounts: [{name: apiservice-cert, mountPath: /certificates}]', 'name: manager'];
  const mounting: [string, string] = [
    '              - name: manager\n',
    `              - ${mount.toReversed().join('\n                ')}\n`,
  ];
  const webhook = `  webhookdefinitions:
  - {type: ValidatingAdmissionWebhook, generateName: v.tide.example, deploymentName: tide-gauge, sideEffects: None, admissionReviewVersions: [v1]}
  install:
`;
  expect(errorsOf(changed(mounting))).toEqual([
    expect.stringContaining('volumeMounts[0].name: Not found: "apiservice-cert"'),
  ]);
  expect(errorsOf(changed(mounting, ['  install:\n', webhook]))).toEqual([]);
});

test('a permission to do nothing is one', () => {
  const rules = tideCsv.slice(tideCsv.indexOf('        rules:\n'));
  expect(errorsOf(changed([rules, '        rules: []\n']))).toEqual([]);
});

test('permissions are validated like by a cluster', () => {
  expect(errorsOf(changed(['          verbs: [get, list, watch]\n', '']))).toEqual([
    '39:11 error CSV33 spec.install.spec.clusterPermissions[0].rules[0].verbs: Required value: verbs must contain at least one value',
  ]);
});
