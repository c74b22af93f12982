import { isIPv6 } from 'node:net';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/index.ts';
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

function portOn({ appProtocol, protocol = 'TCP', name = '' }: JsonObject, target: number): JsonObject {
  return { name, port: target, protocol, ...(appProtocol === undefined ? {} : { appProtocol }) };
}

/** Pods on which the ports of a Service are the same. */
export interface PortGroup {
  /** Those that a pod does not name are left out. */
  readonly ports: readonly JsonObject[];
  readonly backends: readonly Backend[];
}

/** The ports of a Service as they are on pods: worked out once for all pods with the same named ports, as a Service may have thousands of ports
 *  and hundreds of pods. */
export function portGroupsOf(service: KubeObject, backends: readonly Backend[]): PortGroup[] {
  const all = objectsIn(specOf(service)['ports']);
  const fixed = all.map((port) => (typeof port['targetPort'] === 'string' ? undefined : portOn(port, numberOf(port))));
  const names = all.flatMap(({ targetPort, protocol = 'TCP' }) =>
    typeof targetPort === 'string' ? [`${text(protocol)} ${targetPort}`] : [],
  );
  const groups = new Map<string, { readonly ports: readonly JsonObject[]; readonly backends: Backend[] }>();
  for (const backend of backends) {
    const known = names.length === 0 ? undefined : namedPorts(backend.pod);
    const targets = names.map((name) => known?.get(name));
    const key = targets.join();
    const group = groups.get(key) ?? { ports: portsWith(all, fixed, targets), backends: [] };
    group.backends.push(backend);
    groups.set(key, group);
  }
  return [...groups.values()];
}

function numberOf({ targetPort, port }: JsonObject): number {
  return typeof targetPort === 'number' && targetPort !== 0 ? targetPort : Number(port);
}

/** `fixed` has no port where the next one of `targets` is its number on the pod. */
function portsWith(
  all: readonly JsonObject[],
  fixed: readonly (JsonObject | undefined)[],
  targets: readonly (number | undefined)[],
): JsonObject[] {
  let next = 0;
  return all.flatMap((port, index) => {
    const known = fixed[index];
    if (known !== undefined) return [known];
    const target = targets[next++];
    return target === undefined ? [] : [portOn(port, target)];
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
