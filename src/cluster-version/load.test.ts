import { rm, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from '../../test/support/index.ts';
import {
  clusterVersion,
  conditionText,
  openReleaseCluster,
  patchSpec,
  type ReleaseCluster,
  releaseImage,
} from '../../test/support/release-cluster.ts';
import { installed, settings, smallRelease, untilAt, untilCondition } from '../../test/support/small-release.ts';
import { type JsonObject, objectsAt, textAt } from '../base/index.ts';
import type { ClusterVersionOptions } from './controller.ts';
import type { Finding } from './facts.ts';

let cluster: ReleaseCluster;
let stack: AsyncDisposableStack;

beforeEach(async () => {
  stack = new AsyncDisposableStack();
  cluster = stack.use(await openReleaseCluster());
});

afterEach(() => stack.disposeAsync());

const user = { fieldManager: 'someone' };
const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'quay', name });
const update = (version: string, rest: JsonObject = {}): Promise<void> =>
  patchSpec(cluster.kube, { desiredUpdate: { image: releaseImage(version), ...rest } });
const valueNow = async (): Promise<unknown> => (await cluster.kube.get(configMap('x')))['data'];
const eventsNow = async (): Promise<string[]> => {
  const { items } = await cluster.kube.list({ apiVersion: 'v1', kind: 'Event' });
  return items.map((event) => `${textAt(event as JsonObject, 'type')} ${textAt(event as JsonObject, 'reason')}`);
};

/** 1.0.0 is installed; 1.1.0 can be requested. The folder of 1.1.0. */
async function installFirst(options: Partial<ClusterVersionOptions> = {}): Promise<string> {
  const manifest = (value: string): Record<string, JsonObject> => ({ '0000_10_a_10_x.yaml': settings('x', value) });
  const releases = {
    '1.0.0': await smallRelease(cluster, '1.0.0', manifest('1')),
    '1.1.0': await smallRelease(cluster, '1.1.0', manifest('2')),
  };
  stack.use(await installed(cluster, { releases, first: '1.0.0', ...options }));
  return releases['1.1.0'];
}

const image = releaseImage('1.1.0');
const refuse = (): Promise<boolean> => Promise.reject(new Error('unable to verify sha256:1 against keyrings: k'));
const blocking: Finding = { name: 'Moon', reason: 'NotFull', message: 'the moon is not full', isBlocking: true };

test('CV-20: a release that cannot be verified is not applied, and the running one stays', async () => {
  await installFirst({ verify: refuse });
  await update('1.1.0');
  const failure = 'The update cannot be verified: unable to verify sha256:1 against keyrings: k';
  const message = `Retrieving payload failed version="" image="${image}" failure=${failure}`;
  await untilCondition(cluster, 'ReleaseAccepted', `False RetrievePayload ${message}`);
  expect(await valueNow()).toEqual({ value: '1' });
  expect((await clusterVersion(cluster.kube)).status?.desired.version).toBe('1.0.0');
  await eventually(async () => expect(await eventsNow()).toContain('Warning RetrievePayloadFailed'));
});

test('CV-21: a verified release is recorded as such', async () => {
  await installFirst({ verify: () => Promise.resolve(true) });
  await update('1.1.0');
  await untilAt(cluster, '1.1.0');
  expect((await clusterVersion(cluster.kube)).status?.history?.map(({ verified }) => verified)).toEqual([true, false]);
});

test('CV-23: a release of another version than the requested one is not applied', async () => {
  await installFirst();
  await update('1.1.0', { version: '1.2.0' });
  const failure = 'release image version 1.1.0 does not match the expected upstream version 1.2.0';
  const message = `Verifying payload failed version="1.2.0" image="${image}" failure=${failure}`;
  await untilCondition(cluster, 'ReleaseAccepted', `False VerifyPayloadVersion ${message}`);
  expect(await valueNow()).toEqual({ value: '1' });
});

test('CV-24: a precondition that blocks is reported, and nothing is applied', async () => {
  await installFirst({ preconditions: () => Promise.resolve([blocking]) });
  await update('1.1.0');
  const text = 'Precondition "Moon" failed because of "NotFull": the moon is not full';
  const message = `Preconditions failed for payload loaded version="1.1.0" image="${image}": ${text}`;
  await untilCondition(cluster, 'ReleaseAccepted', `False PreconditionChecks ${message}`);
  expect(await valueNow()).toEqual({ value: '1' });
});

test('CV-57: the running release is accepted again when the request for another one is withdrawn', async () => {
  await installFirst({ verify: refuse });
  await update('1.1.0');
  await untilCondition(cluster, 'ReleaseAccepted', /^False/);
  await patchSpec(cluster.kube, { desiredUpdate: null });
  const message = `Payload loaded version="1.0.0" image="${releaseImage('1.0.0')}"`;
  await untilCondition(cluster, 'ReleaseAccepted', `True PayloadLoaded ${message}`);
  expect((await clusterVersion(cluster.kube)).status?.history).toHaveLength(1);
});

