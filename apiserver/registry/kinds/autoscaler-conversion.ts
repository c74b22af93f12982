import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  objectAt,
  objectsAt,
  textAt,
  valueAt,
} from '../../../src/base/index.ts';
import { asJson, type KubeObject, numberAt } from '../../core/index.ts';

/** The two forms of HorizontalPodAutoscalers: autoscaling/v2, in which they are stored, and autoscaling/v1, which keeps in annotations what it
 *  has no fields for. */

const annotationOf = {
  metrics: 'autoscaling.alpha.kubernetes.io/metrics',
  currentMetrics: 'autoscaling.alpha.kubernetes.io/current-metrics',
  behavior: 'autoscaling.alpha.kubernetes.io/behavior',
  conditions: 'autoscaling.alpha.kubernetes.io/conditions',
} as const;
const ownAnnotations: readonly string[] = [
  ...Object.values(annotationOf),
  'autoscaling.alpha.kubernetes.io/scale-down-tolerance',
  'autoscaling.alpha.kubernetes.io/scale-up-tolerance',
];

function withoutOwnAnnotations(object: KubeObject): Record<string, string> {
  const entries = Object.entries(object.metadata.annotations ?? {});
  return Object.fromEntries(entries.filter(([key]) => !ownAnnotations.includes(key)));
}

function isCpuUtilization(metric: JsonObject): boolean {
  const resource = objectAt(metric, 'resource');
  const isCpu = textAt(metric, 'type') === 'Resource' && textAt(resource, 'name') === 'cpu';
  return isCpu && numberAt(objectAt(resource, 'target'), 'averageUtilization') !== undefined;
}

/** The members that are there, in this order: the order in which Go writes them. */
function present(members: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(members).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined),
  );
}

type Rewrite = (source: JsonObject) => JsonObject;

const sourcesToV1: Readonly<Record<string, Rewrite>> = {
  object: (source) => {
    const [metric, target] = [objectAt(source, 'metric'), objectAt(source, 'target')];
    return present({
      target: valueAt(source, 'describedObject'),
      metricName: textAt(metric, 'name'),
      targetValue: valueAt(target, 'value') ?? '0',
      selector: valueAt(metric, 'selector'),
      averageValue: valueAt(target, 'averageValue'),
    });
  },
  pods: (source) => {
    const [metric, target] = [objectAt(source, 'metric'), objectAt(source, 'target')];
    return present({
      metricName: textAt(metric, 'name'),
      targetAverageValue: valueAt(target, 'averageValue') ?? '0',
      selector: valueAt(metric, 'selector'),
    });
  },
  resource: (source) => {
    const target = objectAt(source, 'target');
    return present({
      name: textAt(source, 'name'),
      targetAverageUtilization: valueAt(target, 'averageUtilization'),
      targetAverageValue: valueAt(target, 'averageValue'),
    });
  },
  containerResource: (source) => {
    const target = objectAt(source, 'target');
    return present({
      name: textAt(source, 'name'),
      targetAverageUtilization: valueAt(target, 'averageUtilization'),
      targetAverageValue: valueAt(target, 'averageValue'),
      container: textAt(source, 'container'),
    });
  },
  external: (source) => {
    const [metric, target] = [objectAt(source, 'metric'), objectAt(source, 'target')];
    return present({
      metricName: textAt(metric, 'name'),
      metricSelector: valueAt(metric, 'selector'),
      targetValue: valueAt(target, 'value'),
      targetAverageValue: valueAt(target, 'averageValue'),
    });
  },
};

function resourceTarget(source: JsonObject): JsonObject {
  const utilization = valueAt(source, 'targetAverageUtilization');
  return present({
    type: utilization === undefined ? 'AverageValue' : 'Utilization',
    averageValue: valueAt(source, 'targetAverageValue'),
    averageUtilization: utilization,
  });
}

