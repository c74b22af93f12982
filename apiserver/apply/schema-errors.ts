import { isJsonObject, type JsonObject, type JsonValue } from '../../src/base/index.ts';
import { goUntyped, type Schema } from '../../src/schema/index.ts';
import { FirstPaths } from '../core/index.ts';
import { describeElement } from './field-set.ts';
import { fieldStructure, itemElement, rootStructure, type Shape, type Structure, shapeOf } from './structure.ts';

type ListShape = Shape & { kind: 'list' };
interface Finding {
  readonly path: string;
  readonly message: string;
}

function formatGo(value: JsonValue): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(formatGo).join(' ')}]`;
  if (!isJsonObject(value)) return String(value);
  const names = Object.keys(value).sort();
  return `map[${names.map((name) => `${name}:${formatGo(value[name] ?? null)}`).join(' ')}]`;
}

function typeName(value: JsonValue): string {
  if (Array.isArray(value)) return '[]interface {}';
  if (isJsonObject(value)) return 'map[string]interface {}';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return 'string';
}

function describeValue(value: JsonValue): string {
  return `&value.valueUnstructured{Value:${goUntyped(value)}}`;
}

function scalarProblem(type: 'numeric' | 'string' | 'boolean' | 'untyped', value: JsonValue): string | undefined {
  switch (type) {
    case 'numeric':
      return typeof value === 'number' ? undefined : `expected numeric (int or float), got ${typeName(value)}`;
    case 'string':
      return typeof value === 'string' ? undefined : `expected string, got ${describeValue(value)}`;
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `expected boolean, got &{${formatGo(value)}}`;
    case 'untyped':
      return typeof value === 'object' ? `expected any scalar, got &{${formatGo(value)}}` : undefined;
  }
}

/** What may be a number or a text is only read when the object is made. */
function isIntOrString({ schema }: Structure): boolean {
  return schema?.definition !== undefined && schema['x-kubernetes-int-or-string'] === true;
}

function* check(path: string, value: JsonValue, structure: Structure): Generator<Finding> {
  if (value === null || isIntOrString(structure)) return;
  const shape = shapeOf(structure, value);
  if (shape.kind === 'scalar') {
    const message = scalarProblem(shape.type, value);
    if (message !== undefined) yield { path, message };
  } else if (shape.kind === 'map') {
    if (isJsonObject(value)) yield* checkFields(path, value, structure);
    else yield { path, message: `expected map, got &{${formatGo(value)}}` };
  } else if (Array.isArray(value)) yield* checkItems(path, value, shape);
  else yield { path, message: `expected list, got &{${formatGo(value)}}` };
}

function* checkFields(path: string, value: JsonObject, structure: Structure): Generator<Finding> {
  for (const name of Object.keys(value)) {
    const field = fieldStructure(structure, name);
    const member = value[name];
    if (field === undefined) {
      // The rest of this map is not looked at.
      yield { path: `${path}.${name}`, message: 'field not declared in schema' };
      return;
    }
    if (member !== undefined) yield* check(`${path}.${name}`, member, field);
  }
}

function* checkItems(path: string, list: readonly JsonValue[], shape: ListShape): Generator<Finding> {
  const seen = new Set<string>();
  for (const [index, item] of list.entries()) {
    if (shape.isAtomic) {
      yield* check(`${path}[${index}]`, item, shape.items);
      continue;
    }
    const element = itemElement(shape, item);
    if (typeof element !== 'string') {
      yield { path, message: `element ${index}: ${element.problem}` };
      return;
    }
    const label = describeElement(element);
    if (seen.has(element)) yield { path, message: `duplicate entries for key ${label}` };
    seen.add(element);
    yield* check(`${path}${label}`, item, shape.items);
  }
}

const maxFindings = 100;

/** Why an applied object does not fit the schema, in the words of kube-apiserver; undefined when it does. */
export function schemaProblem(applied: JsonObject, schema: Schema | undefined): string | undefined {
  const found = new FirstPaths();
  for (const { path, message } of check('', applied, rootStructure(schema))) {
    found.add(path === '' ? message : `${path}: ${message}`);
    if (found.paths.length === maxFindings || !found.hasRoom) break;
  }
  const findings = found.paths;
  if (findings.length <= 1) return findings[0];
  return ['errors:', ...findings.map((finding) => `  ${finding}`)].join('\n');
}
