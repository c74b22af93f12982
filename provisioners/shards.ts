import { bundleDeploymentResource, ownerKindLabel, ownerNameLabel, shardLabel } from '../src/api/index.ts';
import type { Clock } from '../src/base/index.ts';
import { spread } from '../src/controller/index.ts';
import type { KubeObject } from '../src/kube/index.ts';

/** Which part of the BundleDeployments and Bundles a process takes care of. */
export interface Shard {
  /** From 1 to `count`. */
  readonly index: number;
  readonly count: number;
}

/** A generated Bundle may be seen before its BundleDeployment; after this time it is no longer expected. */
const strangeMs = 60_000;

function labelledShard({ metadata }: KubeObject, count: number): number | undefined {
  const text = metadata.labels?.[shardLabel];
  const index = text !== undefined && /^[1-9]\d{0,3}$/.test(text) ? Number(text) : 0;
  return index >= 1 && index <= count ? index : undefined;
}

/** The BundleDeployment that a Bundle was made for. */
export function generatedFor({ metadata }: KubeObject): string | undefined {
  const { [ownerKindLabel]: kind, [ownerNameLabel]: name } = metadata.labels ?? {};
  return kind === bundleDeploymentResource.kind ? name : undefined;
}

/** The shard of a BundleDeployment, or of a Bundle that was not generated: by its label, else by its name. From 1 to `count`. */
export function shardOf(object: KubeObject, count: number): number {
  return labelledShard(object, count) ?? spread(object.metadata.name ?? '', count) + 1;
}

/** Decides which objects this process reconciles. Everything is for exactly one of `count`; Bundles are where their BundleDeployment
 *  is. */
export class Shards {
  readonly #shard: Shard | undefined;
  readonly #deployments: { get(name: string): KubeObject | undefined };
  readonly #clock: Clock;

  /** Without a shard everything is. */
  constructor(
    shard: Shard | undefined,
    { deployments, clock }: { deployments: { get(name: string): KubeObject | undefined }; clock: Clock },
  ) {
    this.#shard = shard;
    this.#deployments = deployments;
    this.#clock = clock;
  }

  get isWhole(): boolean {
    return this.#shard === undefined;
  }

  /** As metrics name it: its number, 0 where everything is for this process. */
  get label(): string {
    return String(this.#shard?.index ?? 0);
  }

  hasDeployment(deployment: KubeObject): boolean {
    return this.#shard === undefined || shardOf(deployment, this.#shard.count) === this.#shard.index;
  }

  /** Undefined: not known yet. */
  hasBundle(bundle: KubeObject): boolean | undefined {
    if (this.#shard === undefined) return true;
    const { index, count } = this.#shard;
    const name = generatedFor(bundle);
    if (name === undefined) return shardOf(bundle, count) === index;
    const deployment = this.#deployments.get(name);
    if (deployment !== undefined) return this.hasDeployment(deployment);
    const bornMs = Date.parse(bundle.metadata.creationTimestamp ?? '');
    // By another clock, or before this one was set back.
    if (Math.abs(this.#clock.now() - bornMs) < strangeMs) return undefined;
    return spread(name, count) + 1 === index;
  }
}
