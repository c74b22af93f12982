import { resolve } from 'node:path';
import type { ServiceAccountName } from '../../../src/api/index.ts';
import type { Need } from '../../../src/apply/index.ts';
import type { JsonObject } from '../../../src/base/index.ts';
import { combineRules, type PolicyRule } from '../../../src/rbac/index.ts';

/** Permissions in one namespace, or cluster-wide. */
export interface Grant {
  /** Empty: in the whole cluster. */
  readonly namespace: string;
  readonly rules: readonly PolicyRule[];
}

const group = 'rbac.authorization.k8s.io';

/** Needs as rules, a place each, the cluster first. No Role can be made in a namespace that is yet to come: what is needed there
 *  is needed everywhere. */
export function grantsOf(needs: readonly Need[], comingNamespaces: ReadonlySet<string>): readonly Grant[] {
  const placed = Map.groupBy(needs, ({ namespace }) => (comingNamespaces.has(namespace) ? '' : namespace));
  return [...placed]
    .map(([namespace, some]) => ({
      namespace,
      rules: combineRules(some.flatMap(({ rules, instead }) => (instead === undefined ? rules : [instead]))),
    }))
    .filter(({ rules }) => rules.length > 0)
    .toSorted((a, b) => (a.namespace < b.namespace ? -1 : 1));
}

function bindingOf(role: JsonObject, account: ServiceAccountName): JsonObject {
  const { apiVersion = '', kind = '', metadata = {} } = role;
  const name = (metadata as JsonObject)['name'] ?? '';
  return {
    apiVersion,
    kind: `${kind as string}Binding`,
    metadata,
    roleRef: { apiGroup: group, kind, name },
    subjects: [{ kind: 'ServiceAccount', namespace: account.namespace, name: account.name }],
  };
}

/** Roles with these permissions, each followed by its binding if there is a subject. */
export function roleObjects(
  grants: readonly Grant[],
  { name, account }: { readonly name: string; readonly account: ServiceAccountName | undefined },
): readonly JsonObject[] {
  return grants.flatMap(({ namespace, rules }) => {
    const place = namespace === '' ? {} : { namespace };
    const role: JsonObject = {
      apiVersion: `${group}/v1`,
      kind: namespace === '' ? 'ClusterRole' : 'Role',
      metadata: { name: `longshore-install-${name}`, ...place },
      rules: rules as unknown as JsonObject[],
    };
    return account === undefined ? [role] : [role, bindingOf(role, account)];
  });
}

const maxNameLength = 60;

/** What a bundle is called, for the names of its roles: the last part of its folder, file or reference, without version. */
export function bundleNameIn(text: string): string {
  const path = /(^|\/)\.{0,2}\/*$/.test(text) ? resolve(text) : text;
  const last = path.split('/').findLast((part) => part !== '') ?? '';
  const bare = last
    .replace(/@.*$/, '')
    .replace(/:[^:]*$/, '')
    .replace(/\.(tar|tgz)(\.\w+)?$/, '');
  const plain = bare
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, maxNameLength)
    .replace(/^-+|-+$/g, '');
  return plain === '' ? 'bundle' : plain;
}

const columns = ['NAMESPACE', 'VERBS', 'RESOURCES', 'NAMES'] as const;

function cells({ namespace }: Grant, rule: PolicyRule): readonly string[] {
  const { verbs = [], resources = [], apiGroups = [], resourceNames = [], nonResourceURLs = [] } = rule;
  const suffix = apiGroups.join(',') === '' ? '' : `.${apiGroups.join(',')}`;
  const what = nonResourceURLs.length > 0 ? nonResourceURLs : resources.map((resource) => `${resource}${suffix}`);
  return [namespace === '' ? '*' : namespace, verbs.join(','), what.join(','), resourceNames.join(',') || '*'];
}

/** A row a rule. */
export function grantTable(grants: readonly Grant[]): string {
  const rows = [columns, ...grants.flatMap((grant) => grant.rules.map((rule) => cells(grant, rule)))];
  const widths = columns.map((_, index) => Math.max(...rows.map((row) => row[index]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((cell, index) => cell.padEnd((widths[index] ?? 0) + 3))
      .join('')
      .trimEnd(),
  );
  return `${lines.join('\n')}\n`;
}
