import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeJson, type JsonValue } from '../../base/index.ts';
import { type ReadDocument, readDocuments } from './documents.ts';

/** The stream in chunks of a size. */
function* chunks(content: Uint8Array, size: number): Generator<Uint8Array> {
  for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size);
}

async function all(stream: Iterable<Uint8Array>): Promise<ReadDocument[]> {
  const found: ReadDocument[] = [];
  for await (const document of readDocuments(stream)) found.push(document);
  return found;
}

async function read(text: string | Uint8Array, size = 1 << 20): Promise<ReadDocument[]> {
  return await all(chunks(Buffer.from(text), size));
}

const values = (documents: readonly ReadDocument[]): (JsonValue | undefined)[] =>
  documents.map((document) => ('value' in document ? document.value : undefined));

const streams: readonly { name: string; text: string; documents: readonly JsonValue[]; lines?: readonly number[] }[] = [
  { name: 'a file of zero bytes', text: '', documents: [] },
  { name: 'one trailing separator', text: 'a: 1\n---\n', documents: [{ a: 1 }], lines: [1] },
  { name: 'only a comment', text: '# nothing\n', documents: [] },
  { name: 'separators in a row', text: '---\n---\n\n---\na: 1\n---\n# end', documents: [{ a: 1 }], lines: [5] },
  {
    name: 'JSON values without a separator',
    text: '{"a":1}{"b":2}\n\n {"c":3}',
    documents: [{ a: 1 }, { b: 2 }, { c: 3 }],
    lines: [1, 1, 3],
  },
  { name: 'JSON that spans lines', text: '{\n "a": [1,\n2]\n}\n{\n}', documents: [{ a: [1, 2] }, {}], lines: [1, 5] },
  { name: 'JSON that is only YAML', text: '{"a":"b",}\n', documents: [{ a: 'b' }] },
  {
    name: 'broken JSON lines that are YAML, one after the other',
    text: '{"a":1,}\n{"b":2}\n{"c":3,}\n',
    documents: [{ a: 1 }, { b: 2 }, { c: 3 }],
    lines: [1, 2, 3],
  },
  {
    name: 'YAML in braces',
    text: "{a: '{', b: it's}\n---\n{c: 1}\n",
    documents: [{ a: '{', b: "it's" }, { c: 1 }],
    lines: [1, 3],
  },
  {
    name: 'a mixture',
    text: 'a: 1\n---\n{"b":2}\n---\nc: 3\n',
    documents: [{ a: 1 }, { b: 2 }, { c: 3 }],
    lines: [1, 3, 5],
  },
  { name: 'YAML behind JSON', text: '{"b":2}\nc: 3\n', documents: [{ b: 2 }, { c: 3 }], lines: [1, 2] },
  {
    name: 'a comment on the line of a separator',
    text: '--- # b\n{"b": 2}\n---\t# c\nc: 3',
    documents: [{ b: 2 }, { c: 3 }],
    lines: [2, 4],
  },
  {
    name: 'a key that a mapping has twice: the last value counts',
    text: 'a: 1\na: {b: 2, b: 3}\n---\n{"c":1,"c":2}',
    documents: [{ a: { b: 3 } }, { c: 2 }],
  },
  {
    name: 'tags: binary as text, unknown ones ignored',
    text: 'a: !!binary aGVsbG8=\nb: !!thing 1\nc: !!thing {d: !local e}\n',
    documents: [{ a: 'hello', b: '1', c: { d: 'e' } }],
  },
  { name: 'a key that is a number, as a float64', text: '12345678.5: 1\n', documents: [{ '12345678.5': 1 }] },
  { name: 'YAML that no number can hold', text: 'a: 1e400\n', documents: [{ a: '1e400' }] },
  {
    name: 'one JSON value, and YAML from there on',
    text: '{"a":1}\n# b\n{"b":2,}\n---\nc: 3\n',
    documents: [{ a: 1 }, { b: 2 }, { c: 3 }],
  },
  { name: 'the end mark of YAML', text: 'a: 1\n...\n---\nb: 2\n...\n', documents: [{ a: 1 }, { b: 2 }], lines: [1, 4] },
  { name: 'indented YAML', text: '  a: 1\n  b: 2\n', documents: [{ a: 1, b: 2 }] },
  {
    name: 'separators that are none',
    text: 'a: |\n  ---\nb: ----\n',
    documents: [{ a: '---\n', b: '----' }],
  },
  {
    name: 'brackets and quotation marks in texts',
    text: '{"a":"}\\"{","b":"\\\\"}{"c":"]"}',
    documents: [{ a: '}"{', b: '\\' }, { c: ']' }],
  },
  { name: 'a list that ends in a dash', text: 'a:\n-', documents: [{ a: [null] }] },
  { name: 'carriage returns', text: 'a: 1\r\n---\r\n{"b":2}\r\n', documents: [{ a: 1 }, { b: 2 }], lines: [1, 3] },
  { name: 'the mark of UTF-8', text: '\uFEFF{"a":1}', documents: [{ a: 1 }] },
  {
    name: 'whole numbers beyond 2^53',
    text: '{"a":9007199254740993}\n---\na: 9007199254740993\n',
    documents: [{ a: 9007199254740993n }, { a: 9007199254740993n }],
  },
];

