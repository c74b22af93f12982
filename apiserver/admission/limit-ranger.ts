import type { JsonObject } from '../../src/base/index.ts';
import {
  type AdmissionPlugin,
  type AdmissionRequest,
  type Cluster,
  type KubeObject,
  objectOf,
  objectsOf,
  StatusError,
  textOf,
} from '../core/index.ts';
import { podTotals } from '../quota/index.ts';
import { type ResourceList, resourceList } from '../schema/index.ts';
import { constraintErrors, type Usage } from './limit-constraints.ts';
import { isNewPod } from './pod-parts.ts';
import { listed, refusal } from './refusal.ts';

const annotation = 'kubernetes.io/limit-ranger';

function limitsOf(range: KubeObject, type: string): JsonObject[] {
  return objectsOf(objectOf(range['spec'])['limits']).filter((limit) => limit['type'] === type);
}

function containersOf(spec: JsonObject): JsonObject[] {
  return [...objectsOf(spec['containers']), ...objectsOf(spec['initContainers'])];
}

/** Amounts of limits, for all containers of a pod together: each is compared, and may be filled in. */
const maxAmounts = 100_000;

/** Refuses a pod of very many containers for each of which limits name very many resources, before they become its own.
 *  @throws StatusError 413 */
function assertFewAmounts(pod: KubeObject, ranges: readonly KubeObject[]): void {
  const containers = containersOf(objectOf(pod['spec'])).length;
  const limits = ranges.flatMap((range) => limitsOf(range, 'Container'));
  const maps = limits.flatMap((limit) => Object.values(limit)).map(objectOf);
  const amounts = maps.reduce((sum, map) => sum + Object.keys(map).length, 0);
  if (containers * amounts <= maxAmounts) return;
  const what = `the LimitRanges of its namespace have ${amounts} amounts for each of its ${containers} containers`;
  const message = `Request entity too large: ${what}, the limit for all of them is ${maxAmounts}`;
  throw new StatusError({ code: 413, reason: 'RequestEntityTooLarge', message });
}

interface Defaults {
  readonly requests: ResourceList;
  readonly limits: ResourceList;
}

function defaultsOf(range: KubeObject): Defaults {
  const rows = limitsOf(range, 'Container');
  const merge = (field: string): ResourceList =>
    rows.reduce<ResourceList>((all, row) => ({ ...all, ...resourceList(row[field]) }), {});
  return { requests: merge('defaultRequest'), limits: merge('default') };
}

/** Fills in what a container does not specify; returns a description of what was filled in. */
function fillIn(container: JsonObject, defaults: Defaults, what: string): string[] {
  const resources: JsonObject = { ...objectOf(container['resources']) };
  const words: string[] = [];
  for (const part of ['requests', 'limits'] as const) {
    const own = objectOf(resources[part]);
    const added = Object.entries(defaults[part]).filter(([name]) => !Object.hasOwn(own, name));
    if (added.length === 0) continue;
    resources[part] = { ...own, ...Object.fromEntries(added) };
    const names = added.map(([name]) => name).toSorted();
    words.push(`${names.join(', ')} ${part.slice(0, -1)} for ${what} ${textOf(container['name'])}`);
  }
  container['resources'] = resources;
  return words;
}

function withDefaults(pod: KubeObject, range: KubeObject): KubeObject {
  const defaults = defaultsOf(range);
  if (Object.keys({ ...defaults.requests, ...defaults.limits }).length === 0) return pod;
  const spec = structuredClone(objectOf(pod['spec']));
  const words = [
    ...objectsOf(spec['containers']).flatMap((container) => fillIn(container, defaults, 'container')),
    ...objectsOf(spec['initContainers']).flatMap((container) => fillIn(container, defaults, 'init container')),
  ];
  if (words.length === 0) return pod;
  const annotations = { ...pod.metadata.annotations, [annotation]: `LimitRanger plugin set: ${words.join('; ')}` };
  return { ...pod, metadata: { ...pod.metadata, annotations }, spec };
}

function usageOf({ resources }: JsonObject): Usage {
  const { requests, limits } = objectOf(resources);
  return { requests: resourceList(requests), limits: resourceList(limits) };
}

function podErrors(pod: KubeObject, range: KubeObject): string[] {
  const spec = objectOf(pod['spec']);
  const containers = containersOf(spec);
  const whole = { requests: podTotals(spec, 'requests'), limits: podTotals(spec, 'limits') };
  return [
    ...limitsOf(range, 'Container').flatMap((limit) =>
      containers.flatMap((container) => constraintErrors(limit, usageOf(container))),
    ),
    ...limitsOf(range, 'Pod').flatMap((limit) => constraintErrors(limit, whole)),
  ];
}

function claimErrors(claim: KubeObject, range: KubeObject): string[] {
  const usage = usageOf(objectOf(claim['spec']));
  return limitsOf(range, 'PersistentVolumeClaim').flatMap((limit) =>
    constraintErrors(limit, { requests: usage.requests, limits: undefined }),
  );
}

/** What is bounded in a write: what a pod that is made, or a claim, asks for. */
function errorsFor(request: AdmissionRequest): ((object: KubeObject, range: KubeObject) => string[]) | undefined {
  const { resource, subresource, operation } = request;
  if (isNewPod(request)) return podErrors;
  const isClaim = resource.storageKey === 'persistentvolumeclaims' && subresource === undefined;
  return isClaim && operation !== 'DELETE' ? claimErrors : undefined;
}

function check(request: AdmissionRequest, rangesIn: (namespace: string) => readonly KubeObject[]): void {
  const { object, oldObject } = request;
  const find = errorsFor(request);
  if (find === undefined || object === undefined || oldObject?.metadata.deletionTimestamp !== undefined) return;
  for (const range of rangesIn(request.namespace)) {
    const errors = find(object, range);
    if (errors.length > 0) throw refusal(request, listed(errors));
  }
}

/** LimitRanges of the namespace: defaults for containers, bounds for containers, pods and claims. */
export function limitRanger(cluster: Cluster): AdmissionPlugin {
  const rangesIn = (namespace: string): readonly KubeObject[] => {
    const type = cluster.resource('', 'limitranges');
    return type === undefined ? [] : cluster.list(type, { namespace });
  };
  return {
    name: 'LimitRanger',
    mutate: (request) => {
      const { object } = request;
      if (object === undefined || !isNewPod(request)) return Promise.resolve(undefined);
      const ranges = rangesIn(request.namespace);
      assertFewAmounts(object, ranges);
      const changed = ranges.reduce(withDefaults, object);
      return Promise.resolve(changed === object ? undefined : changed);
    },
    validate: (request) => {
      check(request, rangesIn);
      return Promise.resolve();
    },
  };
}
