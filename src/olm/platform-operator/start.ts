import {
  bundleDeploymentResource,
  bundlePropertiesAnnotation,
  bundleResource,
  platformOperatorResource,
} from '../../api/index.ts';
import { type Clock, errorMessage, isJsonObject, type Logger, parseJson, TerminalError } from '../../base/index.ts';
import type { Property } from '../../constraints/index.ts';
import { type Controller, startController } from '../../controller/index.ts';
import {
  type CacheChange,
  createCache,
  createEventRecorder,
  createKindCache,
  type KubeClient,
  type KubeObject,
} from '../../kube/index.ts';
import type { Metrics } from '../../metrics/index.ts';
import type { CatalogViews } from '../cluster-catalog/views.ts';
import { aggregateConditions, startConditions, writeAggregate } from './aggregate.ts';
import { fieldManager, type PlatformContext } from './context.ts';
import { isMadeForPackage, platformOwners } from './deployment-object.ts';
import { reconcilePlatformOperator } from './reconcile.ts';
import { type Resolver, ResolverThread } from './resolve-thread.ts';

export interface PlatformOperatorsOptions {
  readonly kube: KubeClient;
  readonly views: CatalogViews;
  /** Told of by the aggregate. */
  readonly systemNamespace: string;
  /** Of this program; told of by the aggregate. */
  readonly version: string;
  /** Default: a thread of its own. */
  readonly resolver?: Resolver;
  readonly metrics?: Metrics | undefined;
  /** BundleDeployments must name a service account, which a PlatformOperator does not. Default false. */
  readonly isAccountRequired?: boolean;
  readonly clock: Clock;
  readonly log: Logger;
  /** Ends everything. */
  readonly signal: AbortSignal;
}

/** PlatformOperators, looked after. */
export interface PlatformOperators {
  /** Resolves when the objects are known and the work begins. */
  readonly whenReady: Promise<void>;
  /** Resolves after the signal has fired and all work has ended. */
  readonly whenStopped: Promise<void>;
}

function notedProperties({ metadata }: KubeObject): readonly Property[] {
  const text = metadata.annotations?.[bundlePropertiesAnnotation];
  if (text === undefined) return [];
  try {
    const list = parseJson(bundlePropertiesAnnotation, text);
    if (!Array.isArray(list)) return [];
    return list.flatMap((item): Property[] => {
      const { type, value = null } = isJsonObject(item) ? item : {};
      return typeof type === 'string' ? [{ type, value }] : [];
    });
  } catch (thrown) {
    if (thrown instanceof TerminalError) return [];
    throw thrown;
  }
}

function createContext(options: PlatformOperatorsOptions, resolver: Resolver): PlatformContext {
  const { kube, clock, log, signal, views } = options;
  const runtime = { kube, clock, log, signal };
  return {
    kube,
    clock,
    log,
    views,
    isAccountRequired: options.isAccountRequired ?? false,
    resolver,
    operators: createKindCache({ ...runtime, target: platformOperatorResource }),
    deployments: createKindCache({ ...runtime, target: bundleDeploymentResource }),
    noted: createCache<readonly Property[]>({
      ...runtime,
      target: { apiVersion: bundleResource.apiVersion, kind: bundleResource.kind, isMetadataOnly: true },
      project: notedProperties,
    }),
    events: createEventRecorder({ ...runtime, component: fieldManager }),
  };
}

/** Names of the PlatformOperators that a change of a BundleDeployment is about. */
function concerned({ before, after }: CacheChange<KubeObject>): ReadonlySet<string> {
  const owners = [before, after].flatMap((object) => (object === undefined ? [] : platformOwners(object)));
  return new Set(owners.map(({ name }) => name));
}

interface Controllers {
  readonly operators: Controller;
  readonly aggregate: Controller;
}

async function begin(
  context: PlatformContext,
  { operators, aggregate }: Controllers,
  signal: AbortSignal,
): Promise<void> {
  const { operators: known, deployments, noted, views } = context;
  await Promise.all([known.whenSynced, deployments.whenSynced, noted.whenSynced]);
  const enqueueAll = (): void => {
    for (const { metadata } of known.values()) operators.enqueue(metadata.name ?? '');
  };
  known.subscribe(({ before, after }) => {
    operators.enqueue((after ?? before)?.metadata.name ?? '');
    aggregate.enqueue('all');
    // Another one for the same package may have its turn now.
    if (after === undefined) enqueueAll();
  });
  deployments.subscribe((change) => {
    for (const name of concerned(change)) operators.enqueue(name);
    const { before, after } = change;
    // A name that was taken may be free now.
    if (after === undefined && before !== undefined && !isMadeForPackage(before)) enqueueAll();
  });
  const following = views.subscribe(enqueueAll);
  signal.addEventListener('abort', () => following[Symbol.dispose](), { once: true });
  enqueueAll();
  aggregate.enqueue('all');
}

/** Starts the controller of PlatformOperators and that of their aggregate; returns at once. */
export function startPlatformOperators(options: PlatformOperatorsOptions): PlatformOperators {
  const { kube, clock, log, metrics, signal, systemNamespace, version } = options;
  const thread = new ResolverThread();
  const context = createContext(options, options.resolver ?? thread);
  const allowed = Promise.withResolvers<void>();
  const runtime = { workers: 1, whenAllowed: allowed.promise, metrics, clock, log, signal };
  const facts = { systemNamespace, version };
  const operators = startController({
    // One at a time: they share what they need.
    name: 'platformoperator',
    reconcile: (name, run) => reconcilePlatformOperator(context, name, run),
    ...runtime,
  });
  const aggregate = startController({
    name: 'platformoperator-aggregate',
    reconcile: async (_key, run) => {
      const conditions = aggregateConditions(context.operators.values());
      await writeAggregate({ ...facts, conditions, nowMs: clock.now() }, { kube, fieldManager, signal: run.signal });
    },
    ...runtime,
  });
  const start = async (): Promise<void> => {
    try {
      const first = { ...facts, conditions: startConditions, nowMs: clock.now(), isFirstWord: true };
      await writeAggregate(first, { kube, fieldManager, signal });
    } catch (thrown) {
      log.debug({ why: errorMessage(thrown) }, 'aggregate of platform operators not written');
    }
    await begin(context, { operators, aggregate }, signal);
    allowed.resolve();
  };
  return {
    whenReady: start(),
    whenStopped: Promise.all([operators.whenStopped, aggregate.whenStopped]).then(() => thread[Symbol.dispose]()),
  };
}
