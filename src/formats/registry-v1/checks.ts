import { goQuote } from '../../base/index.ts';

import { supportedModes, type WebhookEntry } from './csv.ts';
import { supportedKinds } from './kinds.ts';
import type { RegistryBundle } from './registry-bundle.ts';

type Check = (bundle: RegistryBundle) => readonly string[];

const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const maxSubdomainBytes = 253;
const subdomainText =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

/** Why a name is no subdomain of RFC 1123, in the words of Kubernetes; empty for one that is. */
export function nameProblems(name: string): readonly string[] {
  const isShort = Buffer.byteLength(name) <= maxSubdomainBytes;
  return [...(isShort && subdomain.test(name) ? [] : isShort ? [subdomainText] : subdomainProblemsOfLong(name))];
}

/** A long name is matched piece by piece, so that a hostile one costs no time. */
function subdomainProblemsOfLong(name: string): readonly string[] {
  const isFormed = name.split('.').every((label) => /^[a-z0-9-]+$/.test(label) && !/^-|-$/.test(label));
  return [...(isFormed ? [] : [subdomainText]), `must be no more than ${maxSubdomainBytes} characters`];
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function sortedBy<T>(items: readonly T[], ...keys: readonly ((item: T) => string)[]): readonly T[] {
  return items.toSorted((a, b) => {
    for (const key of keys) {
      const order = compareTexts(key(a), key(b));
      if (order !== 0) return order;
    }
    return 0;
  });
}

/** Names that come more than once, each once, sorted. */
function repeated(names: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const name of names) (seen.has(name) ? twice : seen).add(name);
  return [...twice].sort();
}

function deploymentNames(bundle: RegistryBundle): readonly string[] {
  return (bundle.csv.spec.install.spec.deployments ?? []).map(({ name }) => name);
}

function webhooksOf(bundle: RegistryBundle): readonly WebhookEntry[] {
  return bundle.csv.spec.webhookdefinitions ?? [];
}

function conversions(bundle: RegistryBundle): readonly WebhookEntry[] {
  return webhooksOf(bundle).filter(({ type }) => type === 'ConversionWebhook');
}

function ownedCrds(bundle: RegistryBundle): readonly string[] {
  return (bundle.csv.spec.customresourcedefinitions.owned ?? []).map(({ name }) => name);
}

const uniqueDeployments: Check = (bundle) =>
  repeated(deploymentNames(bundle)).map(
    (name) => `cluster service version contains duplicate strategy deployment spec '${name}'`,
  );

const deploymentsHaveGoodNames: Check = (bundle) =>
  [...new Set(deploymentNames(bundle))].sort().flatMap((name) => {
    const problems = nameProblems(name);
    if (problems.length === 0) return [];
    return [`invalid cluster service version strategy deployment name '${name}': ${problems.join(', ')}`];
  });

const uniqueCrds: Check = (bundle) =>
  repeated(bundle.crds.map(({ metadata }) => metadata.name ?? '')).map(
    (name) => `bundle contains duplicate custom resource definition '${name}'`,
  );

const ownedCrdsAreThere: Check = (bundle) => {
  const present = new Set(bundle.crds.map(({ metadata }) => metadata.name));
  const missing = new Set(ownedCrds(bundle).filter((name) => !present.has(name)));
  return [...missing]
    .sort()
    .map(
      (name) => `cluster service definition references owned custom resource definition '${name}' not found in bundle`,
    );
};

const packageIsNamed: Check = ({ packageName }) => (packageName === '' ? ['package name is empty'] : []);

const conversionEverywhereOnly: Check = (bundle) => {
  const modes = supportedModes(bundle.csv);
  if (modes.length === 1 && modes[0] === 'AllNamespaces') return [];
  return conversions(bundle).map(
    ({ generateName }) =>
      `bundle contains conversion webhook ${goQuote(generateName)} and supports install modes [${modes.join(' ')}] - conversion webhooks are only supported for bundles that only support AllNamespaces install mode`,
  );
};

const webhooksHaveDeployments: Check = (bundle) => {
  const names = new Set(deploymentNames(bundle));
  const lost = webhooksOf(bundle).filter(({ deploymentName = '' }) => !names.has(deploymentName));
  return sortedBy(
    lost,
    ({ deploymentName = '' }) => deploymentName,
    ({ type }) => type,
    ({ generateName }) => generateName,
  ).map(
    ({ type, generateName, deploymentName = '' }) =>
      `webhook of type '${type}' with name '${generateName}' references non-existent deployment '${deploymentName}'`,
  );
};

