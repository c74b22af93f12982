import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { basicTypes, listType } from './language/cel-type.ts';
import type { Environment } from './language/environment.ts';
import { kubernetesFunctions } from './library/index.ts';
import { splitAt } from './library/text-search.ts';
import { compileProgram, isFaulty, type Program } from './program.ts';
import { dynamicValue } from './values/from-json.ts';
import { Failure, type Value } from './values/value.ts';

const environment: Environment = {
  functions: kubernetesFunctions(),
  variables: new Map([
    ['list', listType(basicTypes.int)],
    ['other', listType(basicTypes.int)],
    ['text', basicTypes.string],
    ['part', basicTypes.string],
    ['any', basicTypes.dyn],
  ]),
  structs: new Map(),
};

const exceeded = new Failure('operation cancelled: actual cost limit exceeded');

function issuesOf(text: string): string | undefined {
  const result = compileProgram(text, environment);
  return isFaulty(result) ? (result.issues ?? result.instantiation) : undefined;
}

function run(text: string, variables: Record<string, Value> = {}, limit = 1e6): Value {
  const result = compileProgram(text, environment);
  if (isFaulty(result)) throw new Error(result.issues ?? result.instantiation);
  return result.run((name) => variables[name], limit).value;
}

test('nesting, length and the number of faults of an expression are bounded', () => {
  expect(issuesOf(`${'('.repeat(100_000)}1`)).toContain('code point size exceeds limit');
  expect(issuesOf('('.repeat(50_000))).toContain('expression recursion limit exceeded: 250');
  expect(issuesOf('['.repeat(50_000))).toContain('expression recursion limit exceeded: 250');
  expect(issuesOf(`1${'+1'.repeat(1000)}`)).toContain('expression recursion limit exceeded: 250');
  expect(issuesOf(`text${'.a'.repeat(1000)}`)).toContain('expression recursion limit exceeded: 250');
  expect(issuesOf('! '.repeat(300))).toContain('Syntax error');
  expect((issuesOf('# '.repeat(5000)) ?? '').split('ERROR:').length).toBeLessThan(110);
});

test('types that double with each step do not grow without bound', () => {
  expect(issuesOf(`[1]${'.map(a, {a: a})'.repeat(100)}.size() == 1`)).toBeUndefined();
  expect(issuesOf(`[1]${'.map(a, {1: [a, a], 2: [a]})'.repeat(100)}.size() == 1`)).toBeUndefined();
  expect(run(`[1]${'.map(a, [a, a])'.repeat(10)}.size() == 1`)).toBe(true);
});

test('what macros copy again and again is bounded', () => {
  const doubled = (times: number): string => `optional.of(1)${'.optMap(a, a + 1)'.repeat(times)}`;
  expect(run(`${doubled(4)}.value() == 5`)).toBe(true);
  for (const times of [20, 200]) expect(issuesOf(doubled(times))).toContain('macros copy more than 250 parts');
});

test('a list of very many empty lists is read in time that grows with it', () => {
  expect(issuesOf(`[${'[],'.repeat(30_000)}].size() == 30000`)).toBeUndefined();
});

test('a long chain of && is not deep', () => {
  expect(run(`true${' && true'.repeat(2000)}`)).toBe(true);
});

test('an evaluation that costs too much is stopped, even if most of it is free', () => {
  const list = dynamicValue(Array.from({ length: 3000 }, (_, index) => index));
  expect(run('list.all(x, list.all(y, x + y >= 0))', { list })).toEqual(exceeded);
  const long = dynamicValue(Array.from({ length: 200_000 }, () => 1));
  expect(run('list.all(x, size(list + list + list + list) > 0)', { list: long })).toEqual(exceeded);
});

/** A list of lists: ten of ten of ten, and so on. */
const nested = `[[1]]${'.map(x, [x, x, x, x, x, x, x, x, x, x])'.repeat(12)}`;
const chars = 1_400_000;
const numbers = Array.from({ length: 100_000 }, (_, index) => index);

test.each<readonly [string, Value]>([
  [`${nested}.all(x, x == x)`, null],
  [`${nested}.indexOf([]) == 0`, null],
  [`${nested}.all(x, x in [x])`, null],
  [`${nested}.all(x, sets.contains([x], [x]))`, null],
  [`${nested}.all(x, '%s'.format([x]) == '')`, null],
  [`['a']${".map(x, '%s%s%s%s%s%s%s%s%s%s'.format([x, x, x, x, x, x, x, x, x, x]))".repeat(12)}.size() > 0`, null],
  ['list.all(i, size(any) > 0)', 'a'.repeat(chars)],
  ["list.all(i, any.charAt(1) == 'a')", 'a'.repeat(chars)],
  ["list.all(i, '%x'.format([any]) != '')", 'a'.repeat(chars)],
  ["list.all(i, duration(any) == duration('1s') || true)", '1'.repeat(chars)],
  ['list.all(i, isURL(any))', `http://h/?${'a=1&'.repeat(chars / 4)}`],
  ["[url('http://h/' + any)].all(u, list.all(i, u.getEscapedPath() != ''))", 'a'.repeat(chars)],
  ['list.all(i, any.size() > 0)', dynamicValue(Object.fromEntries(numbers.map((at) => [`key-${at}`, at])))],
  ['list.all(i, any.exists(key, true))', dynamicValue(Object.fromEntries(numbers.map((at) => [`key-${at}`, at])))],
  ["list.all(i, 'x'.matches('(a{1,500})' + string(i)) || true)", null],
  ["'x'.matches(any)", String.raw`\pL{1000}`.repeat(10_000)],
])('what grows by itself, or is read again and again, ends with its cost: %s', (expression, any) => {
  // On a busy machine the time of an evaluation ends first.
  using _time = vi.spyOn(performance, 'now').mockReturnValue(0);
  expect(run(expression, { any, list: dynamicValue(numbers) })).toEqual(exceeded);
});

