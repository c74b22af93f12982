import { clusterServiceVersionResource, subscriptionResource } from '../api/index.ts';
import { errorMessage, type JsonObject, objectAt, remainingMs, textAt, valueAt } from '../base/index.ts';
import type { Manager } from '../controller/index.ts';
import type { EventRecorder, KindCache, KubeClient, KubeObject, ListTarget } from '../kube/index.ts';

/** Deployments of OLM. */
const programs = ['olm-operator', 'catalog-operator'] as const;
/** Field managers of OLM, which runs beside a cluster that lacks its Deployments on some platforms. */
const writers: ReadonlySet<string> = new Set(['olm', 'catalog']);
const recentMs = 90_000;
const lookMs = 15_000;
const maxLooked = 200;

const targets: readonly ListTarget[] = programs.map((name) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  fieldSelector: `metadata.name=${name}`,
}));

function runs(deployment: KubeObject): boolean {
  const [spec, status] = ['spec', 'status'].map((key) => objectAt(deployment as JsonObject, key));
  return valueAt(spec, 'replicas') !== 0 || (valueAt(status, 'replicas') ?? 0) !== 0;
}

function isRecentWrite(entry: JsonObject, nowMs: number): boolean {
  return writers.has(textAt(entry, 'manager')) && remainingMs(Date.parse(textAt(entry, 'time')), recentMs, nowMs) > 0;
}

/** Whether another installation of Operator Lifecycle Manager works on the cluster: two of them would work against each other. */
export class OtherOlm {
  readonly #manager: Manager;
  readonly #kube: KubeClient;
  readonly #caches: readonly KindCache[];
  readonly #events: EventRecorder;
  readonly #allowed = Promise.withResolvers<void>();
  readonly #appeared = Promise.withResolvers<void>();
  #isAllowed = false;
  #reported = '';

  /** `kube` asks while this process does not lead, too. */
  constructor(manager: Manager, kube: KubeClient) {
    this.#manager = manager;
    this.#kube = kube;
    this.#caches = targets.map((target) => manager.cache(target));
    this.#events = manager.eventRecorder('longshore');
  }

  /** Resolves when there is none. */
  get whenAllowed(): Promise<void> {
    return this.#allowed.promise;
  }

  /** Resolves when one has appeared after that: all work must end. */
  get whenAppeared(): Promise<void> {
    return this.#appeared.promise;
  }

  /** The same manager for controllers that work only while there is no other. */
  gate(): Manager {
    const { whenAllowed } = this;
    return {
      ...this.#manager,
      add: (definition, options) => this.#manager.add(definition, { ...options, whenAllowed }),
    };
  }

  /** Watches until the manager ends. */
  async watch(): Promise<void> {
    const { signal, clock, log } = this.#manager;
    try {
      await Promise.all(this.#caches.map(({ whenSynced }) => whenSynced));
    } catch (thrown) {
      if (signal.aborted) return;
      throw thrown;
    }
    for (const cache of this.#caches) {
      const subscription = cache.subscribe(() => void this.#look());
      signal.addEventListener('abort', () => subscription[Symbol.dispose](), { once: true });
    }
    while (!signal.aborted) {
      await this.#look();
      // Afterwards a watch reports what changes.
      if (this.#isAllowed) return;
      await clock.sleep(lookMs, { signal }).catch(() => undefined);
    }
    log.debug('not looked for another OLM any more');
  }

  async #look(): Promise<void> {
    try {
      const found = await this.#find();
      if (found !== undefined) this.#report(found);
      else if (!this.#isAllowed) this.#allow();
    } catch (thrown) {
      if (this.#manager.signal.aborted) return;
      this.#manager.log.warn({ message: errorMessage(thrown) }, 'unknown whether another OLM runs');
    }
  }

  #allow(): void {
    this.#isAllowed = true;
    if (this.#reported !== '') this.#manager.log.info('the other Operator Lifecycle Manager has ended: ours begins');
    this.#allowed.resolve();
  }

  #report({ name, deployment }: { readonly name: string; readonly deployment?: KubeObject }): void {
    const { log } = this.#manager;
    const advice = 'stop it, for example by "longshore install --olm --take-over", or run without --olm';
    if (this.#isAllowed) {
      log.error({ other: name, advice }, 'another Operator Lifecycle Manager was started: this process ends');
      this.#appeared.resolve();
    }
    if (this.#reported === name) return;
    this.#reported = name;
    log.warn({ other: name, advice }, 'another Operator Lifecycle Manager runs: ours is off until it has ended');
    if (deployment === undefined || !this.#manager.isLeading()) return;
    const message = `Longshore leaves the objects of Operator Lifecycle Manager to ${name} while it runs: ${advice}`;
    this.#events.record(deployment, { type: 'Warning', reason: 'OtherOlmRuns', message });
  }

  async #find(): Promise<{ readonly name: string; readonly deployment?: KubeObject } | undefined> {
    const deployments = this.#caches.flatMap((cache) => cache.values());
    for (const deployment of deployments.filter(runs)) {
      if (!(await this.#mayBeOlm(deployment))) continue;
      return { name: `Deployment ${deployment.metadata.namespace}/${deployment.metadata.name}`, deployment };
    }
    if (this.#isAllowed || deployments.length > 0) return undefined;
    const writer = await this.#recentWriter();
    return writer === undefined ? undefined : { name: `field manager "${writer}" outside of the cluster` };
  }

  /** Anybody may give a Deployment that name: only one whose account may write all ClusterServiceVersions is in the way. */
  async #mayBeOlm(deployment: KubeObject): Promise<boolean> {
    const pod = objectAt(deployment as JsonObject, 'spec', 'template', 'spec');
    const account = textAt(pod, 'serviceAccountName') || 'default';
    const { namespace = '' } = deployment.metadata;
    const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
    const resourceAttributes = {
      verb: 'update',
      group: 'operators.coreos.com',
      resource: 'clusterserviceversions',
      subresource: 'status',
    };
    const review = {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      metadata: {},
      spec: { user: `system:serviceaccount:${namespace}:${account}`, groups, resourceAttributes },
    };
    const { signal } = this.#manager;
    const { status } = await this.#kube.create(review, { fieldManager: 'longshore', signal });
    return objectAt({ status } as JsonObject, 'status')?.['allowed'] === true;
  }

  async #recentWriter(): Promise<string | undefined> {
    const { clock, signal } = this.#manager;
    const nowMs = clock.now();
    for (const target of [subscriptionResource, clusterServiceVersionResource]) {
      const pages = this.#kube.listPages({ ...target, isMetadataOnly: true }, { pageSize: maxLooked, signal });
      for await (const { items } of pages) {
        const entries = items.flatMap(({ metadata }) => metadata.managedFields ?? []);
        const recent = entries.find((entry) => isRecentWrite(entry, nowMs));
        if (recent !== undefined) return textAt(recent, 'manager');
        break;
      }
    }
    return undefined;
  }
}
