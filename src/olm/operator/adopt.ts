import {
  clusterServiceVersionResource,
  installPlanResource,
  olmFieldManager,
  parseSubscription,
} from '../../api/index.ts';
import { type JsonObject, objectAt, textAt } from '../../base/index.ts';
import { isNotFound, isOtherObject, type KubeObject, namespacedName, refOf } from '../../kube/index.ts';
import { componentKey, installedAlongside, operatorName, operatorsOf } from '../../operators/index.ts';
import { claimedDefinitions, type OperatorContext } from './context.ts';

/** Sets or removes the label of an Operator. Only the label is written, and only on this very object. */
async function mark(
  { kube, cacheOf }: OperatorContext,
  object: KubeObject,
  { labels, signal }: { readonly labels: Readonly<Record<string, string | null>>; readonly signal: AbortSignal },
): Promise<void> {
  const { uid } = object.metadata;
  const metadata = { ...(uid !== undefined && { uid }), labels: { ...labels } };
  try {
    const written = await kube.patch(refOf(object), { metadata }, { fieldManager: olmFieldManager, signal });
    cacheOf(object)?.wrote(written);
  } catch (thrown) {
    if (!isNotFound(thrown) && !isOtherObject(thrown)) throw thrown;
  }
}

/** Labels an object as a component of Operators, unless it has the labels. */
async function adopt(
  context: OperatorContext,
  object: KubeObject,
  { operators, signal }: { readonly operators: readonly string[]; readonly signal: AbortSignal },
): Promise<void> {
  const { labels = {}, deletionTimestamp } = object.metadata;
  const missing = operators.map(componentKey).filter((key) => labels[key] === undefined);
  if (missing.length === 0 || deletionTimestamp !== undefined) return;
  await mark(context, object, { labels: Object.fromEntries(missing.map((key) => [key, ''])), signal });
}

interface Adoption {
  readonly operator: string;
  readonly namespace: string;
  readonly signal: AbortSignal;
}

/** The last plan is a component, earlier ones are not any more. */
async function adoptPlan(context: OperatorContext, latest: string, adoption: Adoption): Promise<void> {
  const { operator, namespace, signal } = adoption;
  const plan = context.cacheOf(installPlanResource)?.get(latest, namespace);
  if (plan !== undefined) await adopt(context, plan, { operators: [operator], signal });
  const earlier = context.componentsOf(operator).filter(({ kind, metadata }) => {
    return kind === installPlanResource.kind && metadata.namespace === namespace && metadata.name !== latest;
  });
  for (const other of earlier) await mark(context, other, { labels: { [componentKey(operator)]: null }, signal });
}

/** Labels a Subscription, what it has installed and its last InstallPlan as components of the Operator of the package.
 *  @see docs/spec/olm-v0.md#operator */
export async function adoptForSubscription(
  context: OperatorContext,
  object: KubeObject,
  signal: AbortSignal,
): Promise<void> {
  const { spec, status, metadata } = parseSubscription(object);
  const { namespace = '' } = metadata;
  const operator = operatorName(spec.name, namespace);
  const operators = [operator];
  await adopt(context, object, { operators, signal });
  const installed = context.versions.get(status?.installedCSV ?? '', namespace);
  if (installed !== undefined) await adopt(context, installed, { operators, signal });
  const latest = textAt(status?.installPlanRef as JsonObject | undefined, 'name');
  if (latest !== '') await adoptPlan(context, latest, { operator, namespace, signal });
}

/** The definitions that an operator owns: those that a plan applied for it, and all once it is installed. Until then another one may be the owner of those
 *  that it claims, and one that gives way leaves them to its successor, which may be of another package. */
function definitionsOf({ definitions, isReplaced }: OperatorContext, csv: KubeObject): readonly KubeObject[] {
  if (isReplaced(csv)) return [];
  const found = claimedDefinitions(csv).flatMap((name) => definitions.get(name) ?? []);
  if (textAt(objectAt(csv as JsonObject, 'status'), 'phase') === 'Succeeded') return found;
  const [annotation, value] = installedAlongside(namespacedName(csv));
  return found.filter(({ metadata }) => metadata.annotations?.[annotation] === value);
}

/** Labels what a ClusterServiceVersion owns as components of its Operators. */
export async function adoptForVersion(context: OperatorContext, csv: KubeObject, signal: AbortSignal): Promise<void> {
  const operators = operatorsOf(csv);
  if (operators.length === 0 || csv.kind !== clusterServiceVersionResource.kind) return;
  for (const object of [...context.ownedBy(csv), ...definitionsOf(context, csv)]) {
    await adopt(context, object, { operators, signal });
  }
}
