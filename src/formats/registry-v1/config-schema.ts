import type { JsonObject } from '../../base/index.ts';
import { amendments } from './amendments/index.ts';
import { certificateProviderNames } from './certificates.ts';
import type { InstallMode } from './csv.ts';
import kubernetesTypes from './generated/kubernetes-types.json' with { type: 'json' };
import type { TypeTable } from './typed.ts';

const types = kubernetesTypes as TypeTable;

/** Members that the API asks for although a typed program can do without. @see docs/spec/registry-v1-rendering.md#deploymentconfig */
const requiredMembers: Readonly<Record<string, readonly string[]>> = {
  EnvVar: ['name'],
  ConfigMapKeySelector: ['key'],
  SecretKeySelector: ['key'],
  ObjectFieldSelector: ['fieldPath'],
  ResourceFieldSelector: ['resource'],
  FileKeySelector: ['volumeName', 'path', 'key'],
  Volume: ['name'],
  VolumeMount: ['name', 'mountPath'],
  KeyToPath: ['key', 'path'],
  HostPathVolumeSource: ['path'],
  PersistentVolumeClaimVolumeSource: ['claimName'],
  NFSVolumeSource: ['server', 'path'],
  CSIVolumeSource: ['driver'],
  ServiceAccountTokenProjection: ['path'],
  DownwardAPIVolumeFile: ['path'],
  ClusterTrustBundleProjection: ['path'],
  ResourceClaim: ['name'],
  NodeSelector: ['nodeSelectorTerms'],
  NodeSelectorRequirement: ['key', 'operator'],
  LabelSelectorRequirement: ['key', 'operator'],
  PreferredSchedulingTerm: ['weight', 'preference'],
  PodAffinityTerm: ['topologyKey'],
  WeightedPodAffinityTerm: ['weight', 'podAffinityTerm'],
};

const simple: Readonly<Record<string, JsonObject>> = {
  string: { type: 'string' },
  bool: { type: 'boolean' },
  int32: { type: 'integer', minimum: -(2 ** 31), maximum: 2 ** 31 - 1 },
  int64: { type: 'integer' },
  float64: { type: 'number' },
  quantity: { type: ['string', 'number'] },
  intOrString: { type: ['string', 'integer'] },
  time: { type: 'string' },
  bytes: { type: 'string' },
  json: {},
};

function schemaOf(notation: string): JsonObject {
  const bare = notation.replace(/^!?\*?/, '');
  if (notation !== bare && notation.includes('*')) return nullable(schemaOf(bare));
  if (bare.startsWith('[]')) return { type: 'array', items: schemaOf(bare.slice(2)) };
  if (bare.startsWith('{}')) return { type: 'object', additionalProperties: schemaOf(bare.slice(2)) };
  if (bare.startsWith('#')) return { $ref: `#/definitions/${bare.slice(1)}` };
  return simple[bare] ?? {};
}

/** Pointers may be null; for the schemas of structs that is declared where they are used. */
function nullable(schema: JsonObject): JsonObject {
  const { type } = schema;
  if (typeof type !== 'string' && !Array.isArray(type)) return schema;
  return { ...schema, type: [...[type].flat(), 'null'] };
}

function definitionsFrom(roots: readonly string[]): JsonObject {
  const definitions: JsonObject = {};
  const pending = [...roots];
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (Object.hasOwn(definitions, name)) continue;
    const members = Object.entries(types[name] ?? {});
    definitions[name] = {
      type: 'object',
      properties: Object.fromEntries(members.map(([key, notation]) => [key, schemaOf(notation)])),
      required: [...(requiredMembers[name] ?? [])],
      additionalProperties: false,
    };
    for (const [, notation] of members) {
      const struct = notation.split('#')[1];
      if (struct !== undefined) pending.push(struct);
    }
  }
  return definitions;
}

const roots = ['Affinity', 'EnvVar', 'EnvFromSource', 'ResourceRequirements', 'Toleration', 'VolumeMount', 'Volume'];
const listOf = (name: string): JsonObject => ({ type: 'array', items: { $ref: `#/definitions/${name}` } });
const texts = { type: 'object', additionalProperties: { type: 'string' } };

