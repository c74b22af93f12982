import { Appointments, type Controller, typeOf } from '../controllers/index.ts';
import type { Cluster, KubeObject, ResourceType } from '../core/index.ts';
import { type ClaimKeys, keysOfClaims } from './claiming.ts';
import { childrenOf, keyOf, keyText, type SimulationContext } from './simulated.ts';

/** What a controller of workloads is called, and which types it works on, as plural and group. */
export interface WorkloadKind {
  readonly name: string;
  readonly type: readonly [plural: string, group: string];
  /** What a workload owns, the main type first. */
  readonly children: readonly [main: string, ...others: string[]];
  readonly childGroup?: string;
}

/** A controller of workloads that own children: one object at a time, at every change of it or of its children, and at a time that it asks for. */
export abstract class WorkloadController implements Controller {
  readonly name: string;
  readonly keysOf: ClaimKeys['keysOf'];
  readonly concernedIn: ClaimKeys['concernedIn'];
  protected readonly context: SimulationContext;
  protected readonly cluster: Cluster;
  protected readonly type: ResourceType;
  protected readonly children: ResourceType;
  #appointments: Appointments | undefined;

  constructor(context: SimulationContext, { name, type: [plural, group], children, childGroup }: WorkloadKind) {
    this.name = name;
    this.context = context;
    this.cluster = context.cluster;
    this.type = typeOf(context.cluster, plural, group);
    this.children = typeOf(context.cluster, children[0], childGroup);
    const { keysOf, concernedIn } = keysOfClaims(context.cluster, this.type, [...children]);
    this.keysOf = keysOf;
    this.concernedIn = concernedIn;
  }

  start(again: (key: string) => void): Disposable {
    this.#appointments = new Appointments(this.context.clock, again);
    return this.#appointments;
  }

  async work(text: string): Promise<void> {
    this.#appointments?.set(text, undefined);
    const workload = this.cluster.get(this.type, keyOf(text));
    if (workload === undefined || workload.metadata.deletionTimestamp !== undefined) return;
    await this.reconcile(workload);
  }

  /** Called for a workload that exists and is not being deleted. */
  protected abstract reconcile(workload: KubeObject): Promise<void>;

  /** Has the workload reconciled after that time, even if nothing changes; undefined: not so. */
  protected requeueAfter(workload: KubeObject, waitMs: number | undefined): void {
    this.#appointments?.set(keyText(workload), waitMs);
  }

  protected async childrenOf(workload: KubeObject): Promise<KubeObject[]> {
    return await childrenOf(this.cluster, this.children, workload);
  }
}
