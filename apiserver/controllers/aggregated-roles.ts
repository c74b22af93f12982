import { isJsonEqual, isJsonObject, type JsonObject, type JsonValue } from '../../src/base/index.ts';
import { type Cluster, type KubeObject, matchesLabelSelector } from '../core/index.ts';
import { type Controller, ignoreNotFound, objectsIn, typeOf } from './controller.ts';

const as = 'system:serviceaccount:kube-system:clusterrole-aggregation-controller';
const group = 'rbac.authorization.k8s.io';

function selectorsOf(role: KubeObject): JsonObject[] {
  const { aggregationRule } = role;
  return isJsonObject(aggregationRule) ? objectsIn(aggregationRule['clusterRoleSelectors']) : [];
}

/** The same for rules that are equal, whatever the order of their fields is. */
function textOf(rule: JsonObject): string {
  return JSON.stringify(Object.entries(rule).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** The rules of all other roles that the selectors match, in order of selectors and names; each rule once. */
function gatheredRules(role: KubeObject, all: readonly KubeObject[]): JsonValue[] {
  const others = all
    .filter(({ metadata }) => metadata.name !== role.metadata.name)
    .toSorted((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1));
  // By text: a role may have thousands of rules, which cannot be compared each with each.
  const rules = new Map<string, JsonValue>();
  for (const selector of selectorsOf(role)) {
    const chosen = others.filter(({ metadata }) => matchesLabelSelector(selector, metadata.labels ?? {}));
    for (const rule of chosen.flatMap(({ rules: own }) => objectsIn(own))) {
      const key = textOf(rule);
      if (!rules.has(key)) rules.set(key, rule);
    }
  }
  return [...rules.values()];
}

/** Cluster roles with an aggregation rule hold the rules of the roles that it selects. */
export function aggregatedRoles(cluster: Cluster): Controller {
  const aggregating = new Set<string>();
  return {
    name: 'clusterrole-aggregation',
    keysOf: ({ type, resource, object }) => {
      if (resource.storageKey !== `clusterroles.${group}`) return [];
      const { name = '' } = object.metadata;
      if (type !== 'DELETED' && selectorsOf(object).length > 0) aggregating.add(name);
      else aggregating.delete(name);
      return aggregating;
    },
    work: async (name) => {
      const type = typeOf(cluster, 'clusterroles', group);
      const role = cluster.get(type, { namespace: '', name });
      if (role === undefined || selectorsOf(role).length === 0) return;
      const rules = gatheredRules(role, cluster.list(type));
      if (isJsonEqual(rules, objectsIn(role['rules']))) return;
      await ignoreNotFound(cluster.update(type, { ...role, rules }, { as }));
    },
  };
}
