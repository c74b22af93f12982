import { type JsonObject, listOfTexts, objectAt, objectsAt, textAt, valueAt } from '../../base/index.ts';
import { podSecurityLevel, podSecurityObstacles } from '../../pod-security/index.ts';
import { type ApiServiceDescription, supportedModes } from './csv.ts';
import { type ExplainedPower, type Grant, isPowerful, powersOf, type Rule, readRule } from './explain-powers.ts';
import { defaultInstallNamespace } from './install-namespace.ts';
import { isStandardKind } from './kinds.ts';
import { currentCrds, type Manifest, type RegistryBundle, type RenderedObject } from './registry-bundle.ts';

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
  /** One for each account and scope; rules that deserve a second look come first. */
  readonly permissions: readonly ExplainedPermission[];
  /** What of that deserves a second look, the most dangerous first. */
  readonly powers: readonly ExplainedPower[];
  /** The strictest Pod Security level that lets its Pods in, and why a stricter one does not. */
  readonly podSecurity: { readonly level: string; readonly reasons: readonly string[] };
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

function ruleText({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: Rule): string {
  const may = verbs.join(', ');
  if (nonResourceURLs.length > 0) return `${may} on the paths ${nonResourceURLs.join(', ')}`;
  const named = resourceNames.length === 0 ? '' : ` called ${resourceNames.join(', ')}`;
  return `${may} on ${resources.join(', ')} (${groupText(apiGroups)})${named}`;
}

function rulesByRole(objects: readonly RenderedObject[]): ReadonlyMap<string, readonly Rule[]> {
  const roles = objects.filter((object) => /^(?:Cluster)?Role$/.test(object.kind) && isStandardKind(object));
  return new Map(
    roles.map((role) => [
      `${role.kind}/${role.metadata.namespace ?? ''}/${role.metadata.name ?? ''}`,
      objectsAt(role, 'rules').map(readRule),
    ]),
  );
}

/** What accounts may do, put together by account and scope: the whole cluster before namespaces. */
function grantsOf(objects: readonly RenderedObject[]): readonly Grant[] {
  const roles = rulesByRole(objects);
  const bindings = objects.filter((object) => /^(?:Cluster)?RoleBinding$/.test(object.kind) && isStandardKind(object));
  const grants = bindings.flatMap((binding) => {
    const ref = objectAt(binding, 'roleRef');
    const scope = binding.kind === 'ClusterRoleBinding' ? 'cluster' : (binding.metadata.namespace ?? '');
    const [kind, name] = [textAt(ref, 'kind'), textAt(ref, 'name')];
    const rules = roles.get(`${kind}/${kind === 'Role' ? scope : ''}/${name}`);
    const foreign = rules === undefined ? [`what the ${kind} ${name} allows`] : [];
    return objectsAt(binding, 'subjects').map((subject) => {
      return { account: textAt(subject, 'name'), scope, rules: rules ?? [], foreign };
    });
  });
  const together = [...Map.groupBy(grants, ({ account, scope }) => `${account} ${scope}`).values()].map((ofOne) => ({
    account: ofOne[0]?.account ?? '',
    scope: ofOne[0]?.scope ?? '',
    rules: ofOne.flatMap(({ rules }) => rules),
    foreign: ofOne.flatMap(({ foreign }) => foreign),
  }));
  const key = ({ account, scope }: Grant): string => `${account} ${scope === 'cluster' ? '' : scope}`;
  return together.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
}

function permissionOf({ account, scope, rules, foreign }: Grant): ExplainedPermission {
  const { powerful = [], others = [] } = Object.groupBy(rules, (rule) => (isPowerful(rule) ? 'powerful' : 'others'));
  return { account, scope, rules: [...new Set([...foreign, ...[...powerful, ...others].map(ruleText)])] };
}

function webhookRule(rule: JsonObject): string {
  const operations = listOfTexts(rule, 'operations').join(', ');
  const scope = textAt(rule, 'scope');
  const limit = scope === '' || scope === '*' ? '' : `, ${scope === 'Cluster' ? 'without' : 'with'} a namespace only`;
  return `${operations} of ${listOfTexts(rule, 'resources').join(', ')} (${groupText(listOfTexts(rule, 'apiGroups'))})${limit}`;
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

/** An operator has Deployments alone. */
const workloadKinds = ['Deployment', 'StatefulSet', 'DaemonSet', 'Job'];

function isWorkload(object: RenderedObject): boolean {
  return workloadKinds.includes(object.kind) && /^(apps|batch)\//.test(object.apiVersion);
}

function podSpecsOf(objects: readonly RenderedObject[]): readonly (JsonObject | undefined)[] {
  return objects.filter(isWorkload).map((object) => objectAt(object, 'spec', 'template', 'spec'));
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

function podSecurityOf(objects: readonly RenderedObject[]): Explanation['podSecurity'] {
  const deployments = objects.filter(isWorkload).map((object) => ({
    name: `${object.kind} ${object.metadata.name ?? ''}`,
    template: objectAt(object, 'spec', 'template') ?? {},
  }));
  const level = podSecurityLevel(deployments.map(({ template }) => template));
  const reasons = deployments.flatMap(({ name, template }) =>
    podSecurityObstacles(level, template).map(({ reason, detail }) => `${name}: ${reason} (${detail})`),
  );
  return { level, reasons };
}

/** A scope as texts have it. */
function placeOf(scope: string): string {
  return scope === 'cluster' ? 'in the whole cluster' : `in namespace ${scope}`;
}

function powerText({ power, account, scope, names }: ExplainedPower): string {
  const named = names.length === 0 ? '' : ` called ${names.join(', ')}`;
  return `${account} ${power}${named}, ${placeOf(scope)}`;
}

/** What objects do to a cluster, whatever they were rendered from. */
export type ExplainedObjects = Pick<
  Explanation,
  'crds' | 'permissions' | 'powers' | 'podSecurity' | 'webhooks' | 'deployments' | 'images' | 'objects' | 'warnings'
>;

type Assessed = Pick<Explanation, 'powers' | 'podSecurity' | 'webhooks' | 'images' | 'suggestedNamespace'>;

function warningsOf({ powers, podSecurity, webhooks, images, suggestedNamespace }: Assessed): readonly string[] {
  // What it does where it lives is its own.
  const held = powers.filter(({ scope }) => scope !== suggestedNamespace);
  const isPrivileged = podSecurity.level === 'privileged';
  const privileged = (isPrivileged ? podSecurity.reasons : []).map(
    (text) => `its Pods need the Pod Security level privileged: ${text}`,
  );
  const blocked = webhooks
    .filter(({ failurePolicy, type }) => failurePolicy === 'Fail' && type !== 'ConversionWebhook')
    .map(({ name, rules }) => `while its webhook ${name} is unavailable, ${rules.join('; ') || 'nothing'} is denied`);
  const moving = images.filter((image) => !image.includes('@sha256:'));
  const tags = moving.map((image) => `the image ${image} is referenced by tag and may change`);
  return [...held.map(powerText), ...privileged, ...blocked, ...tags];
}

function apiText({ name, version, kind, group }: Partial<ApiServiceDescription>): string {
  return `${kind ?? ''} ${version ?? ''} (${group ?? name ?? ''})`;
}

function configuredWebhooks(objects: readonly RenderedObject[]): readonly ExplainedWebhook[] {
  return objects
    .filter(({ kind }) => /^(Validating|Mutating)WebhookConfiguration$/.test(kind))
    .flatMap((object) =>
      objectsAt(object, 'webhooks').map((webhook) => ({
        name: textAt(webhook, 'name'),
        type: object.kind.replace('WebhookConfiguration', 'AdmissionWebhook'),
        failurePolicy: textAt(webhook, 'failurePolicy') || 'Fail',
        rules: objectsAt(webhook, 'rules').map(webhookRule),
      })),
    );
}

/** What installing the objects does; `namespace` is where they live. */
export function explainObjects(objects: readonly RenderedObject[], namespace: string): ExplainedObjects {
  const grants = grantsOf(objects);
  const assessed: Assessed = {
    suggestedNamespace: namespace,
    powers: powersOf(grants),
    podSecurity: podSecurityOf(objects),
    webhooks: configuredWebhooks(objects),
    images: imagesOf(objects),
  };
  const { suggestedNamespace: _, ...explained } = assessed;
  const crds = objects.filter(({ kind }) => kind === 'CustomResourceDefinition').map((crd) => crdOf(crd as Manifest));
  return {
    crds: crds.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    permissions: grants.map(permissionOf),
    deployments: deploymentsOf(objects),
    objects: countKinds(objects),
    warnings: warningsOf(assessed),
    ...explained,
  };
}

/** What installing the bundle does, by what it is rendered to. */
export function explainBundle(bundle: RegistryBundle, objects: readonly RenderedObject[]): Explanation {
  const { csv, packageName } = bundle;
  const { customresourcedefinitions: crds, apiservicedefinitions: apis, minKubeVersion = '', version = '' } = csv.spec;
  const required = [...(crds.required ?? []), ...(apis.required ?? [])].map(apiText);
  const native = (csv.spec.nativeAPIs ?? []).map(apiText);
  const grants = grantsOf(objects);
  const assessed: Assessed = {
    suggestedNamespace: defaultInstallNamespace(bundle).name,
    powers: powersOf(grants),
    podSecurity: podSecurityOf(objects),
    webhooks: webhooksOf(bundle),
    images: imagesOf(objects),
  };
  return {
    packageName,
    name: csv.metadata.name ?? '',
    version,
    installModes: supportedModes(csv),
    minKubeVersion,
    crds: currentCrds(bundle)
      .map(crdOf)
      .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    requiredApis: [...required, ...native].sort(),
    apiServices: (apis.owned ?? []).map(apiText).sort(),
    permissions: grants.map(permissionOf),
    deployments: deploymentsOf(objects),
    objects: countKinds(objects),
    warnings: warningsOf(assessed),
    ...assessed,
  };
}
