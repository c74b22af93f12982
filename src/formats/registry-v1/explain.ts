import { type JsonObject, listOfTexts, objectAt, objectsAt, textAt, valueAt } from '../../base/index.ts';
import { type ApiServiceDescription, supportedModes } from './csv.ts';
import { defaultInstallNamespace } from './install-namespace.ts';
import type { Manifest, RegistryBundle, RenderedObject } from './registry-bundle.ts';

/** What installing a bundle does to a cluster, for people and programs. Lists are sorted. */
export interface Explanation {
  readonly packageName: string;
  readonly name: string;
  readonly version: string;
  readonly installModes: readonly string[];
  readonly suggestedNamespace: string;
  readonly minKubeVersion: string;
  readonly crds: readonly { readonly name: string; readonly scope: string; readonly versions: readonly string[] }[];
  readonly requiredApis: readonly string[];
  readonly apiServices: readonly string[];
  readonly permissions: readonly ExplainedPermission[];
  readonly webhooks: readonly ExplainedWebhook[];
  readonly deployments: readonly { readonly name: string; readonly replicas: number; readonly account: string }[];
  readonly images: readonly string[];
  /** How many objects of each kind. */
  readonly objects: readonly { readonly kind: string; readonly count: number }[];
  /** What an administrator should look at twice. */
  readonly warnings: readonly string[];
}

/** What one account may do, in one namespace or everywhere. */
export interface ExplainedPermission {
  readonly account: string;
  /** `cluster`, or a namespace. */
  readonly scope: string;
  /** `get, list, watch on pods, services (core)` */
  readonly rules: readonly string[];
}

/** A webhook and what it is asked about. */
export interface ExplainedWebhook {
  readonly name: string;
  readonly type: string;
  readonly failurePolicy: string;
  readonly rules: readonly string[];
}

function crdOf(crd: Manifest): Explanation['crds'][number] {
  const spec = objectAt(crd, 'spec');
  const versions = objectsAt(spec, 'versions').map((version) => textAt(version, 'name'));
  return { name: crd.metadata.name ?? '', scope: textAt(spec, 'scope'), versions };
}

function groupText(groups: readonly string[]): string {
  return groups.map((group) => (group === '' ? 'core' : group)).join(', ');
}

function ruleText(rule: JsonObject): string {
  const verbs = listOfTexts(rule, 'verbs').join(', ');
  const urls = listOfTexts(rule, 'nonResourceURLs');
  if (urls.length > 0) return `${verbs} on the paths ${urls.join(', ')}`;
  const names = listOfTexts(rule, 'resourceNames');
  const named = names.length === 0 ? '' : ` called ${names.join(', ')}`;
  return `${verbs} on ${listOfTexts(rule, 'resources').join(', ')} (${groupText(listOfTexts(rule, 'apiGroups'))})${named}`;
}

function rulesByRole(objects: readonly RenderedObject[]): ReadonlyMap<string, readonly JsonObject[]> {
  const roles = objects.filter(({ kind }) => kind === 'Role' || kind === 'ClusterRole');
  return new Map(
    roles.map((role) => [
      `${role.kind}/${role.metadata.namespace ?? ''}/${role.metadata.name ?? ''}`,
      objectsAt(role, 'rules'),
    ]),
  );
}

function permissionsOf(objects: readonly RenderedObject[]): readonly ExplainedPermission[] {
  const roles = rulesByRole(objects);
  const bindings = objects.filter(({ kind }) => kind === 'RoleBinding' || kind === 'ClusterRoleBinding');
  const permissions = bindings.flatMap((binding) => {
    const ref = objectAt(binding, 'roleRef');
    const scope = binding.kind === 'ClusterRoleBinding' ? 'cluster' : (binding.metadata.namespace ?? '');
    const roleNamespace = textAt(ref, 'kind') === 'Role' ? scope : '';
    const rules = roles.get(`${textAt(ref, 'kind')}/${roleNamespace}/${textAt(ref, 'name')}`);
    const texts = rules?.map(ruleText) ?? [`what the ${textAt(ref, 'kind')} ${textAt(ref, 'name')} allows`];
    return objectsAt(binding, 'subjects').map((subject) => ({ account: textAt(subject, 'name'), scope, rules: texts }));
  });
  return permissions.toSorted((a, b) => (`${a.account} ${a.scope}` < `${b.account} ${b.scope}` ? -1 : 1));
}

function webhookRule(rule: JsonObject): string {
  const operations = listOfTexts(rule, 'operations').join(', ');
  return `${operations} of ${listOfTexts(rule, 'resources').join(', ')} (${groupText(listOfTexts(rule, 'apiGroups'))})`;
}

function webhooksOf({ csv }: RegistryBundle): readonly ExplainedWebhook[] {
  return (csv.spec.webhookdefinitions ?? []).map((webhook) => {
    const { generateName, type, failurePolicy = 'Fail', conversionCRDs = [], rules = [] } = webhook;
    const conversions = conversionCRDs.map((crd) => `converts ${crd}`);
    return {
      name: generateName,
      type,
      failurePolicy,
      rules: [...rules.map((rule) => webhookRule(rule as unknown as JsonObject)), ...conversions],
    };
  });
}