test('CV-58, CV-64: while another release is rejected or retrieved, the running one is reconciled as the spec has it', async () => {
  await installFirst({
    verify: (_, signal) => new Promise((_resolve, reject) => signal.addEventListener('abort', reject)),
  });
  await update('1.1.0');
  const message = `Retrieving and verifying payload version="" image="${image}"`;
  await untilCondition(cluster, 'ReleaseAccepted', `Unknown RetrievePayload ${message}`);
  await cluster.kube.patch(configMap('x'), { data: { value: 'wrong' } }, user);
  await eventually(async () => expect(await valueNow()).toEqual({ value: '1' }));
  const override = { kind: 'ConfigMap', group: '', namespace: 'quay', name: 'x', unmanaged: true };
  await patchSpec(cluster.kube, { overrides: [override] });
  await eventually(async () => expect((await clusterVersion(cluster.kube)).status?.observedGeneration).toBe(3));
  await untilCondition(cluster, 'Progressing', 'False Cluster version is 1.0.0');
  await cluster.kube.patch(configMap('x'), { data: { value: 'mine' } }, user);
  await cluster.kube.patch(
    { apiVersion: 'v1', kind: 'Namespace', name: 'quay' },
    { metadata: { ownerReferences: null } },
    user,
  );
  await eventually(async () =>
    expect(
      (await cluster.kube.get({ apiVersion: 'v1', kind: 'Namespace', name: 'quay' })).metadata.ownerReferences,
    ).toHaveLength(1),
  );
  expect(await valueNow()).toEqual({ value: 'mine' });
});

test('CV-59: a release that is rejected is not retrieved again because the status is written', async () => {
  let tries = 0;
  await installFirst({
    verify: () => {
      tries += 1;
      return refuse();
    },
  });
  await update('1.1.0');
  await untilCondition(cluster, 'ReleaseAccepted', /^False/);
  for (const channel of ['a', 'b', 'c']) await patchSpec(cluster.kube, { channel });
  await eventually(async () => expect((await clusterVersion(cluster.kube)).status?.observedGeneration).toBe(5));
  expect(tries).toBe(1);
});

test('CV-60: a forced update passes what fails, which the history and Events keep', async () => {
  await installFirst({ verify: refuse, preconditions: () => Promise.resolve([blocking]) });
  await update('1.1.0', { force: true });
  await untilAt(cluster, '1.1.0');
  const { status } = await clusterVersion(cluster.kube);
  const [newest] = objectsAt(status as unknown as JsonObject, 'history');
  expect(newest?.['acceptedRisks']).toBe(
    `Target release version="" image="${image}" cannot be verified, but continuing anyway because the update was forced: unable to verify sha256:1 against keyrings: k\nForced through blocking failures: Precondition "Moon" failed because of "NotFull": the moon is not full`,
  );
  expect(newest?.['verified']).toBe(false);
  await eventually(async () =>
    expect(await eventsNow()).toEqual(expect.arrayContaining(['Warning RetrievePayload', 'Warning PreconditionWarn'])),
  );
});

test.each([
  {
    name: 'the kind of the metadata',
    file: 'release-manifests/release-metadata',
    text: '{"kind":"other","version":"1.1.0"}',
    failure: 'unrecognized Cincinnati metadata kind "other"',
  },
  {
    name: 'two versions',
    file: 'release-manifests/release-metadata',
    text: '{"kind":"cincinnati-metadata-v0","version":"1.2.0"}',
    failure: 'version from image-references (1.1.0) differs from release-metadata (1.2.0)',
  },
  {
    name: 'a manifest that is none',
    file: 'release-manifests/0000_10_b_x.yaml',
    text: 'a: b',
    failure: `unable to decode manifest: Object 'Kind' is missing in '{"a":"b"}'`,
  },
])('CV-68: a release with a fault is refused before anything is written: $name', async ({ file, text, failure }) => {
  const folder = await installFirst();
  await writeFile(`${folder}/${file}`, text);
  await update('1.1.0');
  await eventually(async () => {
    const accepted = conditionText(await clusterVersion(cluster.kube), 'ReleaseAccepted') ?? '';
    expect(accepted).toMatch(/^False LoadPayload Loading payload failed /);
    expect(accepted).toContain(failure);
  });
  expect(await valueNow()).toEqual({ value: '1' });
});

test('CV-68: a folder that is no release is refused', async () => {
  const folder = await installFirst();
  await rm(`${folder}/manifests`, { recursive: true });
  await update('1.1.0');
  await untilCondition(cluster, 'ReleaseAccepted', /^False LoadPayload .*there is no directory manifests/s);
});

test('an image that no source has is named, with what to do', async () => {
  await installFirst();
  await update('9.9.9');
  await untilCondition(
    cluster,
    'ReleaseAccepted',
    /^False RetrievePayload .*Unable to download and prepare the update: no source has .*--release-image/,
  );
});
