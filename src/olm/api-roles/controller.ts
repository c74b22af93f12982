import { type ClusterServiceVersion, parseClusterServiceVersion } from '../../api/index.ts';
import { rememberReading } from '../../base/index.ts';
import {
  type ControllerDefinition,
  defineController,
  type Manager,
  type ReconcileRun,
  type Step,
  type Watch,
} from '../../controller/index.ts';
import {
  type CacheIndex,
  type EventRecorder,
  formatNamespacedName,
  indexCache,
  type KindCache,
  type KubeClient,
  type KubeObject,
  type ListTarget,
  namespacedName,
} from '../../kube/index.ts';
import { isCopied, isInactiveMember, originalVersions } from '../../operators/index.ts';
import { definitionSummaries } from '../definition-summaries.ts';
import { ensureRbac, rbacTargets } from '../rbac-objects.ts';
import { apiRoleNames, apiRoles, apisOwnedBy, isServedFor, type OwnedApi } from './roles.ts';

/** What the reconciles work with. */
export interface ApiRolesContext {
  readonly kube: KubeClient;
  readonly events: EventRecorder;
  readonly clusterRoles: KindCache;
  readonly servers: Readonly<Record<OwnedApi['servedBy']['kind'], KindCache>>;
  /** Operators by what they own: `Kind name` of the objects that serve APIs, and of the ClusterRoles. */
  readonly byOwned: CacheIndex;
  /** Undefined where an operator cannot be read. */
  readonly parse: (object: KubeObject) => ClusterServiceVersion | undefined;
  /** ClusterRoles of other owners that were reported, by operator. */
  readonly reported: Map<string, string>;
}

interface ApiRolesRun extends ReconcileRun {
  readonly context: ApiRolesContext;
  readonly csv: ClusterServiceVersion;
}

const serverTargets: ApiServerTargets = {
  CustomResourceDefinition: definitionSummaries,
  APIService: { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService' },
};

type ApiServerTargets = Readonly<Record<OwnedApi['servedBy']['kind'], ListTarget>>;

function keysOf(csv: ClusterServiceVersion | undefined): readonly string[] {
  if (csv === undefined) return [];
  return apisOwnedBy(csv).flatMap((owned) => [
    `${owned.servedBy.kind} ${owned.servedBy.name}`,
    ...apiRoleNames(owned).map((name) => `ClusterRole ${name}`),
  ]);
}

/** What gives way to a successor serves its APIs until that is installed, which may be never. */
function isInstalled({ status }: ClusterServiceVersion): boolean {
  if (status?.phase === 'Succeeded') return true;
  return status?.phase === 'Replacing' && (status.conditions ?? []).some(({ phase }) => phase === 'Succeeded');
}

function isActive(csv: ClusterServiceVersion): boolean {
  const isOperator = !isInactiveMember(csv) && !isCopied(csv);
  return isOperator && isInstalled(csv) && csv.metadata.deletionTimestamp === undefined;
}

function reportForeign({ context, object }: ApiRolesRun, names: readonly string[]): void {
  const key = formatNamespacedName(namespacedName(object));
  const shown = names.join(', ');
  if (shown === (context.reported.get(key) ?? '')) return;
  context.reported.set(key, shown);
  if (shown === '') return;
  const message = `ClusterRole ${shown} has another owner and is left as it is: delete it, so that it can be created for the API of this operator`;
  context.events.record(object, { type: 'Warning', reason: 'ClusterRoleNotOwned', message });
}

/** Whether a ClusterRole belongs to an object of that name that was deleted: the garbage collector is about to delete it, and that is noticed. */
function isLeftBehind(role: KubeObject | undefined, { kind, metadata }: KubeObject): boolean {
  const owners = role?.metadata.ownerReferences ?? [];
  const isPredecessor = (owner: (typeof owners)[number]): boolean =>
    owner.kind === kind && owner.name === metadata.name && owner.uid !== metadata.uid;
  return owners.length > 0 && owners.every(isPredecessor);
}

const ensureRoles: Step<ApiRolesRun> = async (run, { signal }) => {
  const { kube, clusterRoles: cache, servers } = run.context;
  const foreign: string[] = [];
  for (const owned of apisOwnedBy(run.csv)) {
    const server = servers[owned.servedBy.kind].get(owned.servedBy.name);
    if (server?.metadata.deletionTimestamp !== undefined) continue;
    if (server === undefined || !isServedFor(run.csv, server)) continue;
    const isOwn = ({ metadata }: KubeObject): boolean =>
      (metadata.ownerReferences ?? []).some(({ uid }) => uid === server.metadata.uid);
    for (const role of apiRoles(owned, server)) {
      const result = await ensureRbac({ kube, cache, isOwn, signal }, role);
      const name = role.metadata.name ?? '';
      if (result === 'foreign' && !isLeftBehind(cache.get(name), server)) foreign.push(name);
    }
  }
  reportForeign(run, foreign);
  return undefined;
};

function watches({ byOwned }: ApiRolesContext): readonly Watch[] {
  const targets = [...Object.values(serverTargets), rbacTargets.clusterRoles];
  return targets.map((target) => ({
    target,
    requestsFor: ({ before, after }) => byOwned.names(`${target.kind} ${(after ?? before)?.metadata.name ?? ''}`),
  }));
}

const rbacGroup = 'rbac.authorization.k8s.io';

/** The controller of the ClusterRoles of the APIs that operators provide. */
export const apiRolesController: ControllerDefinition<ApiRolesContext, ApiRolesRun> = defineController({
  name: 'operator-api-roles',
  for: originalVersions,
  watches,
  begin: (context, object) => {
    const csv = context.parse(object);
    return csv !== undefined && isActive(csv) ? { context, object, csv } : undefined;
  },
  steps: [ensureRoles],
  forget: ({ reported }, request) => void reported.delete(formatNamespacedName(request)),
  permissions: {
    cluster: [
      { apiGroups: ['operators.coreos.com'], resources: ['clusterserviceversions'], verbs: ['get', 'list', 'watch'] },
      {
        apiGroups: ['apiextensions.k8s.io'],
        resources: ['customresourcedefinitions'],
        verbs: ['get', 'list', 'watch'],
      },
      { apiGroups: ['apiregistration.k8s.io'], resources: ['apiservices'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: [rbacGroup], resources: ['clusterroles'], verbs: ['get', 'list', 'watch', 'create', 'patch'] },
      // They allow what the service account of the controllers is not allowed itself.
      { apiGroups: [rbacGroup], resources: ['clusterroles'], verbs: ['escalate'] },
    ],
  },
  isOptional: true,
});

/** Adds the controller. */
export function addApiRoles(manager: Manager, { workers = 2 }: { readonly workers?: number } = {}): void {
  const parse = rememberReading(parseClusterServiceVersion);
  const context: ApiRolesContext = {
    kube: manager.kube,
    events: manager.eventRecorder('operator-lifecycle-manager'),
    clusterRoles: manager.cache(rbacTargets.clusterRoles),
    servers: {
      CustomResourceDefinition: manager.cache(serverTargets.CustomResourceDefinition),
      APIService: manager.cache(serverTargets.APIService),
    },
    byOwned: indexCache(manager.cache(originalVersions), (object) => keysOf(parse(object))),
    parse,
    reported: new Map(),
  };
  manager.add(apiRolesController, { context, workers });
}
