/** @module-tag long */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseYaml } from '../../../src/base/index.ts';
import type { KubeObject } from '../../../src/kube/index.ts';
import { type OwnProcess, type OwnProcesses, openOwnProcesses, renew } from '../../e2e/own-processes.ts';
import { readOlmCrds } from '../../olm/crds.ts';
import { Observer } from '../../olm/observer.ts';
import { eventually, freePort } from '../../support/index.ts';
import { journeys } from './journeys.ts';
import { type Route, Trip } from './stage.ts';

const user = { fieldManager: 'user' };
const patience = { timeoutMs: 90_000 };
const lease = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  name: 'core.rukpak.io',
  namespace: 'rukpak-system',
};
const owned = new AsyncDisposableStack();
let world: OwnProcesses;
let route: Route;

beforeAll(async () => {
  world = owned.use(await openOwnProcesses());
  const { kube } = world;
  for (const path of await readOlmCrds()) {
    await kube.apply(parseYaml(path, await readFile(path, 'utf8')) as unknown as KubeObject, user);
  }
  await kube.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'olm' } }, user);
  const observer = owned.use(new Observer());
  await eventually(() => kube.list({ apiVersion: 'operators.coreos.com/v2', kind: 'OperatorCondition' }));
  await observer.start(kube);
  route = { kube, observer };
}, 120_000);

afterAll(() => owned.disposeAsync());

async function holder(): Promise<string> {
  const { holderIdentity = '' } = (await world.kube.get(lease))['spec'] as { readonly holderIdentity?: string };
  if (holderIdentity === '') throw new Error('no leader');
  return holderIdentity;
}

async function startReplica(name: string): Promise<OwnProcess> {
  const tlsDir = join(world.folder, `tls-of-${name}`);
  await renew(tlsDir);
  const port = await freePort();
  const address = ['--http-bind-address', `127.0.0.1:${port}`, '--http-external-address', `https://127.0.0.1:${port}`];
  const store = ['--provisioner-storage-dir', join(world.folder, `bundles-of-${name}`)];
  const election = ['--leader-elect', '--leader-elect-lease-duration', '6'];
  const olm = ['--olm', '--packages-bind-address', `127.0.0.1:${await freePort()}`];
  return await world.startAs(world.kubeconfig, tlsDir, ['controllers', ...olm, ...address, ...store, ...election]);
}

/** Suspends the leader until another process leads; it ends when it wakes up. */
async function changeLeader(old: OwnProcess): Promise<void> {
  const before = await holder();
  old.child.kill('SIGSTOP');
  await eventually(async () => expect(await holder()).not.toBe(before), patience);
  const ended = once(old.child, 'exit');
  old.child.kill('SIGCONT');
  expect(await ended).toEqual([1, null]);
}

async function existsIn(trip: Trip, kind: string): Promise<void> {
  await eventually(() => {
    if (![...trip.objects().keys()].some((key) => key.startsWith(`${kind} `))) throw new Error(`no ${kind}`);
  }, patience);
}

test('an installation and an upgrade end as usual when their leaders are suspended, and wake up after another one has taken over', async () => {
  const first = await startReplica('first');
  await eventually(holder, patience);
  await using usual = await Trip.prepare(route, journeys.fleet, 'usual');
  await usual.travel();
  await usual.whenQuiet();
  const expected = usual.objects();
  await usual.remove();
  const second = await startReplica('second');
  await using trip = await Trip.prepare(route, journeys.fleet, 'led');
  await trip.request();
  await existsIn(trip, 'InstallPlan');
  await changeLeader(first);
  await trip.whenInstalled();
  await startReplica('third');
  await trip.requestUpgrade();
  await existsIn(trip, 'ClusterServiceVersion');
  await changeLeader(second);
  await trip.whenUpgraded();
  await trip.assertEnd(expected);
  await trip.remove();
}, 400_000);