/** By which `configSchema` refers to `deploymentConfigSchema`. */
const deploymentConfigId = 'deployment-config';

/** JSON Schema (draft-07) of `deploymentConfig`; strict at every level. */
export function deploymentConfigSchema(): JsonObject {
  return {
    $id: deploymentConfigId,
    type: 'object',
    additionalProperties: false,
    properties: {
      affinity: { $ref: '#/definitions/Affinity' },
      annotations: texts,
      env: listOf('EnvVar'),
      envFrom: listOf('EnvFromSource'),
      nodeSelector: texts,
      resources: { $ref: '#/definitions/ResourceRequirements' },
      tolerations: listOf('Toleration'),
      volumeMounts: listOf('VolumeMount'),
      volumes: listOf('Volume'),
    },
    definitions: definitionsFrom(roots),
  };
}

const namespaceName = { type: 'string', minLength: 1, maxLength: 63, pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$' };

const serviceAccount: JsonObject = {
  type: 'object',
  required: ['namespace', 'name'],
  additionalProperties: false,
  properties: {
    namespace: namespaceName,
    name: {
      type: 'string',
      minLength: 1,
      maxLength: 253,
      pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$',
    },
  },
};

/** What a configuration is validated against besides its form. */
export interface ConfigScope {
  /** What the bundle supports, sorted. */
  readonly modes: readonly InstallMode[];
  readonly installNamespace: string;
}

interface ConfigSchemaOptions {
  readonly scope?: ConfigScope | undefined;
  /** The schema of `deploymentConfig` takes 0.1 s to compile: without it, any value is accepted there. */
  readonly hasDeploymentConfig: boolean;
}

function watchNamespaceSchema({ modes, installNamespace }: ConfigScope): JsonObject | undefined {
  const own = modes.includes('OwnNamespace');
  const single = modes.includes('SingleNamespace');
  if (!own && !single) return undefined;
  const schema: JsonObject = { ...namespaceName };
  if (own && !single) schema['const'] = installNamespace;
  if (single && !own) schema['not'] = { const: installNamespace };
  if (!modes.includes('AllNamespaces')) return schema;
  return { if: { type: 'null' }, else: schema };
}

function acceptedDeploymentConfig(isValidated: boolean): JsonObject {
  return isValidated ? { $ref: deploymentConfigId } : {};
}

/** JSON Schema (draft-07) of the configuration of an operator; with `scope` as narrow as the bundle makes it.
 *  @see docs/spec/registry-v1-rendering.md#schema */
export function configSchema({ scope, hasDeploymentConfig }: ConfigSchemaOptions): JsonObject {
  const isMulti = scope?.modes.includes('MultiNamespace') ?? true;
  const anyNamespace: JsonObject = { if: { type: 'null' }, else: namespaceName };
  const watchNamespace = scope === undefined ? anyNamespace : watchNamespaceSchema(scope);
  const isRequired = scope !== undefined && !scope.modes.includes('AllNamespaces') && watchNamespace !== undefined;
  const names = amendments.map(({ name }) => name);
  const deploymentConfig = acceptedDeploymentConfig(hasDeploymentConfig);
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    additionalProperties: false,
    ...(isRequired && !isMulti ? { required: ['watchNamespace'] } : {}),
    properties: {
      installNamespace: namespaceName,
      serviceAccount,
      ...(watchNamespace === undefined ? {} : { watchNamespace }),
      ...(isMulti ? { watchNamespaces: { type: 'array', items: namespaceName, minItems: 1, uniqueItems: true } } : {}),
      certProvider: { type: 'string', enum: [...certificateProviderNames, 'none'] },
      amendments: { type: 'string', enum: ['all', 'none'] },
      withoutAmendments: { type: 'array', items: { type: 'string', enum: names } },
      dropForeignConversion: { type: 'boolean' },
      deploymentConfig,
    },
  };
}
