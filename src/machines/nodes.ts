import { isJsonObject, type JsonObject } from '../base/index.ts';
import type { KubeObject } from '../kube/index.ts';

/** A condition of a Node. */
export interface NodeCondition {
  readonly type: string;
  readonly status: string;
  readonly sinceMs: number;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The conditions of a Node. */
export function nodeConditions({ status }: KubeObject): readonly NodeCondition[] {
  const { conditions } = isJsonObject(status) ? status : ({} as JsonObject);
  const list = Array.isArray(conditions) ? conditions.filter(isJsonObject) : [];
  return list.map(({ type, status: state, lastTransitionTime }) => ({
    type: textOf(type),
    status: textOf(state),
    sinceMs: Date.parse(textOf(lastTransitionTime)),
  }));
}

/** Since when the Node is ready; undefined if it is not. */
export function readySinceMs(node: KubeObject): number | undefined {
  const ready = nodeConditions(node).find(({ type, status }) => type === 'Ready' && status === 'True');
  if (ready === undefined) return undefined;
  return Number.isNaN(ready.sinceMs) ? 0 : ready.sinceMs;
}

/** The id of the instance of the Node; empty if it has none. */
export function providerIdOf({ spec }: KubeObject): string {
  return isJsonObject(spec) ? textOf(spec['providerID']) : '';
}

/** Internal addresses of the Node. */
export function internalAddresses({ status }: KubeObject): readonly string[] {
  const { addresses } = isJsonObject(status) ? status : ({} as JsonObject);
  const list = Array.isArray(addresses) ? addresses.filter(isJsonObject) : [];
  return list.flatMap(({ type, address }) => (type === 'InternalIP' ? [textOf(address)] : []));
}

/** The name of the Node of a machine; empty if it has none. */
export function nodeNameOf({ status }: KubeObject): string {
  const { nodeRef } = isJsonObject(status) ? status : ({} as JsonObject);
  return isJsonObject(nodeRef) ? textOf(nodeRef['name']) : '';
}
