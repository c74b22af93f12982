import { expect, test } from 'vitest';
import { testBundle, tideFiles, validateBundle } from '../../../test/support/checked-bundle.ts';
import type { ImagePlatform } from '../check.ts';

const csvFile = 'manifests/tide-gauge.clusterserviceversion.yaml';
const manager = 'registry.example/tide/gauge@sha256:9b2a28eb47540823042a2ba401386845089bb7b62a9637d55816132c4c3c36eb';
const other = 'registry.example/tide/probe:v1';
const [amd64, arm64] = [
  { os: 'linux', architecture: 'amd64' },
  { os: 'linux', architecture: 'arm64' },
];

function messagesOf(
  images: Readonly<Record<string, readonly ImagePlatform[] | string>>,
  change: (csv: string) => string = (csv) => csv,
): readonly string[] {
  const bundle = testBundle({ ...tideFiles, [csvFile]: change(tideFiles[csvFile]) });
  const context = { images: new Map(Object.entries(images)) };
  return validateBundle(bundle, { select: ['multiarch'], context }).map(({ id, message }) => `${id} ${message}`);
}

function withAffinity(...architectures: readonly string[]): (csv: string) => string {
  const term = `{matchExpressions: [{key: kubernetes.io/arch, operator: In, values: [${architectures.join(', ')}]}, {key: kubernetes.io/os, operator: In, values: [linux]}]}`;
  const affinity = `affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [${term}]}}}`;
  return (csv) =>
    csv.replace('serviceAccountName: tide-gauge\n', `serviceAccountName: tide-gauge\n              ${affinity}\n`);
}

function withLabels(...labels: readonly string[]): (csv: string) => string {
  const lines = labels.map((label) => `    operatorframework.io/${label}: supported\n`).join('');
  return (csv) => csv.replace('spec:\n', `  labels:\n${lines}spec:\n`);
}

test('there are no findings if image and affinity agree on the one default platform', () => {
  expect(messagesOf({ [manager]: [amd64] }, withAffinity('amd64'))).toEqual([]);
});

test('an image that cannot be read is reported with its cause, and not checked further', () => {
  expect(messagesOf({ [manager]: 'no answer' })).toEqual([
    `M1 unable to inspect the image (${manager}) : no answer`,
    `M6 check if the CSV is missing a node affinity configuration for the image: "${manager}".`,
  ]);
});

test('a platform that is promised and not there is an error; without labels amd64 is promised', () => {
  expect(messagesOf({ [manager]: [arm64] }, withAffinity('arm64'))[0]).toBe(
    `M2 not all images specified are providing the support described via the CSV labels. Note that (OS.architecture): (linux.amd64) was not found for the image(s) [${manager}]`,
  );
  const labels = withLabels('arch.amd64', 'arch.arm64');
  const found = messagesOf({ [manager]: [amd64] }, (csv) => labels(withAffinity('amd64')(csv)));
  expect(found.map((text) => text.slice(0, 2))).toEqual(['M2']);
  expect(found[0]).toContain('(linux.arm64)');
});

test('platforms of the manager without a label are reported, architectures and operating systems', () => {
  const windows = { os: 'windows', architecture: 'amd64' };
  const found = messagesOf({ [manager]: [amd64, arm64, windows] }, withLabels('arch.amd64'));
  expect(found.find((text) => text.startsWith('M3'))).toContain(
    `(operatorframework.io/arch.<value>) for the Arch(s): ["arm64"]. Be aware that your Operator manager image [${manager}]`,
  );
  expect(found.find((text) => text.startsWith('M4'))).toContain('for the OS(s): ["linux" "windows"]');
});

test('another image that lacks a platform of the manager is reported', () => {
  const more = (csv: string): string =>
    withAffinity(
      'amd64',
      'arm64',
    )(withLabels('arch.amd64', 'arch.arm64')(csv)).replace(
      '  relatedImages:\n',
      `  relatedImages:\n  - {name: probe, image: "${other}"}\n`,
    );
  const found = messagesOf({ [manager]: [amd64, arm64], [other]: [amd64] }, more);
  expect(found.map((text) => text.slice(0, 2))).toEqual(['M5', 'M2'].toSorted());
  expect(found.find((text) => text.startsWith('M5'))).toContain(
    `check if the image ${other} should not support ["arm64"]. Note that this CSV has labels for this Arch(s)`,
  );
});

test('a node affinity that is missing, too wide or too narrow is reported', () => {
  expect(messagesOf({ [manager]: [amd64] })).toEqual([
    `M6 check if the CSV has a missing or invalid node affinity configuration for the image: "${manager}". The image data suggests the following platforms are supported: ["linux/amd64"]`,
  ]);
  expect(messagesOf({ [manager]: [amd64] }, withAffinity('amd64', 's390x'))).toEqual([
    `M7 the CSV includes ["linux/s390x"] in the node affinity configuration for the image: "${manager}", but the image data suggests the following platforms are supported: ["linux/amd64"]`,
  ]);
  const labels = withLabels('arch.amd64', 'arch.arm64');
  expect(messagesOf({ [manager]: [amd64, arm64] }, (csv) => labels(withAffinity('amd64')(csv)))).toEqual([
    `M8 the image data indicates ["linux/arm64"] is supported for the image: "${manager}", but the node affinity configuration for the image only specifies ["linux/amd64"]`,
  ]);
});
