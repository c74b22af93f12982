/** What is left of a namespace, by its resources. */
export interface Remaining {
  /** How many objects, by `pods.`, `deployments.apps`. */
  readonly resources: ReadonlyMap<string, number>;
  readonly finalizers: ReadonlyMap<string, number>;
}

/** What other servers had left of a namespace that is being deleted, after they were last asked to delete it. */
export interface RemainingElsewhere extends Remaining {
  /** `group/version` of those whose resources are unknown. */
  readonly undiscovered: readonly string[];
  /** Why objects could not be deleted. */
  readonly failures: readonly string[];
}

/** Other API servers that have objects in namespaces, and are asked to delete those of namespaces that are being deleted. */
export interface ContentsElsewhere {
  /** Undefined while they have not been asked. */
  remaining(namespace: string): RemainingElsewhere | undefined;
  /** `changed` is called with the name of a namespace once more is known of it; one at a time. */
  follow(changed: (namespace: string) => void): Disposable;
}

/** For a cluster of one server. */
export const nothingElsewhere: ContentsElsewhere = {
  remaining: () => ({ resources: new Map(), finalizers: new Map(), undiscovered: [], failures: [] }),
  follow: () => ({ [Symbol.dispose]: () => {} }),
};
