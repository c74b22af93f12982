import { goQuote, isJsonObject, type JsonObject, type JsonValue } from '../../src/base/index.ts';
import { type FieldError, invalidField, requiredField } from '../../src/schema/index.ts';
import type { AccessRequest } from '../auth/index.ts';

function text(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

function objectAt(parent: JsonObject, key: string): JsonObject | undefined {
  const value = parent[key];
  return isJsonObject(value) ? value : undefined;
}

function isFilled(value: JsonValue | undefined): value is JsonValue[] {
  return Array.isArray(value) && value.length > 0;
}

function printPath({ path, verb }: JsonObject): string {
  return `authorization.NonResourceAttributes{Path:${goQuote(text(path))}, Verb:${goQuote(text(verb))}}`;
}

function pathError(attributes: JsonObject, detail: string): FieldError {
  const message = `Invalid value: ${printPath(attributes)}: ${detail}`;
  return { field: 'spec.nonResourceAttributes', reason: 'FieldValueInvalid', message };
}

function selectorErrors(selector: JsonObject | undefined, field: string): FieldError[] {
  if (selector === undefined) return [];
  const raw = text(selector['rawSelector']);
  const hasRequirements = isFilled(selector['requirements']);
  if (raw !== '' && hasRequirements) {
    return [invalidField(`${field}.rawSelector`, raw, 'may not specified at the same time as requirements')];
  }
  if (raw !== '' || hasRequirements) return [];
  const detail = `when ${field} is specified, requirements or rawSelector is required`;
  return [requiredField(`${field}.requirements`, detail)];
}

/** What is wrong with the question of an access review; `isSelf`: about who asks. */
export function accessErrors(spec: JsonObject, isSelf: boolean): FieldError[] {
  const resource = objectAt(spec, 'resourceAttributes');
  const path = objectAt(spec, 'nonResourceAttributes');
  const errors: FieldError[] = [];
  if (resource !== undefined && path !== undefined) {
    errors.push(pathError(path, 'cannot be specified in combination with resourceAttributes'));
  }
  if (resource === undefined && path === undefined) {
    const detail = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
    errors.push(invalidField('spec.resourceAttributes', null, detail));
  }
  if (!isSelf && text(spec['user']) === '' && !isFilled(spec['groups'])) {
    errors.push(invalidField('spec.user', '', 'at least one of user or group must be specified'));
  }
  for (const name of ['fieldSelector', 'labelSelector']) {
    errors.push(...selectorErrors(objectAt(resource ?? {}, name), `spec.resourceAttributes.${name}`));
  }
  return errors;
}

/** What is wrong beside with a review in a namespace. */
export function localAccessErrors(spec: JsonObject, namespace: string): FieldError[] {
  const resource = objectAt(spec, 'resourceAttributes');
  const path = objectAt(spec, 'nonResourceAttributes');
  const errors: FieldError[] = [];
  if (resource !== undefined && text(resource['namespace']) !== namespace) {
    const given = text(resource['namespace']);
    errors.push(invalidField('spec.resourceAttributes.namespace', given, 'must match metadata.namespace'));
  }
  if (path !== undefined) errors.push(pathError(path, 'disallowed on this kind of request'));
  return errors;
}

/** The question of a review that has no errors. */
export function accessOfReview(spec: JsonObject): AccessRequest {
  const path = objectAt(spec, 'nonResourceAttributes');
  if (path !== undefined) return { kind: 'path', verb: text(path['verb']), path: text(path['path']) };
  const resource = objectAt(spec, 'resourceAttributes') ?? {};
  return {
    kind: 'resource',
    verb: text(resource['verb']),
    group: text(resource['group']),
    resource: text(resource['resource']),
    subresource: text(resource['subresource']),
    namespace: text(resource['namespace']),
    name: text(resource['name']),
  };
}

const operators = new Set(['In', 'NotIn', 'Exists', 'DoesNotExist']);

/** Selectors of a question that cannot be read; roles know none, so that they change nothing else. */
export function ignoredSelectors(spec: JsonObject): string[] {
  const resource = objectAt(spec, 'resourceAttributes') ?? {};
  return ['fieldSelector', 'labelSelector'].flatMap((name) => {
    const requirements = objectAt(resource, name)?.['requirements'];
    const isRead =
      !isFilled(requirements) ||
      requirements.every((requirement) => isJsonObject(requirement) && operators.has(text(requirement['operator'])));
    return isRead ? [] : [`spec.resourceAttributes.${name} ignored due to parse error`];
  });
}
