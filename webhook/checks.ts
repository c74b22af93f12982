import {
  type BundleDeployment,
  type BundleSpec,
  bundleDeploymentResource,
  clusterCatalogResource,
  type DependencyPolicy,
  ownerKindLabel,
  parseBundle,
  parseBundleDeployment,
  platformOperatorResource,
} from '../src/api/index.ts';
import { isJsonEqual, isJsonObject, type JsonObject, type JsonValue } from '../src/base/index.ts';
import { readSwitches } from '../src/crd-safety/index.ts';
import { checkAccount } from './account-check.ts';
import { checkCrd } from './crd-change.ts';
import { checkRemoval, checkTemplate } from './dependency-check.ts';
import type { FactsReader } from './facts.ts';
import { checkPlatformOperator } from './platform-operator-check.ts';
import type { ReviewRequest } from './review.ts';
import type { RuleTally } from './rule-tally.ts';
import { bundleAnnotations, bundleAnnotationsOf } from './rules/bundle-annotations.ts';
import { catalogNameLabelled } from './rules/catalog-name-label.ts';
import { contentMetadata } from './rules/content-metadata.ts';
import { deploymentConfig } from './rules/deployment-config.ts';
import type { RuleName } from './rules/names.ts';
import { provisionerClass } from './rules/provisioner-class.ts';
import {
  type AdmissionResult,
  allowed,
  type BundleUse,
  type ConfigMapChange,
  mergeResults,
  type SourceRule,
  warn,
} from './rules/rule.ts';
import { specImmutable } from './rules/spec-immutable.ts';
import { bundleSourceRules, configMapRules, templateSourceRules } from './rules/table.ts';
import { readSourceFacts } from './source-facts.ts';

/** What a check may use. */
interface CheckContext {
  readonly facts: FactsReader;
  /** Those of the webhook. */
  readonly rules: RuleTally;
  readonly systemNamespace: string;
  readonly dependencyPolicy: DependencyPolicy;
  readonly isAccountRequired: boolean;
  readonly foreignClasses: readonly string[];
  readonly signal: AbortSignal;
}

/** Reads the facts that the rules need and asks the rules.
 *  @throws TerminalError InvalidObject for an object of another form · whatever the reader throws */
type Check = (request: ReviewRequest, context: CheckContext) => Promise<AdmissionResult>;

/** What a Bundle and a template have alike. */
interface BundleLike {
  readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: BundleSpec;
}

async function checkSource(
  { spec }: BundleLike,
  table: Readonly<Partial<Record<RuleName, SourceRule>>>,
  context: CheckContext,
): Promise<AdmissionResult> {
  const { rules } = context;
  const facts = await rules.read('config-map-entries', () => readSourceFacts(spec.source, context));
  return mergeResults([
    rules.askAll(table, (rule) => rule(spec.source, facts)),
    rules.ask('content-metadata', () => contentMetadata(facts, spec.provisionerClassName)),
  ]);
}

/** Unchanged annotations are not validated again. */
function checkAnnotations(after: BundleLike, before?: BundleLike): AdmissionResult {
  const annotations = bundleAnnotationsOf(after.metadata?.annotations);
  if (before !== undefined && isJsonEqual(annotations, bundleAnnotationsOf(before.metadata?.annotations)))
    return allowed;
  return bundleAnnotations(annotations, after.spec.provisionerClassName);
}

/** An update is about immutability and annotations alone: a source that passed once stays, and finalizers and status can always be written. */
const checkBundle: Check = async (request, context) => {
  const { rules } = context;
  if (request.operation === 'UPDATE') {
    const [before, after] = [parseBundle(request.oldObject), parseBundle(request.object)];
    const [oldSpec, newSpec] = [before.spec, after.spec] as unknown as [JsonValue, JsonValue];
    return mergeResults([
      rules.ask('spec-immutable', () => specImmutable(oldSpec, newSpec)),
      rules.ask('bundle-annotations', () => checkAnnotations(after, before)),
    ]);
  }
  if (request.operation !== 'CREATE') return allowed;
  const bundle = parseBundle(request.object);
  const { provisionerClassName } = bundle.spec;
  return mergeResults([
    rules.ask('provisioner-class', () =>
      provisionerClass('spec.provisionerClassName', provisionerClassName, context.foreignClasses),
    ),
    await checkSource(bundle, bundleSourceRules, context),
    rules.ask('bundle-annotations', () => checkAnnotations(bundle)),
  ]);
};

function classOf(template: JsonValue | undefined): JsonValue | undefined {
  const spec = isJsonObject(template ?? null) ? (template as JsonObject)['spec'] : undefined;
  return isJsonObject(spec ?? null) ? (spec as JsonObject)['provisionerClassName'] : undefined;
}

/** Another class may read the same configuration in another way. */
function checkConfig(
  { config, template }: BundleDeployment['spec'],
  {
    oldConfig,
    oldTemplate,
  }: { readonly oldConfig: JsonValue | undefined; readonly oldTemplate: JsonValue | undefined },
): AdmissionResult {
  const { provisionerClassName } = template.spec;
  const isSame = isJsonEqual(config ?? null, oldConfig ?? null) && provisionerClassName === classOf(oldTemplate);
  return isSame ? allowed : deploymentConfig(provisionerClassName, config);
}

