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

/** The ports of a pod with these names, by protocol and name; of equal names the first. */
function namedPorts(pod: KubeObject, names: ReadonlySet<string>): ReadonlyMap<string, number> {
  const byName = new Map<string, number>();
  if (names.size === 0) return byName;
  for (const { name, protocol = 'TCP', containerPort } of containerPorts(pod)) {
    const key = `${text(protocol)} ${text(name)}`;
    if (names.has(key) && !byName.has(key)) byName.set(key, Number(containerPort));
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

/** Ports of all groups together, as far as there is more than one: a Service may have thousands, and each of its pods other numbers for their names. */
const maxGroupedPorts = 50_000;

/** The name by which a port of a Service is looked up on pods; undefined where it has a number. */
function targetName({ targetPort, protocol = 'TCP' }: JsonObject): string | undefined {
  return typeof targetPort === 'string' ? `${text(protocol)} ${targetPort}` : undefined;
}

/** The ports of a Service as they are on pods: worked out once for all pods with the same named ports, as a Service may have thousands of ports
 *  and hundreds of pods. Pods of more groups than there is room for are left out. */
export function portGroupsOf(service: KubeObject, backends: readonly Backend[]): PortGroup[] {
  const all = objectsIn(specOf(service)['ports']);
  const names = new Set(all.map(targetName).filter((name) => name !== undefined));
  const groups = new Map<string, { readonly ports: readonly JsonObject[]; readonly backends: Backend[] }>();
  for (const backend of backends) {
    const known = namedPorts(backend.pod, names);
    const key = Array.from(known, ([name, port]) => `${name} ${port}`)
      .toSorted()
      .join();
    const group = groups.get(key) ?? { ports: [], backends: [] };
    const isNew = group.backends.length === 0;
    if (isNew && groups.size > 0 && (groups.size + 1) * all.length > maxGroupedPorts) continue;
    group.backends.push(backend);
    groups.set(key, isNew ? { ...group, ports: portsWith(all, known) } : group);
  }
  return [...groups.values()];
}

function numberOf({ targetPort, port }: JsonObject): number {
  return typeof targetPort === 'number' && targetPort !== 0 ? targetPort : Number(port);
}

function portsWith(all: readonly JsonObject[], known: ReadonlyMap<string, number>): JsonObject[] {
  return all.flatMap((port) => {
    const name = targetName(port);
    const target = name === undefined ? numberOf(port) : known.get(name);
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
