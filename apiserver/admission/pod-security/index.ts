/** Pod security standards, as the labels of namespaces ask for them. Main function: `podSecurity`. Its checks are pure. */
import { isJsonEqual, isJsonObject, type JsonObject } from '../../../src/base/index.ts';
import { type PodView, podViewOf } from '../../../src/pod-security/index.ts';
import {
  type AdmissionPlugin,
  type AdmissionRequest,
  type Cluster,
  invalid,
  type KubeObject,
  objectOf,
  objectsOf,
} from '../../core/index.ts';
import { refusal } from '../refusal.ts';
import { findings, isStricter, type LevelVersion, type Policy, policyOf } from './policy.ts';

const ignoredSubresources = new Set(['exec', 'attach', 'binding', 'eviction', 'log', 'portforward', 'proxy', 'status']);

function templateIn(holder: JsonObject): JsonObject | undefined {
  return isJsonObject(holder['template']) ? holder['template'] : undefined;
}

/** Where kinds keep the pods that they make, by storage key. */
const templates: ReadonlyMap<string, (object: KubeObject) => JsonObject | undefined> = new Map([
  ['podtemplates', (object) => templateIn(object as unknown as JsonObject)],
  ...[
    'replicationcontrollers',
    'deployments.apps',
    'replicasets.apps',
    'statefulsets.apps',
    'daemonsets.apps',
    'jobs.batch',
  ].map((key): [string, (object: KubeObject) => JsonObject | undefined] => [
    key,
    (object) => templateIn(objectOf(object['spec'])),
  ]),
  ['cronjobs.batch', (object) => templateIn(objectOf(objectOf(objectOf(object['spec'])['jobTemplate'])['spec']))],
]);

function print({ level, version }: LevelVersion): string {
  return JSON.stringify(`${level}:${version}`);
}

function violations(policy: LevelVersion, pod: PodView): string {
  return findings(policy, pod)
    .map(({ reason, detail }) => (detail === '' ? reason : `${reason} (${detail})`))
    .join(', ');
}

function warn(request: AdmissionRequest, policy: LevelVersion, pod: PodView): void {
  const found = violations(policy, pod);
  if (found !== '') request.warn(`would violate PodSecurity ${print(policy)}: ${found}`);
}

function images(object: KubeObject | undefined): (readonly [string, unknown, unknown])[] {
  const spec = objectOf(object?.['spec']);
  return ['containers', 'initContainers', 'ephemeralContainers'].flatMap((field) =>
    objectsOf(spec[field]).map(({ name, image }) => [field, name, image] as const),
  );
}

/** Of a pod that is there only the images matter: all else that counts cannot change. */
function isSignificant({ operation, object, oldObject }: AdmissionRequest): boolean {
  return operation === 'CREATE' || JSON.stringify(images(object)) !== JSON.stringify(images(oldObject));
}

function checkPod(request: AdmissionRequest, policy: Policy): void {
  const { object, subresource } = request;
  if (object === undefined || ignoredSubresources.has(subresource ?? '') || !isSignificant(request)) return;
  const pod = podViewOf(object as unknown as JsonObject);
  const found = violations(policy.enforce, pod);
  if (found !== '') throw refusal(request, `violates PodSecurity ${print(policy.enforce)}: ${found}`);
  warn(request, policy.warn, pod);
}

function checkLabels(request: AdmissionRequest): Policy | undefined {
  const { object, oldObject, resource, name } = request;
  const now = policyOf(object?.metadata.labels);
  const before = oldObject === undefined ? undefined : policyOf(oldObject.metadata.labels);
  const isOld = before !== undefined && isJsonEqual(before.errors as never, now.errors as never);
  if (now.errors.length > 0 && !isOld) throw invalid(resource, name, now.errors.toSorted(byField));
  return before !== undefined && isStricter(now.enforce, before.enforce) ? now : undefined;
}

function byField(a: { readonly field: string }, b: { readonly field: string }): number {
  return a.field < b.field ? -1 : 1;
}

/** What reads the pods of a namespace one after another: there may be very many. */
type PodsIn = (namespace: string) => AsyncIterable<KubeObject> | Iterable<KubeObject>;

/** Words for pods that are there already, the same findings together. */
async function warningsOf(pods: ReturnType<PodsIn>, policy: LevelVersion): Promise<string[]> {
  const byReason = new Map<string, string[]>();
  for await (const pod of pods) {
    const reasons = findings(policy, podViewOf(pod as unknown as JsonObject)).map(({ reason }) => reason);
    if (reasons.length === 0) continue;
    const key = reasons.join(', ');
    const names = byReason.get(key) ?? [];
    names.push(pod.metadata.name ?? '');
    byReason.set(key, names);
  }
  const words = [...byReason].map(([reasons, names]) => {
    const [first = '', ...others] = names.toSorted();
    const more = others.length === 0 ? '' : ` (and ${others.length} other pod${others.length === 1 ? '' : 's'})`;
    return `${first}${more}: ${reasons}`;
  });
  return words.toSorted();
}

async function checkNamespace(request: AdmissionRequest, podsIn: PodsIn): Promise<void> {
  if (request.subresource !== undefined || request.operation === 'DELETE') return;
  const policy = checkLabels(request);
  if (policy === undefined) return;
  const words = await warningsOf(podsIn(request.name), policy.enforce);
  if (words.length === 0) return;
  const namespace = JSON.stringify(request.name);
  request.warn(
    `existing pods in namespace ${namespace} violate the new PodSecurity enforce level ${print(policy.enforce)}`,
  );
  for (const text of words) request.warn(text);
}

/** Pods that a namespace's labels forbid are refused; what makes such pods is warned of. */
export function podSecurity(cluster: Cluster): AdmissionPlugin {
  const policyIn = (name: string): Policy => {
    const type = cluster.resource('', 'namespaces');
    return policyOf(type === undefined ? {} : cluster.get(type, { namespace: '', name })?.metadata.labels);
  };
  const podsIn: PodsIn = (namespace) => {
    const type = cluster.resource('', 'pods');
    return type === undefined ? [] : cluster.eachInTurns(type, { namespace });
  };
  const check = async (request: AdmissionRequest): Promise<void> => {
    const { storageKey } = request.resource;
    if (storageKey === 'namespaces') return await checkNamespace(request, podsIn);
    if (request.operation === 'DELETE' || request.object === undefined) return;
    if (storageKey === 'pods') return checkPod(request, policyIn(request.namespace));
    const template = request.subresource === undefined ? templates.get(storageKey)?.(request.object) : undefined;
    if (template !== undefined) warn(request, policyIn(request.namespace).warn, podViewOf(template));
  };
  return {
    name: 'PodSecurity',
    validate: check,
  };
}
