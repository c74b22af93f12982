import { type MachineConfigPool, nodeUpdateAnnotations, parseMachineConfigPool } from '../../src/api/index.ts';
import type { JsonObject } from '../../src/base/index.ts';
import type { KubeClient } from '../../src/kube/index.ts';
import { eventually } from './eventually.ts';
import {
  configObject,
  createPoolNode,
  filesConfig,
  type PoolNodeOptions,
  poolObject,
  poolRef,
} from './pool-cluster.ts';

const user = { fieldManager: 'test' };
const keys = nodeUpdateAnnotations;
const configKind = { apiVersion: 'machineconfiguration.openshift.io/v1', kind: 'MachineConfig' };
const poolKind = { apiVersion: 'machineconfiguration.openshift.io/v1', kind: 'MachineConfigPool' };
const nodeKind = { apiVersion: 'v1', kind: 'Node' };

/** A condition of a pool: its status, reason and message. */
export function poolCondition({ status }: MachineConfigPool, type: string): string {
  const found = status?.conditions?.find((one) => one.type === type);
  return [found?.status ?? 'none', found?.reason ?? '', found?.message ?? ''].filter(Boolean).join(' ');
}

/** What tests do with pools and their nodes. */
export class PoolActions {
  readonly #kube: KubeClient;

  constructor(kube: KubeClient) {
    this.#kube = kube;
  }

  async removeAll(): Promise<void> {
    for (const kind of [poolKind, configKind, nodeKind]) {
      for (const { metadata } of (await this.#kube.list(kind)).items) {
        await this.#kube.delete({ ...kind, name: metadata.name ?? '' }).catch(() => undefined);
      }
    }
  }

  async poolNow(name: string): Promise<MachineConfigPool> {
    return parseMachineConfigPool(await this.#kube.get(poolRef(name)));
  }

  /** The name of the rendered configuration. */
  async targetOf(name: string): Promise<string> {
    return await eventually(async () => {
      const target = (await this.poolNow(name)).spec.configuration?.name;
      if (target === undefined) throw new Error(`pool ${name} has no target`);
      return target;
    });
  }

  /** Creates a pool with one file, and returns the name of its rendered configuration. */
  async createPool(name: string, spec: JsonObject = {}): Promise<string> {
    const config = configObject(`00-${name}`, name, { config: filesConfig({ '/etc/a': 'one' }) });
    await this.#kube.create(config, user);
    await this.#kube.create(poolObject(name, spec), user);
    return await this.targetOf(name);
  }

  /** Changes the configuration, and waits for the new target. */
  async change(name: string, text: string): Promise<string> {
    const old = await this.targetOf(name);
    const spec = { config: filesConfig({ '/etc/a': text }) };
    await this.#kube.patch({ ...configKind, name: `00-${name}` }, { spec }, user);
    return await eventually(async () => {
      const target = await this.targetOf(name);
      if (target === old) throw new Error('the target is the old one');
      return target;
    });
  }

  async addNodes(count: number, options: (index: number) => PoolNodeOptions, prefix: string = 'w'): Promise<void> {
    for (let index = 1; index <= count; index++) await createPoolNode(this.#kube, `${prefix}${index}`, options(index));
  }

  async annotationsOf(name: string): Promise<Readonly<Record<string, string>>> {
    return (await this.#kube.get({ ...nodeKind, name })).metadata.annotations ?? {};
  }

  /** The nodes that have been given the target. */
  async started(target: string): Promise<readonly string[]> {
    const { items } = await this.#kube.list(nodeKind);
    const all = items.filter(({ metadata }) => metadata.annotations?.[keys.desiredConfig] === target);
    return all.map(({ metadata }) => metadata.name ?? '').toSorted();
  }

  async setAnnotations(name: string, annotations: Record<string, string | null>): Promise<void> {
    await this.#kube.patch({ ...nodeKind, name }, { metadata: { annotations } }, user);
  }

  /** Reports what an agent reports at the end of an update. */
  async finish(name: string, target: string): Promise<void> {
    await this.setAnnotations(name, { [keys.currentConfig]: target, [keys.state]: 'Done' });
  }

  /** Events of an object. */
  async eventsOf(name: string): Promise<readonly string[]> {
    const { items } = await this.#kube.list({ apiVersion: 'v1', kind: 'Event' });
    const own = items.filter(({ involvedObject }) => (involvedObject as JsonObject)['name'] === name);
    return own.map(({ type, reason, message }) => `${type as string} ${reason as string}: ${message as string}`);
  }
}
