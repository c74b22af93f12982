import { isJsonObject, type JsonObject, TerminalError } from '../base/index.ts';
import { type CompiledSchema, compileSchema, type Schema } from '../schema/index.ts';
import { bundleResource } from './bundle.ts';
import { bundleDeploymentResource } from './bundle-deployment.ts';
import { catalogSourceResource } from './catalog-source.ts';
import { clusterCatalogResource } from './cluster-catalog.ts';
import { clusterExtensionResource } from './cluster-extension.ts';
import { clusterServiceVersionResource } from './cluster-service-version.ts';
import { clusterVersionResource } from './cluster-version.ts';
import { drainRuleResource } from './drain-rule.ts';
import { type Bundle, bundleShape } from './generated/bundle.ts';
import { type BundleDeployment, bundleDeploymentShape } from './generated/bundle-deployment.ts';
import { type CatalogSource, catalogSourceShape } from './generated/catalog-source.ts';
import { type ClusterCatalog, clusterCatalogShape } from './generated/cluster-catalog.ts';
import { type ClusterExtension, clusterExtensionShape } from './generated/cluster-extension.ts';
import { type ClusterServiceVersion, clusterServiceVersionShape } from './generated/cluster-service-version.ts';
import { type ClusterVersion, clusterVersionShape } from './generated/cluster-version.ts';
import { type DrainRule, drainRuleShape } from './generated/drain-rule.ts';
import { type InstallPlan, installPlanShape } from './generated/install-plan.ts';
import { type Machine, machineShape } from './generated/machine.ts';
import { type MachineConfig, machineConfigShape } from './generated/machine-config.ts';
import { type MachineConfigPool, machineConfigPoolShape } from './generated/machine-config-pool.ts';
import { type MachineHealthCheck, machineHealthCheckShape } from './generated/machine-health-check.ts';
import { type MachineSet, machineSetShape } from './generated/machine-set.ts';
import { type OLMConfig, olmConfigShape } from './generated/olm-config.ts';
import { type OperatorCondition, operatorConditionShape } from './generated/operator-condition.ts';
import { type OperatorGroup, operatorGroupShape } from './generated/operator-group.ts';
import { type PlatformOperator, platformOperatorShape } from './generated/platform-operator.ts';
import { type Subscription, subscriptionShape } from './generated/subscription.ts';
import { installPlanResource } from './install-plan.ts';
import { machineHealthCheckResource, machineResource, machineSetResource } from './machine.ts';
import { machineConfigPoolResource, machineConfigResource } from './machine-config.ts';
import { olmConfigResource } from './olm-config.ts';
import { operatorConditionResource } from './operator-condition.ts';
import { operatorGroupResource } from './operator-group.ts';
import { platformOperatorResource } from './platform-operator.ts';
import type { Resource } from './resource.ts';
import { subscriptionResource } from './subscription.ts';

const stringMap: Schema = { type: 'object', additionalProperties: { type: 'string' } };

const ownerReference: Schema = {
  type: 'object',
  required: ['apiVersion', 'kind', 'name', 'uid'],
  properties: {
    apiVersion: { type: 'string' },
    kind: { type: 'string' },
    name: { type: 'string' },
    uid: { type: 'string' },
    controller: { type: 'boolean' },
    blockOwnerDeletion: { type: 'boolean' },
  },
};

const metadata: Schema = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string' },
    namespace: { type: 'string' },
    uid: { type: 'string' },
    resourceVersion: { type: 'string' },
    generation: { type: 'integer' },
    deletionTimestamp: { type: 'string' },
    labels: stringMap,
    annotations: stringMap,
    finalizers: { type: 'array', items: { type: 'string' } },
    ownerReferences: { type: 'array', items: ownerReference },
  },
};

function problemsOf(raw: JsonObject, { apiVersion, kind }: Resource, schema: CompiledSchema): readonly string[] {
  if (raw.apiVersion !== apiVersion || raw.kind !== kind) {
    const found = JSON.stringify([raw.apiVersion ?? '', raw.kind ?? ''])
      .slice(1, -1)
      .slice(0, 100);
    return [`expected apiVersion "${apiVersion}" and kind "${kind}", found ${found}`];
  }
  return schema.validate(raw).map(({ field, message }) => `${field}: ${message}`);
}

