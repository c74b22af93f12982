import type { PolicyRule } from '../../rbac/index.ts';
import type { MissingPermission } from './held.ts';

const maxNames = 5;

function resourceText({ apiGroups = [], resources = [] }: PolicyRule): string {
  const [group = ''] = apiGroups;
  return resources.map((resource) => (group === '' ? resource : `${resource}.${group}`)).join(', ');
}

function namesText(names: readonly string[]): string {
  if (names.length === 0) return '';
  const more = names.length > maxNames ? ` and ${names.length - maxNames} more` : '';
  const shown = names.slice(0, maxNames).map((name) => JSON.stringify(name));
  return ` ${shown.join(', ')}${more}`;
}

function lineOf(permissions: readonly MissingPermission[]): string {
  const [first] = permissions;
  if (first === undefined) return '';
  const { rule, namespace, giver } = first;
  const verbs = (rule.verbs ?? []).join(', ');
  const names = namesText(permissions.flatMap((permission) => permission.rule.resourceNames ?? []));
  const what = rule.nonResourceURLs === undefined ? `${resourceText(rule)}${names}` : rule.nonResourceURLs.join(', ');
  const where = namespace === '' ? '' : ` in namespace "${namespace}"`;
  return `${verbs} ${what}${where}${giver === undefined ? '' : ` (granted by ${giver})`}`;
}

/** Missing permissions as lines for people; objects of one resource that lack the same verbs share one. */
export function describeMissing(missing: readonly MissingPermission[]): readonly string[] {
  const groups = Map.groupBy(missing, ({ namespace, rule, giver }) => {
    const { resourceNames = [], ...rest } = rule;
    return JSON.stringify([namespace, giver, resourceNames.length > 0, rest]);
  });
  return [...groups.values()].map(lineOf);
}
