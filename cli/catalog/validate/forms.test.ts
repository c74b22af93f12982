import { expect, test } from 'vitest';
import { channel, check, pkg, whole } from '../../../test/support/catalog-documents.ts';
import { parseOptions, registryOptions } from '../../command/index.ts';
import { isPassed, reportDocument } from './document.ts';
import { validateOptions } from './options.ts';
import { reportText } from './text.ts';

const form = { name: './catalog', kind: 'folder', isVerbose: false } as const;
const faulty = check(pkg(), channel('{name: p.v1}'), pkg('q', 'd'));
const warned = check(...whole, '{schema: olm.chanel, package: p, name: x}');

test('the text shows place, rule and advice of each finding, and the number of all', () => {
  expect(
    reportText(faulty, form),
  ).toBe(`catalog/catalog.yaml:2: error S20 no olm.bundle blobs found in package "p" for olm.channel entries [p.v1]
    in channel "c": add these bundles, or take the entries out
catalog/catalog.yaml:3: error V12 package "q", channel "d": channel must contain at least one bundle
    the package has no such channel: name one that it has as its defaultChannel
./catalog: 2 errors, 0 warnings in 2 packages, 1 channel, 0 bundles
`);
  expect(reportText(check(...whole), form)).toBe('./catalog: nothing found in 1 package, 1 channel, 1 bundle\n');
});

test('of a catalog in one file, a finding has the path that was asked for; of one in a tar, the path in that', () => {
  const place = (name: string, kind: 'file' | 'other'): string | undefined =>
    reportText(faulty, { name, kind, isVerbose: false }).split(':')[0];
  expect(place('shop/catalog.yaml', 'file')).toBe('shop/catalog.yaml');
  expect(place('shop/all.tar', 'file')).toBe('catalog.yaml');
  expect(place('standard input', 'other')).toBe('catalog.yaml');
});

test('of many findings of one rule in one package the first are shown, with --verbose all', () => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  const many = check(pkg('p', 'a'), ...names.map((name) => channel('', name)));
  expect(reportText(many, form)).toContain('and 2 more V12: --verbose shows them');
  expect(reportText(many, { ...form, isVerbose: true }).match(/error V12/g)).toHaveLength(5);
});

test('control characters of a catalog do not reach the terminal', () => {
  const report = check(...whole, String.raw`{schema: olm.package, name: "a\e[31m", defaultChannel: c}`);
  expect(reportText(report, form)).not.toContain('\u001b');
});

test('programs read whether it passed, the message of opm, and every finding with its place', () => {
  expect(reportDocument(check(...whole), true)).toEqual({ passed: true });
  expect(reportDocument(faulty, false)).toEqual({
    passed: false,
    error: {
      message: `no olm.bundle blobs found in package "p" for olm.channel entries [p.v1]
invalid index:
└── invalid package "q":
    └── invalid channel "d":
        └── channel must contain at least one bundle`,
    },
    findings: [
      expect.objectContaining({ rule: 'S20', package: 'p', channel: 'c', file: 'catalog.yaml', line: 2 }),
      expect.objectContaining({ rule: 'V12', package: 'q', channel: 'd', file: 'catalog.yaml', line: 3 }),
    ],
  });
});

test('warnings fail a catalog with --strict', () => {
  expect([isPassed(warned, false), isPassed(warned, true)]).toEqual([true, false]);
  expect(reportDocument(warned, false)).toEqual({
    passed: true,
    findings: [expect.objectContaining({ rule: 'typo' })],
  });
  expect(reportDocument(warned, true).error?.message).toContain('schema "olm.chanel" is unknown');
});

test('another form is refused in the words of opm', async () => {
  const { catalogValidate } = await import('../commands/validate.ts');
  const { values } = parseOptions({ ...validateOptions, ...registryOptions }, ['-o', 'xml'], {});
  const refused = 'invalid --output value "xml", expected (json|yaml)';
  await expect(catalogValidate(values, ['./catalog'])).rejects.toThrow(refused);
});