function podSpecsOf(objects: readonly RenderedObject[]): readonly (JsonObject | undefined)[] {
  return objects
    .filter(({ kind }) => kind === 'Deployment')
    .map((object) => objectAt(object, 'spec', 'template', 'spec'));
}

function imagesOf(objects: readonly RenderedObject[]): readonly string[] {
  const containers = podSpecsOf(objects).flatMap((spec) => [
    ...objectsAt(spec, 'initContainers'),
    ...objectsAt(spec, 'containers'),
  ]);
  return [...new Set(containers.map((container) => textAt(container, 'image')))].filter((image) => image !== '').sort();
}

function deploymentsOf(objects: readonly RenderedObject[]): Explanation['deployments'] {
  return objects
    .filter(({ kind }) => kind === 'Deployment')
    .map((deployment) => {
      const replicas = valueAt(objectAt(deployment, 'spec'), 'replicas');
      const account = textAt(objectAt(deployment, 'spec', 'template', 'spec'), 'serviceAccountName');
      return {
        name: deployment.metadata.name ?? '',
        replicas: typeof replicas === 'number' ? replicas : 1,
        account: account === '' ? 'default' : account,
      };
    });
}

function countKinds(objects: readonly RenderedObject[]): Explanation['objects'] {
  const counts = new Map<string, number>();
  for (const { kind } of objects) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([kind, count]) => ({ kind, count }));
}

/** Rules with which an account can become anybody, or read what nobody should. */
const powers: readonly { readonly holds: (rule: JsonObject) => boolean; readonly text: string }[] = [
  {
    holds: (rule) => covers(rule, 'verbs', '*') && covers(rule, 'resources', '*') && covers(rule, 'apiGroups', '*'),
    text: 'may do everything',
  },
  {
    holds: (rule) => isOn(rule, '', 'secrets') && hasVerb(rule, ['get', 'list', 'watch']),
    text: 'may read Secrets',
  },
  {
    holds: (rule) =>
      isOn(rule, 'rbac.authorization.k8s.io', 'clusterroles') &&
      hasVerb(rule, ['escalate', 'bind', 'create', 'update', 'patch']),
    text: 'may give rights',
  },
  {
    holds: (rule) => isOn(rule, '', 'pods/exec') && hasVerb(rule, ['create', 'get']),
    text: 'may run commands in Pods',
  },
  { holds: (rule) => hasVerb(rule, ['impersonate']), text: 'may act as others' },
];

function covers(rule: JsonObject, key: string, wanted: string): boolean {
  return listOfTexts(rule, key).some((item) => item === wanted || item === '*');
}

function isOn(rule: JsonObject, group: string, resource: string): boolean {
  return covers(rule, 'apiGroups', group) && covers(rule, 'resources', resource);
}

function hasVerb(rule: JsonObject, verbs: readonly string[]): boolean {
  return verbs.some((verb) => covers(rule, 'verbs', verb));
}

function warningsOf(bundle: RegistryBundle, objects: readonly RenderedObject[]): readonly string[] {
  const clusterRoles = objects.filter(({ kind }) => kind === 'ClusterRole').flatMap((role) => objectsAt(role, 'rules'));
  const held = powers
    .filter(({ holds }) => clusterRoles.some(holds))
    .map(({ text }) => `${text}, in the whole cluster`);
  const [first = ''] = held;
  const strongest = first.startsWith('may do everything') ? [first] : held;
  const strict = webhooksOf(bundle).filter(
    ({ failurePolicy, type }) => failurePolicy === 'Fail' && type !== 'ConversionWebhook',
  );
  const blocked = strict.map(
    ({ name }) => `while its webhook ${name} does not answer, what it is asked about is refused`,
  );
  const moving = imagesOf(objects).filter((image) => !image.includes('@sha256:'));
  const tags = moving.map((image) => `the image ${image} is named by tag and may move`);
  return [...strongest.map((text) => `the operator ${text}`), ...blocked, ...tags];
}

function apiText({ name, version, kind, group }: Partial<ApiServiceDescription>): string {
  return `${kind ?? ''} ${version ?? ''} (${group ?? name ?? ''})`;
}

/** What installing the bundle does, by what it is rendered to. */
export function explainBundle(bundle: RegistryBundle, objects: readonly RenderedObject[]): Explanation {
  const { csv, packageName } = bundle;
  const { customresourcedefinitions: crds, apiservicedefinitions: apis, minKubeVersion = '', version = '' } = csv.spec;
  const required = [...(crds.required ?? []), ...(apis.required ?? [])].map(apiText);
  const native = (csv.spec.nativeAPIs ?? []).map(apiText);
  return {
    packageName,
    name: csv.metadata.name ?? '',
    version,
    installModes: supportedModes(csv),
    suggestedNamespace: defaultInstallNamespace(bundle).name,
    minKubeVersion,
    crds: bundle.crds.map(crdOf).toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    requiredApis: [...required, ...native].sort(),
    apiServices: (apis.owned ?? []).map(apiText).sort(),
    permissions: permissionsOf(objects),
    webhooks: webhooksOf(bundle),
    deployments: deploymentsOf(objects),
    images: imagesOf(objects),
    objects: countKinds(objects),
    warnings: warningsOf(bundle, objects),
  };
}
