import {
  type BundleSource,
  bundleDeploymentResource,
  ownerKindLabel,
  parseBundle,
  parseBundleDeployment,
} from '../src/api/index.ts';
import { isJsonEqual, isJsonObject, type JsonObject, type JsonValue, mapLimit } from '../src/base/index.ts';
import { readSwitches } from '../src/crd-safety/index.ts';
import { checkCrd } from './crd-change.ts';
import type { FactsReader } from './facts.ts';
import type { ReviewRequest } from './review.ts';
import { deploymentConfig } from './rules/deployment-config.ts';
import {
  type BundleUse,
  type ConfigMapChange,
  joinVerdicts,
  type SourceFacts,
  type SourceRule,
  silence,
  type Verdict,
} from './rules/rule.ts';
import { specImmutable } from './rules/spec-immutable.ts';
import { bundleSourceRules, configMapRules, templateSourceRules } from './rules/table.ts';

/** What a check may use. */
interface CheckContext {
  readonly facts: FactsReader;
  readonly systemNamespace: string;
  readonly signal: AbortSignal;
}

/** Reads the facts that the rules need and asks the rules.
 *  @throws TerminalError InvalidObject for an object of another form · whatever the reader throws */
type Check = (request: ReviewRequest, context: CheckContext) => Promise<Verdict>;

async function factsFor(source: BundleSource, { facts, signal }: CheckContext): Promise<SourceFacts> {
  if (source.type !== 'configMaps') return { configMaps: new Map() };
  const names = new Set((source.configMaps ?? []).map(({ configMap }) => configMap.name ?? ''));
  names.delete('');
  const found = await mapLimit([...names], 8, async (name): Promise<[string, boolean][]> => {
    const configMap = await facts.readConfigMap(name, { signal });
    return configMap === undefined ? [] : [[name, configMap.immutable === true]];
  });
  return { configMaps: new Map(found.flat()) };
}

async function checkSource(
  source: BundleSource,
  rules: readonly SourceRule[],
  context: CheckContext,
): Promise<Verdict> {
  const facts = await factsFor(source, context);
  return joinVerdicts(rules.map((rule) => rule(source, facts)));
}

/** An update is about immutability alone: a source that passed once stays, and finalizers and status can always be written. */
const checkBundle: Check = async (request, context) => {
  if (request.operation === 'UPDATE') {
    const [before, after] = [parseBundle(request.oldObject), parseBundle(request.object)];
    return specImmutable(before.spec as unknown as JsonValue, after.spec as unknown as JsonValue);
  }
  if (request.operation !== 'CREATE') return silence;
  return await checkSource(parseBundle(request.object).spec.source, bundleSourceRules, context);
};

/** A template, or a configuration, that does not change is not judged again. */
const checkBundleDeployment: Check = async (request, context) => {
  if (request.operation !== 'CREATE' && request.operation !== 'UPDATE') return silence;
  const { metadata, spec } = parseBundleDeployment(request.object);
  const ofSwitches: Verdict = { denials: [], warnings: readSwitches(metadata.annotations).warnings };
  const oldSpec = request.oldObject?.spec;
  const { template: oldTemplate, config: oldConfig } = isJsonObject(oldSpec) ? oldSpec : {};
  const ofConfig = isJsonEqual(spec.config ?? null, oldConfig ?? null) ? silence : deploymentConfig(spec.config);
  if (isJsonEqual(spec.template as unknown as JsonValue, oldTemplate)) return joinVerdicts([ofConfig, ofSwitches]);
  const ofSource = await checkSource(spec.template.spec.source, templateSourceRules, context);
  return joinVerdicts([ofSource, ofConfig, ofSwitches]);
};

function nameOf(configMap: JsonObject, request: ReviewRequest): string {
  if (request.name !== '') return request.name;
  const { metadata } = configMap;
  return isJsonObject(metadata) && typeof metadata.name === 'string' ? metadata.name : '';
}

async function readUses({ facts, signal }: CheckContext): Promise<BundleUse[]> {
  const bundles = await facts.listBundles({ signal });
  const uses = bundles.map(({ metadata, spec }) => ({ name: metadata.name, source: spec.source }));
  return uses.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

const checkConfigMap: Check = async (request, context) => {
  const { operation } = request;
  if (request.namespace !== context.systemNamespace) return silence;
  if (operation !== 'CREATE' && operation !== 'DELETE') return silence;
  const configMap = (operation === 'CREATE' ? request.object : request.oldObject) ?? {};
  const name = nameOf(configMap, request);
  const change: ConfigMapChange = { operation, configMap, name, bundles: await readUses(context) };
  return joinVerdicts(configMapRules.map((rule) => rule(change)));
};

/** A webhook: its name in the configuration, its path, and what it is called for. */
export interface Endpoint {
  readonly webhook: string;
  readonly path: string;
  readonly check: Check;
  readonly rule: JsonObject;
  readonly isForSystemNamespace: boolean;
  /** The configuration that it is part of. */
  readonly configuration: string;
  /** Labels that the object must have, before or after the change. */
  readonly objectLabels?: Readonly<Record<string, string>>;
}

const mainConfiguration = 'rukpak-validating-webhook-configuration';
const crdConfiguration = 'crd-validation-webhook';

/** Every path that the server answers; the configuration that it registers is made from the same rows. */
export const endpoints: readonly Endpoint[] = [
  {
    webhook: 'vbundles.core.rukpak.io',
    path: '/validate-core-rukpak-io-v1alpha1-bundle',
    check: checkBundle,
    rule: {
      apiGroups: ['core.rukpak.io'],
      apiVersions: ['v1alpha1'],
      operations: ['CREATE', 'UPDATE'],
      resources: ['bundles'],
    },
    isForSystemNamespace: false,
    configuration: mainConfiguration,
  },
  {
    webhook: 'vbundledeployments.core.rukpak.io',
    path: '/validate-core-rukpak-io-v1alpha1-bundledeployment',
    check: checkBundleDeployment,
    rule: {
      apiGroups: ['core.rukpak.io'],
      apiVersions: ['v1alpha1'],
      operations: ['CREATE', 'UPDATE', 'DELETE'],
      resources: ['bundledeployments'],
    },
    isForSystemNamespace: false,
    configuration: mainConfiguration,
  },
  {
    webhook: 'vconfigmaps.core.rukpak.io',
    path: '/validate-core-v1-configmap',
    check: checkConfigMap,
    rule: { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'DELETE'], resources: ['configmaps'] },
    isForSystemNamespace: true,
    configuration: mainConfiguration,
  },
  {
    webhook: 'webhook.crdvalidator.io',
    path: '/validate-crd',
    check: checkCrd,
    rule: {
      apiGroups: ['apiextensions.k8s.io'],
      apiVersions: ['v1'],
      operations: ['CREATE', 'UPDATE'],
      resources: ['customresourcedefinitions'],
      scope: '*',
    },
    isForSystemNamespace: false,
    configuration: crdConfiguration,
    objectLabels: { [ownerKindLabel]: bundleDeploymentResource.kind },
  },
];
