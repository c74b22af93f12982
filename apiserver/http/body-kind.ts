import type { JsonObject } from '../../src/base/index.ts';
import { badRequest, groupVersionOf, type StatusError } from '../core/index.ts';
import { loadBuiltinSchemas } from '../schema/index.ts';

/** The kind of object that a body has to hold. */
export interface ExpectedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Custom resources must set their kind; for built-in ones it comes from the URL. */
  readonly isCustom: boolean;
}

const rbac = 'Role RoleBinding ClusterRole ClusterRoleBinding';
const webhooks = 'ValidatingWebhookConfiguration MutatingWebhookConfiguration';

/** Versions that kube-apiserver can still read but serves no more, with their kinds. */
const formerVersions: Readonly<Record<string, string>> = {
  'admissionregistration.k8s.io/v1beta1': webhooks,
  'apiextensions.k8s.io/v1beta1': 'CustomResourceDefinition',
  'apiregistration.k8s.io/v1beta1': 'APIService',
  'apps/v1beta1': 'Deployment StatefulSet ControllerRevision',
  'apps/v1beta2': 'Deployment StatefulSet ControllerRevision DaemonSet ReplicaSet',
  'autoscaling/v2beta1': 'HorizontalPodAutoscaler',
  'autoscaling/v2beta2': 'HorizontalPodAutoscaler',
  'batch/v1beta1': 'CronJob',
  'certificates.k8s.io/v1beta1': 'CertificateSigningRequest',
  'coordination.k8s.io/v1beta1': 'Lease',
  'discovery.k8s.io/v1beta1': 'EndpointSlice',
  'events.k8s.io/v1beta1': 'Event',
  'extensions/v1beta1': 'Deployment DaemonSet ReplicaSet Ingress NetworkPolicy',
  'networking.k8s.io/v1beta1': 'Ingress IngressClass',
  'node.k8s.io/v1beta1': 'RuntimeClass',
  'policy/v1beta1': 'PodDisruptionBudget Eviction',
  'rbac.authorization.k8s.io/v1alpha1': rbac,
  'rbac.authorization.k8s.io/v1beta1': rbac,
  'scheduling.k8s.io/v1beta1': 'PriorityClass',
  'storage.k8s.io/v1beta1': 'StorageClass VolumeAttachment CSIDriver CSINode',
};

function splitVersion(apiVersion: string): readonly [group: string, version: string] {
  const [version = '', group = ''] = apiVersion.split('/').toReversed();
  return [group, version];
}

function isKnown(apiVersion: string, kind: string): boolean {
  const former = Object.hasOwn(formerVersions, apiVersion) ? formerVersions[apiVersion] : undefined;
  if (former?.split(' ').includes(kind) === true) return true;
  const [group, version] = splitVersion(apiVersion);
  return kind === 'List' || loadBuiltinSchemas().kind(group, version, kind) !== undefined;
}

/** The Go package of the version-less form of a group's types. */
function internalPackage(group: string): string {
  return group === '' || group === 'events.k8s.io' ? 'core' : (group.split('.', 1)[0] ?? '');
}

/** A kind and its version, as an object has them. */
export interface GivenKind {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Why Go cannot turn an object of the given kind into the expected one. */
export function conversionProblem({ apiVersion, kind }: GivenKind, expected: ExpectedKind): string | undefined {
  const [, version] = splitVersion(apiVersion);
  if (!isKnown(apiVersion, kind)) {
    return `no kind "${kind}" is registered for version "${apiVersion}" in scheme "pkg/runtime/scheme.go:110"`;
  }
  if (kind === expected.kind) return undefined;
  return `converting (${version}.${kind}) to (${internalPackage(expected.group)}.${expected.kind}): unknown conversion`;
}

/** 400: the body cannot be identified. `what` describes the problem. */
export function unrecognised(kind: string, what: string): StatusError {
  return badRequest(`the object provided is unrecognized (must be of type ${kind}): ${what}`);
}

const shownBytes = 30;

/** The first bytes of a body, in parentheses: as text where it starts an object, else in hex. */
export function shownStart(text: string): string {
  if (text === '') return '(<empty>)';
  const start = text.slice(0, shownBytes);
  const shown = text.startsWith('{') ? start : Buffer.from(start).toString('hex');
  return `(${text.length > shownBytes ? `${shown} ...` : shown})`;
}

/** @throws StatusError 400 when kind or version is no text */
function textAt(
  value: JsonObject,
  name: 'apiVersion' | 'kind',
  { kind, text }: { kind: string; text: string },
): string {
  const given = value[name] ?? '';
  if (typeof given === 'string') return given;
  const found = typeof given === 'boolean' ? 'bool' : Array.isArray(given) ? 'array' : typeof given;
  const why = `json: cannot unmarshal ${found} into Go struct field .${name} of type string`;
  throw unrecognised(kind, `couldn't get version/kind; json parse error: ${why} ${shownStart(text)}`);
}

/** Fills kind and version of a body that holds a built-in object, and checks those that are there.
 *  @throws StatusError 400 */
export function checkKind(value: JsonObject, expected: ExpectedKind, text: string): void {
  const body = { kind: expected.kind, text };
  const [apiVersion, kind] = [textAt(value, 'apiVersion', body), textAt(value, 'kind', body)];
  const isFilled = !expected.isCustom;
  const given = {
    apiVersion: apiVersion === '' && isFilled ? groupVersionOf(expected) : apiVersion,
    kind: kind === '' && isFilled ? expected.kind : kind,
  };
  checkGiven(given, expected, text);
  Object.assign(value, given);
}

function checkGiven(given: GivenKind, expected: ExpectedKind, text: string): void {
  const { apiVersion, kind } = given;
  const expectedVersion = groupVersionOf(expected);
  if (kind === '') throw unrecognised(expected.kind, `Object 'Kind' is missing in '${text}' ${shownStart(text)}`);
  // The kind of a custom resource is validated with the object.
  if (apiVersion === expectedVersion && (kind === expected.kind || expected.isCustom)) return;
  if (apiVersion.split('/').length > 2) {
    throw unrecognised(expected.kind, `unexpected GroupVersion string: ${apiVersion} ${shownStart(text)}`);
  }
  const why = expected.isCustom && kind === expected.kind ? undefined : conversionProblem(given, expected);
  if (why !== undefined) {
    const [, version] = splitVersion(apiVersion);
    throw badRequest(`${kind} in version "${version}" cannot be handled as a ${expected.kind}: ${why}`);
  }
  throw badRequest(
    `the API version in the data (${apiVersion}) does not match the expected API version (${expectedVersion})`,
  );
}
