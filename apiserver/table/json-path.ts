import { isJsonObject, type JsonObject, type JsonValue } from '../../src/base/index.ts';

const maxResults = 10_000;
/** Values that one search looks at: a path of many steps would otherwise multiply what a large object has. */
const maxVisits = 20_000;
const maxPathLength = 4096;

/** How many more values a search may look at. */
interface Budget {
  left: number;
}

type Step =
  | { readonly kind: 'field'; readonly names: readonly string[] }
  | { readonly kind: 'slice'; readonly indexes: readonly number[] }
  | { readonly kind: 'range'; readonly from: number | undefined; readonly to: number | undefined; readonly by: number }
  | { readonly kind: 'all' }
  | { readonly kind: 'descend' }
  | { readonly kind: 'filter'; readonly left: Operand; readonly operator: string; readonly right: Operand | undefined };

type Operand = { readonly path: readonly Step[] } | { readonly value: JsonValue };

/** A compiled JSONPath: the values that it finds, in order, at most 10,000, among the first 20,000 that it looks at. Never throws. */
export type JsonPath = (root: JsonValue) => JsonValue[];

const fieldPattern = /\.?((?:\\.|[^.[\]\\{}])+)/y;

function matchAt(pattern: RegExp, text: string, position: number): RegExpExecArray | null {
  pattern.lastIndex = position;
  return pattern.exec(text);
}

/** The position after the `]` that closes the bracket at `start`, quotes and nested brackets passed over. */
function closingBracket(text: string, start: number): number | undefined {
  let depth = 0;
  let quote = '';
  for (let position = start; position < text.length; position += 1) {
    const char = text.charAt(position);
    if (quote !== '') {
      if (char === '\\') position += 1;
      else if (char === quote) quote = '';
    } else if (char === '"' || char === "'") quote = char;
    else if (char === '[') depth += 1;
    else if (char === ']') depth -= 1;
    if (depth === 0) return position + 1;
  }
  return undefined;
}

function parseSteps(text: string): Step[] | undefined {
  const steps: Step[] = [];
  let position = /^[$@]/.test(text) ? 1 : 0;
  while (position < text.length) {
    const next = parseStep(text, position);
    if (next === undefined) return undefined;
    steps.push(...next.steps);
    position = next.end;
  }
  return steps;
}

interface Parsed {
  readonly steps: readonly Step[];
  readonly end: number;
}

function parseStep(text: string, position: number): Parsed | undefined {
  if (text.startsWith('..', position)) return { steps: [{ kind: 'descend' }], end: position + 1 };
  if (text === '.' || (text.charAt(position) === '.' && text.charAt(position + 1) === '['))
    return { steps: [], end: position + 1 };
  if (text.charAt(position) === '[') return parseBracket(text, position);
  const match = matchAt(fieldPattern, text, position);
  const name = match?.[1];
  if (match === null || name === undefined) return undefined;
  const step: Step = name === '*' ? { kind: 'all' } : { kind: 'field', names: [name.replaceAll(/\\(.)/g, '$1')] };
  return { steps: [step], end: position + match[0].length };
}

function parseBracket(text: string, start: number): Parsed | undefined {
  const end = closingBracket(text, start);
  if (end === undefined) return undefined;
  const step = parseSelector(text.slice(start + 1, end - 1).trim());
  return step === undefined ? undefined : { steps: [step], end };
}

function parseSelector(content: string): Step | undefined {
  if (content === '*') return { kind: 'all' };
  const filter = /^\?\((.*)\)$/s.exec(content)?.[1];
  if (filter !== undefined) return parseFilter(filter);
  if (/^-?\d+(\s*,\s*-?\d+)*$/.test(content)) return { kind: 'slice', indexes: content.split(',').map(Number) };
  const range = /^(-?\d+)?:(-?\d+)?(?::(\d+))?$/.exec(content);
  if (range !== null) {
    const [from, to, by] = range.slice(1).map((part) => (part === undefined ? undefined : Number(part)));
    return { kind: 'range', from, to, by: Math.max(1, by ?? 1) };
  }
  return parseNames(content);
}

