import { expect, test } from 'vitest';
import { maxNestingDepth, parseJson } from './json.ts';
import { formatYaml, parseYaml, parseYamlDocuments, yamlFault } from './yaml.ts';

/** 100 KB that become 200 MB. */
function repeatedText(): string {
  return `a: &a "${'x'.repeat(100_000)}"\nb: [${'*a,'.repeat(2000)}]`;
}

function aliasBomb(): string {
  const letters = 'abcdefghi';
  const lines = ['a: &a [x,x,x,x,x,x,x,x,x]'];
  for (let i = 1; i < letters.length; i++)
    lines.push(
      `${letters[i]}: &${letters[i]} [${Array(9)
        .fill(`*${letters[i - 1]}`)
        .join(',')}]`,
    );
  return lines.join('\n');
}

function errorOf(work: () => unknown): unknown {
  try {
    return work();
  } catch (thrown) {
    return thrown;
  }
}

test.each([
  { name: 'an alias bomb', text: aliasBomb(), reason: 'AliasBomb' },
  { name: 'a long text that is repeated by aliases', text: repeatedText(), reason: 'AliasBomb' },
  { name: '10,000-deep nesting', text: '['.repeat(10_000) + ']'.repeat(10_000), reason: 'InvalidYaml' },
  { name: 'a __proto__ key', text: '"__proto__": {isAdmin: true}', reason: 'ForbiddenKey' },
  { name: 'broken syntax', text: 'a: [1', reason: 'InvalidYaml' },
  { name: 'two documents where one is expected', text: 'a: 1\n---\nb: 2', reason: 'InvalidYaml' },
])('refuses $name', ({ text, reason }) => {
  expect(() => parseYaml('file.yaml', text)).toThrow(expect.objectContaining({ reason }));
});

test('counts values and keys while it reads, where a limit is given', () => {
  const limits = { maxNodes: 10, maxCharacters: 40 };
  expect(parseYaml('f', 'a: [1, 2, 3, 4, 5, 6, 7]', { limits })).toEqual({ a: [1, 2, 3, 4, 5, 6, 7] });
  const many = 'a: [1, 2, 3, 4, 5, 6, 7, 8]';
  expect(() => parseYaml('f', many, { limits })).toThrow('f: more than 10 values and keys');
  // It has no end, which is therefore not reached.
  expect(() => parseYaml('f', `${many.slice(0, -1)}, [`, { limits })).toThrow('f: more than 10 values and keys');
  const repeated = `a: &a "0123456789"\nb: [*a, *a, *a]`;
  expect(() => parseYaml('f', repeated, { limits })).toThrow('aliases expand to more than 40 characters');
});

test('accepts nesting as deep as in JSON', () => {
  const text = `${'['.repeat(maxNestingDepth - 1)}${']'.repeat(maxNestingDepth - 1)}`;
  expect(parseYaml('f', text)).toEqual(parseJson('f', text));
});

test('a value that begins with "*" is no alias of the text, and is not shown: it may be a password', () => {
  const reason = 'unidentified alias: put a value that begins with "*" into quotes';
  expect(() => parseYaml('s.yaml', 'stringData:\n  password: *secret*\n')).toThrow(
    `s.yaml: line 2, column 21: ${reason}`,
  );
});

test('reads scalars as Kubernetes does', () => {
  expect(parseYaml('f', 'a: yes\nb: off\nc: 2020-01-01\nd: 0x10\ne: "yes"\nf: 12:30')).toEqual({
    a: true,
    b: false,
    c: '2020-01-01',
    d: 16,
    e: 'yes',
    f: '12:30',
  });
});

test('gives null for empty documents and keeps merge keys working', () => {
  expect(parseYamlDocuments('f', '---\n---\na: &x {k: 1}\nb: {<<: *x, l: 2}\n')).toEqual([
    null,
    { a: { k: 1 }, b: { k: 1, l: 2 } },
  ]);
});

test.each<[string, unknown]>([
  ['0644', 420],
  ['-017', -15],
  ['0o14', 12],
  ['0O14', 12],
  ['0x1F', 31],
  ['-0X1f', -31],
  ['0b101', 5],
  ['1_000', 1000],
  ['1_000.5', 1000.5],
  ['09', 9],
  ['012.5', 12.5],
  ['.5', 0.5],
  ['1.', 1],
  ['+12', 12],
  ['12e03', 12_000],
  ['-0', 0],
  ['!!int 0644', 420],
  ['!!float 3', 3],
  ['!!str 0644', '0644'],
  ['1:20', '1:20'],
  ['1e', '1e'],
  ['0x', '0x'],
  ['.', '.'],
  ['_1', '_1'],
  ['NaN', 'NaN'],
])('the number %s is read as Kubernetes reads it', (text, value) => {
  expect(parseYaml('x', `a: ${text}`)).toEqual({ a: value });
});

