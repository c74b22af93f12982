import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/index.ts';
import { basicTypes, type CelType, compileProgram, type Environment, isFaulty } from '../../../src/cel/index.ts';
import type { Schema } from '../../../src/schema/index.ts';
import { type Cluster, groupVersionOf, type KubeObject, type ResourceType, type Steps } from '../../core/index.ts';
import { type DeclaredType, declareSchema, structsOf } from '../rules/declared-type.ts';
import { admissionEnvironment } from './admission-environment.ts';

/** A policy is checked against this many kinds at most. */
const mostTypes = 10;

/** Characters of all warnings of a policy: its status has to fit into the object. */
const mostCharacters = 1024 * 1024;

/** What an expression does with a field that its objects do not have. */
export interface ExpressionWarning {
  readonly fieldRef: string;
  readonly warning: string;
}

function objectsIn(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter((item) => isJsonObject(item)) : [];
}

function textsIn(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

function servedTypes(cluster: Cluster): ResourceType[] {
  return cluster.resources().flatMap((type) => [...cluster.versionsOf(type)]);
}

function typesOfRule(cluster: Cluster, rule: JsonObject): ResourceType[] {
  const [groups, versions] = [textsIn(rule['apiGroups']), textsIn(rule['apiVersions'])];
  // Nothing is known of what a wildcard selects.
  if ([...groups, ...versions].some((text) => text.includes('*'))) return [];
  const resources = textsIn(rule['resources']).filter((name) => !/[*/]/.test(name));
  return servedTypes(cluster).filter(
    ({ group, version, plural }) => groups.includes(group) && versions.includes(version) && resources.includes(plural),
  );
}

function compare(a: ResourceType, b: ResourceType): number {
  const [left, right] = [a, b].map(({ group, version, kind }) => [group, version, kind].join('\0')) as [string, string];
  return left < right ? -1 : left > right ? 1 : 0;
}

function typesToCheck(cluster: Cluster, spec: JsonObject): ResourceType[] {
  const { matchConstraints } = spec;
  const rules = isJsonObject(matchConstraints) ? objectsIn(matchConstraints['resourceRules']) : [];
  const types = new Set(rules.flatMap((rule) => typesOfRule(cluster, rule)));
  return [...types].slice(0, mostTypes).toSorted(compare);
}

/** The schema of a type with that of its metadata, which definitions leave out. */
function wholeSchema(cluster: Cluster, { schema, isCustom }: ResourceType): Schema | undefined {
  if (schema === undefined || !isCustom) return schema;
  const metadata = cluster.resource('', 'configmaps')?.schema?.properties?.['metadata'];
  const text: Schema = { type: 'string' };
  const own = { kind: text, apiVersion: text, ...(metadata === undefined ? {} : { metadata }) };
  return { ...schema, properties: { ...schema.properties, ...own } };
}

function declare(cluster: Cluster, type: ResourceType | undefined): DeclaredType | undefined {
  const schema = type === undefined ? undefined : wholeSchema(cluster, type);
  if (type === undefined || schema === undefined) return undefined;
  return declareSchema({ ...schema, type: 'object' }, { name: `checked.${type.kind}`, isRoot: false });
}

function paramsType(cluster: Cluster, { paramKind }: JsonObject): ResourceType | undefined {
  if (!isJsonObject(paramKind)) return undefined;
  const { apiVersion, kind } = paramKind;
  return servedTypes(cluster).find((type) => groupVersionOf(type) === apiVersion && type.kind === kind);
}

interface Declarations {
  readonly object: DeclaredType;
  readonly params: DeclaredType | undefined;
}

/** Like the environment in which policies run, only that `object`, `oldObject` and `params` have the types of their kinds. */
function typedEnvironment({ object, params }: Declarations, variables: ReadonlyMap<string, CelType>): Environment {
  const plain = admissionEnvironment({ hasParams: params !== undefined, hasAuthorizer: true, variables });
  const names = new Map(plain.variables).set('object', object.type).set('oldObject', object.type);
  if (params !== undefined) names.set('params', params.type);
  const own = params === undefined ? [object] : [object, params];
  const declared = structsOf(...own);
  const structs = { get: (name: string) => declared.get(name) ?? plain.structs.get(name) };
  return { ...plain, variables: names, structs };
}

function* variableTypes(spec: JsonObject, declarations: Declarations): Steps<Map<string, CelType>> {
  const types = new Map<string, CelType>();
  for (const { name, expression } of objectsIn(spec['variables'])) {
    yield;
    const program = compileProgram(String(expression as string), typedEnvironment(declarations, types));
    types.set(String(name as string), isFaulty(program) ? basicTypes.dyn : program.type);
  }
  return types;
}

/** A kind that a policy matches, and what its expressions may use of it. */
interface CheckedKind {
  readonly kind: string;
  readonly environment: Environment;
}

function* checkedKinds(spec: JsonObject, cluster: Cluster): Steps<CheckedKind[]> {
  const params = declare(cluster, paramsType(cluster, spec));
  const checked: CheckedKind[] = [];
  for (const type of typesToCheck(cluster, spec)) {
    const object = declare(cluster, type);
    if (object === undefined) continue;
    const declarations = { object, params };
    const environment = typedEnvironment(declarations, yield* variableTypes(spec, declarations));
    checked.push({ kind: `${type.group}/${type.version}, Kind=${type.kind}`, environment });
  }
  return checked;
}

function* warningOf(text: JsonValue | undefined, checked: readonly CheckedKind[]): Steps<string> {
  const lines: string[] = [];
  if (typeof text !== 'string' || text === '') return '';
  for (const { kind, environment } of checked) {
    yield;
    const program = compileProgram(text, environment);
    if (!isFaulty(program)) continue;
    lines.push(`${kind}: ${program.issues ?? `type checking error: ${program.instantiation}`}\n`);
  }
  return lines.join('\n');
}

/** Holds the expressions of a ValidatingAdmissionPolicy against the schemas of the kinds that it names. What is found changes nothing about
 *  how the policy works. */
export function* checkPolicyTypes(policy: KubeObject, cluster: Cluster): Steps<ExpressionWarning[]> {
  const spec = isJsonObject(policy['spec']) ? policy['spec'] : {};
  const checked = yield* checkedKinds(spec, cluster);
  const warnings: ExpressionWarning[] = [];
  let room = mostCharacters;
  for (const [index, validation] of objectsIn(spec['validations']).entries()) {
    for (const key of ['expression', 'messageExpression']) {
      const fieldRef = `spec.validations[${index}].${key}`;
      const warning = yield* warningOf(validation[key], checked);
      if (warning === '') continue;
      room -= warning.length + fieldRef.length;
      if (room < 0) return warnings;
      warnings.push({ fieldRef, warning });
    }
  }
  return warnings;
}
