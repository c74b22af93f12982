import { type JsonObject, objectsAt } from '../../../../src/base/index.ts';
import { textsAt } from '../../../core/index.ts';
import { parseQuantity } from '../../../schema/index.ts';

const counted = ['cpu', 'memory'];

function amountsOf(container: JsonObject, kind: 'limits' | 'requests'): Map<string, bigint> {
  const amounts = textsAt(container, 'resources', kind);
  const given = counted.filter((name) => Object.hasOwn(amounts, name));
  const entries = given.map((name) => [name, parseQuantity(amounts[name] ?? '0').nanos] as const);
  return new Map(entries.filter(([, nanos]) => nanos > 0n));
}

function sum(containers: readonly JsonObject[], kind: 'limits' | 'requests'): Map<string, bigint> {
  const total = new Map<string, bigint>();
  for (const container of containers) {
    for (const [name, nanos] of amountsOf(container, kind)) total.set(name, (total.get(name) ?? 0n) + nanos);
  }
  return total;
}

/** `Guaranteed`, `Burstable` or `BestEffort`.
 *  @see docs/spec/kube-api-types.md#pod-template */
export function qosClass(spec: JsonObject): string {
  const containers = [...objectsAt(spec, 'containers'), ...objectsAt(spec, 'initContainers')];
  const [requests, limits] = [sum(containers, 'requests'), sum(containers, 'limits')];
  if (requests.size === 0 && limits.size === 0) return 'BestEffort';
  const isLimited = containers.every((container) => amountsOf(container, 'limits').size === counted.length);
  const isSame = counted.every((name) => requests.get(name) === limits.get(name));
  return isLimited && isSame ? 'Guaranteed' : 'Burstable';
}
