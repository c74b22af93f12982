/** @module-tag long */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { nodeUpdateAnnotations } from '../../src/api/index.ts';
import type { JsonObject } from '../../src/base/index.ts';
import {
  addMachineConfigPools,
  addNodeAgent,
  addNodeDrains,
  FileHost,
  type NodeHost,
} from '../../src/machines/index.ts';
import { type BareCluster, eventually } from '../support/index.ts';
import { openMachineCluster } from '../support/machine-cluster.ts';
import { runControllers } from '../support/olm-cluster.ts';
import { configObject, createPoolNode, filesConfig, poolObject, poolRef } from '../support/pool-cluster.ts';

const user = { fieldManager: 'test' };
const keys = nodeUpdateAnnotations;
const configRef = { apiVersion: 'machineconfiguration.openshift.io/v1', kind: 'MachineConfig', name: '00-worker' };
const nodeRef = { apiVersion: 'v1', kind: 'Node', name: 'w1' };
const own = { user: { id: process.getuid?.() ?? 0 }, group: { id: process.getgid?.() ?? 0 } };
const killed = new Error('killed');

let cluster: BareCluster;
let stack: AsyncDisposableStack;
let root: string;
let boots = 0;

/** A machine whose agent ends before or after a call of its host, and at each reboot. */
class Machine {
  readonly #inner: NodeHost = new FileHost({ root });
  readonly #killAt: number;
  readonly #died = Promise.withResolvers<void>();
  calls: number = 0;
  #isDead = false;

  constructor(killAt: number) {
    this.#killAt = killAt;
  }

  get whenDead(): Promise<void> {
    return this.#died.promise;
  }

  #die(): never {
    this.#isDead = true;
    this.#died.resolve();
    throw killed;
  }

  /** Twice for each call: before it, and when it is done. */
  #pass(): void {
    if (this.#isDead) throw killed;
    this.calls += 1;
    if (this.calls === this.#killAt) this.#die();
  }

  host(): NodeHost {
    return new Proxy(this.#inner, {
      get: (inner, name) => {
        const member: unknown = Reflect.get(inner, name);
        if (typeof member !== 'function') return member;
        return async (...args: unknown[]): Promise<unknown> => {
          this.#pass();
          const result: unknown = await Reflect.apply(member, inner, args);
          this.#pass();
          if (name !== 'reboot') return result;
          await boot();
          return this.#die();
        };
      },
    });
  }
}

async function boot(): Promise<void> {
  boots += 1;
  await mkdir(join(root, 'proc/sys/kernel/random'), { recursive: true });
  await writeFile(join(root, 'proc/sys/kernel/random/boot_id'), `boot-${boots}\n`);
}

function contentOf(text: string): JsonObject {
  const config = filesConfig({ '/etc/app.conf': text, '/etc/other.conf': text }) as {
    storage: { files: JsonObject[] };
  } & JsonObject;
  return { config: { ...config, storage: { files: config.storage.files.map((file) => ({ ...file, ...own })) } } };
}

beforeAll(async () => {
  cluster = await openMachineCluster();
  stack = new AsyncDisposableStack();
  stack.use(
    await runControllers(cluster.kube, (manager) => {
      addMachineConfigPools(manager, { version: '1.0.0', delayMs: 5 });
      addNodeDrains(manager);
    }),
  );
  root = await mkdtemp(join(tmpdir(), 'killed-agent-'));
  await boot();
  await cluster.kube.create(configObject('00-worker', 'worker', contentOf('zero')), user);
  await cluster.kube.create(poolObject('worker'), user);
  await createPoolNode(cluster.kube, 'w1');
  await runUntilDone(0);
});

afterAll(async () => {
  await stack.disposeAsync();
  await cluster[Symbol.asyncDispose]();
  await rm(root, { recursive: true, force: true });
});

async function target(): Promise<string> {
  const pool = await cluster.kube.get(poolRef('worker'));
  return (pool as unknown as { spec: { configuration?: { name: string } } }).spec.configuration?.name ?? '';
}

async function whenDone(): Promise<void> {
  await eventually(async () => {
    const { annotations = {} } = (await cluster.kube.get(nodeRef)).metadata;
    const name = await target();
    expect([annotations[keys.currentConfig], annotations[keys.state], name === '']).toEqual([name, 'Done', false]);
  });
}

/** Runs agents until the update is completed; the first one is killed at its call number `killAt`. Resolves to the calls of the first one. */
async function runUntilDone(killAt: number): Promise<number> {
  let calls = 0;
  let isDone = false;
  const done = whenDone().then(() => {
    isDone = true;
  });
  for (let agent = 0; !isDone; agent++) {
    const machine = new Machine(agent === 0 ? killAt : 0);
    const running = await runControllers(cluster.kube, (manager) => {
      addNodeAgent(manager, { nodeName: 'w1', hostOf: () => machine.host() });
    });
    await Promise.race([machine.whenDead, done]);
    await running[Symbol.asyncDispose]();
    if (agent === 0) calls = machine.calls;
  }
  return calls;
}

async function change(text: string): Promise<void> {
  const old = await target();
  await cluster.kube.patch(configRef, { spec: contentOf(text) }, user);
  await eventually(async () => expect(await target()).not.toBe(old));
}

test('MP-36: an agent that is killed at any step continues, and the node is restarted once', {
  timeout: 240_000,
}, async () => {
  await change('all');
  const calls = await runUntilDone(0);
  expect(calls).toBeGreaterThan(20);
  for (let killAt = 1; killAt <= calls; killAt += 1) {
    const before = boots;
    const text = `killed at ${killAt}`;
    await change(text);
    await runUntilDone(killAt);
    expect([killAt, boots - before]).toEqual([killAt, 1]);
    expect(await readFile(join(root, 'etc/app.conf'), 'utf8')).toBe(text);
    expect(await readFile(join(root, 'etc/other.conf'), 'utf8')).toBe(text);
    const { spec } = await cluster.kube.get(nodeRef);
    expect((spec as JsonObject)['unschedulable'] ?? false).toBe(false);
  }
});
