import { crdSafetyIgnoreAnnotation, safeCrdUpgradeAnnotation } from '../api/index.ts';
import { type Clock, type Logger, TransientError } from '../base/index.ts';
import { createCache, isConditionTrue, type KubeClient, type KubeObject, type ObjectCache } from '../kube/index.ts';
import { kindsOfCrd } from './plan.ts';

interface CrdState {
  readonly name: string;
  readonly isEstablished: boolean;
  /** The same for all states with one spec. */
  readonly generation: string;
  /** The annotations that control checks of its changes. */
  readonly switches: string;
}

/** All CustomResourceDefinitions of the cluster, by one watch. */
export interface CrdWatch {
  /** Resolves when all of `crds` are Established and their kinds can be resolved.
   *  @throws TransientError CrdNotEstablished after the deadline */
  whenEstablished(crds: readonly KubeObject[], signal: AbortSignal): Promise<void>;
  /** Whether a CRD, as a dry run returned it, has the spec that the watch saw last; false when that is not known. */
  isUnchanged(crd: KubeObject): boolean;
}

const deadlineMs = 30_000;
const discoveryPauseMs = 50;

function generationOf({ metadata: { uid = '', generation } }: KubeObject): string {
  return `${uid}/${generation ?? ''}`;
}

function switchesOf({ metadata: { annotations = {} } }: KubeObject): string {
  return JSON.stringify([annotations[safeCrdUpgradeAnnotation], annotations[crdSafetyIgnoreAnnotation]]);
}

function stateOf(crd: KubeObject): CrdState {
  const name = crd.metadata.name ?? '';
  const isEstablished = isConditionTrue(crd, 'Established');
  return { name, isEstablished, generation: generationOf(crd), switches: switchesOf(crd) };
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

/** Follows the CRDs; `onChange` is called whenever one is created, becomes Established, may change, or is deleted. */
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
    const isLet = before?.switches !== after?.switches;
    if (isLet || before?.isEstablished !== after?.isEstablished) options.onChange();
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
    isUnchanged: (crd) => cache.get(crd.metadata.name ?? '')?.generation === generationOf(crd),
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
