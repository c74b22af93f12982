import { type OperatorGroup, olmFieldManager, olmLabelPrefixes } from '../../api/index.ts';
import type { JsonObject } from '../../base/index.ts';
import {
  type ControllerDefinition,
  defineController,
  type Manager,
  type ReconcileRun,
} from '../../controller/index.ts';
import {
  type CacheChange,
  indexCache,
  type KindCache,
  type KubeClient,
  type KubeObject,
  refOf,
} from '../../kube/index.ts';
import { isGlobalGroup } from '../../operators/index.ts';
import { type GroupContext, groupTargets } from './context.ts';

interface LabelContext {
  readonly kube: KubeClient;
  readonly namespaces: KindCache;
  readonly groupsOf: (namespace: string) => readonly KubeObject[];
  readonly targetsOf: (group: KubeObject) => readonly string[];
}

interface LabelRun extends ReconcileRun {
  readonly context: LabelContext;
}

const prefix = olmLabelPrefixes.operatorGroupUid;

/** The Namespaces that are labelled for a group; a global group labels none. */
function labelledFor(group: OperatorGroup | undefined): readonly string[] {
  return group === undefined || isGlobalGroup(group) ? [] : (group.status?.namespaces ?? []);
}

/** Labels to set, and those to remove as null; undefined if nothing changes. */
function changesOf(namespace: KubeObject, groups: readonly KubeObject[]): JsonObject | undefined {
  const desired = new Set(groups.map(({ metadata }) => `${prefix}${metadata.uid ?? ''}`));
  const labels = namespace.metadata.labels ?? {};
  const removed = Object.keys(labels).filter((key) => key.startsWith(prefix) && !desired.has(key));
  const added = [...desired].filter((key) => labels[key] !== '');
  if (removed.length + added.length === 0) return undefined;
  return Object.fromEntries([...removed.map((key) => [key, null]), ...added.map((key) => [key, ''])]) as JsonObject;
}

async function labelNamespace({ context, object }: LabelRun, { signal }: { signal: AbortSignal }): Promise<undefined> {
  const { kube, namespaces, groupsOf } = context;
  const { uid = '', name = '', deletionTimestamp } = object.metadata;
  const labels = changesOf(object, groupsOf(name));
  if (labels === undefined || deletionTimestamp !== undefined) return undefined;
  const written = await kube.patch(
    refOf(object),
    { metadata: { uid, labels } },
    { fieldManager: olmFieldManager, signal },
  );
  namespaces.wrote({ apiVersion: 'v1', kind: 'Namespace', metadata: written.metadata });
  return undefined;
}

/** The Namespaces that a change adds to a group or removes from it. */
function namespacesOf({ targetsOf }: LabelContext, { before, after }: CacheChange<KubeObject>): readonly string[] {
  const was = new Set(before === undefined ? [] : targetsOf(before));
  const is = new Set(after === undefined ? [] : targetsOf(after));
  return [...[...was].filter((name) => !is.has(name)), ...[...is].filter((name) => !was.has(name))];
}

/** Labels each Namespace with the uids of the groups that target it, which the selectors of webhooks refer to. */
const namespaceLabelController: ControllerDefinition<LabelContext, LabelRun> = defineController({
  name: 'operatorgroup-namespaces',
  for: groupTargets.namespaces,
  watches: (context) => [
    {
      target: groupTargets.groups,
      requestsFor: (change) => namespacesOf(context, change).map((name) => ({ namespace: '', name })),
    },
  ],
  begin: (context, object) => ({ context, object }),
  steps: [labelNamespace],
  // Its rules are among those of the controller of the groups.
  permissions: {},
  isOptional: true,
});

/** Adds the controller of these labels. */
export function addNamespaceLabels(manager: Manager, { kube, groups, namespaces, readGroup }: GroupContext): void {
  const targetsOf = (group: KubeObject): readonly string[] => labelledFor(readGroup(group));
  const index = indexCache(groups, targetsOf);
  const context = { kube, namespaces, targetsOf, groupsOf: (name: string) => index.get(name) };
  manager.add(namespaceLabelController, { context, workers: 2 });
}
