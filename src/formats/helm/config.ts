import { readDeploymentConfig } from '../../api/index.ts';
import {
  errorMessage,
  formatBoundedYaml,
  hasMoreValues,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseYaml,
  TerminalError,
} from '../../base/index.ts';
import { configProblemsOf } from '../config-problems.ts';
import { renderFailed, type ValuesDocument } from '../format.ts';

/** A ConfigMap or Secret with values for a chart. */
export interface ValuesReference {
  readonly kind: 'ConfigMap' | 'Secret';
  readonly name: string;
  /** Undefined: the namespace of the release. */
  readonly namespace: string | undefined;
  readonly key: string;
  /** Where its text goes as one value; undefined: the text is a document of values. */
  readonly targetPath: string | undefined;
  /** No error when it is missing. */
  readonly isOptional: boolean;
}

/** `spec.config` of a chart's deployment. */
export interface ChartConfig {
  /** Undefined: none. */
  readonly values: ValuesDocument | undefined;
  readonly valuesFrom: readonly ValuesReference[];
  /** Whether hooks are left out. */
  readonly skipsHooks: boolean;
  /** Whether each installed version is recorded as a release of Helm. */
  readonly hasHelmRelease: boolean;
}

const valuesField = 'spec.config.values';
/** Of all documents of values together. */
export const maxValuesBytes: number = 4 * 1024 * 1024;
/** Of `spec.config.values`, which every review and every reconcile reads: the largest charts have a tenth of these. */
const maxValues = 25_000;
const maxReferences = 32;
const dnsName = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;
const keyPattern = /^[-._a-zA-Z0-9]{1,253}$/;
/** Neither `=` nor `,`, by which `--set-file` would name another file. */
const pathPattern = /^[a-zA-Z0-9_.[\]-]{1,250}$/;
const supported = ['values', 'valuesFrom', 'skipHooks', 'helmRelease', 'installNamespace', 'serviceAccount'];

function refuse(field: string, expected: string, found: JsonValue | undefined): never {
  const shown = found === undefined ? 'nothing' : JSON.stringify(found).slice(0, 100);
  throw new TerminalError(renderFailed, `spec.config.${field}: expected ${expected}, found ${shown}`);
}

function valuesText(value: JsonValue): string {
  if (isJsonObject(value)) {
    if (!hasMoreValues(JSON.stringify(value), maxValues)) return formatBoundedYaml(value);
    throw new TerminalError(renderFailed, `${valuesField}: more than ${maxValues} values`);
  }
  if (typeof value !== 'string') return refuse('values', 'a mapping, or YAML of one as a string', value);
  return value;
}

function readValues(value: JsonValue): ValuesDocument {
  const text = valuesText(value);
  if (Buffer.byteLength(text) > maxValuesBytes) {
    throw new TerminalError(renderFailed, `${valuesField}: more than the limit of ${maxValuesBytes} bytes`);
  }
  let document: JsonValue;
  try {
    // Each has a key.
    document = parseYaml(valuesField, text, { maxNodes: 2 * maxValues });
  } catch (thrown) {
    if (!(thrown instanceof TerminalError)) throw thrown;
    throw new TerminalError(renderFailed, `read chart values: ${errorMessage(thrown)}`, { cause: thrown });
  }
  if (document !== null && !isJsonObject(document)) refuse('values', 'a mapping, or YAML of one as a string', document);
  return { origin: valuesField, text, isWritten: typeof value === 'string' };
}

/** A text that is there, or may be absent. */
interface TextRule {
  readonly pattern: RegExp;
  readonly expected: string;
}

function matching(value: JsonValue | undefined, at: string, { pattern, expected }: TextRule): string {
  return typeof value === 'string' && pattern.test(value) ? value : refuse(at, expected, value);
}

function optionalMatching(value: JsonValue | undefined, at: string, rule: TextRule): string | undefined {
  return value === undefined || value === null ? undefined : matching(value, at, rule);
}

const namespaceRule: TextRule = { pattern: dnsName, expected: 'the name of a namespace' };
const keyRule: TextRule = { pattern: keyPattern, expected: 'a key of its data' };
const pathRule: TextRule = { pattern: pathPattern, expected: 'the path of a value, such as database.password' };

const referenceMembers = ['kind', 'name', 'namespace', 'valuesKey', 'targetPath', 'optional'];

function readReference(value: JsonValue, index: number): ValuesReference {
  const at = `valuesFrom[${index}]`;
  if (!isJsonObject(value)) return refuse(at, 'kind and name of a ConfigMap or Secret', value);
  const { kind, name, namespace, valuesKey, targetPath, optional = false } = value;
  const other = Object.keys(value).find((key) => !referenceMembers.includes(key));
  if (other !== undefined)
    refuse(`${at}.${other}`, `no other member than ${referenceMembers.join(', ')}`, value[other]);
  if (kind !== 'ConfigMap' && kind !== 'Secret') return refuse(`${at}.kind`, 'ConfigMap or Secret', kind);
  if (typeof optional !== 'boolean') return refuse(`${at}.optional`, 'true or false', optional);
  return {
    kind,
    name: matching(name, `${at}.name`, { pattern: dnsName, expected: `the name of a ${kind}` }),
    namespace: optionalMatching(namespace, `${at}.namespace`, namespaceRule),
    key: optionalMatching(valuesKey, `${at}.valuesKey`, keyRule) ?? 'values.yaml',
    targetPath: optionalMatching(targetPath, `${at}.targetPath`, pathRule),
    isOptional: optional,
  };
}

function readReferences(value: JsonValue): readonly ValuesReference[] {
  if (!Array.isArray(value)) return refuse('valuesFrom', 'a list of ConfigMaps and Secrets', value);
  if (value.length > maxReferences) refuse('valuesFrom', `at most ${maxReferences} entries`, value.length);
  return value.map(readReference);
}

/** Reads `spec.config` for a chart. RukPak's form, values as a string of YAML, is one of two.
 *  @throws TerminalError RenderFailed, naming the field, what was expected and what was found */
export function readChartConfig(config: JsonValue): ChartConfig {
  if (!isJsonObject(config)) {
    const text = `parse deployment config: expected a mapping in spec.config, found ${JSON.stringify(config).slice(0, 100)}`;
    throw new TerminalError(renderFailed, text);
  }
  const { values = null, valuesFrom = null, skipHooks = false, helmRelease = false } = config;
  if (typeof skipHooks !== 'boolean') return refuse('skipHooks', 'true or false', skipHooks);
  if (typeof helmRelease !== 'boolean') return refuse('helmRelease', 'true or false', helmRelease);
  return {
    values: values === null ? undefined : readValues(values),
    valuesFrom: valuesFrom === null ? [] : readReferences(valuesFrom),
    skipsHooks: skipHooks,
    hasHelmRelease: helmRelease,
  };
}

/** What is wrong with `spec.config` for a chart. */
export function chartConfigProblems(config: JsonValue): readonly string[] {
  return configProblemsOf(config, [readDeploymentConfig, readChartConfig]);
}

/** Other members have no effect, as in the original. */
export function chartConfigWarnings(config: JsonValue): readonly string[] {
  const names = Object.keys(isJsonObject(config) ? config : ({} satisfies JsonObject));
  return names
    .filter((name) => !supported.includes(name))
    .map((name) => `spec.config.${name.slice(0, 63)} has no effect: charts support only ${supported.join(', ')}`);
}
