import { isIPv6 } from 'node:net';
import type { JsonObject } from '../../../src/base/index.ts';
import type { KubeObject } from '../../core/index.ts';
import { objectsIn } from '../controller.ts';
import { addressesOf, type Backend, familiesOf, identityOf, portGroupsOf, publishesUnready } from './pod-addresses.ts';

const maxEndpoints = 100;
/** Of one family, of a subset of Endpoints, as in kube-controller-manager: each slice repeats all ports of the subset. */
const maxMirrored = 1000;

/** What an EndpointSlice holds. */
export interface SliceContent {
  readonly addressType: 'IPv4' | 'IPv6';
  readonly endpoints: readonly JsonObject[];
  /** Null where no pod has any. */
  readonly ports: readonly JsonObject[] | null;
}

function chunks<T>(items: readonly T[]): T[][] {
  const count = Math.ceil(items.length / maxEndpoints);
  return Array.from({ length: count }, (_, index) => items.slice(index * maxEndpoints, (index + 1) * maxEndpoints));
}

function endpointOf(backend: Backend, service: KubeObject, addresses: readonly string[]): JsonObject {
  const { isReady, isTerminating } = backend;
  const ready = publishesUnready(service) || (isReady && !isTerminating);
  const conditions = { ready, serving: isReady, terminating: isTerminating };
  return { addresses: [...addresses], conditions, ...identityOf(backend, service) };
}

/** The slices of a Service: one a family and set of ports, at most 100 endpoints each; an empty one where there is no pod. */
export function slicesOf(service: KubeObject, backends: readonly Backend[]): SliceContent[] {
  return familiesOf(service).flatMap((addressType): SliceContent[] => {
    const own = backends.filter(({ pod }) => addressesOf(pod, addressType).length > 0);
    const slices = portGroupsOf(service, own).flatMap(({ ports, backends: members }) =>
      chunks(members).map((part) => ({
        addressType,
        endpoints: part.map((backend) => endpointOf(backend, service, addressesOf(backend.pod, addressType))),
        ports,
      })),
    );
    return slices.length === 0 ? [{ addressType, endpoints: [], ports: null }] : slices;
  });
}

function mirrored(address: JsonObject, ready: boolean): JsonObject {
  const { ip, ...identity } = address;
  return { addresses: [ip ?? ''], conditions: { ready }, ...identity };
}

/** Endpoints of other owners, as slices. */
export function mirrorsOf(endpoints: KubeObject): SliceContent[] {
  return objectsIn(endpoints['subsets']).flatMap((subset) => {
    const all = [
      ...objectsIn(subset['addresses']).map((address) => mirrored(address, true)),
      ...objectsIn(subset['notReadyAddresses']).map((address) => mirrored(address, false)),
    ];
    const ports = objectsIn(subset['ports']).map((port) => ({ name: '', ...port }));
    return (['IPv4', 'IPv6'] as const).flatMap((addressType) => {
      const own = all.filter(
        ({ addresses }) => isIPv6(String((addresses as string[])[0])) === (addressType === 'IPv6'),
      );
      return chunks(own.slice(0, maxMirrored)).map((part) => ({ addressType, endpoints: part, ports }));
    });
  });
}
