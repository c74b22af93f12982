import { type JsonObject, lazily } from '../../src/base/index.ts';
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
function assertFewAmounts(containers: number, amounts: number): void {
  if (containers * amounts <= maxAmounts) return;
  const what = `the LimitRanges of its namespace have ${amounts} amounts for each of its ${containers} containers`;
  const message = `Request entity too large: ${what}, the limit for all of them is ${maxAmounts}`;
  throw new StatusError({ code: 413, reason: 'RequestEntityTooLarge', message });
}

function amountsIn(range: KubeObject): number {
  const maps = limitsOf(range, 'Container').flatMap((limit) => Object.values(limit));
  return maps.reduce<number>((sum, map) => sum + Object.keys(objectOf(map)).length, 0);
}

interface Defaults {
  readonly requests: ResourceList;
  readonly limits: ResourceList;
}

function defaultsOf(range: KubeObject): Defaults | undefined {
  const rows = limitsOf(range, 'Container');
  const merge = (field: string): ResourceList =>
    rows.reduce<ResourceList>((all, row) => ({ ...all, ...resourceList(row[field]) }), {});
  const defaults = { requests: merge('defaultRequest'), limits: merge('default') };
  return Object.keys({ ...defaults.requests, ...defaults.limits }).length === 0 ? undefined : defaults;
}

type Ranges = AsyncIterable<KubeObject> | Iterable<KubeObject>;

/** Of each LimitRange that has any. Those that a pod gets too many of are counted, and not in memory.
 *  @throws StatusError 413 */
async function readDefaults(ranges: Ranges, containers: number): Promise<readonly Defaults[]> {
  const all: Defaults[] = [];
  let amounts = 0;
  for await (const range of ranges) {
    amounts += amountsIn(range);
    const defaults = containers * amounts > maxAmounts ? undefined : defaultsOf(range);
    if (defaults !== undefined) all.push(defaults);
  }
  assertFewAmounts(containers, amounts);
  return containers === 0 ? [] : all;
}

/** Fills in what a container does not specify, in place: it may specify much, and LimitRanges may be many. Returns a description of what was filled in. */
function fillIn(container: JsonObject, defaults: Defaults, what: string): string[] {
  const resources = objectOf(container['resources']);
  container['resources'] = resources;
  const words: string[] = [];
  for (const part of ['requests', 'limits'] as const) {
    const own = objectOf(resources[part]);
    const added = Object.entries(defaults[part]).filter(([name]) => !Object.hasOwn(own, name));
    if (added.length === 0) continue;
    for (const [name, amount] of added) own[name] = amount;
    resources[part] = own;
    const names = added.map(([name]) => name).toSorted();
    words.push(`${names.join(', ')} ${part.slice(0, -1)} for ${what} ${textOf(container['name'])}`);
  }
  return words;
}

/** The pod with what each LimitRange adds in turn; undefined if none adds anything. */
function withDefaults(pod: KubeObject, all: readonly Defaults[]): KubeObject | undefined {
  if (all.length === 0) return undefined;
  const spec = structuredClone(objectOf(pod['spec']));
  const [containers, initContainers] = [objectsOf(spec['containers']), objectsOf(spec['initContainers'])];
  const added = all
    .map((defaults) => [
      ...containers.flatMap((container) => fillIn(container, defaults, 'container')),
      ...initContainers.flatMap((container) => fillIn(container, defaults, 'init container')),
    ])
    .findLast((words) => words.length > 0);
  if (added === undefined) return undefined;
  const annotations = { ...pod.metadata.annotations, [annotation]: `LimitRanger plugin set: ${added.join('; ')}` };
  return { ...pod, metadata: { ...pod.metadata, annotations }, spec };
}

function usageOf({ resources }: JsonObject): Usage {
  const { requests, limits } = objectOf(resources);
  return { requests: resourceList(requests), limits: resourceList(limits) };
}

/** What of a LimitRange something violates, in words. */
type Check = (range: KubeObject) => string[];

/** What the pod asks for is read once for all LimitRanges, of which there may be very many. */
function podCheck(pod: KubeObject): Check {
  const spec = objectOf(pod['spec']);
  const each = lazily(() => containersOf(spec).map(usageOf));
  const whole = lazily(() => [{ requests: podTotals(spec, 'requests'), limits: podTotals(spec, 'limits') }]);
  return (range) => [
    ...limitsOf(range, 'Container').flatMap((limit) => constraintErrors(limit, each)),
    ...limitsOf(range, 'Pod').flatMap((limit) => constraintErrors(limit, whole)),
  ];
}

function claimCheck(claim: KubeObject): Check {
  const usage = lazily(() => [{ requests: usageOf(objectOf(claim['spec'])).requests, limits: undefined }]);
  return (range) => limitsOf(range, 'PersistentVolumeClaim').flatMap((limit) => constraintErrors(limit, usage));
}

/** What is bounded in a write: what a pod that is made, or a claim, asks for. */
function checkFor(request: AdmissionRequest): Check | undefined {
  const { resource, subresource, operation, object, oldObject } = request;
  if (object === undefined || oldObject?.metadata.deletionTimestamp !== undefined) return undefined;
  if (isNewPod(request)) return podCheck(object);
  const isClaim = resource.storageKey === 'persistentvolumeclaims' && subresource === undefined;
  return isClaim && operation !== 'DELETE' ? claimCheck(object) : undefined;
}

/** LimitRanges of the namespace: defaults for containers, bounds for containers, pods and claims. Others have turns between two of them. */
export function limitRanger(cluster: Cluster): AdmissionPlugin {
  const rangesIn = (namespace: string): Ranges => {
    const type = cluster.resource('', 'limitranges');
    return type === undefined ? [] : cluster.eachInTurns(type, { namespace });
  };
  return {
    name: 'LimitRanger',
    mutate: async (request) => {
      const { object, namespace } = request;
      if (object === undefined || !isNewPod(request)) return undefined;
      const { length } = containersOf(objectOf(object['spec']));
      return withDefaults(object, await readDefaults(rangesIn(namespace), length));
    },
    validate: async (request) => {
      const check = checkFor(request);
      if (check === undefined) return;
      for await (const range of rangesIn(request.namespace)) {
        const errors = check(range);
        if (errors.length > 0) throw refusal(request, listed(errors));
      }
    },
  };
}
