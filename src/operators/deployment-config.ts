import { isJsonEqual, isJsonObject, type JsonObject, type JsonValue, listAt, objectAt } from '../base/index.ts';

/** What a user changes of every Deployment of an operator; lists and maps of the Kubernetes API, typed forms.
 *  @see docs/spec/registry-v1-rendering.md#applying-deploymentconfig */
export interface DeploymentConfig {
  readonly env?: readonly JsonObject[];
  readonly envFrom?: readonly JsonObject[];
  readonly volumes?: readonly JsonObject[];
  readonly volumeMounts?: readonly JsonObject[];
  readonly tolerations?: readonly JsonObject[];
  readonly resources?: JsonObject;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly affinity?: JsonObject;
  readonly annotations?: Readonly<Record<string, string>>;
}

type Change = (target: JsonObject, config: DeploymentConfig) => JsonObject;

/** Replaces entries with the same name in their place, the last of them; others come at the end. */
function mergeByName(existing: readonly JsonValue[], added: readonly JsonObject[]): JsonValue[] {
  const merged = [...existing];
  for (const item of added) {
    const index = existing.findLastIndex((one) => isJsonObject(one) && one['name'] === item['name']);
    if (index < 0) merged.push(item);
    else merged[index] = item;
  }
  return merged;
}

function addNew(existing: readonly JsonValue[], added: readonly JsonObject[]): JsonValue[] {
  const isKnown = (item: JsonObject): boolean => existing.some((one) => isJsonEqual(one, item));
  return [...existing, ...added.filter((item) => !isKnown(item))];
}

function listChange(
  key: 'env' | 'envFrom' | 'volumes' | 'volumeMounts' | 'tolerations',
  merge: typeof mergeByName,
): Change {
  return (target, config) => {
    const added = config[key] ?? [];
    return added.length === 0 ? target : { ...target, [key]: merge(listAt(target, key), added) };
  };
}

const replaceResources: Change = (container, { resources }) =>
  resources === undefined ? container : { ...container, resources };

const replaceNodeSelector: Change = (podSpec, { nodeSelector }) =>
  nodeSelector === undefined ? podSpec : { ...podSpec, nodeSelector: { ...nodeSelector } };

/** Nothing in it, however deep. */
function isHollow(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isJsonObject(value) && Object.values(value).every(isHollow);
}

const affinityParts = ['nodeAffinity', 'podAffinity', 'podAntiAffinity'];

const mergeAffinity: Change = (podSpec, { affinity }) => {
  if (affinity === undefined) return podSpec;
  const { affinity: before, ...rest } = podSpec;
  if (Object.keys(affinity).length === 0) return rest;
  const merged: JsonObject = isJsonObject(before) ? { ...before } : {};
  for (const part of affinityParts) {
    if (affinity[part] === undefined) continue;
    if (isHollow(affinity[part])) delete merged[part];
    else merged[part] = affinity[part];
  }
  return Object.keys(merged).length === 0 ? rest : { ...rest, affinity: merged };
};

const containerChanges: readonly Change[] = [
  listChange('env', mergeByName),
  listChange('envFrom', addNew),
  listChange('volumeMounts', mergeByName),
  replaceResources,
];

const podChanges: readonly Change[] = [
  listChange('volumes', mergeByName),
  listChange('tolerations', addNew),
  replaceNodeSelector,
  mergeAffinity,
];

function changed(target: JsonObject, config: DeploymentConfig, changes: readonly Change[]): JsonObject {
  return changes.reduce((current, change) => change(current, config), target);
}

function withAnnotations(metadata: JsonObject, annotations: Readonly<Record<string, string>>): JsonObject {
  return { ...metadata, annotations: { ...annotations, ...objectAt(metadata, 'annotations') } };
}

/** The Deployment with the user's configuration; applies to its main containers only, not to init containers. */
export function applyDeploymentConfig<Deployment extends { readonly metadata: object }>(
  deployment: Deployment,
  config: DeploymentConfig,
): Deployment {
  const spec = objectAt(deployment as JsonObject, 'spec');
  const template = objectAt(spec, 'template');
  const before = objectAt(template, 'spec') ?? {};
  const containers = listAt(before, 'containers').map((container) =>
    isJsonObject(container) ? changed(container, config, containerChanges) : container,
  );
  const podSpec = {
    ...changed(before, config, podChanges),
    ...(Array.isArray(before['containers']) ? { containers } : {}),
  };
  const annotations = config.annotations ?? {};
  const hasAnnotations = Object.keys(annotations).length > 0;
  const metadata = objectAt(template, 'metadata') ?? {};
  return {
    ...deployment,
    metadata: hasAnnotations ? withAnnotations(deployment.metadata as JsonObject, annotations) : deployment.metadata,
    spec: {
      ...spec,
      template: {
        ...template,
        metadata: hasAnnotations ? withAnnotations(metadata, annotations) : metadata,
        spec: podSpec,
      },
    },
  };
}
