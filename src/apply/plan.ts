import { isJsonObject, TerminalError } from '../base/index.ts';
import { describeRef, type KubeClient, type KubeObject, NoKindMatch, type ObjectRef, refOf } from '../kube/index.ts';
import { isMember, partOfLabel } from './inventory.ts';
import { isCrd, type KindRef, kindsOf } from './kind-list.ts';
import { keyOf } from './kind-watches.ts';
import { type Owner, ownedBy, withoutOwner } from './ownership.ts';
import { type Problem, problemOf, throwProblems } from './problems.ts';

/** What is to be applied, with labels, owner references and namespaces. */
export interface Plan {
  /** Kinds that the server serves now. */
  readonly objects: readonly KubeObject[];
  /** Objects of kinds that a CRD among `objects` brings; still without the namespace that their scope may ask for. */
  readonly deferred: readonly KubeObject[];
  readonly kinds: readonly KindRef[];
}

/** A plan and what stands against it: with problems it is for further checks only. */
export interface Draft extends Plan {
  readonly problems: readonly Problem[];
}

export interface PlanContext {
  readonly kube: KubeClient;
  readonly owner: Owner;
  /** Of namespaced objects that name none. */
  readonly defaultNamespace: string;
  /** Whether an object that is installed is to be retained, as users have annotated it. Default: none is. */
  readonly isRetained?: (ref: ObjectRef) => boolean;
  readonly signal: AbortSignal;
}

/** The kinds, in every version, that a CRD brings. */
export function kindsOfCrd(crd: KubeObject): readonly KindRef[] {
  const spec = isJsonObject(crd['spec']) ? crd['spec'] : {};
  const names = isJsonObject(spec['names']) ? spec['names'] : {};
  const { kind } = names;
  const { group, versions } = spec;
  if (typeof kind !== 'string' || typeof group !== 'string' || !Array.isArray(versions)) return [];
  return versions
    .filter(isJsonObject)
    .flatMap(({ name }) => (typeof name === 'string' ? [{ apiVersion: `${group}/${name}`, kind }] : []));
}

function kindText(kind: KindRef): string {
  return `${kind.apiVersion}/${kind.kind}`;
}

type Scopes = ReadonlyMap<string, boolean>;

interface Resolved {
  /** Kind → is it namespaced. */
  readonly scopes: Scopes;
  readonly missing: ReadonlyMap<string, NoKindMatch>;
}

async function resolveKinds(context: PlanContext, kinds: readonly KindRef[]): Promise<Resolved> {
  const scopes = new Map<string, boolean>();
  const missing = new Map<string, NoKindMatch>();
  for (const kind of kinds) {
    try {
      const { isNamespaced } = await context.kube.resolve(kind.apiVersion, kind.kind, { signal: context.signal });
      scopes.set(kindText(kind), isNamespaced);
    } catch (thrown) {
      if (!(thrown instanceof NoKindMatch)) throw thrown;
      missing.set(kindText(kind), thrown);
    }
  }
  return { scopes, missing };
}

function place(context: PlanContext, object: KubeObject, isNamespaced: boolean): KubeObject {
  const given = object.metadata.namespace;
  const namespace = given === undefined || given === '' ? context.defaultNamespace : given;
  const owned = ownedBy(object, context.owner, isNamespaced ? namespace : undefined);
  return context.isRetained?.(refOf(owned)) === true ? withoutOwner(owned, context.owner) : owned;
}

function missingKindProblem(object: KubeObject, cause: NoKindMatch): Problem {
  const { name = '', namespace = '' } = object.metadata;
  const where = `resource mapping not found for name: "${name}" namespace: "${namespace}"`;
  return { message: `${where}: ${cause.message}\nensure CRDs are installed first`, cause, isTransient: true };
}

function formProblems(objects: readonly KubeObject[]): readonly Problem[] {
  const seen = new Set<string>();
  const problems: Problem[] = [];
  const refuse = (message: string): void => {
    const cause = new TerminalError('InvalidBundleObject', message);
    problems.push(problemOf('invalid bundle', cause));
  };
  for (const object of objects) {
    const what = describeRef(refOf(object));
    if ((object.metadata.name ?? '') === '') refuse(`${object.kind}: metadata.name is required`);
    else if (seen.has(keyOf(object))) refuse(`${what} is defined more than once`);
    seen.add(keyOf(object));
  }
  return problems;
}

/** Whether an object has a name, and is the first of it. */
function hasOwnKey(objects: readonly KubeObject[]): (object: KubeObject) => boolean {
  const first = new Map(objects.toReversed().map((object) => [keyOf(object), object]));
  return (object) => (object.metadata.name ?? '') !== '' && first.get(keyOf(object)) === object;
}

/** A member of an ApplySet belongs to one parent only. */
function memberProblems(bundle: readonly KubeObject[]): readonly Problem[] {
  return bundle.filter(isMember).map((object) => {
    const what = describeRef(refOf(object));
    const message = `${what} has the label ${partOfLabel}, which is reserved for Longshore: remove it from the bundle`;
    return problemOf('invalid bundle', new TerminalError('InvalidBundleObject', message));
  });
}

/** Resolves kinds and places objects; problems are kinds that are missing, and nameless and repeated objects, which the plan leaves out. */
export async function draftPlan(context: PlanContext, bundle: readonly KubeObject[]): Promise<Draft> {
  const kinds = kindsOf(bundle);
  const { scopes, missing } = await resolveKinds(context, kinds);
  const brought = new Set(bundle.filter(isCrd).flatMap(kindsOfCrd).map(kindText));
  const objects: KubeObject[] = [];
  const deferred: KubeObject[] = [];
  const problems: Problem[] = [];
  for (const object of bundle) {
    const isNamespaced = scopes.get(kindText(object));
    if (isNamespaced !== undefined) objects.push(place(context, object, isNamespaced));
    else if (brought.has(kindText(object))) deferred.push(object);
    else problems.push(missingKindProblem(object, missing.get(kindText(object)) ?? new NoKindMatch('', object.kind)));
  }
  const form = formProblems([...objects, ...deferred]);
  const all = [...problems, ...memberProblems(bundle), ...form];
  const known = kinds.filter((kind) => scopes.has(kindText(kind)) || brought.has(kindText(kind)));
  return {
    objects: form.length > 0 ? objects.filter(hasOwnKey(objects)) : objects,
    deferred,
    kinds: known,
    problems: all,
  };
}

/** The plan of a bundle against which nothing stands.
 *  @throws InstallBlocked naming all kinds that are missing · InstallRefused for nameless and repeated objects */
export async function makePlan(context: PlanContext, bundle: readonly KubeObject[]): Promise<Plan> {
  const { problems, ...plan } = await draftPlan(context, bundle);
  throwProblems(problems);
  return plan;
}

/** Places deferred objects once their CRDs exist. */
export async function placeDeferred(
  context: PlanContext,
  deferred: readonly KubeObject[],
): Promise<readonly KubeObject[]> {
  const { scopes, missing } = await resolveKinds(context, kindsOf(deferred));
  const first = missing.values().next();
  if (first.done !== true) throw first.value;
  return deferred.map((object) => place(context, object, scopes.get(kindText(object)) === true));
}