/** A class that does not change is not reported again. */
function checkClasses(
  { provisionerClassName, template }: BundleDeployment['spec'],
  oldSpec: JsonValue | undefined,
  foreignClasses: readonly string[],
): AdmissionResult {
  const { provisionerClassName: oldClass, template: oldTemplate } = isJsonObject(oldSpec ?? null)
    ? (oldSpec as JsonObject)
    : {};
  const ofTemplate = template.spec.provisionerClassName;
  const own =
    provisionerClassName === oldClass
      ? allowed
      : provisionerClass('spec.provisionerClassName', provisionerClassName, foreignClasses);
  if (ofTemplate === classOf(oldTemplate)) return own;
  return mergeResults([own, provisionerClass('spec.template.spec.provisionerClassName', ofTemplate, foreignClasses)]);
}

async function checkNewTemplate(template: BundleLike, context: CheckContext): Promise<AdmissionResult> {
  return mergeResults([
    await checkSource(template, templateSourceRules, context),
    context.rules.ask('bundle-annotations', () => checkAnnotations(template)),
  ]);
}

/** An unchanged template or configuration is not validated again. */
const checkBundleDeployment: Check = async (request, context) => {
  if (request.operation === 'DELETE') {
    return request.oldObject === undefined
      ? allowed
      : await checkRemoval(parseBundleDeployment(request.oldObject), context);
  }
  if (request.operation === 'CONNECT') return allowed;
  const { rules } = context;
  const deployment = parseBundleDeployment(request.object);
  const { metadata, spec } = deployment;
  const oldSpec = request.oldObject?.spec;
  const { template: oldTemplate, config: oldConfig } = isJsonObject(oldSpec) ? oldSpec : {};
  const isSameTemplate = isJsonEqual(spec.template as unknown as JsonValue, oldTemplate);
  return mergeResults([
    rules.ask('provisioner-class', () => checkClasses(spec, oldSpec, context.foreignClasses)),
    isSameTemplate ? allowed : await checkNewTemplate(spec.template, context),
    rules.ask('deployment-config', () => checkConfig(spec, { oldTemplate, oldConfig })),
    await rules.askPatiently('service-account', () => checkAccount(request, context)),
    isSameTemplate ? allowed : await checkTemplate(deployment, context),
    rules.ask('crd-safety-annotations', () => warn(readSwitches(metadata.annotations).warnings)),
  ]);
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
  if (request.namespace !== context.systemNamespace) return allowed;
  if (operation !== 'CREATE' && operation !== 'DELETE') return allowed;
  const configMap = (operation === 'CREATE' ? request.object : request.oldObject) ?? {};
  const name = nameOf(configMap, request);
  const { rules } = context;
  const rule = operation === 'CREATE' ? 'config-map-referenced' : 'config-map-in-use';
  const bundles = await rules.read(rule, () => readUses(context));
  const change: ConfigMapChange = { operation, configMap, name, bundles };
  return rules.askAll(configMapRules, (one) => one(change));
};

const labelCatalog: Check = ({ object = {} }, { rules }) =>
  Promise.resolve(rules.ask('catalog-name-label', () => catalogNameLabelled(object)));

/** A webhook: its name in the configuration, its path, and what it is called for. */
export interface Endpoint {
  readonly webhook: string;
  readonly path: string;
  readonly check: Check;
  readonly rule: JsonObject;
  readonly isForSystemNamespace: boolean;
  /** The configuration that it is part of. */
  readonly configuration: string;
  /** Whether it may change objects; all webhooks of a configuration are alike in this. */
  readonly isMutating?: boolean;
  /** It is about ClusterCatalogs, which another program may look after. */
  readonly isForCatalogs?: boolean;
  /** Labels that the object must have, before or after the change. */
  readonly objectLabels?: Readonly<Record<string, string>>;
}

const mainConfiguration = 'rukpak-validating-webhook-configuration';
const crdConfiguration = 'crd-validation-webhook';
const mutatingConfiguration = 'longshore-mutating-webhook-configuration';

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
    webhook: 'vplatformoperators.platform.openshift.io',
    path: '/validate-platform-openshift-io-v1alpha1-platformoperator',
    check: checkPlatformOperator,
    rule: {
      apiGroups: ['platform.openshift.io'],
      apiVersions: ['v1alpha1'],
      operations: ['CREATE', 'UPDATE'],
      resources: [platformOperatorResource.plural],
    },
    isForSystemNamespace: false,
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
  {
    webhook: 'mclustercatalogs.olm.operatorframework.io',
    path: '/mutate-olm-operatorframework-io-v1-clustercatalog',
    check: labelCatalog,
    rule: {
      apiGroups: ['olm.operatorframework.io'],
      apiVersions: ['v1'],
      operations: ['CREATE', 'UPDATE'],
      resources: [clusterCatalogResource.plural],
    },
    isForSystemNamespace: false,
    isMutating: true,
    isForCatalogs: true,
    configuration: mutatingConfiguration,
  },
];
