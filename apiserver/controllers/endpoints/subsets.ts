import type { JsonObject } from '../../../src/base/index.ts';
import type { KubeObject } from '../../core/index.ts';
import { addressesOf, type Backend, familiesOf, identityOf, portsOn, publishesUnready } from './pod-addresses.ts';

interface Member {
  /** Its place among the pods of the Service. */
  readonly index: number;
  readonly address: JsonObject;
  readonly isReady: boolean;
}

const collator = new Intl.Collator('en', { numeric: true });

function withoutEmptyName(port: JsonObject): JsonObject {
  const { name, ...rest } = port;
  return name === '' ? rest : port;
}

function byIp(a: JsonObject, b: JsonObject): number {
  return collator.compare(String(a['ip'] as string), String(b['ip'] as string));
}

function addressesIn(members: readonly Member[], isReady: boolean): JsonObject[] {
  return members
    .filter((member) => member.isReady === isReady)
    .map(({ address }) => address)
    .toSorted(byIp);
}

/** Who offers each port, by the port as text. */
function membersByPort(service: KubeObject, backends: readonly Backend[]): Map<string, Member[]> {
  const family = familiesOf(service)[0] ?? 'IPv4';
  const isUnreadyToo = publishesUnready(service);
  const byPort = new Map<string, Member[]>();
  for (const [index, backend] of backends.entries()) {
    if (backend.isTerminating && !isUnreadyToo) continue;
    const [ip] = addressesOf(backend.pod, family);
    if (ip === undefined) continue;
    const member = {
      index,
      address: { ip, ...identityOf(backend, service) },
      isReady: backend.isReady || isUnreadyToo,
    };
    for (const port of portsOn(backend.pod, service)) {
      const key = JSON.stringify(withoutEmptyName(port));
      const members = byPort.get(key) ?? [];
      members.push(member);
      byPort.set(key, members);
    }
  }
  return byPort;
}

function subsetOf(members: readonly Member[], ports: readonly JsonObject[]): JsonObject {
  const [addresses, notReadyAddresses] = [addressesIn(members, true), addressesIn(members, false)];
  return {
    ...(addresses.length === 0 ? {} : { addresses }),
    ...(notReadyAddresses.length === 0 ? {} : { notReadyAddresses }),
    ports: [...ports],
  };
}

/** `subsets` of Endpoints: each port once, with all pods that offer it; ports that the same pods offer together. */
export function subsetsOf(service: KubeObject, backends: readonly Backend[]): JsonObject[] {
  const byMembers = new Map<string, { readonly members: readonly Member[]; readonly ports: JsonObject[] }>();
  for (const [port, members] of membersByPort(service, backends)) {
    const key = members.map(({ index }) => index).join();
    const group = byMembers.get(key) ?? { members, ports: [] };
    group.ports.push(JSON.parse(port) as JsonObject);
    byMembers.set(key, group);
  }
  return [...byMembers.values()].map(({ members, ports }) => subsetOf(members, ports));
}
