import {
  bundlePropertiesAnnotation,
  type DependencyPolicy,
  hasDependenciesLabel,
  ignoreDependenciesAnnotation,
  pausedAnnotation,
} from '../src/api/index.ts';
import { type CacheChange, type KubeObject, type NamespacedName } from '../src/kube/index.ts';

/** Deployments that wait for dependencies, and whether anything on the cluster has dependencies at all: as long as nothing has, nothing
 *  is read or written for them. */
export class DependencyWaits {
  readonly policy: DependencyPolicy;
  readonly #waiting = new Set<string>();
  #isUsed = false;

  constructor(policy: DependencyPolicy) {
    this.policy = policy;
  }

  /** Whether the properties of Bundles matter to others. */
  get isUsed(): boolean {
    return this.#isUsed;
  }

  /** The deployment waits. */
  add(name: string): void {
    this.#waiting.add(name);
  }

  /** The deployment no longer waits. */
  forget(name: string): void {
    this.#waiting.delete(name);
  }

  /** All that wait. */
  requests(): readonly NamespacedName[] {
    return [...this.#waiting].map((name) => ({ namespace: '', name }));
  }

  /** Those that wait, if the change of a Bundle or BundleDeployment may matter to them. */
  requestsFor({ before, after }: CacheChange<KubeObject>): readonly NamespacedName[] {
    return this.#waiting.size > 0 && relevantState(before) !== relevantState(after) ? this.requests() : [];
  }

  /** Whether the Bundle is the first one that has dependencies: from now on the properties of all Bundles matter. */
  isFirstUse(bundle: KubeObject | undefined): boolean {
    if (this.#isUsed || this.policy === 'off') return false;
    this.#isUsed = bundle?.metadata.labels?.[hasDependenciesLabel] === 'true';
    return this.#isUsed;
  }
}

interface StatusLike {
  readonly activeBundle?: string;
  readonly phase?: string;
  readonly conditions?: readonly { readonly type: string; readonly reason: string }[];
}

/** What dependencies of others depend on. */
function relevantState(object: KubeObject | undefined): string {
  if (object === undefined) return '';
  const { annotations = {}, labels = {}, deletionTimestamp, generation } = object.metadata;
  const { activeBundle, phase, conditions } = (object['status'] ?? {}) as StatusLike;
  const reason = conditions?.find(({ type }) => type === 'Installed')?.reason;
  const keys = [bundlePropertiesAnnotation, pausedAnnotation, ignoreDependenciesAnnotation];
  const values = keys.map((key) => annotations[key]);
  const label = labels[hasDependenciesLabel];
  return JSON.stringify([activeBundle, phase, reason, deletionTimestamp, generation, label, values]);
}