const sourcesFromV1: Readonly<Record<string, Rewrite>> = {
  object: (source) => ({
    describedObject: objectAt(source, 'target') ?? {},
    metric: present({ name: textAt(source, 'metricName'), selector: valueAt(source, 'selector') }),
    target:
      valueAt(source, 'averageValue') === undefined
        ? present({ type: 'Value', value: valueAt(source, 'targetValue') })
        : present({ type: 'AverageValue', averageValue: valueAt(source, 'averageValue') }),
  }),
  pods: (source) => ({
    metric: present({ name: textAt(source, 'metricName'), selector: valueAt(source, 'selector') }),
    target: present({ type: 'AverageValue', averageValue: valueAt(source, 'targetAverageValue') }),
  }),
  resource: (source) => ({ name: textAt(source, 'name'), target: resourceTarget(source) }),
  containerResource: (source) => ({
    name: textAt(source, 'name'),
    target: resourceTarget(source),
    container: textAt(source, 'container'),
  }),
  external: (source) => ({
    metric: present({ name: textAt(source, 'metricName'), selector: valueAt(source, 'metricSelector') }),
    target: present({
      type: valueAt(source, 'targetValue') === undefined ? 'AverageValue' : 'Value',
      value: valueAt(source, 'targetValue'),
      averageValue: valueAt(source, 'targetAverageValue'),
    }),
  }),
};

function rewritten(metric: JsonObject, rewrites: Readonly<Record<string, Rewrite>>): JsonObject {
  const sources = Object.entries(rewrites).flatMap(([key, rewrite]) => {
    const source = objectAt(metric, key);
    return source === undefined ? [] : [[key, rewrite(source)] as const];
  });
  return { type: textAt(metric, 'type'), ...Object.fromEntries(sources) };
}

function capitalised(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(capitalised);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(
    ([key, member]) => [`${key.charAt(0).toUpperCase()}${key.slice(1)}`, capitalised(member ?? null)] as const,
  );
  return Object.fromEntries(entries);
}

function uncapitalised(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(uncapitalised);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).filter(([, member]) => member !== null && member !== undefined);
  return Object.fromEntries(
    entries.map(([key, member]) => [`${key.charAt(0).toLowerCase()}${key.slice(1)}`, uncapitalised(member ?? null)]),
  );
}

/** The rules of scaling have no form in v1: their annotation holds them as Go has them inside. */
function behaviorText(behavior: JsonObject): string {
  const rules = (key: string): JsonValue => {
    const given = objectAt(behavior, key);
    if (given === undefined) return null;
    return {
      StabilizationWindowSeconds: valueAt(given, 'stabilizationWindowSeconds') ?? null,
      SelectPolicy: valueAt(given, 'selectPolicy') ?? null,
      Policies: capitalised(valueAt(given, 'policies') ?? null),
      Tolerance: valueAt(given, 'tolerance') ?? null,
    };
  };
  return JSON.stringify({ ScaleUp: rules('scaleUp'), ScaleDown: rules('scaleDown') });
}

function annotationsFor(object: KubeObject): Record<string, string> {
  const [spec, status] = [objectAt(asJson(object), 'spec'), objectAt(asJson(object), 'status')];
  const others = objectsAt(spec, 'metrics').filter((metric) => !isCpuUtilization(metric));
  const behavior = objectAt(spec, 'behavior');
  const lists = { currentMetrics: objectsAt(status, 'currentMetrics'), conditions: objectsAt(status, 'conditions') };
  const annotations = withoutOwnAnnotations(object);
  if (others.length > 0) {
    annotations[annotationOf.metrics] = JSON.stringify(others.map((metric) => rewritten(metric, sourcesToV1)));
  }
  if (behavior !== undefined) annotations[annotationOf.behavior] = behaviorText(behavior);
  for (const key of ['currentMetrics', 'conditions'] as const) {
    if (lists[key].length > 0) annotations[annotationOf[key]] = JSON.stringify(lists[key]);
  }
  return annotations;
}

function withAnnotations(object: KubeObject, annotations: Record<string, string>): KubeObject['metadata'] {
  const { annotations: _annotations, ...metadata } = object.metadata;
  return Object.keys(annotations).length === 0 ? metadata : { ...metadata, annotations };
}

