import { isJsonObject, type JsonObject } from '../base/index.ts';
import { findObject, type KindCache, type KubeClient, type KubeObject } from '../kube/index.ts';

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

/** The Node of that name; undefined if it does not exist. One that the cache does not have is read from the API server: it may have joined just before,
 *  and a machine without a Node is not drained, or is replaced. */
export async function readNode(
  name: string,
  { kube, nodes, signal }: { readonly kube: KubeClient; readonly nodes: KindCache; readonly signal: AbortSignal },
): Promise<KubeObject | undefined> {
  if (name === '') return undefined;
  return nodes.get(name) ?? (await findObject(kube, { apiVersion: 'v1', kind: 'Node', name }, { signal }));
}
