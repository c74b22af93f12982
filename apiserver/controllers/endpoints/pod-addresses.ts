import { isIPv6 } from 'node:net';
import { isJsonObject, type JsonObject, type JsonValue, lazily } from '../../../src/base/index.ts';
import type { KubeObject } from '../../core/index.ts';
import { objectsIn, specOf, statusOf } from '../controller.ts';

/** A pod as something that a Service leads to. */
export interface Backend {
  readonly pod: KubeObject;
  readonly isReady: boolean;
  readonly isTerminating: boolean;
}

function text(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** Whether a pod has the condition Ready. */
function isPodReady(pod: KubeObject): boolean {
  return objectsIn(statusOf(pod)['conditions']).some(({ type, status }) => type === 'Ready' && status === 'True');
}

/** The pods among these that have an address and have not ended. */
export function backendsOf(pods: readonly KubeObject[]): Backend[] {
  return pods
    .filter(
      (pod) => text(statusOf(pod)['podIP']) !== '' && !['Failed', 'Succeeded'].includes(text(statusOf(pod)['phase'])),
    )
    .map((pod) => ({
      pod,
      isReady: isPodReady(pod),
      isTerminating: pod.metadata.deletionTimestamp !== undefined,
    }));
}

/** Addresses of a pod of one family. */
export function addressesOf(pod: KubeObject, family: 'IPv4' | 'IPv6'): string[] {
  const status = statusOf(pod);
  const listed = objectsIn(status['podIPs']).map(({ ip }) => text(ip));
  const all = listed.length === 0 ? [text(status['podIP'])] : listed;
  return all.filter((ip) => ip !== '' && isIPv6(ip) === (family === 'IPv6'));
}

/** Families of the addresses that a Service leads to. */
export function familiesOf(service: KubeObject): ('IPv4' | 'IPv6')[] {
  const { ipFamilies } = specOf(service);
  const known = Array.isArray(ipFamilies) ? ipFamilies.filter((name) => name === 'IPv4' || name === 'IPv6') : [];
  return known.length === 0 ? ['IPv4'] : known;
}

export function publishesUnready(service: KubeObject): boolean {
  return specOf(service)['publishNotReadyAddresses'] === true;
}

/** What names the pod behind an address. */
export function identityOf({ pod }: Backend, service: KubeObject): JsonObject {
  const { namespace = '', name = '', uid = '' } = pod.metadata;
  const { hostname, subdomain, nodeName } = specOf(pod);
  const isNamed = text(hostname) !== '' && subdomain === service.metadata.name;
  return {
    ...(isNamed ? { hostname: hostname ?? '' } : {}),
    ...(text(nodeName) === '' ? {} : { nodeName: nodeName ?? '' }),
    targetRef: { kind: 'Pod', namespace, name, uid },
  };
}

function containerPorts(pod: KubeObject): JsonObject[] {
  const { containers, initContainers } = specOf(pod);
  const sidecars = objectsIn(initContainers).filter(({ restartPolicy }) => restartPolicy === 'Always');
  return [...objectsIn(containers), ...sidecars].flatMap(({ ports }) => objectsIn(ports));
}

/** The ports that a pod names, by protocol and name; of equal names the first. */
function namedPorts(pod: KubeObject): ReadonlyMap<string, number> {
  const byName = new Map<string, number>();
  for (const { name, protocol = 'TCP', containerPort } of containerPorts(pod)) {
    const key = `${text(protocol)} ${text(name)}`;
    if (!byName.has(key)) byName.set(key, Number(containerPort));
  }
  return byName;
}

function targetOf(port: JsonObject, named: () => ReadonlyMap<string, number>): number | undefined {
  const { targetPort, protocol = 'TCP' } = port;
  if (typeof targetPort === 'number') return targetPort === 0 ? Number(port['port']) : targetPort;
  return typeof targetPort === 'string' ? named().get(`${text(protocol)} ${targetPort}`) : Number(port['port']);
}

/** The ports of a Service as they are on a pod; one that the pod does not name is left out. */
export function portsOn(pod: KubeObject, service: KubeObject): JsonObject[] {
  // Read once: a Service and a pod may have thousands of ports each.
  const named = lazily(() => namedPorts(pod));
  return objectsIn(specOf(service)['ports']).flatMap((port) => {
    const target = targetOf(port, named);
    if (target === undefined) return [];
    const { appProtocol, protocol = 'TCP', name = '' } = port;
    return [{ name, port: target, protocol, ...(appProtocol === undefined ? {} : { appProtocol }) }];
  });
}

/** Labels that both kinds copy from the Service. */
export function copiedLabels(service: KubeObject): Record<string, string> {
  const isHeadless = specOf(service)['clusterIP'] === 'None';
  return { ...service.metadata.labels, ...(isHeadless ? { 'service.kubernetes.io/headless': '' } : {}) };
}

/** The selector of a Service that selects pods; undefined when it has none, or leads elsewhere. */
export function selectorOf(service: KubeObject): JsonObject | undefined {
  const { selector, type } = specOf(service);
  const isUsed = type !== 'ExternalName' && isJsonObject(selector) && Object.keys(selector).length > 0;
  return isUsed ? { matchLabels: selector } : undefined;
}
