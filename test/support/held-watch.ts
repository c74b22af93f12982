import type { KubeClient } from '../../src/kube/index.ts';

/** A client whose watches of a kind show nothing until it is disposed of: what is written meanwhile is not in caches. */
export interface HeldWatch extends Disposable {
  readonly kube: KubeClient;
}

/** Holds the watches of `kind`; lists are answered. */
export function holdWatch(kube: KubeClient, kind: string): HeldWatch {
  const released = Promise.withResolvers<undefined>();
  return {
    kube: {
      ...kube,
      openWatch: async (target, options) => {
        if (target.kind === kind) await released.promise;
        return await kube.openWatch(target, options);
      },
    },
    [Symbol.dispose]: () => released.resolve(undefined),
  };
}