test.each(streams)('CR-C2 reads $name, cut anywhere', async ({ text, documents, lines }) => {
  for (const size of [1, 2, 3, 5, 1024]) {
    const found = await read(text, size);
    expect(values(found)).toEqual(documents);
    if (lines !== undefined) expect(found.map(({ line }) => line)).toEqual(lines);
  }
});

test.each([
  ['{"schema":"a"}\nx', 2, "json: offset 16: invalid character 'x' looking for beginning of value"],
  ['{"schema":tru', 1, 'unexpected EOF'],
  ['{"schema":"a"', 1, 'unexpected EOF'],
  ['{"a":1]', 1, "json: offset 7: invalid character ']' after object key:value pair"],
  [
    'a: 1\nc: 2\nb: x: y\n',
    3,
    'error converting YAML to JSON: yaml: line 3: mapping values are not allowed in this context',
  ],
  [
    'a: 1\n---\nb: 2\nc: x: y\n',
    4,
    'error converting YAML to JSON: yaml: line 4: mapping values are not allowed in this context',
  ],
  ['a: [', 1, /^error converting YAML to JSON: yaml: line \d: /],
  ['{a: [}', 1, /^error converting YAML to JSON: yaml: line \d: /],
  ['a: 1\n---x: 1\n', 2, 'invalid Yaml document separator: x: 1'],
  ['--- {a: 1}\n', 1, 'invalid Yaml document separator: {a: 1}'],
  ['%YAML 1.1\n---\na: 1\n', 1, /did not find expected <document start>$/],
  ['a: !!binary "#"\n', 1, /^error converting YAML to JSON: yaml: line 1: cannot resolve a node with .*binary/],
  ['b: 1\n~: c\n', 2, /^error converting YAML to JSON: yaml: line 2: invalid map key: null cannot be a key$/],
  ['b: 1\n? [c]\n: d\n', 2, /^error converting YAML to JSON: yaml: line 2: invalid map key: a list cannot be a key$/],
  ['{"a":1e400}', 1, 'json: cannot unmarshal number 1e400 into Go value of type float64'],
  [`{"a":${'['.repeat(300)}${']'.repeat(300)}}`, 1, 'nested deeper than 256 levels'],
  ['{"\\u005f_proto__":{}}', 1, 'document: the key "__proto__" is not accepted'],
  ['{"__pr\\u006fto__":{}}', 1, 'document: the key "__proto__" is not accepted'],
])('reports what is wrong with %j', async (text, line, message) => {
  for (const size of [1, 7, 1024]) {
    const faults = (await read(text, size)).filter((document) => 'message' in document);
    expect(faults[0]).toEqual({
      line: expect.any(Number) as number,
      message: expect.stringMatching(message) as string,
    });
    if (typeof message === 'string') expect(faults[0]).toEqual({ line, message });
  }
});

