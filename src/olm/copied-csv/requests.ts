import { clusterServiceVersionResource, olmLabels } from '../../api/index.ts';
import { isJsonEqual, type JsonObject, type JsonValue } from '../../base/index.ts';
import type { Watch } from '../../controller/index.ts';
import {
  type CacheChange,
  formatNamespacedName,
  type KubeObject,
  type NamespacedName,
  namespacedName,
} from '../../kube/index.ts';
import type { Operator } from './access.ts';
import { type CopyContext, copyTargets } from './context.ts';
import { targetsOf } from './sources.ts';

type Change = CacheChange<KubeObject>;

function changed({ before, after }: Change): readonly KubeObject[] {
  return [before, after].filter((object) => object !== undefined);
}

/** The copies that exist of an operator, and those that are to be. */
export function copiesOf(context: CopyContext, original: NamespacedName): readonly NamespacedName[] {
  const operator = context.original(original);
  const targets = operator === undefined ? [] : targetsOf(context, operator);
  return [...context.copiesOf(original), ...targets.map((namespace) => ({ namespace, name: original.name }))];
}

function ofOperators(context: CopyContext, operators: readonly Operator[]): readonly NamespacedName[] {
  return operators.flatMap(({ object }) => copiesOf(context, namespacedName(object)));
}

function ofOriginal(context: CopyContext, change: Change): readonly NamespacedName[] {
  const [object] = changed(change);
  if (object === undefined) return [];
  const original = namespacedName(object);
  context.absent.delete(formatNamespacedName(original));
  // A copy of its name may be in its place, or waits for it.
  return [original, ...copiesOf(context, original)];
}

function ofCopy(context: CopyContext, change: Change): readonly NamespacedName[] {
  const [object] = changed(change);
  if (object === undefined) return [];
  const key = namespacedName(object);
  context.absent.delete(formatNamespacedName(key));
  // An operator that had the label of copies may have had copies.
  return change.after === undefined ? [key, ...copiesOf(context, key)] : [key];
}

/** Copies in a Namespace that is new, or is being deleted. Its labels do not matter: the groups resolve them. */
function ofNamespace(context: CopyContext, { before, after }: Change): readonly NamespacedName[] {
  const isSame = before?.metadata.uid === after?.metadata.uid;
  if (isSame && before?.metadata.deletionTimestamp === after?.metadata.deletionTimestamp) return [];
  const namespace = (after ?? before)?.metadata.name ?? '';
  const groups = [...context.groupsTargeting(namespace), ...context.groupsTargeting('')];
  const operators = groups.flatMap(({ metadata }) => context.originalsIn(metadata.namespace ?? ''));
  return operators.map(({ object }) => ({ namespace, name: object.metadata.name ?? '' }));
}

/** The APIs that a group provides are written to its annotations; they do not decide about copies. */
function ofGroup(context: CopyContext, { before, after }: Change): readonly NamespacedName[] {
  const contentOf = (object: KubeObject | undefined): JsonValue => {
    const { spec = null, status = null, metadata } = (object ?? {}) as Partial<JsonObject> & Partial<KubeObject>;
    return [metadata?.uid ?? null, metadata?.deletionTimestamp ?? null, spec as JsonValue, status as JsonValue];
  };
  if (isJsonEqual(contentOf(before), contentOf(after))) return [];
  return ofOperators(context, context.originalsIn((after ?? before)?.metadata.namespace ?? ''));
}

function ofAccess(context: CopyContext, change: Change): readonly NamespacedName[] {
  return changed(change).flatMap(({ metadata }) => {
    const { labels = {}, namespace = '' } = metadata;
    const { [olmLabels.owner]: name, [olmLabels.ownerKind]: kind, [olmLabels.copiedFrom]: from } = labels;
    if (name === undefined || kind !== clusterServiceVersionResource.kind) return [];
    return from === undefined ? copiesOf(context, { namespace, name }) : [{ namespace, name }];
  });
}

/** The copies that changes concern. */
export function copyWatches(context: CopyContext): readonly Watch[] {
  return [
    { target: copyTargets.originals, requestsFor: (change) => ofOriginal(context, change) },
    { target: copyTargets.copies, requestsFor: (change) => ofCopy(context, change) },
    { target: copyTargets.groups, requestsFor: (change) => ofGroup(context, change) },
    { target: copyTargets.namespaces, requestsFor: (change) => ofNamespace(context, change) },
    {
      target: copyTargets.config,
      requestsFor: () =>
        context
          .groupsTargeting('')
          .flatMap(({ metadata }) => ofOperators(context, context.originalsIn(metadata.namespace ?? ''))),
    },
    { target: copyTargets.roles, requestsFor: (change) => ofAccess(context, change) },
    { target: copyTargets.roleBindings, requestsFor: (change) => ofAccess(context, change) },
  ];
}
