import { isJsonObject, type JsonObject, listAt, objectAt, objectsAt, textAt } from '../../base/index.ts';
import { describeRef, groupOf, type KubeObject, type ObjectRef, refOf } from '../../kube/index.ts';
import type { PolicyRule } from '../../rbac/index.ts';
import { isCrd } from '../kind-list.ts';

/** Permissions required to install, change or remove an object. */
export interface Need {
  /** Where; empty: in the whole cluster. */
  readonly namespace: string;
  readonly rules: readonly PolicyRule[];
  /** The object that grants these permissions to others: RBAC allows granting only permissions that one has. */
  readonly giver?: string | undefined;
  /** A permission that allows granting the others all the same. */
  readonly unless?: PolicyRule | undefined;
  /** What to ask for when any of `rules` is missing, rather than for these. */
  readonly instead?: PolicyRule | undefined;
}

/** An object, and the resource that it is of. */
export interface Placed {
  readonly object: KubeObject;
  readonly plural: string;
}

/** A (Cluster)Role that a binding refers to. */
export interface FoundRole {
  readonly role: KubeObject;
  /** The bundle brings it. */
  readonly isBrought: boolean;
}

/** Undefined when the role is not to be found. */
export type FindRole = (ref: ObjectRef) => Promise<FoundRole | undefined>;

const rbacGroup = 'rbac.authorization.k8s.io';
const everything: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

function json(object: KubeObject): JsonObject {
  return object as unknown as JsonObject;
}

function texts(parent: JsonObject, key: string): { readonly [member: string]: readonly string[] } {
  const list = listAt(parent, key).filter((item) => typeof item === 'string');
  return list.length === 0 ? {} : { [key]: list };
}

/** Malformed rules grant nothing; the API server validates the object. */
function rulesOf(role: KubeObject): readonly PolicyRule[] {
  return objectsAt(json(role), 'rules').map((rule) => ({
    ...texts(rule, 'verbs'),
    ...texts(rule, 'apiGroups'),
    ...texts(rule, 'resources'),
    ...texts(rule, 'resourceNames'),
    ...texts(rule, 'nonResourceURLs'),
  }));
}

function isRbac({ apiVersion }: KubeObject): boolean {
  return groupOf(apiVersion) === rbacGroup;
}

/** Of one resource; absent name: whatever they are called. */
interface Subject {
  readonly group: string;
  readonly resource: string;
  readonly name?: string;
}

function rule(verbs: readonly string[], { group, resource, name }: Subject): PolicyRule {
  const names = name === undefined ? {} : { resourceNames: [name] };
  return { verbs, apiGroups: [group], resources: [resource], ...names };
}

function roleNeeds(object: KubeObject): readonly Need[] {
  const { name = '', namespace = '' } = object.metadata;
  const resource = object.kind === 'Role' ? 'roles' : 'clusterroles';
  const unless = rule(['escalate'], { group: rbacGroup, resource, name });
  // An aggregated role may get any rule later.
  const rules = isJsonObject(json(object)['aggregationRule']) ? everything : rulesOf(object);
  return [{ namespace, rules, giver: describeRef(refOf(object)), unless }];
}

async function bindingNeeds(object: KubeObject, findRole: FindRole): Promise<readonly Need[]> {
  const { namespace = '' } = object.metadata;
  const ref = objectAt(json(object), 'roleRef');
  const [kind, name] = [textAt(ref, 'kind'), textAt(ref, 'name')];
  const plural = { Role: 'roles', ClusterRole: 'clusterroles' }[kind];
  if (plural === undefined || name === '') return [];
  const place = kind === 'Role' ? { namespace } : {};
  const found = await findRole({ apiVersion: `${rbacGroup}/v1`, kind, name, ...place });
  const bind = rule(['bind'], { group: rbacGroup, resource: plural, name });
  const giver = describeRef(refOf(object));
  const need = { namespace, giver, unless: bind };
  if (found?.isBrought === true) return [{ ...need, rules: rulesOf(found.role) }];
  return [{ ...need, rules: found === undefined ? [bind] : rulesOf(found.role), instead: bind }];
}

const installVerbs = ['get', 'create', 'patch', 'delete'];

/** Objects of the definition are read before it is changed or deleted. */
function listNeeds(crd: KubeObject): readonly Need[] {
  const spec = objectAt(json(crd), 'spec');
  const plural = textAt(objectAt(spec, 'names'), 'plural');
  if (plural === '') return [];
  return [{ namespace: '', rules: [rule(['list'], { group: textAt(spec, 'group'), resource: plural })] }];
}

/** What it takes to have the object, through all versions and to the end. */
export async function installNeeds({ object, plural }: Placed, findRole: FindRole): Promise<readonly Need[]> {
  const { name = '', namespace = '' } = object.metadata;
  const subject = { group: groupOf(object.apiVersion), resource: plural, name };
  const own: Need = { namespace, rules: [rule(installVerbs, subject)] };
  if (isCrd(object)) return [own, ...listNeeds(object)];
  if (!isRbac(object)) return [own];
  if (object.kind.endsWith('Role')) return [own, ...roleNeeds(object)];
  return object.kind.endsWith('RoleBinding') ? [own, ...(await bindingNeeds(object, findRole))] : [own];
}

/** What it takes to make the namespace for objects that name none, and to be rid of it when it is left empty. Who makes an object by
 *  POST is not asked for its name. */
export function namespaceNeed(name: string): Need {
  const subject = { group: '', resource: 'namespaces' };
  return { namespace: '', rules: [rule(['create'], subject), rule(['patch', 'delete'], { ...subject, name })] };
}

/** What it takes to be rid of an object: to delete it, or to let it go. */
export function removalNeed(
  { ref, isRetained: stays }: { readonly ref: ObjectRef; readonly isRetained: boolean },
  plural: string,
): Need {
  const verbs = stays || isCrd(ref) ? ['get', 'patch'] : [];
  const all = stays ? verbs : [...verbs, 'delete'];
  const subject = { group: groupOf(ref.apiVersion), resource: plural, name: ref.name };
  return { namespace: ref.namespace ?? '', rules: [rule(all, subject)] };
}
