import {
  type AddedController,
  type ControllerDefinition,
  defineController,
  type Manager,
} from '../../controller/index.ts';
import { type CsvContext, createCsvContext } from './context.ts';
import { csvMetrics } from './metrics.ts';
import { steps } from './reconcile.ts';
import { beginCsv, type CsvRun } from './run.ts';
import { addOrphanControllers, servingPermissions, servingTargets } from './serving/index.ts';
import { csvWatches } from './watches.ts';

const group = 'operators.coreos.com';
const read = ['get', 'list', 'watch'];

/** The controller of ClusterServiceVersions: installs operators, and keeps them installed. Copies are another controller's. */
export const clusterServiceVersionController: ControllerDefinition<CsvContext, CsvRun> = defineController({
  name: 'clusterserviceversion',
  for: servingTargets.versions,
  watches: csvWatches,
  begin: beginCsv,
  steps,
  permissions: {
    cluster: [
      { apiGroups: [group], resources: ['clusterserviceversions'], verbs: [...read, 'update', 'patch', 'delete'] },
      { apiGroups: [group], resources: ['clusterserviceversions/status'], verbs: ['update', 'patch'] },
      { apiGroups: [group], resources: ['clusterserviceversions/finalizers'], verbs: ['update'] },
      { apiGroups: [group], resources: ['operatorgroups'], verbs: [...read, 'patch'] },
      { apiGroups: [group], resources: ['operatorconditions', 'subscriptions'], verbs: read },
      { apiGroups: ['apps'], resources: ['deployments'], verbs: [...read, 'create', 'update', 'delete'] },
      // OperatorGroups may have installed with the permissions of a service account.
      { apiGroups: [''], resources: ['serviceaccounts'], verbs: [...read, 'impersonate'] },
      { apiGroups: ['rbac.authorization.k8s.io'], resources: ['clusterroles'], verbs: [...read, 'delete'] },
      { apiGroups: [''], resources: ['events'], verbs: ['get', 'create', 'patch'] },
      { apiGroups: ['config.openshift.io'], resources: ['proxies'], verbs: read },
      ...servingPermissions,
    ],
  },
  isOptional: true,
});

export interface ClusterServiceVersionsOptions {
  /** Reconciled at a time. Default 4. */
  readonly workers?: number;
}

/** Adds the controller of ClusterServiceVersions. */
export function addClusterServiceVersions(
  manager: Manager,
  options: ClusterServiceVersionsOptions = {},
): AddedController {
  const context = createCsvContext(manager);
  manager.metrics?.readFrom(() => Promise.resolve(manager.isLeading() ? csvMetrics(context.caches.versions) : {}));
  addOrphanControllers(manager, context.serving);
  const added = manager.add(clusterServiceVersionController, {
    context,
    workers: options.workers ?? 4,
    beforeWork: () => context.proxy.follow(() => added.enqueueAll()),
  });
  return added;
}