function createParser<T>(resource: Resource, shape: Schema): (raw: unknown) => T {
  let schema: CompiledSchema | undefined;
  const valid = new WeakSet<JsonObject>();
  return (raw) => {
    if (!isJsonObject(raw)) throw new TerminalError('InvalidObject', `${resource.kind}: expected an object`);
    if (!valid.has(raw)) {
      const required = ['metadata', ...(shape.required ?? [])];
      schema ??= compileSchema({ ...shape, required, properties: { metadata, ...shape.properties } });
      const problems = problemsOf(raw, resource, schema);
      if (problems.length > 0) throw new TerminalError('InvalidObject', `${resource.kind}: ${problems.join(', ')}`);
      valid.add(raw);
    }
    return raw as T;
  };
}

/** The typed view of an object that came from outside: types, required members and closed sets are as its CustomResourceDefinition has them. It is the
 *  same value, so that no field gets lost, and must not be changed afterwards: the same object is not checked twice.
 *  @throws TerminalError InvalidObject, with all problems in the words of kube-apiserver */
export const parseBundle: (raw: unknown) => Bundle = createParser(bundleResource, bundleShape);

/** @see parseBundle */
export const parseBundleDeployment: (raw: unknown) => BundleDeployment = createParser(
  bundleDeploymentResource,
  bundleDeploymentShape,
);

/** @see parseBundle */
export const parseClusterCatalog: (raw: unknown) => ClusterCatalog = createParser(
  clusterCatalogResource,
  clusterCatalogShape,
);

/** @see parseBundle */
export const parseClusterExtension: (raw: unknown) => ClusterExtension = createParser(
  clusterExtensionResource,
  clusterExtensionShape,
);

/** @see parseBundle */
export const parsePlatformOperator: (raw: unknown) => PlatformOperator = createParser(
  platformOperatorResource,
  platformOperatorShape,
);

/** @see parseBundle */
export const parseCatalogSource: (raw: unknown) => CatalogSource = createParser(
  catalogSourceResource,
  catalogSourceShape,
);

/** @see parseBundle */
export const parseClusterServiceVersion: (raw: unknown) => ClusterServiceVersion = createParser(
  clusterServiceVersionResource,
  clusterServiceVersionShape,
);

/** @see parseBundle */
export const parseClusterVersion: (raw: unknown) => ClusterVersion = createParser(
  clusterVersionResource,
  clusterVersionShape,
);

/** @see parseBundle */
export const parseInstallPlan: (raw: unknown) => InstallPlan = createParser(installPlanResource, installPlanShape);

/** @see parseBundle */
export const parseOlmConfig: (raw: unknown) => OLMConfig = createParser(olmConfigResource, olmConfigShape);

/** @see parseBundle */
export const parseOperatorCondition: (raw: unknown) => OperatorCondition = createParser(
  operatorConditionResource,
  operatorConditionShape,
);

/** @see parseBundle */
export const parseOperatorGroup: (raw: unknown) => OperatorGroup = createParser(
  operatorGroupResource,
  operatorGroupShape,
);

/** @see parseBundle */
export const parseSubscription: (raw: unknown) => Subscription = createParser(subscriptionResource, subscriptionShape);

/** @see parseBundle */
export const parseDrainRule: (raw: unknown) => DrainRule = createParser(drainRuleResource, drainRuleShape);

/** @see parseBundle */
export const parseMachine: (raw: unknown) => Machine = createParser(machineResource, machineShape);

/** @see parseBundle */
export const parseMachineSet: (raw: unknown) => MachineSet = createParser(machineSetResource, machineSetShape);

/** @see parseBundle */
export const parseMachineHealthCheck: (raw: unknown) => MachineHealthCheck = createParser(
  machineHealthCheckResource,
  machineHealthCheckShape,
);

/** @see parseBundle */
export const parseMachineConfig: (raw: unknown) => MachineConfig = createParser(
  machineConfigResource,
  machineConfigShape,
);

/** @see parseBundle */
export const parseMachineConfigPool: (raw: unknown) => MachineConfigPool = createParser(
  machineConfigPoolResource,
  machineConfigPoolShape,
);
