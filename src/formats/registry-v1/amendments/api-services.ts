import { type JsonObject, type JsonValue, objectAt, objectsAt, textAt } from '../../../base/index.ts';
import type { ApiServiceDescription } from '../csv.ts';
import { withCertificates } from '../generate-deployments.ts';
import { servingNames } from '../names.ts';
import type { RenderedObject } from '../registry-bundle.ts';
import type { Rendering } from '../rendering.ts';
import { type Amendment, eachOfKind, isOfKind, jsonList, withPodSpec } from './amendment.ts';

const defaultPort = 443;
const rbacGroup = 'rbac.authorization.k8s.io';

function portOf({ containerPort = 0 }: ApiServiceDescription): number {
  return containerPort > 0 ? containerPort : defaultPort;
}

/** One for each group and version: several kinds share it. */
function ownedApis({ bundle }: Rendering): readonly ApiServiceDescription[] {
  const owned = bundle.csv.spec.apiservicedefinitions.owned ?? [];
  return [...new Map(owned.map((api) => [`${api.version}.${api.group}`, api])).values()];
}

function accountOf(objects: readonly RenderedObject[], deploymentName: string): string {
  const deployment = objects.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === deploymentName);
  return textAt(objectAt(deployment, 'spec', 'template', 'spec'), 'serviceAccountName') || 'default';
}

function withPort(service: RenderedObject, port: number): RenderedObject {
  const spec = objectAt(service, 'spec');
  const ports = objectsAt(spec, 'ports');
  if (ports.some((one) => one['port'] === port)) return service;
  const added = { name: String(port), port, targetPort: port };
  const all = [...ports, added].toSorted((a, b) => Number(a['port']) - Number(b['port']));
  return { ...service, spec: { ...spec, ports: jsonList(all) } };
}

function serviceFor(rendering: Rendering, deployment: RenderedObject): RenderedObject {
  const names = servingNames(deployment.metadata.name ?? '');
  const selector = objectAt(deployment, 'spec', 'selector', 'matchLabels');
  const service: RenderedObject = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: names.service, namespace: rendering.installNamespace },
    spec: { ports: [], ...(selector === undefined ? {} : { selector }) },
  };
  return rendering.certificates?.serve(service, names) ?? service;
}

/** The Service, its certificate and the volumes of one Deployment; what webhooks have brought already is used as it is. */
function served(
  objects: readonly RenderedObject[],
  rendering: Rendering,
  api: ApiServiceDescription,
): readonly RenderedObject[] {
  const { certificates, installNamespace: namespace } = rendering;
  const deployment = objects.find(
    ({ kind, metadata }) => kind === 'Deployment' && metadata.name === api.deploymentName,
  );
  if (deployment === undefined) return objects;
  const names = servingNames(deployment.metadata.name ?? '');
  const isService = (object: RenderedObject): boolean =>
    isOfKind(object, 'Service') && object.metadata.name === names.service;
  // A shipped Service of that name is merged with the generated one by another amendment.
  const shipped = rendering.bundle.others.filter((object) => isService(object as RenderedObject));
  const hasService = objects.filter(isService).length > shipped.length;
  const extra = hasService
    ? []
    : [serviceFor(rendering, deployment), ...(certificates?.extraObjects({ namespace, names }) ?? [])];
  const mounted = eachOfKind(objects, 'Deployment', (object) =>
    hasService || certificates === undefined || object !== deployment
      ? object
      : withPodSpec(object, (podSpec) => withCertificates(podSpec, names.certificate)),
  );
  return [...mounted, ...extra].map((object) => (isService(object) ? withPort(object, portOf(api)) : object));
}

function binding(
  kind: string,
  metadata: JsonObject,
  role: { kind: string; name: string; account: JsonValue },
): RenderedObject {
  return {
    apiVersion: `${rbacGroup}/v1`,
    kind,
    metadata,
    roleRef: { apiGroup: rbacGroup, kind: role.kind, name: role.name },
    subjects: [role.account],
  };
}

/** An aggregated API server asks the main one who its callers are and what they may do. */
function registration(
  objects: readonly RenderedObject[],
  rendering: Rendering,
  api: ApiServiceDescription,
): readonly RenderedObject[] {
  const { certificates, installNamespace: namespace } = rendering;
  const deploymentName = api.deploymentName ?? '';
  const names = servingNames(deploymentName);
  const account = { kind: 'ServiceAccount', name: accountOf(objects, deploymentName), namespace };
  const name = `${api.version}.${api.group}`;
  const service: RenderedObject = {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name },
    spec: {
      group: api.group,
      version: api.version,
      groupPriorityMinimum: 2000,
      versionPriority: 15,
      service: { namespace, name: names.service, port: portOf(api) },
    },
  };
  const delegator = { kind: 'ClusterRole', name: 'system:auth-delegator', account };
  const reader = { kind: 'Role', name: 'extension-apiserver-authentication-reader', account };
  return [
    binding('ClusterRoleBinding', { name: `${names.service}-system:auth-delegator` }, delegator),
    binding('RoleBinding', { name: `${names.service}-auth-reader`, namespace: 'kube-system' }, reader),
    certificates?.injectCa(service, { namespace, names }) ?? service,
  ];
}

/** Aggregated APIs that the operator owns: their Service, certificate, permissions and registration. */
export const apiServices: Amendment = {
  name: 'api-services',
  reason:
    'Without its APIService an aggregated API of the operator does not exist; the reference refuses such bundles.',
  amend: (objects, rendering) => {
    const apis = ownedApis(rendering);
    const withServices = apis.reduce((current, api) => served(current, rendering, api), objects);
    const added = apis.flatMap((api) => registration(objects, rendering, api));
    const seen = new Set<string>();
    const once = added.filter(({ kind, metadata }) => {
      const key = `${kind}/${metadata.name ?? ''}`;
      return !seen.has(key) && seen.add(key).has(key);
    });
    return [...withServices, ...once];
  },
};
