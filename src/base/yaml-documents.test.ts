import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseYamlDocuments, yamlFault } from './yaml.ts';
import { readDocuments, SourceText } from './yaml-documents.ts';

const read = (content: string | Buffer): unknown[] => [
  ...readDocuments('f.yaml', typeof content === 'string' ? Buffer.from(content) : content),
];

function fault(content: string | Buffer): unknown {
  try {
    return read(content);
  } catch (thrown) {
    return yamlFault(thrown);
  }
}

const padding = `# ${'a long comment '.repeat(3000)}\n`;
const document = fc.constantFrom(
  'a: 1\n',
  'kind: List\nitems: [1, {b: 2}]\n',
  `text: |\n  one\n\n  --- two\n`,
  '# nothing\n',
  `{"a": "---"}\n`,
  `${padding}a: {b: &x [1], c: *x}\n`,
  `b: "${'x'.repeat(40_000)}"\n`,
  '%YAML 1.1\n---\na: 1\n',
  'a: 1\n...\n',
  '- é\n',
  '\n',
);

test('a file that is read part by part holds the documents of the whole', () => {
  fc.assert(
    fc.property(
      fc.array(document, { maxLength: 8 }),
      fc.constantFrom('---\n', '--- # next\n', '---\r\n'),
      (all, line) => {
        const text = all.join(line);
        let expected: unknown;
        try {
          expected = parseYamlDocuments('f.yaml', text);
        } catch {
          return;
        }
        expect(read(text)).toEqual(expected);
      },
    ),
  );
});

test('JSON objects one after the other are documents', () => {
  expect(read('{"a": "}\\"{"}{"b": [{}]}\n\t{"c": 1}\n')).toEqual([{ a: '}"{' }, { b: [{}] }, { c: 1 }]);
});

test('a text that only looks like JSON is read as YAML', () => {
  expect(read('{a: yes}\n---\n{"b": 1}')).toEqual([{ a: true }, { b: 1 }]);
});

test('a fault far down in a file of many documents is reported with its line', () => {
  expect(fault(`${`---\na: ${'x'.repeat(1000)}\n`.repeat(200)}---\nok: 1\nb: [1\n`)).toMatchObject({ line: 404 });
});

test('a byte order mark determines the encoding of the file', () => {
  const text = 'a: é\n';
  expect(read(`\uFEFF${text}`)).toEqual([{ a: 'é' }]);
  const little = Buffer.from(`\uFEFF${text}`, 'utf16le');
  expect(read(little)).toEqual([{ a: 'é' }]);
  expect(read(Buffer.from(little).swap16())).toEqual([{ a: 'é' }]);
});

test('bytes that are not UTF-8 are refused with their place', () => {
  const content = Buffer.concat([Buffer.from('a: 1\nb: é'), Buffer.from([0xff]), Buffer.from('\n')]);
  expect(fault(content)).toEqual({ reason: 'not UTF-8: save the file in that encoding', line: 2, column: 5 });
});

test('aliases are counted over all documents of a file', () => {
  const bomb = `a: &a [${'x,'.repeat(80)}]\nb: &b [${'*a,'.repeat(80)}]\n`;
  expect(() => read(`---\n${bomb}`.repeat(100))).toThrow('aliases expand to more than');
});

const long = 'x'.repeat(2 ** 20);

test.each([
  ['one document', `a: 1\nb: "${long}"`],
  ['one document of other characters', `a: é\nb: |\n  ${long}\n`],
  ['one object of JSON', ` {"a": 1, "b": "${long}"} `],
  ['what looks like JSON and is not', `{a: 1, b: ${long}}`],
  ['two objects of JSON', `{"a": 1}\n{"b": "${long}"}`],
  ['two documents', `a: 1\n---\nb: ${long}\n`],
])('a large text of %s is read like any other, and can be read again', (_, text) => {
  const source = new SourceText(Buffer.from(text));
  expect([...source.documents('f.yaml')]).toEqual(read(text));
  expect(source.content.toString().trimEnd()).toBe(text.trimEnd());
});

test('the memory of a large document is released, and its faults have their places', () => {
  const content = Buffer.from(`a: ${long}\nb: [\n`);
  const source = new SourceText(content);
  expect(fault(`a: ${long}\nb: [\n`)).toMatchObject({ line: 3 });
  expect(() => source.documents('f.yaml')).toThrow('f.yaml: line 3');
  expect(content).toHaveLength(0);
  expect(source.content.toString()).toMatch(/^a: x+\nb: \[\n$/);
});
