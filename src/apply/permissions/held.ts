import { isJsonObject, type JsonObject, mapLimit, objectsAt } from '../../base/index.ts';
import type { KubeClient, KubeObject } from '../../kube/index.ts';
import { HeldRules, type PolicyRule } from '../../rbac/index.ts';
import { fieldManager } from '../ownership.ts';
import type { Need } from './need.ts';

/** A missing permission: its rule has one resource or path, and at most one name. */
export interface MissingPermission {
  /** Empty: in the whole cluster. */
  readonly namespace: string;
  readonly rule: PolicyRule;
  /** The object that would grant it to others. */
  readonly giver: string | undefined;
}

/** The permissions of a user in a namespace, as the API server reports them. */
interface Held {
  readonly rules: HeldRules;
  /** Others than the rules of roles may allow more. */
  readonly isIncomplete: boolean;
}

interface Asking {
  /** Impersonates the user whose permissions are reviewed. */
  readonly kube: KubeClient;
  readonly signal: AbortSignal;
}

/** Does not exist: a review in it reports only permissions that apply in every namespace. */
const nowhere = 'longshore-no-such-namespace';
const parallelQuestions = 8;

async function review({ kube, signal }: Asking, kind: string, spec: JsonObject): Promise<JsonObject> {
  const object = { apiVersion: 'authorization.k8s.io/v1', kind, metadata: {}, spec } as unknown as KubeObject;
  const { status } = await kube.create(object, { fieldManager, signal });
  return isJsonObject(status) ? status : {};
}

async function heldIn(asking: Asking, namespace: string): Promise<Held> {
  const spec = { namespace: namespace === '' ? nowhere : namespace };
  const status = await review(asking, 'SelfSubjectRulesReview', spec);
  const rules = [...objectsAt(status, 'resourceRules'), ...objectsAt(status, 'nonResourceRules')];
  return { rules: new HeldRules(rules as readonly PolicyRule[]), isIncomplete: status['incomplete'] === true };
}

function missingOf({ namespace, rules, giver, unless, instead }: Need, held: Held): readonly MissingPermission[] {
  if (unless !== undefined && held.rules.missing([unless]).length === 0) return [];
  const missing = held.rules.missing(rules);
  const reported = missing.length > 0 && instead !== undefined ? [instead] : missing;
  return reported.map((rule) => ({ namespace, rule, giver }));
}

function questionsOf({ namespace, rule }: MissingPermission): readonly JsonObject[] {
  const {
    verbs = [],
    apiGroups: [group = ''] = [],
    resources: [full = ''] = [],
    resourceNames: [name = ''] = [],
  } = rule;
  const [resource = '', subresource = ''] = full.split('/');
  return verbs.map((verb) => ({ verb, group, resource, subresource, namespace, name }));
}

/** Whether another authorizer than RBAC allows it. */
async function isAllowed(asking: Asking, permission: MissingPermission): Promise<boolean> {
  for (const resourceAttributes of questionsOf(permission)) {
    const { allowed } = await review(asking, 'SelfSubjectAccessReview', { resourceAttributes });
    if (allowed !== true) return false;
  }
  return true;
}

/** The permissions of `needs` that the user lacks: one review per namespace, and more only where the response may be incomplete:
 *  other authorizers may allow more. */
export async function findMissing(asking: Asking, needs: readonly Need[]): Promise<readonly MissingPermission[]> {
  const byNamespace = [...Map.groupBy(needs, ({ namespace }) => namespace)];
  const missing = await mapLimit(byNamespace, parallelQuestions, async ([namespace, needs]) => {
    const held = await heldIn(asking, namespace);
    const found = needs.flatMap((need) => missingOf(need, held));
    if (!held.isIncomplete) return found;
    const doubtful = await mapLimit(found, parallelQuestions, async (permission) => {
      // What may be given to others is decided by the rules of roles alone.
      return permission.giver === undefined && (await isAllowed(asking, permission)) ? [] : [permission];
    });
    return doubtful.flat();
  });
  const byPermission = new Map<string, MissingPermission>();
  for (const permission of missing.flat()) {
    const key = JSON.stringify([permission.namespace, permission.rule]);
    if (!byPermission.has(key)) byPermission.set(key, permission);
  }
  return [...byPermission.values()];
}
