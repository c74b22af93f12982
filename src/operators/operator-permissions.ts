import { createHash } from 'node:crypto';
import { clusterServiceVersionResource, olmLabels } from '../api/index.ts';
import {
  goJson,
  type JsonObject,
  type JsonValue,
  joinName,
  listOfTexts,
  objectAt,
  objectsAt,
  textAt,
  valueAt,
} from '../base/index.ts';
import { ownerLabels } from './owner-labels.ts';

const rbacGroup = 'rbac.authorization.k8s.io';
const base62Digits = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';

function base62(hex: string): string {
  let rest = BigInt(`0x${hex}`);
  let text = '';
  do {
    text = `${base62Digits[Number(rest % 62n)] ?? ''}${text}`;
    rest /= 62n;
  } while (rest > 0n);
  return text;
}

/** The value of the label `olm.permissions.hash`: of the rules of a role, or of the role and the subjects of a binding.
 *  @see docs/spec/olm-v0.md#install-strategy-deployment */
export function permissionsHash(value: JsonValue): string {
  return base62(createHash('sha224').update(goJson(value)).digest('hex'));
}

/** In names of roles, as OLM calculates it: a plan that OLM has made names the same objects. */
function nameHash(value: JsonValue): string {
  const text = `${goJson(value)}\n`;
  return base62(createHash('sha224').update(text).digest('hex'));
}

/** A rule in the order of members in which Go writes it, without what no rule has. */
function ruleOf(rule: JsonObject): JsonObject {
  const form: JsonObject = { verbs: listOfTexts(rule, 'verbs') };
  for (const key of ['apiGroups', 'resources', 'resourceNames', 'nonResourceURLs']) {
    const list = listOfTexts(rule, key);
    if (list.length > 0) form[key] = list;
  }
  return form;
}

interface Permission {
  readonly account: string;
  readonly rules: readonly JsonObject[];
  readonly isCluster: boolean;
}

function permissionsOf(csv: JsonObject): readonly Permission[] {
  const spec = objectAt(csv, 'spec', 'install', 'spec');
  const read = (key: string, isCluster: boolean): readonly Permission[] =>
    objectsAt(spec, key).map((entry) => ({
      account: textAt(entry, 'serviceAccountName'),
      rules: objectsAt(entry, 'rules').map(ruleOf),
      isCluster,
    }));
  return [...read('permissions', false), ...read('clusterPermissions', true)];
}

/** What the objects of one ClusterServiceVersion have in common. */
interface Owner {
  readonly name: string;
  readonly namespace: string;
  /** Without uid: the object does not exist yet. */
  readonly reference: JsonObject;
  readonly labels: Readonly<Record<string, string>>;
}

function ownerOf(name: string, namespace: string): Owner {
  const { apiVersion, kind } = clusterServiceVersionResource;
  const reference = { apiVersion, kind, name, uid: '', controller: false, blockOwnerDeletion: false };
  return { name, namespace, reference, labels: ownerLabels({ kind, namespace, name }) };
}

function rolePair(owner: Owner, { account, rules, isCluster }: Permission): readonly JsonObject[] {
  const permission = { serviceAccountName: account, rules: [...rules] };
  const name = isCluster
    ? joinName(owner.name, nameHash({ name: owner.name, namespace: owner.namespace, permission }))
    : joinName(`${owner.name}-${account}`, nameHash({ name: owner.name, permission }));
  const kind = isCluster ? 'ClusterRole' : 'Role';
  const place: JsonObject = isCluster ? {} : { namespace: owner.namespace, ownerReferences: [owner.reference] };
  const metadataOf = (hash: string): JsonObject => ({
    name,
    ...place,
    labels: { ...owner.labels, [olmLabels.permissionsHash]: hash },
  });
  const roleRef = { apiGroup: rbacGroup, kind, name };
  const subjects = [{ kind: 'ServiceAccount', name: account, namespace: owner.namespace }];
  const apiVersion = `${rbacGroup}/v1`;
  return [
    { apiVersion, kind, metadata: metadataOf(permissionsHash([...rules])), rules: [...rules] },
    {
      apiVersion,
      kind: `${kind}Binding`,
      metadata: metadataOf(permissionsHash({ RoleRef: roleRef, Subjects: subjects })),
      roleRef,
      subjects,
    },
  ];
}

/** The ServiceAccounts, roles and bindings of an operator in `namespace`, account after account. The ServiceAccount `default` exists everywhere.
 *  @see docs/spec/olm-v0.md#install-strategy-deployment */
export function permissionObjects(csv: JsonObject, namespace: string): readonly JsonObject[] {
  const owner = ownerOf(textAt(objectAt(csv, 'metadata'), 'name'), namespace);
  const byAccount = Map.groupBy(permissionsOf(csv), ({ account }) => account);
  return [...byAccount].flatMap(([account, permissions]) => {
    const metadata = {
      name: account,
      namespace,
      labels: { [olmLabels.managed]: 'true' },
      ownerReferences: [owner.reference],
    };
    const accounts = account === 'default' ? [] : [{ apiVersion: 'v1', kind: 'ServiceAccount', metadata }];
    return [...accounts, ...permissions.flatMap((permission) => rolePair(owner, permission))];
  });
}

/** Whether the install strategy is one that is known.
 *  @see docs/spec/olm-v0.md#clusterserviceversion */
export function isDeploymentStrategy(csv: JsonObject): boolean {
  return valueAt(objectAt(csv, 'spec', 'install'), 'strategy') === 'deployment';
}