test.each([
  {
    name: 'a trailing comma',
    text: '{"a":1}\n{"b":2}\n{"c":3,}\n{"d":4}',
    fault: "3: json: offset 24: invalid character '}' looking for beginning of object key string",
  },
  {
    name: 'NaN',
    text: '{"a":1}\n{"b":2}\n{"c":NaN}\n{"d":4}',
    fault: "3: json: offset 22: invalid character 'N' looking for beginning of value",
  },
  {
    name: 'a key without quotation marks',
    text: '{"a":1}\n{"b":2}\n{c: 3}\n{"d":4}',
    fault: "3: json: offset 18: invalid character 'c' looking for beginning of object key string",
  },
  {
    name: 'a separator',
    text: '{"a":1}{"b":2}\n---\n{"d":4}',
    fault: "2: json: offset 17: invalid character '-' in numeric literal",
  },
  {
    name: 'a comment',
    text: '{"a":1} {"b":2}\n# c\n{"d":4}',
    fault: "2: json: offset 17: invalid character '#' looking for beginning of value",
  },
  {
    name: 'a YAML document',
    text: '{"a":1}{"b":2}\nc: 3\n{"d":4}',
    fault: "2: json: offset 16: invalid character 'c' looking for beginning of value",
  },
])('a stream that begins with two JSON values is JSON to its end: $name is a fault', async ({ text, fault }) => {
  for (const size of [1, 2, 7, 1024]) {
    const documents = await read(text, size);
    expect(values(documents)).toEqual([{ a: 1 }, { b: 2 }, undefined, { d: 4 }]);
    const [, , third] = documents;
    expect(third !== undefined && 'message' in third ? `${third.line}: ${third.message}` : third).toBe(fault);
  }
});

test('what is behind a fault is read all the same', async () => {
  const found = await read('{"a":1}\n{"b":]}\n{"c":3}\n---\nd: e: f\n---\n{"g":4}\n');
  expect(values(found)).toEqual([{ a: 1 }, undefined, { c: 3 }, undefined, { g: 4 }]);
});

test('bytes that are no UTF-8 are refused, with their line', async () => {
  const bytes = Buffer.concat([Buffer.from('{"a":1}\n{"b":"'), Buffer.from([0xff]), Buffer.from('"}')]);
  expect((await read(bytes))[1]).toEqual({ line: 2, message: 'not UTF-8: save the file in that encoding' });
});

test('a document beyond the limit is refused before all of it is in memory', async () => {
  const piece = Buffer.alloc(1 << 20, 'x');
  function* endless(): Generator<Uint8Array> {
    yield Buffer.from('\n{"a":"');
    for (;;) yield piece;
  }
  expect(await all(endless())).toEqual([{ line: 2, message: 'document larger than 64 MiB' }]);
});

test.each([
  ['JSON', `{"a":[${'1,'.repeat(2.2e6)}1]}`],
  ['JSON of empty lists', `{"a":[${'[],'.repeat(1.5e6)}[]]}`],
  ['YAML', `a:\n${'- b\n'.repeat(3e6)}`],
])('a document whose values would take many times its memory is refused: %s', async (_, text) => {
  const message = 'more than 2097152 values or lines in one document';
  expect(await all([Buffer.from(text)])).toEqual([{ line: 1, message }]);
});

test('any JSON objects come back as they were written, whatever stands between them and wherever they are cut', async () => {
  const object = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }));
  const blanks = ['', '\n', ' \t\n\n', '\r\n'];
  const between = fc.constantFrom(...blanks, '\n---\n', '\n---\n---\n# x\n');
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(object, between), { maxLength: 6 }),
      fc.integer({ min: 1, max: 64 }),
      fc.record({ isWide: fc.boolean(), isJsonOnly: fc.boolean() }),
      async (pairs, size, { isWide, isJsonOnly }) => {
        // Only a stream that is not JSON from its start may have separators.
        const start = isJsonOnly ? '' : '---\n';
        const spaceOf = (space: string): string => (isJsonOnly && !blanks.includes(space) ? '' : space);
        const texts = pairs.map(([value, space]) => JSON.stringify(value, null, isWide ? 2 : 0) + spaceOf(space));
        const text = start + texts.join('');
        const expected = pairs.map(([value]) => decodeJson(JSON.stringify(value)));
        const isForbidden = text.includes('__proto__');
        if (!isForbidden) expect(values(await read(text, size))).toEqual(expected);
      },
    ),
    { numRuns: 300 },
  );
});
