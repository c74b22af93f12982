import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/index.ts';
import { type AdmissionExpression, PolicyExpressions } from '../../cel/index.ts';
import type { KubeObject } from '../../core/index.ts';
import { compileMatchConditions, type MatchConditions } from '../match-conditions.ts';

/** One entry of `validations`. */
export interface Validation {
  readonly expression: AdmissionExpression;
  readonly message: string;
  readonly messageExpression: AdmissionExpression | undefined;
  readonly reason: string | undefined;
}

/** A ValidatingAdmissionPolicy with its expressions compiled. */
export interface Policy {
  readonly name: string;
  readonly constraints: JsonObject;
  readonly paramKind: { readonly apiVersion: string; readonly kind: string } | undefined;
  readonly failsClosed: boolean;
  readonly conditions: MatchConditions;
  readonly variables: ReadonlyMap<string, AdmissionExpression>;
  readonly validations: readonly Validation[];
  readonly annotations: readonly { readonly key: string; readonly expression: AdmissionExpression }[];
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

function objectsOf(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function validationOf(validation: JsonObject, expressions: PolicyExpressions): Validation {
  const messageExpression = textOf(validation['messageExpression']);
  return {
    expression: expressions.compile(textOf(validation['expression']), 'bool'),
    message: textOf(validation['message']),
    messageExpression:
      messageExpression === '' ? undefined : expressions.compile(messageExpression, 'string', { hasAuthorizer: false }),
    reason: textOf(validation['reason']) || undefined,
  };
}

/** Reads a stored policy. */
export function readPolicy(object: KubeObject): Policy {
  const spec = isJsonObject(object['spec']) ? object['spec'] : {};
  const paramKind = isJsonObject(spec['paramKind']) ? spec['paramKind'] : undefined;
  const hasParams = paramKind !== undefined;
  const expressions = new PolicyExpressions({ hasParams, hasVariables: true });
  for (const { name, expression } of objectsOf(spec['variables'])) {
    expressions.addVariable(textOf(name), textOf(expression));
  }
  return {
    name: object.metadata.name ?? '',
    constraints: isJsonObject(spec['matchConstraints']) ? spec['matchConstraints'] : {},
    paramKind: hasParams ? { apiVersion: textOf(paramKind['apiVersion']), kind: textOf(paramKind['kind']) } : undefined,
    failsClosed: spec['failurePolicy'] !== 'Ignore',
    conditions: compileMatchConditions(spec['matchConditions'], { hasParams, hasAuthorizer: true }),
    variables: expressions.variables,
    validations: objectsOf(spec['validations']).map((validation) => validationOf(validation, expressions)),
    annotations: objectsOf(spec['auditAnnotations']).map(({ key, valueExpression }) => ({
      key: textOf(key),
      expression: expressions.compile(textOf(valueExpression), 'string or null'),
    })),
  };
}

/** A ValidatingAdmissionPolicyBinding. */
export interface Binding {
  readonly name: string;
  readonly policyName: string;
  readonly paramRef: JsonObject | undefined;
  readonly matchResources: JsonObject | undefined;
  readonly actions: readonly string[];
}

/** Reads a stored binding. */
export function readBinding(object: KubeObject): Binding {
  const spec = isJsonObject(object['spec']) ? object['spec'] : {};
  const { paramRef, matchResources, validationActions } = spec;
  return {
    name: object.metadata.name ?? '',
    policyName: textOf(spec['policyName']),
    paramRef: isJsonObject(paramRef) ? paramRef : undefined,
    matchResources: isJsonObject(matchResources) ? matchResources : undefined,
    actions: Array.isArray(validationActions) ? validationActions.map((action) => textOf(action)) : [],
  };
}
