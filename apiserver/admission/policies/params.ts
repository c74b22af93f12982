import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/index.ts';
import {
  type AdmissionRequest,
  type Cluster,
  type KubeObject,
  matchesLabelSelector,
  type ResourceType,
} from '../../core/index.ts';
import type { Binding, Policy } from './policy.ts';

type ParamKind = NonNullable<Policy['paramKind']>;

/** A binding or policy that cannot be used. */
export class Misconfigured extends Error {}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** The resource of `paramKind`, in its version; undefined when there is none. */
export function paramResource({ apiVersion, kind }: ParamKind, cluster: Cluster): ResourceType | undefined {
  const [version = '', group = ''] = apiVersion.split('/').toReversed();
  const stored = cluster.resourceOfKind(group, kind);
  if (stored === undefined) return undefined;
  return cluster.versionsOf(stored).find((type) => type.group === group && type.version === version);
}

function namespaceOf(reference: JsonObject, type: ResourceType, request: AdmissionRequest): string {
  const own = textOf(reference['namespace']);
  if (type.namespaced) {
    const namespace = own === '' ? request.namespace : own;
    if (namespace !== '') return namespace;
    throw new Misconfigured('cannot use namespaced paramRef in policy binding that matches cluster-scoped resources');
  }
  if (own !== '') throw new Misconfigured('paramRef.namespace must not be provided for a cluster-scoped `paramKind`');
  return '';
}

function findParams(
  reference: JsonObject,
  cluster: Cluster,
  place: { type: ResourceType; namespace: string },
): KubeObject[] {
  const { type, namespace } = place;
  const name = textOf(reference['name']);
  if (name !== '') {
    const found = cluster.get(type, { namespace, name });
    return found === undefined ? [] : [found];
  }
  const { selector } = reference;
  const all = cluster.list(type, namespace === '' ? {} : { namespace });
  return all.filter((object) => !isJsonObject(selector) || matchesLabelSelector(selector, object.metadata.labels));
}

/** The parameters with which a policy is asked for a binding, one after the other; undefined stands for none.
 *  @throws Misconfigured */
export function collectParams(
  policy: Policy,
  binding: Binding,
  { cluster, request }: { readonly cluster: Cluster; readonly request: AdmissionRequest },
): (KubeObject | undefined)[] {
  const { paramKind } = policy;
  const { paramRef } = binding;
  if (paramKind === undefined || paramRef === undefined) return [undefined];
  const type = paramResource(paramKind, cluster);
  if (type === undefined) throw new Misconfigured(`paramKind kind \`${paramKind.kind}\` not known`);
  const namespace = namespaceOf(paramRef, type, request);
  const stored = cluster.resourceOfKind(type.group, type.kind) ?? type;
  const found = findParams(paramRef, cluster, { type: stored, namespace });
  if (found.length === 0 && paramRef['parameterNotFoundAction'] === 'Deny') {
    throw new Misconfigured('no params found for policy binding with `Deny` parameterNotFoundAction');
  }
  return found.map((object) => type.toServed(object));
}
