import { type JsonObject, mapLimit, objectAt, textAt } from '../../base/index.ts';
import { groupOf, type KubeObject, refKey } from '../../kube/index.ts';
import { isCrd } from '../kind-list.ts';
import { type InstalledObject, keyOf } from '../kind-watches.ts';
import type { Plan } from '../plan.ts';
import { type FindRole, installNeeds, type Need, namespaceNeed, type Placed, removalNeed } from './need.ts';
import type { Surroundings } from './surroundings.ts';

/** An installation, as far as it requires permissions. */
export interface Installation {
  readonly plan: Pick<Plan, 'objects' | 'deferred'>;
  /** All existing objects of the owner. */
  readonly present: readonly Pick<InstalledObject, 'ref' | 'isRetained'>[];
  /** To be made where it is missing. */
  readonly installNamespace: string | undefined;
  /** Of objects that name none. */
  readonly defaultNamespace: string;
}

const parallelReads = 8;

/** A kind that a definition of the plan adds. */
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

/** A role that the bundle brings counts as the bundle has it. */
function roleFinder(surroundings: Surroundings, objects: readonly KubeObject[]): FindRole {
  const brought = new Map(objects.map((object) => [keyOf(object), object]));
  return async (ref) => {
    const own = brought.get(refKey(ref));
    if (own !== undefined) return { role: own, isBrought: true };
    const role = await surroundings.roleOf(ref);
    return role === undefined ? undefined : { role, isBrought: false };
  };
}

/** Deferred objects where they will be placed. */
function placedLater({ plan, defaultNamespace }: Installation): readonly Placed[] {
  const crds = plan.objects.filter(isCrd);
  return plan.deferred.flatMap((object) => {
    const kind = broughtKind(crds, object);
    if (kind === undefined) return [];
    const { namespace: given, ...metadata } = object.metadata;
    const namespace = kind.isNamespaced ? { namespace: given ?? defaultNamespace } : {};
    return [{ object: { ...object, metadata: { ...metadata, ...namespace } } as KubeObject, plural: kind.plural }];
  });
}

async function needsOfObjects(surroundings: Surroundings, installation: Installation): Promise<readonly Need[]> {
  const now = await mapLimit(installation.plan.objects, parallelReads, async (object) => {
    const plural = await surroundings.pluralOf(object);
    return plural === undefined ? [] : [{ object, plural }];
  });
  const all = [...now.flat(), ...placedLater(installation)];
  const objects = all.map(({ object }) => object);
  const findRole = roleFinder(surroundings, objects);
  return (await mapLimit(all, parallelReads, (placed) => installNeeds(placed, findRole))).flat();
}

/** What it takes to be rid of objects. */
export async function needsOfRemoval(
  surroundings: Surroundings,
  objects: readonly Pick<InstalledObject, 'ref' | 'isRetained'>[],
): Promise<readonly Need[]> {
  const needs = await mapLimit(objects, parallelReads, async (object) => {
    const plural = await surroundings.pluralOf(object.ref);
    return plural === undefined ? [] : [removalNeed(object, plural)];
  });
  return needs.flat();
}

/** The permissions required to install a plan in place of the existing objects. */
export async function needsOfInstallation(
  surroundings: Surroundings,
  installation: Installation,
): Promise<readonly Need[]> {
  const { plan, present, installNamespace } = installation;
  const desired = new Set([...plan.objects, ...plan.deferred].map(keyOf));
  const old = present.filter(({ ref }) => !desired.has(refKey(ref)));
  const isMissing = installNamespace !== undefined && !(await surroundings.hasNamespace(installNamespace));
  return [
    ...(isMissing ? [namespaceNeed(installNamespace)] : []),
    ...(await needsOfObjects(surroundings, installation)),
    ...(await needsOfRemoval(surroundings, old)),
  ];
}