test.each<readonly [string, Value]>([
  ['int(any) > 0 || true', '1'.repeat(chars)],
  ['url(any).getQuery().size() == 1', `http://h/?${'a=1&'.repeat(chars / 6)}`],
  ["any.format(['a']) == ''", '%s'.repeat(chars / 2)],
  ["quantity('1e9999') == quantity('9223372036854775807')", null],
  ["quantity('1e-9999') == quantity('1n')", null],
  ["duration('0000000000000000000000000000000000001s') == duration('1s')", null],
  ["int('-0000000000000000000000000000000000001') == -1", null],
])('is read once, in time that grows with it: %s', (expression, any) => {
  expect(run(expression, { any })).not.toEqual(exceeded);
});

describe('searches of a pattern that reads all of the rest each time', () => {
  function runFor(processorMsPerCheck: number): ReturnType<Program['run']> {
    let [nowMs, processorMs] = [0, 0];
    using _time = vi.spyOn(performance, 'now').mockImplementation(() => (nowMs += 1000));
    using _processor = vi.spyOn(process, 'threadCpuUsage').mockImplementation(() => {
      processorMs += processorMsPerCheck;
      return { user: processorMs * 1000, system: 0 };
    });
    const program = compileProgram("text.findAll('(a|b)*c|a').size() > 0", environment);
    if (isFaulty(program)) throw new Error('the expression has faults');
    return program.run(() => 'a'.repeat(4_000), 1e9);
  }

  test('end after five seconds of processor time', () => {
    const { value, cost } = runFor(1000);
    expect(value).toEqual(new Failure('operation interrupted'));
    // Nothing is left for other expressions on the same object.
    expect(cost).toBeGreaterThan(1e7);
  });

  test('come to their end on a machine that gives them little of it', () => {
    expect(runFor(1).value).toBe(true);
  });
});

test('a regular expression takes time in proportion to its text', () => {
  expect(run("text.matches('^(a+)+$')", { text: `${'a'.repeat(50_000)}b` }, 1e9)).toBe(false);
});

test.each(['sets.contains(list, list)', 'sets.intersects(list, other)', 'sets.equivalent(list, list)'])(
  'a call that costs too much is not made: %s',
  (expression) => {
    const list = dynamicValue(Array.from({ length: 200_000 }, (_, index) => index));
    const other = dynamicValue(Array.from({ length: 200_000 }, (_, index) => -index - 1));
    expect(run(expression, { list, other })).toEqual(new Failure('operation cancelled: actual cost limit exceeded'));
  },
);

test.each([
  ['text.indexOf(part)', -1n],
  ['text.lastIndexOf(part)', -1n],
  ['text.split(part).size()', 1n],
  ["text.replace(part, '').size()", 1_000_000n],
  ['text.contains(part)', false],
])('a search takes time in proportion to its texts: %s', (expression, expected) => {
  const text = 'a'.repeat(1_000_000);
  const half = 'a'.repeat(250_000);
  for (const part of [`b${half}${half}`, `${half}b${half}`, `${half}${half}b`]) {
    expect(run(expression, { text, part }, 1e12)).toBe(expected);
  }
});

test.each(['text.replace("a", text)', 'text.replace("", text)', 'text.split("").join(text)'])(
  'a text that would take all memory is not made: %s',
  (expression) => {
    const value = run(expression, { text: 'a'.repeat(30_000) }, 1e12);
    expect(value).toBeInstanceOf(Failure);
    expect((value as Failure).message).toContain('more than the limit of 16777216');
  },
);

test('places of a text in another one are those of JavaScript', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', '😀'), maxLength: 12 });
  fc.assert(
    fc.property(letters, letters, (text, part) => {
      fc.pre(part !== '');
      expect(splitAt(text, part)).toEqual(text.split(part));
      const before = (index: number): bigint => BigInt(index < 0 ? -1 : Array.from(text.slice(0, index)).length);
      expect(run('text.indexOf(part)', { text, part })).toBe(before(text.indexOf(part)));
      if (text !== '') expect(run('text.lastIndexOf(part)', { text, part })).toBe(before(text.lastIndexOf(part)));
    }),
  );
});

test('members of JavaScript objects are neither fields nor functions', () => {
  const any = dynamicValue({});
  for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) {
    expect(run(`has(any.${name})`, { any })).toBe(false);
    expect(run(`any.${name}`, { any })).toEqual(new Failure(`no such key: ${name}`));
    expect(issuesOf(`text.${name}()`)).toContain(`undeclared reference to '${name}'`);
    expect(issuesOf(`${name}(1)`)).toContain(`undeclared reference to '${name}'`);
  }
});

test('an error on one side of || and && matters only when the other side does not decide', () => {
  expect(run('1 / 0 == 1 || true')).toBe(true);
  expect(run('false && 1 / 0 == 1')).toBe(false);
  expect(run('1 / 0 == 1 && true')).toEqual(new Failure('division by zero'));
  expect(run('[1, 0].exists(x, 1 / x == 1)')).toBe(true);
  expect(run('[1, 0].all(x, 1 / x == 1)')).toEqual(new Failure('division by zero'));
});
