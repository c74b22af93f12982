import { type ClusterServiceVersion, olmAnnotations } from '../../../api/index.ts';
import {
  type JsonObject,
  objectAt,
  sha256Digest,
  splitCertificates,
  TerminalError,
  textAt,
} from '../../../base/index.ts';
import type { KubeObject } from '../../../kube/index.ts';
import { findBinding } from './bindings.ts';
import type { ServingContext } from './context.ts';
import { type ApiDescription, apiServiceName, type ServedDeployment, servedDeployments } from './descriptions.ts';
import { delegationBindings } from './objects.ts';
import { isAdoptable, ownedBy } from './ownership.ts';

/** Why the objects of owned APIServices are not as they were made. */
export interface ServingProblem {
  readonly message: string;
  /** Another installation corrects it; false where an object belongs to another owner. */
  readonly isActionable: boolean;
}

interface Examined {
  readonly context: ServingContext;
  readonly csv: ClusterServiceVersion;
  readonly served: ServedDeployment;
  readonly isOwn: (live: KubeObject) => boolean;
}

function notFound(resource: string, name: string): string {
  return `${resource} "${name}" not found`;
}

/** Problems of the certificate: Secret, and Pods that have an older one. */
function certificateProblem({ context, served, isOwn }: Examined, caBundlePem: string): string | undefined {
  const { caches, certificates, clock } = context;
  const { namespace, name, secret: secretName } = served;
  const secret = caches.secrets.get(secretName, namespace);
  if (secret === undefined || !isOwn(secret)) return notFound('secret', secretName);
  if (certificates.validPair(secret, served, clock.now()) === undefined) {
    return `secret ${secretName} has no valid certificate`;
  }
  const hash = sha256Digest(caBundlePem).slice('sha256:'.length);
  if (secret.metadata.annotations?.[olmAnnotations.caHash] !== hash) {
    return `secret ${secretName} CA cert hash does not match expected`;
  }
  const deployment = caches.deployments.get(name, namespace);
  if (deployment === undefined) return notFound('deployment.apps', name);
  const annotations = objectAt(deployment as JsonObject, 'spec', 'template', 'metadata', 'annotations');
  const hasHash = textAt(annotations, olmAnnotations.caHash) === hash;
  return hasHash ? undefined : `deployment ${name} CA cert hash does not match expected`;
}

function accessProblems({ context, csv, served, isOwn }: Examined): readonly string[] {
  const { roles, roleBindings, clusterRoleBindings } = context.caches;
  const { secret: name, namespace } = served;
  const has = (live: KubeObject | undefined): boolean => live !== undefined && isOwn(live);
  const missing: string[] = [];
  if (!has(roles.get(name, namespace))) missing.push(notFound('role.rbac.authorization.k8s.io', name));
  if (!has(roleBindings.get(name, namespace))) missing.push(notFound('rolebinding.rbac.authorization.k8s.io', name));
  for (const binding of delegationBindings(csv, served)) {
    const [first] = binding.names;
    const { kind } = binding.named(first);
    const cache = kind === 'RoleBinding' ? roleBindings : clusterRoleBindings;
    if (findBinding(cache, csv, binding) !== undefined) continue;
    missing.push(notFound(`${kind.toLowerCase()}.rbac.authorization.k8s.io`, first));
  }
  return missing;
}

function apiProblems(examined: Examined, apiService: KubeObject): readonly string[] {
  const { context, served, isOwn } = examined;
  const service = context.caches.services.get(served.service, served.namespace);
  if (service === undefined || !isOwn(service)) return [notFound('service', served.service)];
  const spec = objectAt(apiService as JsonObject, 'spec');
  const reference = objectAt(spec, 'service');
  if (textAt(reference, 'name') !== served.service || textAt(reference, 'namespace') !== served.namespace) {
    return ['found APIService and service reference mismatch'];
  }
  const caBundlePem = Buffer.from(textAt(spec, 'caBundle'), 'base64').toString('utf8');
  if (splitCertificates(caBundlePem).length === 0)
    return [`APIService ${apiService.metadata.name ?? ''} has no CA bundle`];
  const problem = certificateProblem(examined, caBundlePem);
  return problem === undefined ? accessProblems(examined) : [problem];
}

function problemsOf(examined: Examined, api: ApiDescription): readonly string[] | 'Unadoptable' {
  const { context, csv } = examined;
  const name = apiServiceName(api);
  const apiService = context.caches.apiServices.get(name);
  if (apiService === undefined) return [notFound('apiservice.apiregistration.k8s.io', name)];
  return isAdoptable(context, csv, apiService) ? apiProblems(examined, apiService) : 'Unadoptable';
}

function servedApis(csv: ClusterServiceVersion): readonly { served: ServedDeployment; api: ApiDescription }[] {
  return servedDeployments(csv).flatMap((served) => served.apis.map((api) => ({ served, api })));
}

function report(messages: readonly string[], isActionable: boolean): ServingProblem {
  const distinct = [...new Set(messages)];
  return { message: distinct.length === 1 ? distinct.join('') : `[${distinct.join(', ')}]`, isActionable };
}

function examine(context: ServingContext, csv: ClusterServiceVersion): ServingProblem | undefined {
  const isOwn = ownedBy(context, csv);
  const messages: string[] = [];
  for (const { served, api } of servedApis(csv)) {
    const found = problemsOf({ context, csv, served, isOwn }, api);
    if (found === 'Unadoptable') return report([...messages, `${apiServiceName(api)} is unadoptable`], false);
    messages.push(...found);
  }
  return messages.length === 0 ? undefined : report(messages, true);
}

/** Why the objects of owned APIServices are not as they were made: rows T19 and T32; not actionable if one belongs to another owner.
 *  @see docs/spec/olm-v0.md#state-machine */
export async function servingProblem(
  context: ServingContext,
  csv: ClusterServiceVersion,
): Promise<ServingProblem | undefined> {
  await Promise.resolve();
  try {
    return examine(context, csv);
  } catch (thrown) {
    // The requirement check reports it.
    if (thrown instanceof TerminalError) return undefined;
    throw thrown;
  }
}
