import { isJsonObject, type JsonObject, type JsonValue, valueAt } from '../../../src/base/index.ts';
import { type FieldError, goNumber, invalidField } from '../../../src/schema/index.ts';
import { asJson, type KubeObject, type ScalePaths } from '../../core/index.ts';

const maxReplicas = 2_147_483_647;

function goTypeOf(value: JsonValue): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  if (isJsonObject(value)) return 'map[string]interface {}';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return typeof value === 'boolean' ? 'bool' : 'string';
}

/** A value as Go's `%v` prints it. */
function goPlain(value: JsonValue): string {
  if (value === null) return '<nil>';
  if (typeof value === 'number') return goNumber(value);
  if (Array.isArray(value)) return `[${value.map(goPlain).join(' ')}]`;
  if (!isJsonObject(value)) return String(value);
  const keys = Object.keys(value).sort();
  return `map[${keys.map((key) => `${key}:${goPlain(value[key] ?? null)}`).join(' ')}]`;
}

type Found = { readonly value: JsonValue | undefined } | { readonly problem: string };

/** The value at the end of a path such as `.spec.replicas`. A step through what is no object is a problem. */
function follow(object: KubeObject, path: string): Found {
  const steps = path.replace(/^\./, '').split('.');
  let parent: JsonObject = asJson(object);
  for (const [index, step] of steps.entries()) {
    const value = valueAt(parent, step);
    if (value === undefined || index === steps.length - 1) return { value };
    if (!isJsonObject(value)) return { problem: accessProblem(steps, value, 'map[string]interface{}') };
    parent = value;
  }
  return { value: undefined };
}

function accessProblem(steps: readonly string[], value: JsonValue, expected: string): string {
  return `.${steps.join('.')} accessor error: ${goPlain(value)} is of the type ${goTypeOf(value)}, expected ${expected}`;
}

function typed(object: KubeObject, path: string, type: 'int64' | 'string'): Found {
  const found = follow(object, path);
  if ('problem' in found || found.value === undefined || goTypeOf(found.value) === type) return found;
  return { problem: accessProblem(path.replace(/^\./, '').split('.'), found.value, type) };
}

/** Why no replicas can be read at a path, or what they are; 0 where there are none. */
function replicasAt(object: KubeObject, path: string): { readonly count: number } | { readonly problem: string } {
  const found = typed(object, path, 'int64');
  return 'problem' in found ? found : { count: typeof found.value === 'number' ? found.value : 0 };
}

function replicaErrors(object: KubeObject, path: string): FieldError[] {
  const found = replicasAt(object, path);
  if ('problem' in found) return [invalidField(path, 0, found.problem)];
  const { count } = found;
  if (count < 0) return [invalidField(path, count, 'should be a non-negative integer')];
  return count > maxReplicas ? [invalidField(path, count, `should be less than or equal to ${maxReplicas}`)] : [];
}

/** Errors of the desired replicas of a kind that can be scaled. */
export function specScaleErrors(object: KubeObject, scale: ScalePaths | undefined): FieldError[] {
  return scale === undefined ? [] : replicaErrors(object, scale.specReplicas);
}

/** Errors of the present replicas and of the selector. */
export function statusScaleErrors(object: KubeObject, scale: ScalePaths | undefined): FieldError[] {
  if (scale === undefined) return [];
  const errors = replicaErrors(object, scale.statusReplicas);
  if (scale.labelSelector === undefined) return errors;
  const found = typed(object, scale.labelSelector, 'string');
  return 'problem' in found ? [...errors, invalidField(scale.labelSelector, '', found.problem)] : errors;
}
