import { isJsonObject, type JsonObject, objectAt, silentLogger, systemClock, textAt } from '../../src/base/index.ts';
import { createCache, type KubeClient, type KubeObject } from '../../src/kube/index.ts';
import { Canonical } from './canonical.ts';

const olm = 'operators.coreos.com';
const rbac = 'rbac.authorization.k8s.io/v1';
/** Everything that OLM writes. */
export const writtenKinds: readonly (readonly [string, string])[] = [
  [`${olm}/v1alpha1`, 'ClusterServiceVersion'],
  [`${olm}/v1alpha1`, 'InstallPlan'],
  [`${olm}/v1alpha1`, 'Subscription'],
  [`${olm}/v1alpha1`, 'CatalogSource'],
  [`${olm}/v1`, 'OperatorGroup'],
  [`${olm}/v2`, 'OperatorCondition'],
  [`${olm}/v1`, 'Operator'],
  [`${olm}/v1`, 'OLMConfig'],
  ['v1', 'Namespace'],
  ['v1', 'ServiceAccount'],
  ['v1', 'Service'],
  ['v1', 'Secret'],
  ['v1', 'ConfigMap'],
  ['v1', 'Event'],
  ['apps/v1', 'Deployment'],
  ['batch/v1', 'Job'],
  ['networking.k8s.io/v1', 'NetworkPolicy'],
  [rbac, 'Role'],
  [rbac, 'RoleBinding'],
  [rbac, 'ClusterRole'],
  [rbac, 'ClusterRoleBinding'],
  ['apiextensions.k8s.io/v1', 'CustomResourceDefinition'],
  ['apiregistration.k8s.io/v1', 'APIService'],
  ['admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration'],
  ['admissionregistration.k8s.io/v1', 'MutatingWebhookConfiguration'],
];
/** Every namespace has them. */
const ofEveryNamespace = new Set(['ConfigMap/kube-root-ca.crt', 'ServiceAccount/default']);
const slugPattern = /case-[a-z0-9]+/;

/** What the objects of one scenario have shown so far. */
export interface Timeline {
  readonly canonical: Canonical;
  readonly objects: Map<string, { readonly object: JsonObject; readonly text: string; readonly changedMs: number }>;
  /** By key, in the order in which each was first seen. */
  readonly phases: Map<string, Set<string>>;
  readonly events: Set<string>;
  lastChangeMs: number;
}

/** Every cluster or namespace has it. */
function isCommon({ kind, metadata: { name, labels } }: KubeObject): boolean {
  return ofEveryNamespace.has(`${kind}/${name}`) || labels?.['kubernetes.io/bootstrapping'] !== undefined;
}

function slugIn(text: string): string | undefined {
  return slugPattern.exec(text)?.[0];
}

/** How long a Namespace waits for APIs of other scenarios to be reachable is chance. */
function isAbsent(object: KubeObject | undefined): object is undefined {
  return object === undefined || (object.kind === 'Namespace' && object.metadata.deletionTimestamp !== undefined);
}

/** The scenario that an object belongs to; undefined for all others, such as copies in namespaces of other scenarios. */
function slugOfObject(object: KubeObject): string | undefined {
  if (isCommon(object)) return undefined;
  const { namespace, labels = {} } = object.metadata;
  // Extension API servers are granted to read there how users authenticate.
  const isOfCluster = namespace === undefined || (namespace === 'kube-system' && object.kind === 'RoleBinding');
  if (isOfCluster) return slugIn(JSON.stringify(object));
  const own = slugIn(namespace);
  const origin = labels['olm.copiedFrom'] ?? labels['olm.owner.namespace'] ?? namespace;
  return slugIn(origin) === own ? own : undefined;
}

function phaseOf(object: KubeObject): string {
  const status = isJsonObject(object['status']) ? object['status'] : {};
  const phase = textAt(status, 'phase') || textAt(status, 'state');
  const parts = [phase, textAt(status, 'reason'), textAt(status, 'message')].filter((part) => part !== '');
  return parts.join(' / ');
}

/** Watches everything that OLM writes and sorts it by scenario. */
export class Observer implements Disposable {
  readonly #stop = new AbortController();
  readonly #timelines = new Map<string, Timeline>();

  /** Resolves when the watches are established. */
  async start(kube: KubeClient): Promise<void> {
    const signal = this.#stop.signal;
    const common = { kube, project: (object: KubeObject) => object, clock: systemClock, log: silentLogger(), signal };
    const caches = writtenKinds.map(([apiVersion, kind]) => {
      const cache = createCache({ ...common, target: { apiVersion, kind } });
      cache.subscribe(({ before, after }) => this.#take(before, after));
      return cache;
    });
    await Promise.all(caches.map(({ whenSynced }) => whenSynced));
  }

  timeline(slug: string): Timeline {
    const known = this.#timelines.get(slug);
    if (known !== undefined) return known;
    const canonical = new Canonical(slug);
    const made = { canonical, objects: new Map(), phases: new Map(), events: new Set<string>(), lastChangeMs: 0 };
    this.#timelines.set(slug, made);
    return made;
  }

  #take(before: KubeObject | undefined, after: KubeObject | undefined): void {
    const object = after ?? before;
    const slug = object === undefined ? undefined : slugOfObject(object);
    if (object === undefined || slug === undefined) return;
    const timeline = this.timeline(slug);
    if (object.kind === 'Event') return takeEvent(timeline, object as JsonObject);
    const uid = object.metadata.uid ?? '';
    if (isAbsent(after)) {
      timeline.objects.delete(uid);
      timeline.lastChangeMs = Date.now();
      return;
    }
    const shown = timeline.canonical.object(after as JsonObject);
    const text = JSON.stringify(shown);
    if (timeline.objects.get(uid)?.text === text) return;
    const changedMs = Date.now();
    timeline.objects.set(uid, { object: shown, text, changedMs });
    timeline.lastChangeMs = changedMs;
    takePhase(timeline, after);
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
  }
}

function takePhase({ canonical, phases }: Timeline, object: KubeObject): void {
  const phase = canonical.text(phaseOf(object));
  if (phase === '' || !object.apiVersion.startsWith(olm)) return;
  const key = canonical.key(object as JsonObject);
  phases.set(key, (phases.get(key) ?? new Set()).add(phase));
}

/** Those of the cluster's own controllers are left out. */
function takeEvent(timeline: Timeline, event: JsonObject): void {
  const { canonical, events } = timeline;
  const about = objectAt(event, 'involvedObject') ?? {};
  if (!textAt(about, 'apiVersion').startsWith(olm)) return;
  const key = canonical.key({ kind: textAt(about, 'kind'), metadata: { ...about } });
  const text = `${textAt(event, 'type')} ${textAt(event, 'reason')}: ${textAt(event, 'message')}`;
  const line = `${key}: ${canonical.text(text)}`;
  if (!events.has(line)) timeline.lastChangeMs = Date.now();
  events.add(line);
}
