import type { PolicyRule } from '../../rbac/index.ts';
import type { MissingPermission } from './held.ts';

/** What a condition has room for, with other text: no operator is known that comes near to it. */
const maxListCharacters = 16_384;

function resourceText({ apiGroups = [], resources = [] }: PolicyRule): string {
  const [group = ''] = apiGroups;
  return resources.map((resource) => (group === '' ? resource : `${resource}.${group}`)).join(', ');
}

function namesText(names: readonly string[]): string {
  return names.length === 0 ? '' : ` ${names.map((name) => JSON.stringify(name)).join(', ')}`;
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

/** The lines as one text: all of them, as far as a condition has room. */
export function listMissing(lines: readonly string[]): string {
  const all = lines.join('; ');
  if (all.length <= maxListCharacters) return all;
  const end = all.lastIndexOf('; ', maxListCharacters);
  const shown = all.slice(0, end < 0 ? maxListCharacters : end);
  return `${shown} …; the list is too long for a condition`;
}
