import { createRequire } from 'node:module';
import type { Ajv, ErrorObject, ValidateFunction } from 'ajv';
import { isJsonObject, type JsonObject, type JsonValue, objectAt, TerminalError } from '../../base/index.ts';
import type { DeploymentConfig } from '../../operators/index.ts';
import type { AmendmentChoice } from './amendments/index.ts';
import { type CertificateProvider, findCertificateProvider } from './certificates.ts';
import { type ConfigScope, configSchema, deploymentConfigSchema } from './config-schema.ts';
import { readTyped } from './csv.ts';

/** The configuration of an operator, checked. */
export interface OperatorConfig {
  /** Empty: what the bundle does by itself. */
  readonly targetNamespaces: readonly string[];
  readonly deploymentConfig?: DeploymentConfig;
  /** `none`: no certificates; undefined: not set. */
  readonly certificateProvider?: CertificateProvider | 'none';
  readonly amendments?: AmendmentChoice;
  readonly dropForeignConversion?: boolean;
}

type Describe = (error: ErrorObject, scope: ConfigScope | undefined) => string;

function fieldOf({ instancePath }: ErrorObject): string {
  return instancePath.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~');
}

function join(field: string, key: string): string {
  return field === '' ? key : `${field}.${key}`;
}

function knownFields({ parentSchema }: ErrorObject): string {
  const known = isJsonObject(parentSchema as JsonObject) ? (parentSchema as { properties?: object }).properties : {};
  return Object.keys(known ?? {}).join(', ');
}

/** What an operator can watch instead of what its configuration names. */
function watchModes(key: string, { modes, installNamespace }: ConfigScope): string {
  const requiredMode = key === 'watchNamespaces' ? 'MultiNamespace' : 'OwnNamespace or SingleNamespace';
  const ways = [
    ...(modes.includes('AllNamespaces') ? ['leave the field out to watch all namespaces'] : []),
    ...(modes.includes('SingleNamespace') ? ['set watchNamespace to the namespace to watch'] : []),
    ...(modes.includes('OwnNamespace') ? [`set watchNamespace to "${installNamespace}", the install namespace`] : []),
    ...(modes.includes('MultiNamespace') ? ['set watchNamespaces to the list of namespaces to watch'] : []),
  ];
  const supported = modes.length === 0 ? 'no install mode' : `the install modes ${modes.join(', ')}`;
  return `: it takes the install mode ${requiredMode}, and the operator supports ${supported} only${ways.length === 0 ? '' : `: ${ways.join(', or ')}`}`;
}

/** Problems are reported by key alone where the reference does so, by path where that helps; before it is known which bundle
 *  it is about, by its path and with what there could be. */
function unknownField(error: ErrorObject, scope: ConfigScope | undefined): string {
  const field = fieldOf(error);
  const key = (error.params as { additionalProperty: string }).additionalProperty;
  if (scope === undefined) return `unknown field "${join(field, key)}": expected one of ${knownFields(error)}`;
  const modes = field === '' && /^watchNamespaces?$/.test(key) ? watchModes(key, scope) : '';
  return `unknown field "${field === 'deploymentConfig' ? key : join(field, key)}"${modes}`;
}

function typeName(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return value === null ? 'null' : typeof value;
}

function wrongType(error: ErrorObject): string {
  const field = fieldOf(error);
  const want = [(error.params as { type: string | string[] }).type].flat().join(' or ');
  if (error.data === null && field !== '') return `required field "${field}" is missing`;
  const where = field === '' ? '' : ` for field "${field}"`;
  return `invalid type${where}: got ${typeName(error.data)}, want ${want}`;
}

function formatProblem(mode: string, must: string): Describe {
  return (error) => {
    const value = String(error.data);
    return `invalid format for field "${fieldOf(error)}": '${value}' is not valid ${mode}: invalid value "${value}": ${must}`;
  };
}

function ownNamespaceOnly(error: ErrorObject, scope: ConfigScope | undefined): string {
  const must = `must be "${scope?.installNamespace ?? ''}" (the namespace where the operator is installed) because this operator only supports OwnNamespace install mode`;
  return formatProblem('ownNamespaceInstallMode', must)(error, scope);
}

function otherNamespaceOnly(error: ErrorObject, scope: ConfigScope | undefined): string {
  const must = `must be different from "${scope?.installNamespace ?? ''}" (the install namespace) because this operator uses SingleNamespace install mode to watch a different namespace`;
  return formatProblem('singleNamespaceInstallMode', must)(error, scope);
}

function length(word: 'maximum' | 'minimum'): Describe {
  return (error) => {
    const { limit } = error.params as { limit: number };
    const found = Array.from(String(error.data)).length;
    return `field "${fieldOf(error)}" must have ${word} length of ${limit} (len=${found})`;
  };
}

