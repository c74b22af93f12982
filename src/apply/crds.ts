import { type Clock, isJsonObject, type Logger, TransientError } from '../base/index.ts';
import { createCache, type KubeClient, type KubeObject, type ObjectCache } from '../kube/index.ts';
import { kindsOfCrd } from './plan.ts';

interface CrdState {
  readonly name: string;
  readonly isEstablished: boolean;
}

/** All CustomResourceDefinitions of the cluster, by one watch. */
export interface CrdWatch {
  /** Resolves when all of `crds` are Established and their kinds can be resolved.
   *  @throws TransientError CrdNotEstablished after the deadline */
  whenEstablished(crds: readonly KubeObject[], signal: AbortSignal): Promise<void>;
}

const deadlineMs = 30_000;
const discoveryPauseMs = 50;

function stateOf(crd: KubeObject): CrdState {
  const status = isJsonObject(crd['status']) ? crd['status'] : {};
  const conditions = Array.isArray(status['conditions']) ? status['conditions'] : [];
  const isEstablished = conditions.some(
    (item) => isJsonObject(item) && item['type'] === 'Established' && item['status'] === 'True',
  );
  return { name: crd.metadata.name ?? '', isEstablished };
}

function pendingOf(cache: ObjectCache<CrdState>, names: readonly string[]): readonly string[] {
  return names.filter((name) => cache.get(name)?.isEstablished !== true);
}

async function waitForNames(
  cache: ObjectCache<CrdState>,
  names: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const check = (): void => {
    if (signal.aborted || pendingOf(cache, names).length === 0) resolve();
  };
  using subscription = cache.subscribe(check);
  signal.addEventListener('abort', check, { once: true });
  check();
  await promise;
  signal.removeEventListener('abort', check);
  void subscription;
}

/** Follows the CRDs; `onChange` is called whenever one came, became Established or went. */
export function watchCrds(options: {
  readonly kube: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
  readonly onChange: () => void;
}): CrdWatch {
  const { kube, clock } = options;
  const target = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };
  const cache = createCache<CrdState>({ ...options, target, project: stateOf });
  cache.subscribe(({ before, after }) => {
    if (before?.isEstablished !== after?.isEstablished) options.onChange();
  });

  const waitForKinds = async (crds: readonly KubeObject[], signal: AbortSignal): Promise<void> => {
    for (const { apiVersion, kind } of crds.flatMap((crd) => kindsOfCrd(crd).slice(0, 1))) {
      kube.forgetKinds(apiVersion);
      while (!signal.aborted) {
        const found = await kube.resolve(apiVersion, kind, { signal }).catch(() => undefined);
        if (found !== undefined) break;
        await clock.sleep(discoveryPauseMs, { signal }).catch(() => undefined);
      }
    }
  };

  return {
    whenEstablished: async (crds, signal) => {
      const names = crds.map(({ metadata }) => metadata.name ?? '');
      const bounded = AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)]);
      await waitForNames(cache, names, bounded);
      await waitForKinds(crds, bounded);
      signal.throwIfAborted();
      if (!bounded.aborted) return;
      const late = pendingOf(cache, names).join(', ');
      throw new TransientError('CrdNotEstablished', `not established within ${deadlineMs / 1000} s: ${late}`);
    },
  };
}
