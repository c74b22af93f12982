import type { JsonObject } from '../../../src/base/index.ts';
import type { KubeObject } from '../../core/index.ts';
import { addressesOf, type Backend, familiesOf, identityOf, portGroupsOf, publishesUnready } from './pod-addresses.ts';

interface Member {
  readonly address: JsonObject;
  readonly isReady: boolean;
  /** Its place in the order of addresses. */
  rank: number;
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
  return members.filter((member) => member.isReady === isReady).map(({ address }) => address);
}

function addressOf({ pod }: Backend, service: KubeObject): string | undefined {
  return addressesOf(pod, familiesOf(service)[0] ?? 'IPv4')[0];
}

function memberOf(backend: Backend, service: KubeObject): Member {
  const address = { ip: addressOf(backend, service) ?? '', ...identityOf(backend, service) };
  return { address, isReady: backend.isReady || publishesUnready(service), rank: 0 };
}

interface Group {
  readonly ports: readonly JsonObject[];
  readonly members: readonly Member[];
}

/** Pods with the same ports. */
function groupsOf(service: KubeObject, backends: readonly Backend[]): Group[] {
  const isUnreadyToo = publishesUnready(service);
  const own = backends.filter(
    (backend) => (isUnreadyToo || !backend.isTerminating) && addressOf(backend, service) !== undefined,
  );
  const groups = portGroupsOf(service, own).map(({ ports, backends: same }) => ({
    ports,
    members: same.map((backend) => memberOf(backend, service)),
  }));
  const ranked = groups.flatMap(({ members }) => members).toSorted((a, b) => byIp(a.address, b.address));
  for (const [rank, member] of ranked.entries()) member.rank = rank;
  return groups;
}

/** Which groups offer each port, by the port as text. */
function offersOf(groups: readonly Group[]): Map<string, number[]> {
  const byPort = new Map<string, number[]>();
  for (const [index, { ports }] of groups.entries()) {
    for (const port of ports) {
      const key = JSON.stringify(withoutEmptyName(port));
      const offers = byPort.get(key) ?? [];
      offers.push(index);
      byPort.set(key, offers);
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

/** More in an object are never stored. */
const maxAddresses = 20_000;

/** `subsets` of Endpoints: each port once, with all pods that offer it; ports that the same pods offer together. */
export function subsetsOf(service: KubeObject, backends: readonly Backend[]): JsonObject[] {
  const groups = groupsOf(service, backends);
  const byOffers = new Map<string, { readonly offers: readonly number[]; readonly ports: JsonObject[] }>();
  for (const [port, offers] of offersOf(groups)) {
    const key = offers.join();
    const subset = byOffers.get(key) ?? { offers, ports: [] };
    subset.ports.push(JSON.parse(port) as JsonObject);
    byOffers.set(key, subset);
  }
  const subsets: JsonObject[] = [];
  let addresses = 0;
  for (const { offers, ports } of byOffers.values()) {
    if (addresses > maxAddresses) break;
    const members = offers.flatMap((index) => groups[index]?.members ?? []).toSorted((a, b) => a.rank - b.rank);
    addresses += members.length;
    subsets.push(subsetOf(members, ports));
  }
  return subsets;
}
