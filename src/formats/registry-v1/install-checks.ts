import { type JsonObject, listAt, objectAt, textAt, valueAt } from '../../base/index.ts';
import { nameProblems } from './checks.ts';
import type { ApiServiceDescription, DeploymentEntry, Permission, WebhookEntry } from './csv.ts';
import { accountOf, servingNames } from './names.ts';
import type { RegistryBundle } from './registry-bundle.ts';

type Check = (bundle: RegistryBundle) => readonly string[];

const maxServiceNameBytes = 63;
/** The API server asks for a domain name with segments for host, domain and top level. */
const minNameLabels = 3;
const webhookTypes = new Set(['ValidatingAdmissionWebhook', 'MutatingAdmissionWebhook', 'ConversionWebhook']);

function deploymentsOf({ csv }: RegistryBundle): readonly DeploymentEntry[] {
  return csv.spec.install.spec.deployments ?? [];
}

function webhooksOf({ csv }: RegistryBundle): readonly WebhookEntry[] {
  return csv.spec.webhookdefinitions ?? [];
}

function apisOf({ csv }: RegistryBundle): readonly ApiServiceDescription[] {
  return csv.spec.apiservicedefinitions.owned ?? [];
}

function permissionsOf({ csv }: RegistryBundle): readonly Permission[] {
  const { permissions, clusterPermissions } = csv.spec.install.spec;
  return [...(permissions ?? []), ...(clusterPermissions ?? [])];
}

function containersOf(bundle: RegistryBundle): readonly unknown[] {
  return deploymentsOf(bundle).flatMap(({ spec }) => {
    const pod = objectAt(spec, 'template', 'spec');
    return [...listAt(pod, 'containers'), ...listAt(pod, 'initContainers')];
  });
}

const strategyIsDeployment: Check = ({ csv }) => {
  const { strategy } = csv.spec.install;
  return strategy === 'deployment' ? [] : [`install strategy is '${strategy}', expected 'deployment'`];
};

const hasDeployments: Check = (bundle) =>
  deploymentsOf(bundle).length > 0
    ? []
    : ['cluster service version has no deployments, expected at least one in spec.install.spec.deployments'];

const objectsHaveNames: Check = ({ crds, others }) =>
  [...crds, ...others]
    .filter(({ metadata }) => typeof metadata.name !== 'string' || metadata.name === '')
    .map(({ kind }) => `bundle contains an object of kind "${kind}" without metadata.name`);

/** Roles are named after it: their names are segments of a path. */
const csvNameIsSegment: Check = ({ csv }) => {
  const { name = '' } = csv.metadata;
  return /[/%]/.test(name)
    ? [`cluster service version has the name '${name}', expected one without '/' and '%': roles are named after it`]
    : [];
};

const accountsHaveGoodNames: Check = (bundle) => {
  const { deployments } = bundle.csv.spec.install.spec;
  const named = permissionsOf(bundle).map(accountOf);
  const used = (deployments ?? []).map(({ spec }) => textAt(objectAt(spec, 'template', 'spec'), 'serviceAccountName'));
  return [...new Set([...named, ...used])]
    .filter((name) => name !== '' && nameProblems(name).length > 0)
    .map((name) => `invalid service account name '${name}': ${nameProblems(name).join(', ')}`);
};

function servicesOf(bundle: RegistryBundle): ReadonlyMap<string, readonly string[]> {
  const serving = new Set([...webhooksOf(bundle), ...apisOf(bundle)].map(({ deploymentName = '' }) => deploymentName));
  const names = new Map<string, string[]>();
  for (const { name } of deploymentsOf(bundle)) {
    if (!serving.has(name)) continue;
    const { service } = servingNames(name);
    names.set(service, [...(names.get(service) ?? []), name]);
  }
  return names;
}

const servicesHaveGoodNames: Check = (bundle) => {
  const services = [...servicesOf(bundle)].sort(([a], [b]) => (a < b ? -1 : 1));
  return services.flatMap(([service, deployments]) => [
    ...(Buffer.byteLength(service) > maxServiceNameBytes
      ? [
          `deployment '${deployments[0] ?? ''}' is called by a Service whose name '${service}' has more than ${maxServiceNameBytes} characters: expected another length than 56 of the deployment's name`,
        ]
      : []),
    ...(deployments.length > 1
      ? [`deployments '${deployments.join("', '")}' would be called by the same Service '${service}'`]
      : []),
  ]);
};

