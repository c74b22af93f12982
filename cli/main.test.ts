import { spawnSync } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { isChosen, parseVersion, parseVersionChoice } from '../src/constraints/index.ts';
import { runLongshore } from '../test/e2e/program.ts';
import { commands } from './commands.ts';
import { helpChapter } from './help.ts';

interface Outcome {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const pathOfThisNode = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env['PATH']}` };
const bin = fileURLToPath(new URL('./bin.js', import.meta.url));

/** In a process of its own, as a user starts it. */
function longshoreProcess(args: readonly string[], nodeOptions: readonly string[] = []): Outcome {
  const env = { ...process.env, LONGSHORE_DATA_DIR: '', NO_COLOR: '1' };
  const { status, stdout, stderr } = spawnSync(process.execPath, [...nodeOptions, bin, ...args], {
    encoding: 'utf8',
    env,
    timeout: 60_000,
  });
  return { exitCode: status, stdout, stderr };
}

/** Commands that end the process they run in. */
const servers: ReadonlySet<string> = new Set(['up', 'controllers', 'webhook']);

/** In this process where it may be, which takes a tenth of the processor time. */
async function longshore(args: readonly string[]): Promise<Outcome> {
  if (servers.has(args[0] ?? '')) return longshoreProcess(args);
  const { code, stdout, stderr } = await runLongshore(args, { env: { LONGSHORE_DATA_DIR: '', NO_COLOR: '1' } });
  return { exitCode: code, stdout, stderr };
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

const heavy = ['@kubernetes/client-node', '@peculiar/x509', 'fastify', 'pino', 'tar'];

test.each(['--help', 'up --help', 'version', 'no-such-command'])('longshore %s loads no heavy package', (args) => {
  const { stderr } = longshoreProcess(args.split(' '), ['--import', listPackages]);
  const loaded = stderr.slice(stderr.lastIndexOf('\n') + 1).split(' ');
  expect(loaded).toContain('js-yaml');
  expect(loaded.filter((name) => heavy.includes(name))).toEqual([]);
});

/** At the end of the program, starts a thread that prints where it keeps compiled modules. */
const printCacheOfThread = `data:text/javascript,${encodeURIComponent(`
  import { isMainThread, Worker } from 'node:worker_threads';
  const code = "console.log('cache of a thread:', require('node:module').getCompileCacheDir())";
  if (isMainThread) process.once('beforeExit', () => new Worker(code, { eval: true }));
`)}`;

test('threads of the program use the compile cache of the program', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'longshore-cache-'));
  try {
    const { NODE_COMPILE_CACHE: _ours, ...rest } = process.env;
    const env = { ...rest, TMPDIR: folder };
    const printed = spawnSync(process.execPath, ['--import', printCacheOfThread, bin, 'version'], {
      encoding: 'utf8',
      env,
    });
    expect(printed.stdout).toContain(`cache of a thread: ${join(folder, 'longshore-compile-cache')}`);
    const disabled = { ...env, NODE_DISABLE_COMPILE_CACHE: '1' };
    const plain = spawnSync(process.execPath, ['--import', printCacheOfThread, bin, 'version'], {
      encoding: 'utf8',
      env: disabled,
    });
    expect(plain.stdout).toContain('cache of a thread: undefined');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

/** Two starts with a folder of compiled modules that exists: whether the program has written to it. */
async function usesCacheFolder(make: (folder: string) => Promise<unknown>): Promise<boolean> {
  const temporary = await mkdtemp(join(tmpdir(), 'longshore-cache-'));
  try {
    const folder = join(temporary, `longshore-compile-cache-${process.geteuid?.()}`);
    await make(folder);
    const { NODE_COMPILE_CACHE: _ours, ...env } = process.env;
    const { status } = spawnSync(process.execPath, [bin, 'version'], { env: { ...env, TMPDIR: temporary } });
    expect(status).toBe(0);
    const others = (await readdir(temporary)).filter((name) => name !== basename(folder) && name !== 'elsewhere');
    expect(others).toEqual([]);
    return (await readdir(folder)).length > 0;
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

async function makeWithMode(folder: string, mode: number): Promise<void> {
  await mkdir(folder);
  await chmod(folder, mode);
}

describe.skipIf(process.platform === 'win32')('compiled modules, which run as the user,', () => {
  test('are kept in a folder of the user', async () => {
    expect(await usesCacheFolder(async (folder) => await makeWithMode(folder, 0o700))).toBe(true);
  });

  test.each([
    ['others may write to', async (folder: string) => await makeWithMode(folder, 0o777)],
    ['the group may write to', async (folder: string) => await makeWithMode(folder, 0o770)],
    [
      'is a link',
      async (folder: string) => {
        const elsewhere = join(dirname(folder), 'elsewhere');
        await makeWithMode(elsewhere, 0o700);
        await symlink(elsewhere, folder);
      },
    ],
  ])('are not taken from a folder that %s', async (_, make) => {
    expect(await usesCacheFolder(make)).toBe(false);
  });

  test.runIf(process.getuid?.() === 0)('are not taken from a folder of another user', async () => {
    const make = async (folder: string): Promise<void> => {
      await makeWithMode(folder, 0o755);
      await chown(folder, 65_534, 65_534);
    };
    expect(await usesCacheFolder(make)).toBe(false);
  });
});

test('help names every command and ends well, with and without being asked', async () => {
  const asked = await longshore(['--help']);
  expect(asked).toMatchObject({ exitCode: 0, stderr: '' });
  for (const name of ['up', 'demo', 'version']) expect(asked.stdout).toMatch(new RegExp(`^  ${name} `, 'm'));
  expect(await longshore([])).toEqual(asked);
});

test('every command has an example that is its own, and none that is experimental stands in the overview', async () => {
  for (const { name, examples } of commands) {
    expect(examples.length).toBeGreaterThan(0);
    expect(examples.filter((example) => !example.startsWith(name))).toEqual([]);
  }
  expect((await longshore([])).stdout).not.toContain('bootstrap');
  expect((await longshore(['help', 'alpha', 'bootstrap'])).stdout).toContain('longshore alpha bootstrap combo < ');
});

test('version prints the revision as rukpakctl does; under that name it prints nothing else', async () => {
  const line = /^revision: "(?:[0-9a-f]{40}|unknown)", date: "[^"]+", state: "(?:clean|dirty|unknown)"$/;
  const [own = '', revision = '', rest] = (await longshore(['version'])).stdout.split('\n');
  expect(own).toMatch(/^longshore \d+\.\d+\.\d+ \(node v24/);
  expect(revision).toMatch(line);
  expect(rest).toBe('');
  const facts = JSON.parse((await longshore(['version', '-o', 'json'])).stdout) as Record<string, string>;
  expect(revision).toBe(`revision: "${facts['revision']}", date: "${facts['date']}", state: "${facts['state']}"`);
  const folder = await mkdtemp(join(tmpdir(), 'rukpakctl-'));
  try {
    await symlink(bin, join(folder, 'rukpakctl'));
    const printed = spawnSync(join(folder, 'rukpakctl'), ['version'], { encoding: 'utf8', env: pathOfThisNode });
    expect(printed.stdout).toBe(`${revision}\n`);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('docs/cli.md has the help of every command', async () => {
  expect(await readFile('docs/cli.md', 'utf8'), 'run: npm run generate').toContain(helpChapter());
});

test('help of a command lists its options', async () => {
  const { exitCode, stdout } = await longshore(['up', '--help']);
  expect(exitCode).toBe(0);
  expect(stdout).toContain('Usage: longshore up [OPTIONS]');
  expect(stdout).toMatch(/--data-dir DIR +Store/);
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
  { name: 'a misspelt command', args: ['verison'], text: 'unknown command "verison", did you mean "version"?' },
  { name: 'a misspelt option', args: ['up', '--prot', '1'], text: 'unknown option --prot, did you mean --port?' },
  { name: 'half a command', args: ['alpha'], text: 'longshore alpha: COMMAND is missing' },
  { name: 'a misspelt second word', args: ['alpha', 'bootstarp'], text: 'did you mean "alpha bootstrap"?' },
  {
    name: 'a form that there is not',
    args: ['version', '-o', 'xml'],
    text: '--output: expected text or json, found "xml"',
  },
  {
    name: 'an argument too many',
    args: ['version', 'please'],
    text: 'longshore version: unexpected argument "please"',
  },
])('$name is answered in one line on standard error, with exit status 2', async ({ args, text }) => {
  const { exitCode, stdout, stderr } = await longshore(args);
  expect(stderr.split('\n')[0]).toContain(text);
  expect(stderr).not.toContain('    at ');
  expect(stdout).toBe('');
  expect(exitCode).toBe(2);
});

test('what goes wrong while a command runs has exit status 1 and no stack', async () => {
  const { exitCode, stderr } = await longshore(['up', '--data-dir', '/dev/null/folder']);
  expect(stderr).toContain('/dev/null/folder');
  expect(stderr).not.toContain('    at ');
  expect(exitCode).toBe(1);
});

test('a file named by an option that cannot be read is a mistake in the options', async () => {
  const { exitCode, stderr } = await longshore(['up', '--registry-ca', '/no/such/file']);
  expect(stderr).toContain('longshore: --registry-ca /no/such/file: ');
  expect(exitCode).toBe(2);
});

test('as the plug-in of kubectl the program has the commands of operators', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kubectl-operator-'));
  try {
    await symlink(bin, join(folder, 'kubectl-operator'));
    const options = { encoding: 'utf8', env: pathOfThisNode } as const;
    const { stdout, status } = spawnSync(join(folder, 'kubectl-operator'), ['list', '--help'], options);
    expect(stdout).toContain('Usage: longshore operator list');
    expect(status).toBe(0);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('a typo is answered in one line', async () => {
  const { exitCode, stderr } = await longshore(['rnu', 'combo']);
  expect(exitCode).toBe(2);
  expect(stderr).toBe('longshore: unknown command "rnu", did you mean "run"? "longshore --help" lists all commands\n');
});

test('the overview groups commands by what they are for, each in one group', async () => {
  const { stdout } = await longshore(['--help']);
  expect([...stdout.matchAll(/^(\S.*):$/gm)].map(([, title]) => title)).toEqual([
    'Try it on this machine',
    'Install and manage content',
    'Install operators from catalogs',
    'Write bundles',
    'Use and write catalogs',
    'Build and read cluster releases',
    'Update a cluster',
    'Manage machines and nodes',
    'Administer a cluster',
    'Other commands',
  ]);
  const listed = new Set([...stdout.matchAll(/^ {2}(\S+(?: \S+){0,2}) {2,}/gm)].map(([, name]) => name));
  expect(listed).toEqual(new Set(commands.filter(({ isHidden }) => isHidden !== true).map(({ name }) => name)));
});

const catalogOfExamples = fileURLToPath(new URL('../examples/catalog/configs', import.meta.url));

test.each([
  { before: ['catalog', 'list', 'packages'], shows: 'tide-gauge' },
  { before: ['catalog', 'validate'], shows: '' },
  { before: ['catalog', 'render'], shows: '"olm.bundle"' },
  { before: ['catalog', 'convert-template', 'basic'], shows: 'olm.template.basic' },
  { before: ['catalog', 'prune'], after: ['--keep-package', 'tide-gauge'], shows: 'tide-gauge' },
])(
  '--catalog names the catalog of longshore $before.0 $before.1, as its argument does',
  async ({ before, after, shows }) => {
    const named = await longshore([...before, '--catalog', catalogOfExamples, ...(after ?? [])]);
    expect(named).toMatchObject(await longshore([...before, catalogOfExamples, ...(after ?? [])]));
    expect(named.exitCode).toBe(0);
    expect(named.stdout).toContain(shows);
  },
);

test('--catalog twice names both catalogs that are compared or rendered', async () => {
  const twice = ['--catalog', catalogOfExamples, '--catalog', catalogOfExamples];
  expect(await longshore(['catalog', 'diff', ...twice, '--exit-code'])).toMatchObject({ exitCode: 0 });
  expect(await longshore(['catalog', 'diff', '--catalog', catalogOfExamples])).toMatchObject({ exitCode: 2 });
  const both = (await longshore(['catalog', 'render', ...twice])).stdout;
  expect(both).toHaveLength(2 * (await longshore(['catalog', 'render', catalogOfExamples])).stdout.length);
});

test('--catalog names the catalog that is migrated', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'longshore-migrated-'));
  try {
    const ended = await longshore(['catalog', 'migrate', join(folder, 'out'), '--catalog', catalogOfExamples]);
    expect(ended).toMatchObject({ exitCode: 0 });
    expect((await readdir(join(folder, 'out'))).toSorted()).toEqual(['harbour', 'tide-gauge']);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test.each([['run', 'combo', '.'], ['delete', 'combo'], ['rollback', 'combo'], ['install'], ['uninstall']])(
  '%s takes a timeout as kubectl and helm do, or as a number of seconds',
  async (...args) => {
    const missing = ['--kubeconfig', '/none/kubeconfig'];
    for (const timeout of args[0] === 'run' ? ['1h30m', '300'] : ['1h30m']) {
      expect(await longshore([...args, ...missing, '--timeout', timeout])).toMatchObject({
        exitCode: 1,
        stderr: expect.stringContaining('/none/kubeconfig: no such file') as string,
      });
    }
    expect(await longshore([...args, ...missing, '--timeout', 'soon'])).toMatchObject({
      exitCode: 2,
      stderr:
        'longshore: --timeout: expected a duration such as 30s, 5m or 1h30m, or a number of seconds, found "soon"\n',
    });
  },
);

test.each([
  { version: '20.20.2', isSupported: false },
  { version: '24.14.1', isSupported: false },
  { version: '24.15.0', isSupported: true },
  { version: '25.2.0', isSupported: false },
  { version: '26.0.0', isSupported: true },
])('Node.js $version is supported: $isSupported, as package.json declares', async ({ version, isSupported }) => {
  const { engines } = JSON.parse(await readFile('package.json', 'utf8')) as { engines: { node: string } };
  expect(engines.node).toBe('^24.15.0 || >=26.0.0');
  const renamed = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`;
  const printed = longshoreProcess(['version'], ['--import', `data:text/javascript,${encodeURIComponent(renamed)}`]);
  expect(printed.exitCode).toBe(isSupported ? 0 : 1);
  const refusal = `longshore: Node.js 24.15 or a newer 24, or 26 or newer, is needed, this is v${version}.`;
  expect(printed.stderr.startsWith(refusal)).toBe(!isSupported);
});

test('every package that the program loads supports the Node.js that package.json declares', async () => {
  const lock = JSON.parse(await readFile('package-lock.json', 'utf8')) as {
    packages: Record<string, { dev?: boolean; engines?: { node?: string } }>;
  };
  const declared = Object.entries(lock.packages).flatMap(([name, { dev, engines }]) =>
    name === '' || dev === true || engines?.node === undefined ? [] : [{ name, range: engines.node }],
  );
  expect(declared.length).toBeGreaterThan(10);
  for (const { name, range } of declared) {
    for (const version of ['24.15.0', '26.0.0']) {
      expect(isChosen(parseVersion(version), parseVersionChoice(range)), `${name} ${range} ${version}`).toBe(true);
    }
  }
});
