import type { ServiceAccountName } from '../../api/index.ts';
import { type JsonObject, mapLimit, objectAt, TransientError, textAt } from '../../base/index.ts';
import {
  groupOf,
  isNotFound,
  type KubeClient,
  type KubeObject,
  NoKindMatch,
  type ObjectRef,
  refKey,
  serviceAccountUser,
} from '../../kube/index.ts';
import { isCrd } from '../kind-list.ts';
import { type InstalledObject, keyOf } from '../kind-watches.ts';
import { readNamespace } from '../namespace.ts';
import type { Owner } from '../ownership.ts';
import type { Plan } from '../plan.ts';
import { describeMissing } from './describe.ts';
import { findMissing } from './held.ts';
import { type FindRole, installNeeds, type Need, namespaceNeed, type Placed, removalNeed } from './need.ts';

/** The deployment's service account may not do everything that is to be done: nothing was changed. */
export class RightsMissing extends TransientError {
  constructor(message: string) {
    super('RightsMissing', message);
  }
}

interface Context {
  /** With our own rights. */
  readonly platform: KubeClient;
  readonly owner: Owner;
  readonly signal: AbortSignal;
}

const parallelReads = 8;
const maxLines = 20;

/** What a definition of the plan says of a kind that it brings. */
function broughtKind(
  crds: readonly KubeObject[],
  { kind, apiVersion }: KubeObject,
): { readonly plural: string; readonly isNamespaced: boolean } | undefined {
  for (const crd of crds as unknown as readonly JsonObject[]) {
    const spec = objectAt(crd, 'spec');
    const names = objectAt(spec, 'names');
    if (textAt(names, 'kind') !== kind || groupOf(apiVersion) !== textAt(spec, 'group')) continue;
    return { plural: textAt(names, 'plural'), isNamespaced: textAt(spec, 'scope') === 'Namespaced' };
  }
  return undefined;
}

async function pluralOf(
  { platform, signal }: Context,
  { apiVersion, kind }: Pick<ObjectRef, 'apiVersion' | 'kind'>,
): Promise<string | undefined> {
  try {
    return (await platform.resolve(apiVersion, kind, { signal })).plural;
  } catch (thrown) {
    if (thrown instanceof NoKindMatch) return undefined;
    throw thrown;
  }
}

/** A role that the bundle brings counts as the bundle has it. */
function roleFinder({ platform, signal }: Context, objects: readonly KubeObject[]): FindRole {
  const brought = new Map(objects.map((object) => [keyOf(object), object]));
  return async (ref) => {
    const own = brought.get(refKey(ref));
    if (own !== undefined) return { role: own, isBrought: true };
    try {
      return { role: await platform.get(ref, { signal }), isBrought: false };
    } catch (thrown) {
      if (isNotFound(thrown)) return undefined;
      throw thrown;
    }
  };
}

/** Deferred objects where they will be placed. */
function placedLater(plan: Plan, defaultNamespace: string): readonly Placed[] {
  const crds = plan.objects.filter(isCrd);
  return plan.deferred.flatMap((object) => {
    const kind = broughtKind(crds, object);
    if (kind === undefined) return [];
    const { namespace: given, ...metadata } = object.metadata;
    const namespace = kind.isNamespaced ? { namespace: given ?? defaultNamespace } : {};
    return [{ object: { ...object, metadata: { ...metadata, ...namespace } } as KubeObject, plural: kind.plural }];
  });
}

/** What it takes to install a plan; `defaultNamespace` is for objects that name none. */
async function needsOfPlan(context: Context, plan: Plan, defaultNamespace: string): Promise<readonly Need[]> {
  const later = placedLater(plan, defaultNamespace);
  const now = await mapLimit(plan.objects, parallelReads, async (object) => {
    const plural = await pluralOf(context, object);
    return plural === undefined ? [] : [{ object, plural }];
  });
  const all = [...now.flat(), ...later];
  const findRole = roleFinder(
    context,
    all.map(({ object }) => object),
  );
  return (await mapLimit(all, parallelReads, (placed) => installNeeds(placed, findRole))).flat();
}

/** What it takes to be rid of objects. */
export async function needsOfRemoval(
  context: Context,
  objects: readonly Pick<InstalledObject, 'ref' | 'isKept'>[],
): Promise<readonly Need[]> {
  const needs = await mapLimit(objects, parallelReads, async (object) => {
    const plural = await pluralOf(context, object.ref);
    return plural === undefined ? [] : [removalNeed(object, plural)];
  });
  return needs.flat();
}

/** What it takes to make the namespace, where it is missing. */
async function needsOfNamespace(context: Context, name: string | undefined): Promise<readonly Need[]> {
  if (name === undefined) return [];
  const found = await readNamespace(context.platform, name, context.signal);
  return found === undefined ? [namespaceNeed(name)] : [];
}

/** An installation, as far as it takes rights. */
interface Installation {
  readonly plan: Plan;
  /** Everything that is there of the owner's. */
  readonly present: readonly InstalledObject[];
  /** To be made where it is missing. */
  readonly installNamespace: string | undefined;
  /** Of objects that name none. */
  readonly defaultNamespace: string;
}

/** What it takes to install a plan in the place of what is there. */
export async function needsOfInstallation(context: Context, installation: Installation): Promise<readonly Need[]> {
  const { plan, present, installNamespace, defaultNamespace } = installation;
  const wanted = new Set([...plan.objects, ...plan.deferred].map(keyOf));
  const old = present.filter(({ ref }) => !wanted.has(refKey(ref)));
  return [
    ...(await needsOfNamespace(context, installNamespace)),
    ...(await needsOfPlan(context, plan, defaultNamespace)),
    ...(await needsOfRemoval(context, old)),
  ];
}

async function assertThere({ platform, signal }: Context, { namespace, name }: ServiceAccountName): Promise<void> {
  try {
    await platform.get({ apiVersion: 'v1', kind: 'ServiceAccount', namespace, name }, { signal });
  } catch (thrown) {
    if (!isNotFound(thrown)) throw thrown;
    const text = `serviceaccount "${name}" not found in namespace "${namespace}" (spec.config.serviceAccount): nothing is done before it is there`;
    throw new RightsMissing(text);
  }
}

/** The account of the owner, if it has one, is there and may do all of it.
 *  @throws RightsMissing that names everything that it may not do, as far as that can be read */
export async function assertRights(context: Context, needs: () => Promise<readonly Need[]>): Promise<void> {
  const { platform, owner, signal } = context;
  const { account } = owner;
  if (account === undefined) return;
  await assertThere(context, account);
  const asAccount = platform.actingAs(serviceAccountUser(account));
  const lines = describeMissing(await findMissing({ kube: asAccount, signal }, await needs()));
  if (lines.length === 0) return;
  const more = lines.length > maxLines ? `; and ${lines.length - maxLines} more` : '';
  const head = `serviceaccount "${account.namespace}/${account.name}" may not do all that it takes, so nothing was changed; it lacks`;
  const how = `longshore permissions bd/${owner.name} prints all that it needs, ready to be applied`;
  throw new RightsMissing(`${head}: ${lines.slice(0, maxLines).join('; ')}${more} (${how})`);
}
