import { setTimeout as pause } from 'node:timers/promises';
import { leaderLease, shardCountAnnotation } from '../../src/api/index.ts';
import { findObject, type KubeObject } from '../../src/kube/index.ts';
import { packageVersion } from '../process/index.ts';
import { numberAt, objectsAt, textAt } from './fields.ts';
import { type Check, type Finding, fail, ok, type Patient, spokenAge, unchecked, warn } from './finding.ts';

function versionFinding(what: string, deployment: KubeObject): Finding | undefined {
  const [first] = objectsAt(deployment, 'spec', 'template', 'spec', 'containers');
  const tag = /:([^:@/]+)(?:@|$)/.exec(textAt(first, 'image'))?.[1];
  if (tag === undefined || !/^v?\d/.test(tag) || tag.replace(/^v/, '') === packageVersion()) return undefined;
  const text = `${what} runs version ${tag}, and this program is ${packageVersion()}`;
  return warn(text, 'use the program of the version that the cluster runs, or upgrade the cluster');
}

async function examineDeployment(
  name: string,
  { kube, systemNamespace: namespace, signal }: Patient,
): Promise<readonly Finding[]> {
  const what = `Deployment ${namespace}/${name}`;
  try {
    const found = await findObject(kube, { apiVersion: 'apps/v1', kind: 'Deployment', namespace, name }, { signal });
    if (found === undefined) return [ok(`${what}: not found; its process runs elsewhere`)];
    const expected = numberAt(found, 'spec', 'replicas') ?? 1;
    const there = numberAt(found, 'status', 'availableReplicas') ?? 0;
    const advice = `see kubectl -n ${namespace} get pods -l app=${name}, and kubectl describe for those that are not ready`;
    const count = `${what}: ${there} of ${expected} pods available`;
    const standing = there === 0 ? fail(count, advice) : there < expected ? warn(count, advice) : ok(count);
    return [standing, versionFinding(what, found) ?? []].flat();
  } catch (thrown) {
    return [unchecked(what, thrown)];
  }
}

/** Where there are shards, each but the first has a Deployment with its number. */
async function examineShardDeployments(patient: Patient): Promise<readonly Finding[]> {
  const { kube, systemNamespace: namespace, signal } = patient;
  const target = { namespace, labelSelector: 'app.kubernetes.io/part-of=longshore' };
  try {
    const { items } = await kube.list({ apiVersion: 'apps/v1', kind: 'Deployment', ...target }, { signal });
    const names = items.map(({ metadata }) => metadata.name ?? '').filter((name) => /^core-\d+$/.test(name));
    return (await Promise.all(names.toSorted().map((name) => examineDeployment(name, patient)))).flat();
  } catch (thrown) {
    return [unchecked('Deployments of shards', thrown)];
  }
}

/** The workloads of the manifests run, in the version of this program. */
export const deploymentCheck: Check = {
  name: 'processes',
  examine: async (patient) => {
    const named = ['core', 'rukpak-webhooks'].map((name) => examineDeployment(name, patient));
    return (await Promise.all([...named, examineShardDeployments(patient)])).flat();
  },
};

const lookPauseMs = 500;
const longestLookMs = 20_000;

function renewedAtMs(lease: KubeObject): number {
  return Date.parse(textAt(lease, 'spec', 'renewTime'));
}

/** Whether its holder writes it while it is looked at: a third of its duration is time for more than one renewal. */
async function isRenewed(lease: KubeObject, patient: Patient, durationMs: number): Promise<boolean> {
  const { name = '', resourceVersion } = lease.metadata;
  const untilMs = performance.now() + Math.min(durationMs / 3, longestLookMs);
  while (performance.now() < untilMs) {
    await pause(lookPauseMs, undefined, { signal: patient.signal });
    const next = await findLease(name, patient);
    if (next?.metadata.resourceVersion !== resourceVersion) return next !== undefined;
  }
  return false;
}

async function leaseFinding(lease: KubeObject, patient: Patient): Promise<Finding> {
  const what = `Lease ${patient.systemNamespace}/${lease.metadata.name}`;
  const holder = textAt(lease, 'spec', 'holderIdentity');
  const durationMs = (numberAt(lease, 'spec', 'leaseDurationSeconds') ?? 0) * 1000;
  const advice = 'check that longshore controllers runs, and its logs';
  if (holder === '') return fail(`${what}: no leader`, advice);
  const agoMs = patient.nowMs - renewedAtMs(lease);
  // Twice, for the clocks that need not agree.
  if (Math.abs(agoMs) <= durationMs * 2) return ok(`${what}: held by ${holder}, renewed ${spokenAge(agoMs)} ago`);
  const reported = Number.isNaN(agoMs) ? 'without a renewal time' : `renewed at ${textAt(lease, 'spec', 'renewTime')}`;
  if (!(await isRenewed(lease, patient, durationMs))) {
    return fail(`${what}: held by ${holder}, ${reported}: the holder has stopped`, advice);
  }
  const text = `${what}: held by ${holder}, which is active, but its clock differs from the server's: ${reported}`;
  return warn(
    text,
    'synchronize the clocks of the nodes (NTP): timestamps that it writes and ages that it computes are wrong',
  );
}

async function findLease(
  name: string,
  { kube, systemNamespace: namespace, signal }: Patient,
): Promise<KubeObject | undefined> {
  return await findObject(kube, { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace, name }, { signal });
}

/** More are not looked at. */
const maxShards = 100;

async function examineShard(index: number, patient: Patient): Promise<Finding> {
  const name = `${leaderLease}-${index}`;
  const what = `Lease ${patient.systemNamespace}/${name}`;
  try {
    const lease = await findLease(name, patient);
    const advice = `run longshore controllers with --shard ${index}/…: objects of that shard are not reconciled until then`;
    return lease === undefined
      ? fail(`${what}: not found: shard ${index} has no leader`, advice)
      : await leaseFinding(lease, patient);
  } catch (thrown) {
    return unchecked(what, thrown);
  }
}

async function examineLease(patient: Patient): Promise<readonly Finding[]> {
  const what = `Lease ${patient.systemNamespace}/${leaderLease}`;
  const lease = await findLease(leaderLease, patient);
  if (lease === undefined) return [ok(`${what}: not found; no process uses it`)];
  const count = Math.min(maxShards, Number(lease.metadata.annotations?.[shardCountAnnotation] ?? 1) || 1);
  const others = Array.from({ length: count - 1 }, (_, index) => examineShard(index + 2, patient));
  return await Promise.all([leaseFinding(lease, patient), ...others]);
}

/** Where several processes run, one leads; of shards, one each. */
export const leaderCheck: Check = { name: 'leader', examine: examineLease };