test.each(['.inf', '-.Inf', '.nan'])('%s cannot be expressed in JSON and is refused', (text) => {
  expect(() => parseYaml('x', `a: ${text}`)).toThrow(`x: unsupported value: ${text}`);
});

test('texts that look like numbers or booleans are quoted', () => {
  const value = { a: '0644', b: '1_000', c: '0O14', d: 'yes', e: 'y', f: '.', g: '1e3', h: 12, i: -0.5, j: true };
  expect(parseYaml('x', formatYaml(value))).toEqual(value);
});

test.each([{ '... a': 1, b: '... c' }, { b: 1, '...\ta': { c: 2 } }, '... a', '...', { '...': 1 }])(
  'what looks like the end of a document comes back: %j',
  (value) => {
    expect(parseYaml('text', formatYaml(value))).toEqual(value);
  },
);

test.each([
  ['name: {{ .Values.name }}\n', { line: 1, column: 7 }],
  ['a: 1\n# {{ }}\nb:\n  - {{ .a }}\n', { line: 4, column: 5 }],
  ['a:\n  {{a}}: b\n', { line: 2, column: 3 }],
])('the Helm template %j is refused as one, with its place', (text, place) => {
  const thrown = errorOf(() => parseYaml('f', text));
  expect(yamlFault(thrown)).toMatchObject(place);
  expect(yamlFault(thrown).reason).toMatch(
    /^invalid map key: a mapping cannot be a key; .* looks like a Helm template/,
  );
});

test.each(['? {a: b}\n: c\n', 'a: {? {b: c} : d}\n', 'x: &x {a: b}\n*x : c\n'])('a mapping is no key: %j', (text) => {
  expect(() => parseYaml('f', text)).toThrow('invalid map key: a mapping cannot be a key');
});

test.each([
  ['~: c\n', 'null', { line: 1, column: 2 }],
  ['a:\n  null: c\n', 'null', { line: 2, column: 7 }],
  ['a: {~ : c}\n', 'null', { line: 1, column: 7 }],
  ['b: 1\n? [a]\n: c\n', 'a list', { line: 2, column: 6 }],
  ['a: {[b]: c}\n', 'a list', { line: 1, column: 8 }],
  ['? - a\n: c\n', 'a list', undefined],
])('%j is refused: %s is no key', (text, what, place) => {
  const fault = yamlFault(errorOf(() => parseYaml('f', text)));
  expect(fault.reason).toBe(`invalid map key: ${what} cannot be a key`);
  if (place !== undefined) expect(fault).toMatchObject(place);
});

test('a list or nothing as the value of a key is a value', () => {
  const text =
    'a:\nb: [1]\nc: {d: , e: [2], f: ~}\n? g\n: [3]\n? h\n: ~\ni:\n- 4\nj: [{k: [5]}, null]\n"~": l\n"null" : m\n';
  expect(parseYaml('f', text)).toEqual({
    a: null,
    b: [1],
    c: { d: null, e: [2], f: null },
    g: [3],
    h: null,
    i: [4],
    j: [{ k: [5] }, null],
    '~': 'l',
    null: 'm',
  });
});

test('a key that looks like a serialized mapping is a key, and a quoted template is a text', () => {
  const value = { '[object Object]': '{{ .Values.a }}', '{{ a }}': 'b' };
  expect(parseYaml('f', formatYaml(value))).toEqual(value);
});

test('a repeated key is refused, unless the option selects the last one', () => {
  const text = 'a: {b: 1}\na: {c: 2}\n';
  expect(() => parseYaml('f', text)).toThrow('duplicated mapping key');
  expect(parseYaml('f', text, { isLastKeyTaken: true })).toEqual({ a: { c: 2 } });
});

test.each(['!.gitignore', '!.gitignore\n', "# don't\n!foo\n", '!!str', '&a'])('%j is an empty document', (text) => {
  expect(parseYaml('f', text)).toBeNull();
});

test.each(['""', "''", '!!str ""'])('%j is an empty text', (text) => {
  expect(parseYaml('f', text)).toBe('');
});

test('a local tag within a document keeps its empty text; binary data and times are text', () => {
  expect(parseYaml('f', 'a: !foo\nb: !!binary aGVsbG8=\nc: !!timestamp 2001-01-01\n')).toEqual({
    a: '',
    b: 'hello',
    c: '2001-01-01',
  });
});

test('a text with more values than it may have is not read to its end', () => {
  const text = `a: [${'1, '.repeat(20)}]\nb: [`;
  const read = (maxNodes: number): unknown => parseYamlDocuments('f', text, { maxNodes });
  expect(() => read(10)).toThrow(expect.objectContaining({ reason: 'TooManyValues' }));
  expect(() => read(100)).toThrow(expect.objectContaining({ reason: 'InvalidYaml' }));
});
