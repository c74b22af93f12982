import { expect, test } from 'vitest';
import { readComposite } from './composite.ts';

const catalogs = `schema: olm.composite.catalogs
catalogs:
- name: first
  destination: {workingDir: out/first}
  builders: [olm.builder.semver, olm.builder.raw, olm.builder.custom]
- name: second
  destination: {workingDir: out/second}
  builders: [olm.builder.basic]
`;

/** A template of one component. */
function componentOf(changes: { name?: string; path?: string; schema?: string; config?: object }): string {
  const { name = 'first', path = 'tide', schema = 'olm.builder.semver', config = {} } = changes;
  const template = { schema, config: { input: 'tide.yaml', output: 'catalog.yaml', ...config } };
  return JSON.stringify({
    schema: 'olm.composite',
    components: [{ name, destination: { path }, strategy: { template } }],
  });
}

test('a component goes to the folder of its catalog', () => {
  expect(readComposite(componentOf({}), catalogs)).toEqual([
    {
      name: 'first',
      builder: 'semver',
      input: 'tide.yaml',
      folder: 'out/first/tide',
      output: 'catalog.yaml',
      command: [''],
    },
  ]);
  const custom = componentOf({ schema: 'olm.builder.custom', config: { input: '', command: 'make', args: ['tide'] } });
  expect(readComposite(custom, catalogs)[0]).toMatchObject({ builder: 'custom', command: ['make', 'tide'] });
});

const at = 'building component "first": ';

test.each([
  [
    { name: 'third' },
    'building component "third": component does not exist in the catalog configuration. Available components are: [first second]',
  ],
  [{ schema: 'olm.builder.basic' }, `${at}no builder found for template schema "olm.builder.basic"`],
  [
    { path: '../elsewhere' },
    `${at}destination.path: expected a path below destination.workingDir, found "../elsewhere"`,
  ],
  [{ path: '/etc' }, `${at}destination.path: expected a path below`],
  [{ config: { output: '' } }, `${at}config.output: expected a path below`],
  [{ config: { input: '' } }, `${at}config.input must not be an empty string`],
  [{ schema: 'olm.builder.custom' }, `${at}config.command must not be an empty string`],
])('the component %j is refused', (changes, text) => {
  expect(() => readComposite(componentOf(changes), catalogs)).toThrow(text);
});

test.each([
  ['schema: olm.semver', 'catalog configuration file has unknown schema, should be "olm.composite.catalogs"'],
  [catalogs.replace('out/first', "''"), 'catalog "first": destination.workingDir must not be an empty string'],
  [catalogs.replace('olm.builder.raw', 'olm.builder.x'), 'catalog "first": unknown schema "olm.builder.x"'],
  [catalogs.replace('name: first', "name: ''"), 'catalogs[0]: name must not be an empty string'],
])('the catalogs %j are refused', (text, problem) => {
  expect(() => readComposite(componentOf({}), text)).toThrow(problem);
  expect(() => readComposite('schema: olm.semver', text)).toThrow();
});

test('a template of another schema is refused', () => {
  expect(() => readComposite('schema: olm.semver', catalogs)).toThrow(
    'composite configuration file has unknown schema, should be "olm.composite"',
  );
});
