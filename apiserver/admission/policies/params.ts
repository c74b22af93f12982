import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/index.ts';
import {
  type AdmissionRequest,
  type Cluster,
  type KubeObject,
  matchesLabelSelector,
  type ObjectSummary,
  type ResourceType,
  StatusError,
} from '../../core/index.ts';
import type { Binding, Policy } from './policy.ts';

type ParamKind = NonNullable<Policy['paramKind']>;

/** A policy is evaluated for each, and users may be the ones who write them. */
const maxParams = 100;

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

async function findParams(
  reference: JsonObject,
  cluster: Cluster,
  place: { type: ResourceType; namespace: string },
): Promise<KubeObject[]> {
  const { type, namespace } = place;
  const name = textOf(reference['name']);
  if (name !== '') {
    const found = cluster.get(type, { namespace, name });
    return found === undefined ? [] : [found];
  }
  const { selector } = reference;
  const selects = ({ labels }: ObjectSummary): boolean =>
    !isJsonObject(selector) || matchesLabelSelector(selector, labels);
  const found: KubeObject[] = [];
  for await (const object of cluster.eachInTurns(type, { selects, ...(namespace === '' ? {} : { namespace }) })) {
    if (found.length === maxParams) throw tooManyParams(type);
    found.push(object);
  }
  return found;
}

/** Denied whatever the failure policy is: a user who may create parameters would switch the policy off with them. */
function tooManyParams({ plural }: ResourceType): StatusError {
  const message = `the paramRef of a ValidatingAdmissionPolicyBinding selects more than ${maxParams} ${plural}: delete some, or select fewer`;
  return new StatusError({ code: 403, reason: 'Forbidden', message });
}

/** The parameters with which a policy is asked for a binding, one after the other; undefined stands for none.
 *  @throws Misconfigured · StatusError 403 when there are more than 100 */
export async function collectParams(
  policy: Policy,
  binding: Binding,
  { cluster, request }: { readonly cluster: Cluster; readonly request: AdmissionRequest },
): Promise<(KubeObject | undefined)[]> {
  const { paramKind } = policy;
  const { paramRef } = binding;
  if (paramKind === undefined || paramRef === undefined) return [undefined];
  const type = paramResource(paramKind, cluster);
  if (type === undefined) throw new Misconfigured(`paramKind kind \`${paramKind.kind}\` not known`);
  const namespace = namespaceOf(paramRef, type, request);
  const stored = cluster.resourceOfKind(type.group, type.kind) ?? type;
  const found = await findParams(paramRef, cluster, { type: stored, namespace });
  if (found.length === 0 && paramRef['parameterNotFoundAction'] === 'Deny') {
    throw new Misconfigured('no params found for policy binding with `Deny` parameterNotFoundAction');
  }
  return found.map((object) => type.toServed(object));
}
