/** @module-tag long */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { machineLabels } from '../../../src/api/index.ts';
import { addMachineHook, addMachines, EtcdProvider, quorumHook } from '../../../src/machines/index.ts';
import { findControlPlane } from '../../control-plane/index.ts';
import { acceleratedClock } from '../../support/accelerated-clock.ts';
import { type BareCluster, eventually } from '../../support/index.ts';
import {
  joinNode,
  MemoryProvider,
  machineObject,
  machinePlace,
  openMachineCluster,
} from '../../support/machine-cluster.ts';
import { runByClock } from '../../support/olm-cluster.ts';
import { EtcdGroup } from './etcd-group.ts';

/** `npm run test:quorum` plays 200. */
const runs = Number(process.env['LONGSHORE_TEST_QUORUM'] ?? '3');
const voters = 3;
/** Of the pauses between steps: most of a replacement is waiting. etcd itself has its own time. */
const speed = 10;
const settleMs = 300_000;
const user = { fieldManager: 'test' };
const found = await findControlPlane({ mayBuild: false, report: () => undefined });
const etcd = 'missing' in found ? undefined : found.etcd;
const why = etcd === undefined ? ' (skipped: etcd is not built)' : '';
/** Addresses of this process alone: other processes of the machine have members, too. */
const network = `127.${1 + (process.pid % 250)}.${Math.floor(process.pid / 250) % 250}`;

let cluster: BareCluster;
let folder: string;
let group: EtcdGroup;
let stack: AsyncDisposableStack;
let provider: MemoryProvider;
let next = 1;
const addressOf = new Map<string, string>();

/** An instance that is deleted takes its member with it. */
class MachinesWithMembers extends MemoryProvider {
  override async delete(machine: Parameters<MemoryProvider['delete']>[0]): Promise<void> {
    const address = addressOf.get(machine.metadata.name);
    const hosts = (await group.list()).flatMap(({ peerURLs }) => peerURLs.map((url) => new URL(url).hostname));
    // The machine is not to end while its member counts.
    if (address !== undefined && hosts.includes(address)) violations.push(`${machine.metadata.name} ends as a member`);
    await super.delete(machine);
    if (address !== undefined) await group.destroy(address);
  }
}

const violations: string[] = [];

async function addMachine(): Promise<string> {
  const name = `control-plane-${next}`;
  const address = `${network}.${1 + (next % 250)}`;
  next += 1;
  addressOf.set(name, address);
  const labels = { [machineLabels.cluster]: 'test', [machineLabels.role]: 'master' };
  await cluster.kube.create(machineObject(name, { labels }), user);
  await eventually(async () => {
    const machine = await cluster.kube.get({ ...machinePlace, name });
    expect((machine['spec'] as { providerID?: string }).providerID).toBeDefined();
  });
  const status = { addresses: [{ type: 'InternalIP', address }] };
  await cluster.kube.patch({ ...machinePlace, name }, { status }, { ...user, subresource: 'status' });
  await joinNode(cluster.kube, name, { 'node-role.kubernetes.io/control-plane': '' });
  return address;
}

async function machines(): Promise<{ readonly staying: readonly string[]; readonly all: readonly string[] }> {
  const { items } = await cluster.kube.list(machinePlace);
  const names = (those: typeof items): string[] => those.map(({ metadata }) => metadata.name ?? '');
  return {
    all: names(items),
    staying: names(items.filter(({ metadata }) => metadata.deletionTimestamp === undefined)),
  };
}

beforeAll(async () => {
  if (etcd === undefined) return;
  cluster = await openMachineCluster();
  await cluster.kube.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'machines' } }, user);
  folder = await mkdtemp(join(tmpdir(), 'longshore-quorum-'));
  group = new EtcdGroup(etcd, folder);
  provider = new MachinesWithMembers();
  stack = new AsyncDisposableStack();
  const first = Array.from({ length: voters }, (_, index) => `${network}.${1 + ((next + index) % 250)}`);
  await group.bootstrap(first);
  await eventually(() => group.write('run', '0'));
  const endpoints = first.map((address) => EtcdGroup.clientUrl(address));
  const hook = quorumHook({ provider: new EtcdProvider({ endpoints, deadlineMs: 2_000 }), desiredVoters: voters });
  stack.use(
    await runByClock(cluster.kube, acceleratedClock(speed), (manager) => {
      addMachines(manager, { actuator: provider });
      addMachineHook(manager, hook);
    }),
  );
  for (let count = 0; count < voters; count += 1) await addMachine();
  await everyMachineHasTheHook();
});

afterAll(async () => {
  if (etcd === undefined) return;
  await stack.disposeAsync();
  await group[Symbol.asyncDispose]();
  await cluster[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

async function everyMachineHasTheHook(): Promise<void> {
  await eventually(async () => {
    for (const machine of (await cluster.kube.list(machinePlace)).items) {
      if (machine.metadata.deletionTimestamp !== undefined) continue;
      expect(machine['spec']).toMatchObject({
        lifecycleHooks: { preDrain: [{ name: 'EtcdQuorumOperator', owner: 'clusteroperator/etcd' }] },
      });
    }
  });
}

/** Numbers that are the same in each run of the test. */
function numbers(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761 + 1;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 3_266_489_917) >>> 0;
    return state % below;
  };
}

/** What the set of the control plane and the kubelets do: a machine for each that is missing, a member for each that was added. */
async function tend(): Promise<void> {
  const { staying } = await machines();
  if (staying.length < voters) await addMachine();
  await group.join([...addressOf].filter(([name]) => staying.includes(name)).map(([, address]) => address));
}

async function deleteSome(random: (below: number) => number): Promise<void> {
  const { staying } = await machines();
  const count = 1 + random(voters);
  for (let index = 0; index < count; index += 1) {
    const name = staying[random(staying.length)] ?? '';
    await cluster.kube.delete({ ...machinePlace, name }).catch(() => undefined);
    await pause(random(300));
  }
}

async function settle(run: number): Promise<void> {
  // On a busy machine three members are replaced one after the other for minutes.
  const limitMs = Date.now() + settleMs;
  for (let count = 0; ; count += 1) {
    await tend();
    // Each write needs a majority.
    await group.write('run', `${run}.${count}`);
    expect(await group.read('run')).toBe(`${run}.${count}`);
    const { all, staying } = await machines();
    if (all.length === voters && staying.length === voters) break;
    if (Date.now() > limitMs) throw new Error(`run ${run}: ${all.join(', ')} of which ${staying.join(', ')} stay`);
    await pause(100);
  }
  const members = await group.list();
  expect(members.filter(({ isLearner }) => isLearner !== true)).toHaveLength(voters);
}

test.skipIf(etcd === undefined)(
  `ML-25, ML-27, ML-28, ML-37 in ${runs} runs of random deletions, etcd always has its majority${why}`,
  { timeout: settleMs + runs * 60_000 },
  async () => {
    for (let run = 1; run <= runs; run += 1) {
      await deleteSome(numbers(run));
      await settle(run);
      expect(violations).toEqual([]);
    }
    const hosts = (await group.list()).map(({ peerURLs }) => new URL(peerURLs[0] ?? '').hostname);
    const { all } = await machines();
    expect(new Set(hosts)).toEqual(new Set(all.map((name) => addressOf.get(name))));
  },
);
