import { type ControllerDefinition, defineController, type Manager } from '../../controller/index.ts';
import { type NamespacedName, namespacedName } from '../../kube/index.ts';
import { type CopyContext, type CopyOptions, copyTargets, createCopyContext, versionRef } from './context.ts';
import { beginCopy, type CopyRun, copySteps } from './copy-steps.ts';
import { operatorAccessController, ownerOf } from './lift.ts';
import { copiesOf, copyWatches } from './requests.ts';
import { verifyCopies } from './verify.ts';

const rbacGroup = 'rbac.authorization.k8s.io';
const all = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'];

/** The controller of copies of ClusterServiceVersions in target namespaces, and of what operators may do there. It reconciles one copy at a time,
 *  also one that does not exist yet, so that no namespace waits for another.
 *  @see docs/spec/olm-v0.md#copied-csvs */
export const copiedCsvController: ControllerDefinition<CopyContext, CopyRun> = defineController({
  name: 'copied-csv',
  for: copyTargets.copies,
  // The phases of an installation follow quickly on each other, and each would be written to all copies.
  gatherMs: 500,
  // A copy that is yet to be created is reconciled as well.
  read: async (_context, request) => await Promise.resolve(versionRef(request)),
  watches: copyWatches,
  begin: beginCopy,
  steps: copySteps,
  permissions: {
    cluster: [
      { apiGroups: ['operators.coreos.com'], resources: ['clusterserviceversions'], verbs: all },
      { apiGroups: ['operators.coreos.com'], resources: ['clusterserviceversions/status'], verbs: ['update', 'patch'] },
      {
        apiGroups: ['operators.coreos.com'],
        resources: ['olmconfigs', 'operatorgroups'],
        verbs: ['get', 'list', 'watch'],
      },
      { apiGroups: [''], resources: ['namespaces'], verbs: ['get', 'list', 'watch'] },
      // Permissions are given as the service account of the group, where it names one.
      { apiGroups: [''], resources: ['serviceaccounts'], verbs: ['get', 'list', 'watch', 'impersonate'] },
      {
        apiGroups: [rbacGroup],
        resources: ['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'],
        verbs: all,
      },
      // Operators get what they request, which the service account of the controllers is not allowed itself.
      { apiGroups: [rbacGroup], resources: ['roles', 'clusterroles'], verbs: ['bind', 'escalate'] },
    ],
  },
  isOptional: true,
});

/** Adds the controllers of copies and of the permissions of operators in their target namespaces. */
export function addCopiedCsvs(manager: Manager, options: CopyOptions = {}): void {
  const context = createCopyContext(manager, options);
  const { caches } = context;
  let verifying: Promise<void> | undefined;
  const added = manager.add(copiedCsvController, {
    context,
    workers: options.workers ?? 8,
    beforeWork: async () => {
      await Promise.resolve();
      const enqueue = ({ namespace, name }: NamespacedName): void => added.enqueue(name, namespace);
      const desired = caches.originals.values().flatMap((object) => copiesOf(context, namespacedName(object)));
      for (const request of desired) {
        if (caches.copies.get(request.name, request.namespace) === undefined) enqueue(request);
      }
      verifying = verifyCopies(context, { log: manager.log, enqueue });
    },
    afterWork: async () => await verifying,
  });
  const access = manager.add(operatorAccessController, {
    context,
    workers: 2,
    // What was lifted for operators that were deleted while no process ran.
    beforeWork: async () => {
      await Promise.resolve();
      for (const object of [...caches.clusterRoles.values(), ...caches.clusterRoleBindings.values()]) {
        for (const { namespace, name } of ownerOf(object)) access.enqueue(name, namespace);
      }
    },
  });
}
