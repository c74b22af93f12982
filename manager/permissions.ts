import { bundleController, bundleDeploymentController } from '../provisioners/index.ts';
import { leaderLease } from '../src/api/index.ts';
import type { Permissions } from '../src/controller/index.ts';
import {
  machineConfigPoolController,
  machineController,
  machineHealthCheckController,
  machineSetController,
  nodeAgentController,
  nodeConfigController,
  nodeDrainController,
  nodeLinkController,
  readyHookPermissions,
} from '../src/machines/index.ts';
import {
  aggregateController,
  apiRolesController,
  catalogSourceController,
  clusterCatalogController,
  clusterExtensionController,
  clusterServiceVersionController,
  conditionOwnerController,
  copiedCsvController,
  installPlanController,
  olmConfigController,
  operatorConditionController,
  operatorController,
  operatorGroupController,
  operatorSubscriptionController,
  operatorVersionController,
  orphanControllers,
  packageRegistrationController,
  platformOperatorController,
  subscriptionController,
} from '../src/olm/index.ts';
import { combineRules, type PolicyRule } from '../src/rbac/index.ts';
import { webhookPermissions as permissionsOfWebhook } from '../webhook/index.ts';

/** The leases of shards are numbered. */
const maxShards = 8;
const leases = [leaderLease, ...Array.from({ length: maxShards - 1 }, (_, index) => `${leaderLease}-${index + 2}`)];

/** What the process needs beside its controllers: Events, the content server and leader election. */
const processPermissions: Permissions = {
  cluster: [
    // Events about cluster-scoped objects are in the namespace default.
    { apiGroups: ['', 'events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] },
    // A process that stands by copies the uploads that the leader has; a shard forwards requests for another one.
    { nonResourceURLs: ['/bundles/*', '/uploads/*'], verbs: ['get', 'update'] },
    // Who asks the content server, and what they may read.
    { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
    { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
  ],
  system: [
    // The Secret that publishes the address and the authority of the content server.
    { apiGroups: [''], resources: ['secrets'], verbs: ['create'] },
    { apiGroups: [''], resources: ['secrets'], resourceNames: ['rukpak-ca'], verbs: ['patch'] },
    { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'] },
    { apiGroups: ['coordination.k8s.io'], resources: ['leases'], resourceNames: leases, verbs: ['get', 'update'] },
    // The pod that leads is labelled.
    { apiGroups: [''], resources: ['pods'], verbs: ['list', 'patch'] },
  ],
};

/** Rules of a role in all namespaces, and of one in the system namespace. */
export interface RoleRules {
  readonly cluster: readonly PolicyRule[];
  readonly system: readonly PolicyRule[];
}

function combine(all: readonly Permissions[]): RoleRules {
  return {
    cluster: combineRules(all.flatMap(({ cluster = [] }) => cluster)),
    system: combineRules(all.flatMap(({ system = [] }) => system)),
  };
}

/** The rules that `longshore controllers` needs for itself, of all its controllers together. What it may install is granted separately. */
export function controllerPermissions(): RoleRules {
  const definitions = [
    bundleController,
    bundleDeploymentController,
    clusterCatalogController,
    clusterExtensionController,
    platformOperatorController,
    aggregateController,
  ];
  return combine([...definitions.map(({ permissions }) => permissions), processPermissions]);
}

/** The rules that `longshore controllers --olm` needs in addition. What operators get is granted separately. */
export function olmPermissions(): RoleRules {
  const definitions = [
    apiRolesController,
    catalogSourceController,
    clusterServiceVersionController,
    conditionOwnerController,
    copiedCsvController,
    installPlanController,
    olmConfigController,
    operatorConditionController,
    operatorController,
    operatorGroupController,
    operatorSubscriptionController,
    operatorVersionController,
    ...orphanControllers,
    packageRegistrationController,
    subscriptionController,
  ];
  return combine(definitions.map(({ permissions }) => permissions));
}

/** The rules that `longshore controllers --machines` needs in addition. */
export function machinePermissions(): RoleRules {
  const definitions = [
    machineController,
    machineHealthCheckController,
    machineSetController,
    nodeLinkController,
    machineConfigPoolController,
    nodeConfigController,
    nodeDrainController,
  ];
  return combine([...definitions.map(({ permissions }) => permissions), readyHookPermissions]);
}

/** The rules that `longshore node-agent` needs. */
export function nodeAgentPermissions(): RoleRules {
  return combine([nodeAgentController.permissions]);
}

/** The rules that `longshore controllers --release` needs in addition. Few clusters have a release: the engine is loaded only then. */
export async function releasePermissions(): Promise<RoleRules> {
  const { clusterVersionController } = await import('../src/cluster-version/index.ts');
  return combine([clusterVersionController.permissions]);
}

/** The rules that `longshore webhook` needs: of its webhooks and of its server. */
export function webhookPermissions(): RoleRules {
  return combine(permissionsOfWebhook());
}
