import type { JsonObject } from '../../../src/base/index.ts';
import { listOfTexts, numberAt, objectAt, objectsAt, textAt, valueAt } from './reading.ts';

/** Facts that follow from the `spec` of a Service. */

export function isHeadless(spec: JsonObject): boolean {
  const addresses = listOfTexts(spec, 'clusterIPs');
  return addresses.length === 1 ? addresses[0] === 'None' : addresses.length === 0 && textAt(spec, 'clusterIP') === 'None';
}

/** Types whose ports may be reached from outside through the nodes. */
export function usesNodePorts(spec: JsonObject): boolean {
  return ['NodePort', 'LoadBalancer'].includes(textAt(spec, 'type'));
}

/** Whether ports without a node port are to get one. */
export function wantsNodePorts(spec: JsonObject): boolean {
  if (textAt(spec, 'type') === 'LoadBalancer') return valueAt(spec, 'allocateLoadBalancerNodePorts') !== false;
  return textAt(spec, 'type') === 'NodePort';
}

export function isReachableFromOutside(spec: JsonObject): boolean {
  return usesNodePorts(spec) || (textAt(spec, 'type') === 'ClusterIP' && listOfTexts(spec, 'externalIPs').length > 0);
}

export function needsHealthCheckPort(spec: JsonObject): boolean {
  return textAt(spec, 'type') === 'LoadBalancer' && textAt(spec, 'externalTrafficPolicy') === 'Local';
}

/** The node ports of all ports, and the one of the health check. */
export function nodePortsOf(spec: JsonObject | undefined): number[] {
  const ports = objectsAt(spec, 'ports').map((port) => numberAt(port, 'nodePort') ?? 0);
  return [...ports, numberAt(spec, 'healthCheckNodePort') ?? 0].filter((port) => port !== 0);
}

export function hasSelector(spec: JsonObject): boolean {
  return Object.keys(objectAt(spec, 'selector') ?? {}).length > 0;
}

export function isSameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}