/** A stored autoscaler in the form of autoscaling/v1. */
export function autoscalerToServed(object: KubeObject): KubeObject {
  const { metrics: _metrics, behavior: _behavior, ...spec } = objectAt(asJson(object), 'spec') ?? {};
  const cpu = objectsAt(objectAt(asJson(object), 'spec'), 'metrics').find(isCpuUtilization);
  const target = numberAt(objectAt(cpu, 'resource', 'target'), 'averageUtilization');
  return {
    ...object,
    apiVersion: 'autoscaling/v1',
    metadata: withAnnotations(object, annotationsFor(object)),
    spec: { ...spec, ...(target === undefined ? {} : { targetCPUUtilizationPercentage: target }) },
    ...statusToV1(object),
  };
}

function currentCpu(status: JsonObject): number | undefined {
  const metric = objectsAt(status, 'currentMetrics').find(
    (item) => textAt(item, 'type') === 'Resource' && textAt(objectAt(item, 'resource'), 'name') === 'cpu',
  );
  return numberAt(objectAt(metric, 'resource', 'current'), 'averageUtilization');
}

function statusToV1(object: KubeObject): { status?: JsonObject } {
  const status = objectAt(asJson(object), 'status');
  if (status === undefined) return {};
  const { currentMetrics: _metrics, conditions: _conditions, ...rest } = status;
  const used = currentCpu(status);
  const current = used === undefined ? {} : { currentCPUUtilizationPercentage: used };
  return { status: { currentReplicas: 0, desiredReplicas: 0, ...rest, ...current } };
}

/** What an annotation holds; undefined where it is absent or no JSON. */
function parsed(object: KubeObject, key: keyof typeof annotationOf): JsonValue | undefined {
  const text = valueAt(object.metadata.annotations, annotationOf[key]);
  if (typeof text !== 'string') return undefined;
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

function cpuMetric(averageUtilization: JsonValue): JsonObject {
  return { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } } };
}

function storedMetrics(object: KubeObject): JsonObject[] {
  const others = parsed(object, 'metrics');
  const metrics = Array.isArray(others)
    ? others.filter(isJsonObject).map((metric) => rewritten(metric, sourcesFromV1))
    : [];
  const utilization = valueAt(objectAt(asJson(object), 'spec'), 'targetCPUUtilizationPercentage');
  if (utilization !== undefined) metrics.push(cpuMetric(utilization));
  return metrics.length === 0 ? [cpuMetric(80)] : metrics;
}

function statusToV2(object: KubeObject): { status?: JsonObject } {
  const status = objectAt(asJson(object), 'status');
  if (status === undefined) return {};
  const { currentCPUUtilizationPercentage: used, ...rest } = status;
  const [metrics, conditions] = [parsed(object, 'currentMetrics'), parsed(object, 'conditions')];
  const cpu: JsonValue | undefined =
    used === undefined
      ? undefined
      : [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: used } } }];
  return {
    status: {
      ...rest,
      currentMetrics: (Array.isArray(metrics) ? metrics : undefined) ?? cpu ?? null,
      ...(Array.isArray(conditions) ? { conditions } : {}),
    },
  };
}

/** An autoscaling/v1 autoscaler in the form in which it is stored. */
export function autoscalerToStorage(object: KubeObject): KubeObject {
  const { targetCPUUtilizationPercentage: _target, ...spec } = objectAt(asJson(object), 'spec') ?? {};
  const behavior = parsed(object, 'behavior');
  const rules = behavior === undefined ? undefined : uncapitalised(behavior);
  return {
    ...object,
    apiVersion: 'autoscaling/v2',
    metadata: withAnnotations(object, withoutOwnAnnotations(object)),
    spec: { ...spec, metrics: storedMetrics(object), ...(isJsonObject(rules) ? { behavior: rules } : {}) },
    ...statusToV2(object),
  };
}