const apisHaveDeployments: Check = (bundle) => {
  const names = new Set(deploymentsOf(bundle).map(({ name }) => name));
  return apisOf(bundle)
    .filter(({ deploymentName = '' }) => !names.has(deploymentName))
    .map(
      ({ version, group, deploymentName = '' }) =>
        `owned API '${version}.${group}' references non-existent deployment '${deploymentName}'`,
    );
};

const portsAreClear: Check = (bundle) =>
  deploymentsOf(bundle).flatMap(({ name }) => {
    const targets = new Map<number, Set<string>>();
    for (const { deploymentName, containerPort = 443, targetPort } of webhooksOf(bundle)) {
      if (deploymentName !== name) continue;
      const target = targetPort ?? containerPort;
      targets.set(containerPort, (targets.get(containerPort) ?? new Set()).add(`${typeof target} ${target}`));
    }
    return [...targets]
      .filter(([, seen]) => seen.size > 1)
      .map(([port]) => `webhooks of deployment '${name}' lead container port ${port} to different target ports`);
  });

function labelsMatch(selector: JsonObject | undefined, labels: JsonObject | undefined): boolean {
  return Object.entries(selector ?? {}).every(([key, value]) => valueAt(labels, key) === value);
}

const selectorsMatch: Check = (bundle) =>
  deploymentsOf(bundle)
    .filter(
      ({ spec }) =>
        !labelsMatch(objectAt(spec, 'selector', 'matchLabels'), objectAt(spec, 'template', 'metadata', 'labels')),
    )
    .map(({ name }) => `deployment '${name}': spec.selector.matchLabels does not match the labels of its Pod template`);

/** Another check reports an invalid name. */
function isQualified(type: string, generateName: string): boolean {
  if (type === 'ConversionWebhook' || nameProblems(generateName).length > 0) return true;
  return generateName.split('.').length >= minNameLabels;
}

const webhooksAreComplete: Check = (bundle) =>
  webhooksOf(bundle).flatMap(({ type, generateName, sideEffects, admissionReviewVersions }) => {
    const what = `webhook of type '${type}' with name '${generateName}'`;
    if (!webhookTypes.has(type)) return [`${what}: the type is unknown: expected ${[...webhookTypes].join(', ')}`];
    return [
      ...(isQualified(type, generateName)
        ? []
        : [
            `${what}: expected a name of at least ${minNameLabels} parts with dots between them, such as v.example.com`,
          ]),
      ...(type !== 'ConversionWebhook' && sideEffects === null ? [`${what} lacks sideEffects`] : []),
      ...((admissionReviewVersions ?? []).length === 0 ? [`${what} lacks admissionReviewVersions`] : []),
    ];
  });

/** Far more than any operator has that is published, as for the ClusterServiceVersions of a cluster: each is compared with all objects of the bundle, or makes some. */
const limits: readonly (readonly [what: string, most: number, of: (bundle: RegistryBundle) => readonly unknown[]])[] = [
  ['deployments', 100, deploymentsOf],
  ['webhookdefinitions', 200, webhooksOf],
  ['owned APIServices', 200, apisOf],
  ['permissions', 1_000, permissionsOf],
  ['containers', 1_000, containersOf],
];

const numbersAreLimited: Check = (bundle) =>
  limits.flatMap(([what, most, of]) => {
    const { length } = of(bundle);
    return length > most ? [`the operator has ${length} ${what}, at most ${most} are allowed: split the operator`] : [];
  });

/** Checks for what the API server would reject although the reference renders it, in the order of the findings. */
const checks: readonly Check[] = [
  strategyIsDeployment,
  hasDeployments,
  csvNameIsSegment,
  accountsHaveGoodNames,
  objectsHaveNames,
  servicesHaveGoodNames,
  apisHaveDeployments,
  portsAreClear,
  selectorsMatch,
  webhooksAreComplete,
];

/** Everything in a bundle that no cluster would take, or that installs nothing, a line each; empty for a good one. The reference has none of these.
 *  @see docs/spec/registry-v1-rendering.md#validation-before-rendering, and the deviations [D] of #names-and-hashes and #generated-objects */
export function findInstallProblems(bundle: RegistryBundle): readonly string[] {
  const excess = numbersAreLimited(bundle);
  return excess.length > 0 ? excess : checks.flatMap((check) => check(bundle));
}
