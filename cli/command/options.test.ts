import { expect, test } from 'vitest';
import { readConfig, upOptions } from '../config.ts';
import { formatOptions, type OptionSpec, parseOptions } from './options.ts';

const read = (args: readonly string[], environment = {}): ReturnType<typeof readConfig> =>
  readConfig(parseOptions(upOptions, args, environment).values);

test('everything has a default', () => {
  expect(read([])).toMatchObject({
    dataDir: undefined,
    port: 0,
    systemNamespace: 'rukpak-system',
    insecureRegistries: [],
    isSimulating: true,
    logLevel: 'error',
    limits: { unpackedBytes: 512 * 1024 * 1024, entries: 100_000 },
  });
});

test('options win over the environment, the environment over the default', () => {
  const environment = { LONGSHORE_DATA_DIR: '/from/environment', LONGSHORE_LOG_LEVEL: 'info' };
  expect(read([], environment)).toMatchObject({ dataDir: '/from/environment', logLevel: 'info' });
  expect(read(['--data-dir', '/from/option'], environment).dataDir).toBe('/from/option');
});

test('an empty environment variable counts as absent', () => {
  expect(read([], { LONGSHORE_DATA_DIR: '', LONGSHORE_LOG_LEVEL: '' })).toMatchObject({
    dataDir: undefined,
    logLevel: 'error',
  });
});

test('a list may be repeated and a flag negated', () => {
  const config = read(['--insecure-registry', 'a:5000', '--insecure-registry', 'b', '--no-simulate']);
  expect(config.insecureRegistries).toEqual(['a:5000', 'b']);
  expect(config.isSimulating).toBe(false);
});

test.each([
  { name: 'an unknown option', args: ['--bogus'], text: 'unknown option --bogus' },
  { name: 'a port out of range', args: ['--port', '99999'], text: '--port: expected 0 to 65535, found 99999' },
  {
    name: 'a number that is none',
    args: ['--workers', 'many'],
    text: '--workers: expected a whole number, found "many"',
  },
  { name: 'no workers', args: ['--workers', '0'], text: '--workers: expected 1 to 64, found 0' },
  { name: 'an unknown level', args: ['--log-level', 'loud'], text: '--log-level: expected one of debug' },
  { name: 'an empty value', args: ['--data-dir', ''], text: '--data-dir: expected DIR, found ""' },
  { name: 'a value that is missing', args: ['--port'], text: "Option '--port <value>' argument missing" },
])('refuses $name', ({ args, text }) => {
  expect(() => read(args)).toThrow(
    expect.objectContaining({ reason: 'InvalidOption', message: expect.stringContaining(text) as string }),
  );
});

test('help names every option, its default and its environment variable', () => {
  const help = formatOptions(upOptions);
  for (const { name } of upOptions) expect(help).toContain(name);
  expect(help).toContain('--no-simulate');
  expect(help).toContain('(default: rukpak-system)');
  expect(help).toContain('[LONGSHORE_DATA_DIR]');
});

test('an option of RukPak that is not needed is reported as such', () => {
  expect(() => parseOptions(upOptions, ['--feature-gates=BundleDeploymentHealth=true'], {})).toThrow(
    'unknown option --feature-gates: this option of RukPak is not needed; remove it',
  );
});

test.each([
  { args: ['--wait=false'], value: false },
  { args: ['--wait=true'], value: true },
  { args: ['--no-wait'], value: false },
])('$args sets a flag', ({ args, value }) => {
  const spec: OptionSpec = { name: 'wait', kind: 'flag', default: true, description: '' };
  expect(parseOptions([spec], args, {}).values).toEqual({ wait: value });
});
