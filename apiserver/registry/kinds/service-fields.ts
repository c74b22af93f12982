import { type JsonObject, listOfTexts, objectAt, objectsAt, textAt, valueAt } from '../../../src/base/index.ts';
import { countAt } from '../../core/index.ts';

/** Facts that follow from the `spec` of a Service. */

export function isHeadless(spec: JsonObject): boolean {
  const addresses = listOfTexts(spec, 'clusterIPs');
  return addresses.length === 1
    ? addresses[0] === 'None'
    : addresses.length === 0 && textAt(spec, 'clusterIP') === 'None';
}

/** A service that is only another name for something outside. */
export function isNamed(spec: JsonObject): boolean {
  return textAt(spec, 'type') === 'ExternalName';
}

export function isBalanced(spec: JsonObject): boolean {
  return textAt(spec, 'type') === 'LoadBalancer';
}

/** Types whose ports may be reached from outside through the nodes. */
export function usesNodePorts(spec: JsonObject): boolean {
  return ['NodePort', 'LoadBalancer'].includes(textAt(spec, 'type'));
}

/** Whether ports without a node port are to get one. */
export function wantsNodePorts(spec: JsonObject): boolean {
  if (isBalanced(spec)) return valueAt(spec, 'allocateLoadBalancerNodePorts') !== false;
  return textAt(spec, 'type') === 'NodePort';
}

export function isReachableFromOutside(spec: JsonObject): boolean {
  return usesNodePorts(spec) || (textAt(spec, 'type') === 'ClusterIP' && listOfTexts(spec, 'externalIPs').length > 0);
}

export function needsHealthCheckPort(spec: JsonObject): boolean {
  return isBalanced(spec) && textAt(spec, 'externalTrafficPolicy') === 'Local';
}

/** The node ports of all ports, and the one of the health check. */
export function nodePortsOf(spec: JsonObject | undefined): number[] {
  const ports = objectsAt(spec, 'ports').map((port) => countAt(port, 'nodePort'));
  return [...ports, countAt(spec, 'healthCheckNodePort')].filter((port) => port !== 0);
}

export function hasSelector(spec: JsonObject): boolean {
  return Object.keys(objectAt(spec, 'selector') ?? {}).length > 0;
}

export function isSameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}
