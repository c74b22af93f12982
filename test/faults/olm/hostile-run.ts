import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorMessage, isJsonObject, type JsonObject, textAt } from '../../../src/base/index.ts';
import type { KubeObject } from '../../../src/kube/index.ts';
import { group } from '../../olm/objects.ts';
import { type ApiProxy, eventually, startApiProxy } from '../../support/index.ts';
import { openMemoryCgroup } from '../memory-cgroup.ts';
import { type ControllersProcess, spawnControllers } from './controllers-process.ts';
import type { HostileVersion } from './hostile-versions.ts';
import { openStage, type Stage, writeKubeconfig } from './stage.ts';

const user = { fieldManager: 'user' };
const olm = 'operators.coreos.com/v1alpha1';
const mebibyte = 1024 * 1024;
const patience = { timeoutMs: 120_000, intervalMs: 200 };
const quietMs = 3_000;

/** Controllers in a process with little memory, and what they write. */
export interface HostileStage extends AsyncDisposable {
  readonly stage: Stage;
  readonly controllers: ControllersProcess;
  /** All so far, as `METHOD PATH`. */
  readonly writes: readonly string[];
  /** Resolves when nothing is written any more. */
  whenQuiet(): Promise<void>;
  /** @throws Error with what it printed, if the process has ended */
  assertAlive(): Promise<void>;
  /** The most memory that the process had, in mebibytes. */
  peak(): Promise<number>;
}

/** Starts them, in a control group with that limit where this machine lets us. */
export async function openHostileStage(limitMebibytes: number): Promise<HostileStage> {
  await using stack = new AsyncDisposableStack();
  const stage = stack.use(await openStage());
  const writes: string[] = [];
  const proxy: ApiProxy = stack.use(
    await startApiProxy(await readFile(stage.kubeconfigPath, 'utf8'), (write) => {
      writes.push(write);
      return 'pass';
    }),
  );
  const kubeconfigPath = await writeKubeconfig(stage, 'kubeconfig-of-proxy', proxy.kubeconfig);
  const cgroup = await openMemoryCgroup(limitMebibytes * mebibyte);
  if (!('missing' in cgroup)) stack.use(cgroup);
  const wrap = 'missing' in cgroup ? [] : cgroup.inside;
  const controllers = stack.use(spawnControllers({ kubeconfigPath, folder: join(stage.folder, 'controllers'), wrap }));
  await controllers.ready;
  const owned = stack.move();
  return {
    stage,
    controllers,
    writes,
    whenQuiet: async () => {
      let [count, sinceMs] = [writes.length, Date.now()];
      await eventually(() => {
        if (writes.length > count) [count, sinceMs] = [writes.length, Date.now()];
        if (Date.now() - sinceMs < quietMs) throw new Error(`still written: ${writes.slice(-5).join(', ')}`);
      }, patience);
    },
    assertAlive: async () => {
      const state = await Promise.race([controllers.ended.then(() => 'ended'), Promise.resolve('runs')]);
      if (state === 'ended') throw new Error(`the controllers ended: ${controllers.complaints()}`);
    },
    peak: async () => {
      const status = await readFile(`/proc/${controllers.pid}/status`, 'utf8');
      return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) / 1024;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** A namespace with an OperatorGroup, in which a user creates a hostile operator. */
export class HostileTenant {
  readonly hostile: HostileVersion;
  readonly namespace: string;
  readonly #slug: string;
  readonly #stage: Stage;
  #refusal: string | undefined;

  constructor(stage: Stage, hostile: HostileVersion, id: number) {
    this.#stage = stage;
    this.hostile = hostile;
    this.#slug = `case-hostile${id}`;
    this.namespace = `${this.#slug}-a`;
  }

  async create(): Promise<void> {
    const { kube, server } = this.#stage;
    await server.client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: this.namespace } });
    const before = [group(), ...(this.hostile.before ?? [])];
    for (const object of before) await kube.create(this.#filled(object), user);
    if (this.hostile.before !== undefined) await eventually(() => this.#assertSucceeded('first.v1'), patience);
    try {
      await kube.create(this.#filled(this.hostile.csv), user);
    } catch (thrown) {
      this.#refusal = errorMessage(thrown);
    }
  }

  /** `phase reason message` of the operator, or why the API server has refused it. */
  async shown(name = 'boat.v0.1.0'): Promise<string> {
    if (this.#refusal !== undefined) return this.#refusal;
    const ref = { apiVersion: olm, kind: 'ClusterServiceVersion', namespace: this.namespace, name };
    const { status } = await this.#stage.kube.get(ref);
    const members = isJsonObject(status) ? status : {};
    return ['phase', 'reason', 'message'].map((key) => textAt(members, key)).join(' ');
  }

  async #assertSucceeded(name: string): Promise<void> {
    const text = await this.shown(name);
    if (!text.startsWith('Succeeded')) throw new Error(text);
  }

  #filled(object: JsonObject): KubeObject {
    return JSON.parse(JSON.stringify(object).replaceAll('$id', this.#slug)) as KubeObject;
  }
}
