import type { JsonObject } from '../../../src/base/index.ts';
import type { KindRules } from '../kind-rules.ts';
import type { KubeObject } from '../kube-object.ts';
import { containersOf } from './pod-defaults.ts';
import { asJson, objectAt, objectsAt, textAt, textsAt, valueAt } from './reading.ts';
import { defaultPod } from './workload-defaults.ts';

const qosResources = ['cpu', 'memory'];

function isGuaranteed(container: JsonObject): boolean {
  const limits = textsAt(container, 'resources', 'limits');
  const requests = { ...limits, ...textsAt(container, 'resources', 'requests') };
  return qosResources.every((name) => limits[name] !== undefined && requests[name] === limits[name]);
}

/** @see reference "types" 4.2: Guaranteed, Burstable or BestEffort */
function qosClass(spec: JsonObject | undefined): string {
  const containers = containersOf(spec);
  const hasAny = containers.some((container) =>
    ['limits', 'requests'].some((kind) =>
      qosResources.some((name) => valueAt(objectAt(container, 'resources', kind), name) !== undefined),
    ),
  );
  if (!hasAny) return 'BestEffort';
  return containers.every(isGuaranteed) ? 'Guaranteed' : 'Burstable';
}

function isGoneAtOnce(object: KubeObject): boolean {
  const phase = textAt(objectAt(asJson(object), 'status'), 'phase');
  return textAt(objectAt(asJson(object), 'spec'), 'nodeName') === '' || phase === 'Succeeded' || phase === 'Failed';
}

function graceSeconds(object: KubeObject, requested: number | undefined): number {
  if (isGoneAtOnce(object)) return 0;
  const own = valueAt(objectAt(asJson(object), 'spec'), 'terminationGracePeriodSeconds');
  const seconds = requested ?? (typeof own === 'number' ? own : 0);
  return seconds < 0 ? 1 : seconds;
}

const inSpec = (name: string) => (object: KubeObject) => textAt(objectAt(asJson(object), 'spec'), name);
const inStatus = (name: string) => (object: KubeObject) => textAt(objectAt(asJson(object), 'status'), name);

/** Behaviour of pods apart from their validation. */
export const podBehaviour: KindRules = {
  applyDefaults: defaultPod,
  prepareForCreate: (object) => {
    asJson(object)['status'] = { phase: 'Pending', qosClass: qosClass(objectAt(asJson(object), 'spec')) };
  },
  generationOf: ['spec'],
  graceSeconds,
  selectableFields: {
    'spec.nodeName': inSpec('nodeName'),
    // An old name of the same.
    'spec.host': inSpec('nodeName'),
    'spec.restartPolicy': inSpec('restartPolicy'),
    'spec.schedulerName': inSpec('schedulerName'),
    'spec.serviceAccountName': inSpec('serviceAccountName'),
    'spec.hostNetwork': (object) => String(valueAt(objectAt(asJson(object), 'spec'), 'hostNetwork') === true),
    'status.phase': inStatus('phase'),
    'status.podIP': inStatus('podIP'),
    'status.podIPs': (object) => {
      const addresses = objectsAt(objectAt(asJson(object), 'status'), 'podIPs').map((item) => textAt(item, 'ip'));
      return addresses.join();
    },
    'status.nominatedNodeName': inStatus('nominatedNodeName'),
  },
};
