import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

interface Outcome {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const bin = fileURLToPath(new URL('./bin.js', import.meta.url));

function longshore(args: readonly string[], nodeOptions: readonly string[] = []): Outcome {
  const env = { ...process.env, LONGSHORE_DATA_DIR: '', NO_COLOR: '1' };
  const { status, stdout, stderr } = spawnSync(process.execPath, [...nodeOptions, bin, ...args], {
    encoding: 'utf8',
    env,
    timeout: 20_000,
  });
  return { exitCode: status, stdout, stderr };
}

/** Prints the packages that were loaded when the process ends. */
const listPackages = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  const packages = new Set();
  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context);
      const name = /.*[/]node_modules[/]((?:@[^/]+[/])?[^/]+)/.exec(found.url)?.[1];
      if (name !== undefined) packages.add(name);
      return found;
    },
  });
  process.on('exit', () => process.stderr.write([...packages].join(' ')));
`)}`;

const heavy = ['@kubernetes/client-node', '@peculiar/x509', 'fastify', 'isomorphic-git', 'pino', 'tar'];

test.each(['--help', 'up --help', 'version', 'no-such-command'])('longshore %s loads no heavy package', (args) => {
  const { stderr } = longshore(args.split(' '), ['--import', listPackages]);
  const loaded = stderr.slice(stderr.lastIndexOf('\n') + 1).split(' ');
  expect(loaded).toContain('js-yaml');
  expect(loaded.filter((name) => heavy.includes(name))).toEqual([]);
});

test('help names every command and ends well, with and without being asked', () => {
  const asked = longshore(['--help']);
  expect(asked).toMatchObject({ exitCode: 0, stderr: '' });
  for (const name of ['up', 'demo', 'version']) expect(asked.stdout).toMatch(new RegExp(`^  ${name} `, 'm'));
  expect(longshore([])).toEqual(asked);
});

test('help of a command lists its options', () => {
  const { exitCode, stdout } = longshore(['up', '--help']);
  expect(exitCode).toBe(0);
  expect(stdout).toContain('Usage: longshore up [OPTIONS]');
  expect(stdout).toMatch(/--data-dir DIR +Keep/);
});

test.each([
  { name: 'an unknown command', args: ['dwon'], text: 'longshore: unknown command "dwon"' },
  { name: 'an unknown option', args: ['up', '--bogus'], text: 'longshore: unknown option --bogus' },
  { name: 'an option of another command', args: ['demo', '--port', '1'], text: 'longshore: unknown option --port' },
  {
    name: 'a number out of range',
    args: ['up', '--port', '70000'],
    text: 'longshore: --port: expected 0 to 65535, found 70000',
  },
  {
    name: 'an argument too many',
    args: ['version', 'please'],
    text: 'longshore version: unexpected argument "please"',
  },
])('$name is answered in one line on standard error, with exit status 2', ({ args, text }) => {
  const { exitCode, stdout, stderr } = longshore(args);
  expect(stderr.split('\n')[0]).toContain(text);
  expect(stderr).not.toContain('    at ');
  expect(stdout).toBe('');
  expect(exitCode).toBe(2);
});

test('what goes wrong while a command runs has exit status 1 and no stack', () => {
  const { exitCode, stderr } = longshore(['up', '--data-dir', '/dev/null/folder']);
  expect(stderr).toContain('/dev/null/folder');
  expect(stderr).not.toContain('    at ');
  expect(exitCode).toBe(1);
});

test('a file named by an option that cannot be read is a mistake in the options', () => {
  const { exitCode, stderr } = longshore(['up', '--registry-ca', '/no/such/file']);
  expect(stderr).toContain('longshore: --registry-ca /no/such/file: ');
  expect(exitCode).toBe(2);
});
