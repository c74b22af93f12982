import type { InstallPlan } from '../../src/api/index.ts';
import {
  isJsonObject,
  type JsonObject,
  listOfTexts,
  objectsAt,
  parseJson,
  TerminalError,
} from '../../src/base/index.ts';

type Step = NonNullable<NonNullable<InstallPlan['status']>['plan']>[number];

const permissionKinds = new Set(['ClusterRole', 'Role']);

/** The object of a step; undefined where the plan holds a reference. */
function manifestOf({ resource }: Step): JsonObject | undefined {
  try {
    const object = parseJson(resource.name, resource.manifest ?? '');
    return isJsonObject(object) && object['metadata'] !== undefined ? object : undefined;
  } catch (thrown) {
    if (thrown instanceof TerminalError) return undefined;
    throw thrown;
  }
}

function ruleText(rule: JsonObject): string {
  const paths = listOfTexts(rule, 'nonResourceURLs');
  const resources = listOfTexts(rule, 'resources');
  const groups = listOfTexts(rule, 'apiGroups').filter((group) => group !== '');
  const names = listOfTexts(rule, 'resourceNames');
  const what = paths.length > 0 ? paths.join(', ') : resources.join(', ');
  const of = groups.length > 0 ? ` of ${groups.join(', ')}` : '';
  const named = names.length > 0 ? ` named ${names.join(', ')}` : '';
  return `${listOfTexts(rule, 'verbs').join(', ')}: ${what}${of}${named}`;
}

function permissionLines(step: Step): readonly string[] {
  const scope = step.resource.kind === 'ClusterRole' ? 'in all namespaces' : 'in its namespace';
  return objectsAt(manifestOf(step) ?? {}, 'rules').map((rule) => `    ${scope}: ${ruleText(rule)}`);
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`  ${title}:`, ...lines];
}

/** The effects of an InstallPlan, for a person: operators, definitions, permissions, other objects. */
export function describePlan({ spec, status }: InstallPlan): string {
  const steps = status?.plan ?? [];
  const named = (kind: string): readonly string[] =>
    steps.filter(({ resource }) => resource.kind === kind).map(({ resource }) => `    ${resource.name}`);
  const rest = steps.filter(({ resource }) => {
    return !['ClusterServiceVersion', 'CustomResourceDefinition', 'Subscription'].includes(resource.kind);
  });
  const others = new Map<string, number>();
  for (const { resource } of rest) others.set(resource.kind, (others.get(resource.kind) ?? 0) + 1);
  const roles = rest.filter(({ resource }) => permissionKinds.has(resource.kind));
  const unseen = roles.filter((step) => manifestOf(step) === undefined).length;
  const more = unseen === 0 ? [] : [`    and those of ${unseen} roles in the bundle, which is too large for the plan`];
  const permissions = [...new Set(roles.flatMap(permissionLines)), ...more];
  return [
    ...section(
      'operators',
      spec.clusterServiceVersionNames.map((name) => `    ${name}`),
    ),
    ...section('dependencies, each with a Subscription of its own', named('Subscription')),
    ...section('CustomResourceDefinitions', named('CustomResourceDefinition')),
    ...section('permissions that the operators get', permissions),
    ...section(
      'other objects',
      [...others].map(([kind, count]) => `    ${count} × ${kind}`),
    ),
  ]
    .map((line) => `${line}\n`)
    .join('');
}
