import type { JsonObject } from '../../../src/base/index.ts';
import type { KubeObject } from '../kube-object.ts';
import { asJson, listAt, numberAt, objectAt, objectsAt, textAt, valueAt } from './reading.ts';

function renamed(object: JsonObject, names: Readonly<Record<string, string>>): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([key, value]) => [Object.hasOwn(names, key) ? (names[key] ?? key) : key, value]),
  );
}

const eventNames = {
  involvedObject: 'regarding',
  message: 'note',
  source: 'deprecatedSource',
  firstTimestamp: 'deprecatedFirstTimestamp',
  lastTimestamp: 'deprecatedLastTimestamp',
  count: 'deprecatedCount',
  reportingComponent: 'reportingController',
};

/** A core Event in the form of events.k8s.io/v1. */
export function eventToServed(object: KubeObject): KubeObject {
  return { ...renamed(asJson(object), eventNames), apiVersion: 'events.k8s.io/v1' } as unknown as KubeObject;
}

/** An events.k8s.io/v1 Event in the core form, in which events are stored. */
export function eventToStorage(object: KubeObject): KubeObject {
  const back = Object.fromEntries(Object.entries(eventNames).map(([core, events]) => [events, core]));
  return { ...renamed(asJson(object), back), apiVersion: 'v1' } as unknown as KubeObject;
}

function isCpuUtilization(metric: JsonObject): boolean {
  const resource = objectAt(metric, 'resource');
  return textAt(resource, 'name') === 'cpu' && textAt(objectAt(resource, 'target'), 'type') === 'Utilization';
}

const metricsAnnotation = 'autoscaling.alpha.kubernetes.io/metrics';
const behaviorAnnotation = 'autoscaling.alpha.kubernetes.io/behavior';

/** A v2 autoscaler in the v1 form: the CPU metric is a field, what v1 has no field for goes into annotations. */
export function autoscalerToServed(object: KubeObject): KubeObject {
  const { metrics: _metrics, behavior, ...spec } = objectAt(asJson(object), 'spec') ?? {};
  const metrics = objectsAt(objectAt(asJson(object), 'spec'), 'metrics');
  const cpu = metrics.find(isCpuUtilization);
  const others = metrics.filter((metric) => metric !== cpu);
  const target = numberAt(objectAt(cpu, 'resource', 'target'), 'averageUtilization');
  const annotations = {
    ...object.metadata.annotations,
    ...(others.length === 0 ? {} : { [metricsAnnotation]: JSON.stringify(others) }),
    ...(behavior === undefined ? {} : { [behaviorAnnotation]: JSON.stringify(behavior) }),
  };
  return {
    ...object,
    apiVersion: 'autoscaling/v1',
    metadata: Object.keys(annotations).length === 0 ? object.metadata : { ...object.metadata, annotations },
    spec: { ...spec, ...(target === undefined ? {} : { targetCPUUtilizationPercentage: target }) },
    ...statusToV1(object),
  };
}

function statusToV1(object: KubeObject): { status?: JsonObject } {
  const status = objectAt(asJson(object), 'status');
  if (status === undefined) return {};
  const { currentMetrics: _metrics, conditions: _conditions, ...rest } = status;
  return { status: rest };
}

function parsed(text: string | undefined): JsonObject | JsonObject[] | undefined {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as JsonObject | JsonObject[];
  } catch {
    return undefined;
  }
}

/** A v1 autoscaler in the v2 form, in which autoscalers are stored. */
export function autoscalerToStorage(object: KubeObject): KubeObject {
  const { targetCPUUtilizationPercentage: _target, ...spec } = objectAt(asJson(object), 'spec') ?? {};
  const averageUtilization = valueAt(objectAt(asJson(object), 'spec'), 'targetCPUUtilizationPercentage') ?? 80;
  const {
    [metricsAnnotation]: metricsText,
    [behaviorAnnotation]: behaviorText,
    ...annotations
  } = object.metadata.annotations ?? {};
  const others = parsed(metricsText);
  const metrics = [
    { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } } },
    ...(Array.isArray(others) ? others : listAt(others, 'metrics')),
  ];
  const behavior = parsed(behaviorText);
  const { annotations: _annotations, ...metadata } = object.metadata;
  return {
    ...object,
    apiVersion: 'autoscaling/v2',
    metadata: Object.keys(annotations).length === 0 ? metadata : { ...metadata, annotations },
    spec: { ...spec, metrics, ...(behavior === undefined ? {} : { behavior }) },
  };
}