function allowedValues(error: ErrorObject): string {
  const { allowedValues: values } = error.params as { allowedValues: readonly unknown[] };
  return `invalid value for field "${fieldOf(error)}": expected one of ${values.map(String).join(', ')}`;
}

/** One row a keyword of JSON Schema. */
const describes: Readonly<Record<string, Describe>> = {
  required: (error) =>
    `required field "${join(fieldOf(error), (error.params as { missingProperty: string }).missingProperty)}" is missing`,
  additionalProperties: unknownField,
  type: wrongType,
  const: ownNamespaceOnly,
  not: otherNamespaceOnly,
  maxLength: length('maximum'),
  minLength: length('minimum'),
  pattern: (error) => `field "${fieldOf(error)}" must match pattern "${(error.params as { pattern: string }).pattern}"`,
  enum: allowedValues,
  uniqueItems: (error) => `field "${fieldOf(error)}" must not name a namespace twice`,
  minItems: (error) => `field "${fieldOf(error)}" must name at least one namespace`,
};

/** Reported by an error inside them as well. */
const wrappers = new Set(['if']);

/** The library takes time with the square of the number of problems that it collects: of a longer configuration it reports the first. */
const maxCharactersForAllProblems = 16 * 1024;
const maxProblems = 100;
const built = new Map<boolean, Ajv>();

/** CommonJS: loaded when the first configuration is validated, which most threads that unpack bundles never do. */
function loadAjv(): typeof import('ajv') {
  return createRequire(import.meta.url)('ajv') as typeof import('ajv');
}

/** Built when it is first needed: the types of the Kubernetes API take a while. Our own schemas are not validated. */
function schemas(allErrors: boolean): Ajv {
  const known = built.get(allErrors);
  if (known !== undefined) return known;
  const options = {
    allErrors,
    strict: false,
    validateSchema: false,
    verbose: true,
    schemas: [deploymentConfigSchema()],
  };
  const made = new (loadAjv().Ajv)(options);
  built.set(allErrors, made);
  return made;
}

/** Few operators and namespaces are installed at a time; each has the code of its schema, some 50 KiB. */
const maxValidators = 16;
const validators = new Map<string, ValidateFunction>();

/** Compiling takes longer than validating: the least recently used are forgotten. */
function validatorFor(about: Parameters<typeof configSchema>[0], allErrors: boolean): ValidateFunction {
  const key = JSON.stringify([about, allErrors]);
  let validate = validators.get(key);
  if (validate === undefined) {
    const schema = configSchema(about);
    const ajv = schemas(allErrors);
    validate = ajv.compile(schema);
    ajv.removeSchema(schema);
  }
  validators.delete(key);
  validators.set(key, validate);
  for (const oldest of validators.keys()) if (validators.size > maxValidators) validators.delete(oldest);
  return validate;
}

/** A value that is missing has no wrong form. */
function isBesidesThePoint({ keyword, data }: ErrorObject): boolean {
  return wrappers.has(keyword) || (data === null && (keyword === 'const' || keyword === 'not'));
}

function messagesOf(errors: readonly ErrorObject[], scope: ConfigScope | undefined): readonly string[] {
  const inside = errors.filter((error) => !isBesidesThePoint(error));
  const unknownReported = new Set<string>();
  const messages = inside.flatMap((error) => {
    if (error.keyword === 'additionalProperties') {
      if (unknownReported.has(error.instancePath)) return [];
      unknownReported.add(error.instancePath);
    }
    const describe = describes[error.keyword];
    return [describe?.(error, scope) ?? `invalid value for field "${fieldOf(error)}": ${error.message ?? ''}`];
  });
  return [...new Set(messages)];
}

/** Lists in which a name may come once, and what names an entry. */
const uniqueBy: Readonly<Record<string, string>> = { env: 'name', volumes: 'name', volumeMounts: 'mountPath' };

const isText = (value: unknown): value is string => typeof value === 'string';

function repeatedEntries(config: JsonObject): readonly string[] {
  const deploymentConfig = isJsonObject(config['deploymentConfig']) ? config['deploymentConfig'] : {};
  return Object.entries(uniqueBy).flatMap(([list, key]) => {
    const entries = deploymentConfig[list];
    if (!Array.isArray(entries)) return [];
    const names = entries.map((entry) => (isJsonObject(entry) ? entry[key] : undefined)).filter(isText);
    const once = new Set<string>();
    const twice = new Set(names.filter((name) => once.size === once.add(name).size));
    return [...twice].map((name) => `field "deploymentConfig.${list}" has more than one entry with ${key} "${name}"`);
  });
}

const quantity = /^[+-]?(\d+(?:\.\d*)?|\.\d+)([eE][+-]?\d+|[numkMGTPE]|[KMGTPE]i)?$/;

