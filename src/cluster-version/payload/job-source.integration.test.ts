import { execFile } from 'node:child_process';
import { mkdir, readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../../../test/support/index.ts';
import { isRealCluster } from '../../../test/support/real-cluster.ts';
import {
  clusterVersion,
  openReleaseCluster,
  patchSpec,
  type ReleaseCluster,
  releaseImage,
} from '../../../test/support/release-cluster.ts';
import { installed, settings, smallRelease, untilAt, untilCondition } from '../../../test/support/small-release.ts';
import {
  formatTimestamp,
  type JsonObject,
  objectAt,
  objectsAt,
  silentLogger,
  systemClock,
  textAt,
} from '../../base/index.ts';
import { createKindCache, type KubeObject } from '../../kube/index.ts';
import { engineNamespace, jobSource } from './job-source.ts';
import { localSource } from './release-sources.ts';

const run = promisify(execFile);
const user = { fieldManager: 'kubelet' };
const jobKind = { apiVersion: 'batch/v1', kind: 'Job' };

let cluster: ReleaseCluster;
let stack: AsyncDisposableStack;
/** The volume of the claim. */
let volume: string;

beforeEach(async () => {
  stack = new AsyncDisposableStack();
  cluster = stack.use(await openReleaseCluster());
  volume = join(cluster.folder, 'volume');
  await mkdir(volume);
  await cluster.kube.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: engineNamespace } }, user);
});

afterEach(() => stack.disposeAsync());

interface Job {
  readonly name: string;
  readonly containers: readonly JsonObject[];
}

function jobOf({ metadata, ...object }: KubeObject): Job {
  const pod = objectAt(object as JsonObject, 'spec', 'template', 'spec');
  return {
    name: metadata.name ?? '',
    containers: [...objectsAt(pod, 'initContainers'), ...objectsAt(pod, 'containers')],
  };
}

/** Where a path of a container is on this machine: in the volume, or in its image. */
function pathOf(text: string, image: string): string {
  if (text.startsWith('/releases')) return join(volume, text.slice('/releases'.length));
  return text.startsWith('/') ? join(image, text) : text;
}

async function reportStatus(name: string, status: JsonObject): Promise<void> {
  const ref = { ...jobKind, namespace: engineNamespace, name };
  await cluster.kube.patch(ref, { status }, { ...user, subresource: 'status' });
}

async function complete(name: string): Promise<void> {
  const now = formatTimestamp(Date.now());
  const condition = { status: 'True', lastProbeTime: now, lastTransitionTime: now };
  const conditions = ['SuccessCriteriaMet', 'Complete'].map((type) => ({ type, ...condition }));
  await reportStatus(name, { startTime: now, completionTime: now, succeeded: 1, conditions });
}

async function fail(name: string, message: string): Promise<void> {
  const now = formatTimestamp(Date.now());
  const condition = { status: 'True', lastProbeTime: now, lastTransitionTime: now, reason: 'BackoffLimitExceeded' };
  const conditions = ['FailureTarget', 'Failed'].map((type) => ({ type, ...condition, message }));
  await reportStatus(name, { startTime: now, failed: 1, conditions });
}

/** Runs the commands of each Job as a kubelet does, on the folder of a release as its image; returns what it ran. */
function runKubelet(image: string): readonly Job[] {
  const stop = new AbortController();
  const jobs: Job[] = [];
  const log = silentLogger();
  const cache = createKindCache({ kube: cluster.kube, clock: systemClock, log, signal: stop.signal, target: jobKind });
  const work = async (job: Job): Promise<void> => {
    for (const container of job.containers) {
      const [program = '', ...given] = (container['command'] as string[]).map((text) => pathOf(text, image));
      try {
        await run(program, given);
      } catch (thrown) {
        return await fail(job.name, (thrown as { stderr: string }).stderr);
      }
    }
    await complete(job.name);
  };
  const running: Promise<void>[] = [];
  cache.subscribe(({ before, after }) => {
    if (before !== undefined || after?.metadata.labels?.['k8s-app'] === undefined) return;
    const job = jobOf(after);
    jobs.push(job);
    running.push(work(job));
  });
  stack.defer(async () => {
    stop.abort();
    await Promise.all(running);
  });
  return jobs;
}

/** 1.0.0 is installed; 1.1.0 is retrieved by Jobs. The folder of 1.1.0. */
async function installFirst(): Promise<string> {
  const manifest = (value: string): Record<string, JsonObject> => ({ '0000_10_a_10_x.yaml': settings('x', value) });
  const first = await smallRelease(cluster, '1.0.0', manifest('1'));
  const next = await smallRelease(cluster, '1.1.0', manifest('2'));
  const jobs = jobSource({ kube: cluster.kube, clock: systemClock, claim: 'releases', folder: volume });
  const sources = [localSource(new Map([[releaseImage('1.0.0'), first]])), jobs];
  stack.use(await installed(cluster, { releases: {}, first: '1.0.0', sources }));
  return next;
}

