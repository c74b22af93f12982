import { csvCleanupFinalizer, olmLabels } from '../../api/index.ts';
import {
  formatNamespacedName,
  hasFinalizer,
  isNotFound,
  type KubeObject,
  type NamespacedName,
} from '../../kube/index.ts';
import { type Placement } from '../../operators/index.ts';
import type { Operator } from './access.ts';
import { type CopyContext, versionRef } from './context.ts';

/** Whether a placement includes a namespace. */
function includes(context: CopyContext, placement: Placement, namespace: string): boolean {
  if (placement.kind === 'everywhere') return !context.isCopyingDisabled() || context.isProtected(namespace);
  return placement.kind === 'namespaces' && context.targetsOf(placement.group).has(namespace);
}

/** Whether copies can be in a namespace: it exists, and is not being deleted. */
function isOpen({ caches }: CopyContext, namespace: string): boolean {
  const found = caches.namespaces.get(namespace);
  return found !== undefined && found.metadata.deletionTimestamp === undefined;
}

function rank({ object }: Operator): string {
  const { creationTimestamp, namespace = '' } = object.metadata;
  return `${creationTimestamp ?? ''} ${namespace}`;
}

/** The operator that is to be copied to a namespace under a name: of several of one name, the oldest. Only operators of groups that target the
 *  namespace are looked at, as many may have one name. */
export function sourceOf(context: CopyContext, { namespace, name }: NamespacedName): Operator | undefined {
  if (!isOpen(context, namespace)) return undefined;
  const groups = [...context.groupsTargeting(namespace), ...context.groupsTargeting('')];
  const places = new Set(groups.map(({ metadata }) => metadata.namespace ?? ''));
  const sources = [...places].flatMap((place) => {
    const operator = place === namespace ? undefined : context.original({ namespace: place, name });
    return operator !== undefined && includes(context, context.placementOf(operator), namespace) ? [operator] : [];
  });
  return sources.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1))[0];
}

/** The namespaces that copies of an operator are to be in. */
export function targetsOf(context: CopyContext, operator: Operator): readonly string[] {
  const placement = context.placementOf(operator);
  const { namespace: own } = operator.object.metadata;
  if (placement.kind === 'namespaces') return [...context.targetsOf(placement.group)].filter((name) => name !== own);
  if (placement.kind !== 'everywhere') return [];
  const names = context.caches.namespaces.values().map(({ metadata }) => metadata.name ?? '');
  return names.filter((name) => name !== own && includes(context, placement, name));
}

/** Whether a ClusterServiceVersion was reconciled as an operator, whatever its labels are now. */
export function wasOperator(object: KubeObject): boolean {
  return hasFinalizer(object, csvCleanupFinalizer);
}

async function isAbsent({ kube, signal }: CopyContext, original: NamespacedName): Promise<boolean> {
  try {
    return !wasOperator(await kube.get(versionRef(original), { signal }));
  } catch (thrown) {
    if (!isNotFound(thrown)) throw thrown;
    return true;
  }
}

/** Answers that are kept; the copies of one original are asked about one after another. */
const maxAnswers = 1000;

/** Whether an original that the cache lacks does not exist: one that has the label of copies by mistake is not in that cache either. Asked once for
 *  all its copies. */
async function isAskedAbsent(context: CopyContext, original: NamespacedName): Promise<boolean> {
  const key = formatNamespacedName(original);
  const asked = context.absent.get(key) ?? isAbsent(context, original);
  if (context.absent.size >= maxAnswers) context.absent.clear();
  context.absent.set(key, asked);
  try {
    return await asked;
  } catch (thrown) {
    context.absent.delete(key);
    throw thrown;
  }
}

/** Whether a copy that is not desired may be deleted now; not while it is open what becomes of its original. */
export async function isObsolete(context: CopyContext, copy: KubeObject): Promise<boolean> {
  const { labels = {}, namespace = '', name = '' } = copy.metadata;
  const from = labels[olmLabels.copiedFrom] ?? '';
  if (from === '' || from === namespace) return true;
  const original = { namespace: from, name };
  const operator = context.original(original);
  if (operator !== undefined) return context.placementOf(operator).kind !== 'unknown';
  return await isAskedAbsent(context, original);
}
