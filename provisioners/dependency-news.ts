import {
  bundlePropertiesAnnotation,
  type DependencyPolicy,
  hasDependenciesLabel,
  ignoreDependenciesAnnotation,
  pausedAnnotation,
} from '../src/api/index.ts';
import type { CacheChange, KubeObject } from '../src/kube/index.ts';

/** Whom news of dependencies reaches. */
interface Listeners {
  readonly onDeployment: (name: string) => void;
  /** From now on the properties of all Bundles count. */
  readonly onFirstUse: () => void;
}

/** Knows which deployments are held up by dependencies, and whether anything on the cluster has dependencies at all: as long as nothing
 *  has, nothing is read or written on account of them. */
export class DependencyNews {
  readonly policy: DependencyPolicy;
  readonly #listeners: Listeners;
  readonly #held = new Set<string>();
  #isUsed = false;

  constructor(policy: DependencyPolicy, listeners: Listeners) {
    this.policy = policy;
    this.#listeners = listeners;
  }

  get isUsed(): boolean {
    return this.#isUsed;
  }

  /** Something has dependencies. */
  use(): void {
    if (this.#isUsed) return;
    this.#isUsed = true;
    this.#listeners.onFirstUse();
  }

  /** The deployment wants to hear of what may help it. */
  hold(name: string): void {
    this.#held.add(name);
  }

  release(name: string): void {
    this.#held.delete(name);
  }

  /** Something may have come that others wait for. */
  tell(): void {
    for (const name of this.#held) this.#listeners.onDeployment(name);
  }

  /** Tells if the change of a Bundle or BundleDeployment may matter to those that wait. */
  heed({ before, after }: CacheChange<KubeObject>): void {
    if (this.policy !== 'off' && after?.metadata.labels?.[hasDependenciesLabel] === 'true') this.use();
    if (this.#held.size > 0 && standingOf(before) !== standingOf(after)) this.tell();
  }
}

interface StatusLike {
  readonly activeBundle?: string;
  readonly phase?: string;
  readonly conditions?: readonly { readonly type: string; readonly reason: string }[];
}

function standingOf(object: KubeObject | undefined): string {
  if (object === undefined) return '';
  const { annotations = {}, labels = {}, deletionTimestamp, generation } = object.metadata;
  const { activeBundle, phase, conditions } = (object['status'] ?? {}) as StatusLike;
  const reason = conditions?.find(({ type }) => type === 'Installed')?.reason;
  const told = [bundlePropertiesAnnotation, pausedAnnotation, ignoreDependenciesAnnotation].map(
    (key) => annotations[key],
  );
  return JSON.stringify([
    activeBundle,
    phase,
    reason,
    deletionTimestamp,
    generation,
    labels[hasDependenciesLabel],
    told,
  ]);
}
