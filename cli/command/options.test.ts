import { expect, expectTypeOf, test } from 'vitest';
import { commands } from '../commands.ts';
import { readConfig, upOptions } from '../settings/up.ts';
import { defineCommand } from './command.ts';
import { formatOptions, parseOptions } from './options.ts';

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
    name: 'a duration that is none',
    args: ['--health-deadline', '5 minutes'],
    text: '--health-deadline: expected a duration such as 30s, 5m or 1h30m, or a number of seconds, found "5 minutes"',
  },
  {
    name: 'a negative duration',
    args: ['--answer-timeout=-5s'],
    text: '--answer-timeout: expected a duration such as',
  },
  { name: 'a fraction without a unit', args: ['--resync', '1.5'], text: 'or a number of minutes, found "1.5"' },
  {
    name: 'a duration out of range',
    args: ['--answer-timeout', '1h'],
    text: '--answer-timeout: expected 1s to 10m, found 1h',
  },
  {
    name: 'more than a timer can wait',
    args: ['--resync', '36000'],
    text: '--resync: expected 1m to 596h, found 36000m',
  },
  {
    name: 'a number out of range',
    args: ['--answer-timeout', '0'],
    text: '--answer-timeout: expected 1s to 10m, found 0s',
  },
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
  for (const name of Object.keys(upOptions)) expect(help).toContain(name);
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
  { text: '60s', ms: 60_000 },
  { text: '5m', ms: 300_000 },
  { text: '1h30m', ms: 5_400_000 },
  { text: '1.5h', ms: 5_400_000 },
  { text: '250ms', ms: 250 },
  { text: '90', ms: 90_000 },
  { text: '0', ms: 0 },
])('$text is a duration of $ms ms', ({ text, ms }) => {
  const timeout = { kind: 'duration', default: '5m', description: '' } as const;
  expect(parseOptions({ timeout }, ['--timeout', text], {}).values).toEqual({ timeout: ms });
  expect(parseOptions({ timeout }, [], {}).values).toEqual({ timeout: 300_000 });
});

test('a plain number of --resync is in minutes', () => {
  expect(read(['--resync', '90'])).toMatchObject({ resyncMs: 5_400_000 });
  expect(read(['--resync', '90s'])).toMatchObject({ resyncMs: 90_000 });
});

test.each([
  { args: ['--wait=false'], value: false },
  { args: ['--wait=true'], value: true },
  { args: ['--no-wait'], value: false },
])('$args sets a flag', ({ args, value }) => {
  const wait = { kind: 'flag', default: true, description: '' } as const;
  expect(parseOptions({ wait }, args, {}).values).toEqual({ wait: value });
});

test('values and arguments have the types of their specifications', async () => {
  const command = defineCommand({
    name: 'fetch',
    summary: '',
    positionals: ['SOURCE', '[TARGET]'],
    options: {
      output: { kind: 'text', choices: ['text', 'json'], default: 'text', description: '' },
      file: { kind: 'text', description: '' },
      retries: { kind: 'number', default: 3, description: '' },
      'dry-run': { kind: 'flag', default: false, description: '' },
      label: { kind: 'list', description: '' },
    },
    examples: ['fetch a'],
    run: async (values, [source, target]) => {
      expectTypeOf(values.output).toEqualTypeOf<'text' | 'json'>();
      expectTypeOf(values.file).toEqualTypeOf<string | undefined>();
      expectTypeOf(values.retries).toEqualTypeOf<number>();
      expectTypeOf(values['dry-run']).toEqualTypeOf<boolean>();
      expectTypeOf(values.label).toEqualTypeOf<readonly string[]>();
      expectTypeOf(source).toEqualTypeOf<string>();
      expectTypeOf(target).toEqualTypeOf<string | undefined>();
      return await Promise.resolve(values.label.length + values.retries);
    },
  });
  const { values, positionals } = parseOptions(command.options, ['a', '--label', 'x', '--label', 'y'], {});
  expect(positionals).toEqual(['a']);
  expect(values).toEqual({ output: 'text', file: undefined, retries: 3, 'dry-run': false, label: ['x', 'y'] });
  expect(await command.run(values, positionals)).toBe(5);
});

test.each(
  commands.flatMap(({ name, options }) => Object.entries(options).map(([option, spec]) => ({ name, option, spec }))),
)('the default of $name --$option is a value that it accepts', ({ option, spec }) => {
  if (spec.kind === 'flag' || spec.kind === 'list' || spec.default === undefined) return;
  expect(parseOptions({ [option]: spec }, [`--${option}`, String(spec.default)], {}).values).toEqual({
    [option]: spec.kind === 'duration' ? (expect.any(Number) as number) : spec.default,
  });
});