/** Numbers are what they are; invalid texts would otherwise be rejected only during an installation. */
function badQuantities(config: JsonObject): readonly string[] {
  const amounts = (['limits', 'requests'] as const).flatMap((list) =>
    Object.entries(objectAt(config, 'deploymentConfig', 'resources', list) ?? {}).map(
      ([name, value]) => [`deploymentConfig.resources.${list}.${name}`, value] as const,
    ),
  );
  return amounts
    .filter(([, value]) => typeof value === 'string' && !quantity.test(value))
    .map(([field]) => `invalid value for field "${field}": expected a quantity such as 500m or 2Gi`);
}

function bothWatchFields(config: JsonObject): readonly string[] {
  const isBoth = config['watchNamespaces'] !== undefined && (config['watchNamespace'] ?? null) !== null;
  return isBoth ? ['fields "watchNamespace" and "watchNamespaces" are mutually exclusive'] : [];
}

function boundedProblems(problems: readonly string[]): readonly string[] {
  if (problems.length <= maxProblems) return problems;
  return [...problems.slice(0, maxProblems), `${problems.length - maxProblems} more problems`];
}

/** What is wrong with a configuration, a line each, not all of them where there are very many; empty for a good one. Without `scope` only its form is
 *  validated.
 *  @see docs/spec/registry-v1-rendering.md#user-configuration */
export function configProblems(config: JsonValue, scope?: ConfigScope): readonly string[] {
  const hasDeploymentConfig = isJsonObject(config) && config['deploymentConfig'] !== undefined;
  const allErrors = JSON.stringify(config).length <= maxCharactersForAllProblems;
  const validate = validatorFor({ scope, hasDeploymentConfig }, allErrors);
  const problems = validate(config) ? [] : messagesOf(validate.errors ?? [], scope);
  if (!isJsonObject(config)) return problems;
  const amounts = scope === undefined ? badQuantities(config) : [];
  return boundedProblems([...problems, ...bothWatchFields(config), ...repeatedEntries(config), ...amounts]);
}

function typedList(name: string, value: JsonValue | undefined): readonly JsonObject[] | undefined {
  return Array.isArray(value) ? value.map((item) => readTyped(name, item)) : undefined;
}

function present<T extends object>(members: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]: Exclude<T[K], undefined> };
}

/** Typed form: what equals what is a matter of meaning, not of spelling. */
function typedDeploymentConfig(config: JsonObject): DeploymentConfig {
  const { resources, affinity, nodeSelector, annotations } = config;
  return present({
    env: typedList('EnvVar', config['env']),
    envFrom: typedList('EnvFromSource', config['envFrom']),
    volumes: typedList('Volume', config['volumes']),
    volumeMounts: typedList('VolumeMount', config['volumeMounts']),
    tolerations: typedList('Toleration', config['tolerations']),
    resources: isJsonObject(resources) ? readTyped('ResourceRequirements', resources) : undefined,
    affinity: isJsonObject(affinity) ? affinity : undefined,
    nodeSelector: isJsonObject(nodeSelector) ? (nodeSelector as Record<string, string>) : undefined,
    annotations: isJsonObject(annotations) ? (annotations as Record<string, string>) : undefined,
  }) as DeploymentConfig;
}

function targetsOf(config: JsonObject): readonly string[] {
  const { watchNamespace, watchNamespaces } = config;
  if (Array.isArray(watchNamespaces)) return watchNamespaces as string[];
  return typeof watchNamespace === 'string' ? [watchNamespace] : [];
}

function providerOf(name: JsonValue | undefined): CertificateProvider | 'none' | undefined {
  if (typeof name !== 'string') return undefined;
  return name === 'none' ? 'none' : findCertificateProvider(name);
}

function amendmentsOf({ amendments, withoutAmendments }: JsonObject): AmendmentChoice | undefined {
  if (amendments === 'none') return 'none';
  return Array.isArray(withoutAmendments) ? { without: withoutAmendments.filter(isText) } : undefined;
}

/** Checks the configuration of an operator and takes it apart.
 *  @throws TerminalError InvalidConfiguration with every problem */
export function readConfig(config: JsonObject, scope: ConfigScope): OperatorConfig {
  const problems = configProblems(config, scope);
  if (problems.length > 0) {
    const text =
      problems.length === 1 ? problems[0] : `multiple errors found:\n${problems.map((one) => `  - ${one}`).join('\n')}`;
    throw new TerminalError('InvalidConfiguration', `invalid configuration: ${text}`);
  }
  const { deploymentConfig } = config;
  return present({
    targetNamespaces: targetsOf(config),
    deploymentConfig: isJsonObject(deploymentConfig) ? typedDeploymentConfig(deploymentConfig) : undefined,
    certificateProvider: providerOf(config['certProvider']),
    amendments: amendmentsOf(config),
    dropForeignConversion: config['dropForeignConversion'] === true ? true : undefined,
  }) as OperatorConfig;
}