function parseNames(content: string): Step | undefined {
  const names: string[] = [];
  for (const quoted of content.split(/,(?=\s*['"])/)) {
    const match = /^\s*(?:'((?:\\.|[^'\\])*)'|"((?:\\.|[^"\\])*)"|([^'"\s]+))\s*$/.exec(quoted);
    if (match === null) return undefined;
    names.push((match[1] ?? match[2] ?? match[3] ?? '').replaceAll(/\\(.)/g, '$1'));
  }
  return { kind: 'field', names };
}

const comparison = /^((?:[^"'=!<>]|"[^"]*"|'[^']*')+?)\s*(==|!=|<=|>=|<|>)\s*(.+)$/s;

function parseFilter(text: string): Step | undefined {
  const match = comparison.exec(text.trim());
  const left = parseOperand(match === null ? text : (match[1] ?? ''));
  if (left === undefined) return undefined;
  if (match === null) return { kind: 'filter', left, operator: 'exists', right: undefined };
  const right = parseOperand(match[3] ?? '');
  return right === undefined ? undefined : { kind: 'filter', left, operator: match[2] ?? '', right };
}

function parseOperand(source: string): Operand | undefined {
  const text = source.trim();
  const quoted = /^(?:"([^"]*)"|'([^']*)')$/.exec(text);
  if (quoted !== null) return { value: quoted[1] ?? quoted[2] ?? '' };
  if (/^-?\d+(\.\d+)?$/.test(text)) return { value: Number(text) };
  if (text === 'true' || text === 'false') return { value: text === 'true' };
  return parsePathOperand(text);
}

/** Paths in filters are run for every item: those that could grow the work are not taken. */
function parsePathOperand(text: string): Operand | undefined {
  const path = /^[.@[$][^=!<>]*$/.test(text) ? parseSteps(text) : undefined;
  const isCostly = path?.some(({ kind }) => kind === 'descend' || kind === 'filter') ?? true;
  return path === undefined || isCostly ? undefined : { path };
}

function childrenOf(value: JsonValue): JsonValue[] {
  if (Array.isArray(value)) return value;
  return isJsonObject(value) ? Object.values(value).filter((child) => child !== undefined) : [];
}

function descendantsOf(root: JsonValue, budget: Budget): JsonValue[] {
  const found: JsonValue[] = [];
  const pending: JsonValue[] = [root];
  for (let next = pending.pop(); next !== undefined && found.length < maxResults; next = pending.pop()) {
    found.push(next);
    const children = childrenOf(next);
    budget.left -= children.length;
    if (budget.left <= 0) break;
    pending.push(...children.slice(0, maxResults).toReversed());
  }
  return found;
}

function fieldsOf(value: JsonValue, names: readonly string[]): JsonValue[] {
  if (!isJsonObject(value)) return [];
  const own = (object: JsonObject, name: string): JsonValue[] => {
    const member = Object.hasOwn(object, name) ? object[name] : undefined;
    return member === undefined ? [] : [member];
  };
  return names.flatMap((name) => own(value, name));
}

function itemsOf(value: JsonValue, indexes: readonly number[]): JsonValue[] {
  if (!Array.isArray(value)) return [];
  return indexes.map((index) => value.at(index)).filter((item) => item !== undefined);
}

function rangeOf(value: JsonValue, step: Step & { kind: 'range' }): JsonValue[] {
  if (!Array.isArray(value)) return [];
  return value.slice(step.from ?? 0, step.to ?? value.length).filter((_item, index) => index % step.by === 0);
}

function operandValue(operand: Operand, item: JsonValue, budget: Budget): JsonValue | undefined {
  return 'value' in operand ? operand.value : walk(item, operand.path, budget)[0];
}

type Filter = Step & { kind: 'filter' };

function isSelected(item: JsonValue, { left, operator, right }: Filter, budget: Budget): boolean {
  const value = operandValue(left, item, budget);
  if (right === undefined) return value !== undefined;
  const other = operandValue(right, item, budget);
  return isScalar(value) && isScalar(other) && isTrue(operator, value, other);
}

function selectedOf(value: JsonValue, filter: Filter, budget: Budget): JsonValue[] {
  return Array.isArray(value) ? value.filter((item) => budget.left > 0 && isSelected(item, filter, budget)) : [];
}

type Scalar = string | number | boolean;

function isScalar(value: JsonValue | undefined): value is Scalar {
  return value !== undefined && value !== null && typeof value !== 'object';
}

function isTrue(operator: string, a: Scalar, b: Scalar): boolean {
  if (operator === '==' || operator === '!=') return (a === b) === (operator === '==');
  if (typeof a !== typeof b) return false;
  const results: Readonly<Record<string, boolean>> = { '<': a < b, '<=': a <= b, '>': a > b, '>=': a >= b };
  return results[operator] ?? false;
}

/** What a step looks at in a value, but for what `..` and filters count themselves. */
function visitsOf(value: JsonValue, step: Step): number {
  if (step.kind === 'field') return step.names.length;
  if (step.kind === 'slice') return step.indexes.length;
  if (step.kind === 'descend') return 1;
  return Array.isArray(value) ? value.length : childrenOf(value).length;
}

function apply(value: JsonValue, step: Step, budget: Budget): JsonValue[] {
  budget.left -= 1 + visitsOf(value, step);
  switch (step.kind) {
    case 'field':
      return fieldsOf(value, step.names);
    case 'slice':
      return itemsOf(value, step.indexes);
    case 'range':
      return rangeOf(value, step);
    case 'all':
      return childrenOf(value);
    case 'descend':
      return descendantsOf(value, budget);
    case 'filter':
      return selectedOf(value, step, budget);
  }
}

function walk(root: JsonValue, steps: readonly Step[], budget: Budget): JsonValue[] {
  let values = [root];
  for (const step of steps) {
    if (values.length === 0) break;
    values = applyToAll(values, step, budget);
  }
  return values;
}

function applyToAll(values: readonly JsonValue[], step: Step, budget: Budget): JsonValue[] {
  const found: JsonValue[] = [];
  for (const value of values) {
    if (budget.left <= 0) break;
    const results = apply(value, step, budget);
    found.push(...results.slice(0, maxResults - found.length));
    if (found.length >= maxResults) break;
  }
  return found;
}

/** Compiles a JSONPath of kubectl's dialect without braces: fields, indexes, ranges, unions, `*`, `..`, `[?(@.a=="b")]`; in filters
 *  the `@` may be left out, and neither `..` nor other filters may stand. Undefined when it cannot be read. */
export function parseJsonPath(text: string): JsonPath | undefined {
  if (text.length > maxPathLength) return undefined;
  const steps = parseSteps(text.trim());
  return steps === undefined ? undefined : (root) => walk(root, steps, { left: maxVisits });
}