const request = (): Promise<void> =>
  patchSpec(cluster.kube, { desiredUpdate: { version: '1.1.0', image: releaseImage('1.1.0') } });
const jobsNow = async (): Promise<readonly KubeObject[]> =>
  (await cluster.kube.list({ ...jobKind, namespace: engineNamespace })).items;

// The Jobs of a real control plane are run by its own controller, and its own kubelets.
describe.skipIf(isRealCluster())('a release that a Job retrieves', () => {
  test('CV-22: a Job version-VERSION-HASH runs the image of the release, and fills the volume that is read', async () => {
    const jobs = runKubelet(await installFirst());
    await request();
    await untilAt(cluster, '1.1.0');
    const object = await cluster.kube.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'quay', name: 'x' });
    expect(object['data']).toEqual({ value: '2' });
    const [job] = jobs;
    expect(jobs).toHaveLength(1);
    expect(job?.name).toMatch(/^version-1\.1\.0-[a-z0-9]{5}$/);
    expect(job?.containers.map((one) => textAt(one, 'image'))).toEqual(
      Array.from({ length: 5 }, () => releaseImage('1.1.0')),
    );
    expect(job?.containers.map((one) => textAt(one, 'name'))).toEqual([
      'cleanup',
      'make-temporary-directory',
      'copy-manifests',
      'copy-release-manifests',
      'rename-to-final-location',
    ]);
    // What was read is left to no one.
    expect(await readdir(volume)).toEqual([]);
  });

  test('CV-22: a Job that fails is reported with what it stated, and the next try replaces it', async () => {
    await installFirst();
    const jobs = runKubelet(join(cluster.folder, 'no-such-image'));
    await request();
    await untilCondition(
      cluster,
      'ReleaseAccepted',
      /^False RetrievePayload .*Job openshift-cluster-version\/version-1\.1\.0-\w{5}: BackoffLimitExceeded: .*No such file/s,
    );
    expect(jobs).toHaveLength(1);
    expect(await jobsNow()).toEqual([]);
    expect((await clusterVersion(cluster.kube)).status?.desired.version).toBe('1.0.0');
  });

  test('Jobs of earlier retrievals are deleted; those of others with such a name stay', async () => {
    const next = await installFirst();
    const metadata = { name: 'version-of-ours', namespace: engineNamespace };
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'x', image: 'x' }] } };
    await cluster.kube.create({ ...jobKind, metadata, spec: { template } }, user);
    runKubelet(next);
    await request();
    await untilAt(cluster, '1.1.0');
    await patchSpec(cluster.kube, { desiredUpdate: null });
    await patchSpec(cluster.kube, { desiredUpdate: { version: '1.0.0', image: releaseImage('1.0.0'), force: true } });
    await untilAt(cluster, '1.0.0');
    await request();
    await untilAt(cluster, '1.1.0');
    expect((await jobsNow()).map(({ metadata: { name = '' } }) => name).toSorted((a, b) => (a < b ? -1 : 1))).toEqual([
      expect.stringMatching(/^version-1\.1\.0-/),
      'version-of-ours',
    ]);
  });

  test('an image that a node refuses ends the try at once', async () => {
    await installFirst();
    const waiting = { reason: 'SignatureValidationFailed', message: 'no signature of the release key' };
    await request();
    const [job] = await eventually(async () => {
      const jobs = await jobsNow();
      expect(jobs).toHaveLength(1);
      return jobs;
    });
    const labels = { 'job-name': job?.metadata.name ?? '' };
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x', namespace: engineNamespace, labels } };
    await cluster.kube.create({ ...pod, spec: { containers: [{ name: 'cleanup', image: 'x' }] } }, user);
    const status = {
      phase: 'Pending',
      containerStatuses: [
        { name: 'cleanup', ready: false, restartCount: 0, image: 'x', imageID: '', state: { waiting } },
      ],
    };
    await cluster.kube.patch(
      { ...pod, name: 'x', namespace: engineNamespace },
      { status },
      { ...user, subresource: 'status' },
    );
    await untilCondition(
      cluster,
      'ReleaseAccepted',
      /^False RetrievePayload .*SignatureValidationFailed: no signature of the release key$/s,
    );
  });

  test('a link in the volume is refused: it could lead to files of this process', async () => {
    const next = await installFirst();
    await symlink('/etc/hostname', join(next, 'release-manifests', '0000_10_a_20_link.yaml'));
    runKubelet(next);
    await request();
    await untilCondition(
      cluster,
      'ReleaseAccepted',
      /^False RetrievePayload .*0000_10_a_20_link.yaml: expected a file/s,
    );
  });
});