const uniqueWebhooks: Check = (bundle) => {
  const keys = webhooksOf(bundle).map(({ type, generateName }) => `${type}\n${generateName}`);
  return repeated(keys).map((key) => {
    const [type = '', name = ''] = key.split('\n');
    return `duplicate webhook '${name}' of type '${type}'`;
  });
};

const webhooksHaveGoodNames: Check = (bundle) =>
  sortedBy(
    webhooksOf(bundle),
    ({ type }) => type,
    ({ generateName }) => generateName,
  ).flatMap(({ type, generateName }, index, all) => {
    const before = all[index - 1];
    const isRepeated = before?.type === type && before.generateName === generateName;
    const problems = isRepeated ? [] : nameProblems(generateName);
    if (problems.length === 0) return [];
    return [`webhook of type '${type}' has invalid name '${generateName}': ${problems.join(',')}`];
  });

const oneConversionEach: Check = (bundle) => {
  const claims = new Map<string, string[]>();
  for (const { generateName, conversionCRDs = [] } of conversions(bundle)) {
    for (const crd of new Set(conversionCRDs)) {
      const names = claims.get(crd);
      if (names === undefined) claims.set(crd, [generateName]);
      else names.push(generateName);
    }
  }
  return [...claims]
    .filter(([, names]) => names.length > 1)
    .sort(([a], [b]) => compareTexts(a, b))
    .map(
      ([crd, names]) =>
        `conversion webhooks [${names.sort().join(',')}] reference same custom resource definition '${crd}'`,
    );
};

const conversionsOfOwnedCrds: Check = (bundle) => {
  const owned = new Set(ownedCrds(bundle));
  return sortedBy(conversions(bundle), ({ generateName }) => generateName).flatMap(
    ({ generateName, conversionCRDs = [] }) =>
      [...new Set(conversionCRDs)]
        .filter((crd) => !owned.has(crd))
        .sort()
        .map(
          (crd) =>
            `conversion webhook '${generateName}' references custom resource definition '${crd}' not owned bundle`,
        ),
  );
};

const admissionGroup = 'admissionregistration.k8s.io';
const forbiddenGroups = new Set(['*', 'olm.operatorframework.io', 'core.rukpak.io']);
const forbiddenResources = new Set([
  '*',
  'mutatingwebhookconfiguration',
  'mutatingwebhookconfigurations',
  'validatingwebhookconfiguration',
  'validatingwebhookconfigurations',
]);

function forbiddenRules(webhook: WebhookEntry): readonly string[] {
  const start = `webhook ${goQuote(webhook.generateName)} contains forbidden rule: admission webhook rules cannot reference`;
  return (webhook.rules ?? []).flatMap(({ apiGroups = [], resources = [] }) =>
    apiGroups.flatMap((group) => {
      if (forbiddenGroups.has(group)) return [`${start} API group ${goQuote(group)}`];
      if (group !== admissionGroup) return [];
      return resources
        .filter((resource) => forbiddenResources.has((resource.split('/')[0] ?? '').toLowerCase()))
        .map((resource) => `${start} resource ${goQuote(resource)} for API group "${admissionGroup}"`);
    }),
  );
}

const rulesStayOutside: Check = (bundle) =>
  webhooksOf(bundle)
    .filter(({ type }) => type !== 'ConversionWebhook')
    .flatMap(forbiddenRules);

const kindsAreSupported: Check = ({ others }) =>
  others
    .filter(({ kind }) => !supportedKinds.has(kind))
    .map(({ kind, metadata }) => `unsupported resource ${goQuote(metadata.name ?? '')} with kind ${goQuote(kind)}`);

/** In the order of the findings. */
const checks: readonly Check[] = [
  uniqueDeployments,
  deploymentsHaveGoodNames,
  uniqueCrds,
  ownedCrdsAreThere,
  packageIsNamed,
  conversionEverywhereOnly,
  webhooksHaveDeployments,
  uniqueWebhooks,
  webhooksHaveGoodNames,
  oneConversionEach,
  conversionsOfOwnedCrds,
  rulesStayOutside,
  kindsAreSupported,
];

/** Everything that keeps a bundle from being rendered, a line each; empty for a good one.
 *  @see docs/spec/registry-v1-rendering.md#validation-before-rendering */
export function findProblems(bundle: RegistryBundle): readonly string[] {
  return checks.flatMap((check) => check(bundle));
}
