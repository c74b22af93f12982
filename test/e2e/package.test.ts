/** @module-tag long */
import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../src/base/index.ts';
import { createKubeClient, loadClusterAccess } from '../../src/kube/index.ts';
import { eventually, startRegistry } from '../support/index.ts';
import { valid } from './contents.ts';
import { fencesOf } from './documents.ts';
import { installApiServer, installPackage, makeRelease } from './installed.ts';
import { modulesLoadedBy } from './loaded-modules.ts';
import { runProgram } from './program.ts';
import { bundle, statusOf } from './world.ts';

const run = promisify(execFile);
const tools = resolve('node_modules/.bin');
const release = await mkdtemp(join(tmpdir(), 'longshore-release-'));
const gitStatus = (): string => execFileSync('git', ['status', '--porcelain'], { encoding: 'utf8' });
/** Where `longshore` is installed, and its package there. */
let place: string;
let home: string;
/** A project of another author, which has `@longshore/apiserver` alone and what its own programs import. */
let project: string;
let apiserver: string;
let released: { readonly stdout: string; readonly stderr: string };
let changed: readonly string[];

beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'longshore-package-'));
  project = await mkdtemp(join(tmpdir(), 'longshore-apiserver-'));
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const key = join(place, 'key.pem');
  await writeFile(key, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  const before = gitStatus();
  released = await makeRelease(release, key);
  changed = gitStatus() === before ? [] : [gitStatus()];
  home = await installPackage(release, place);
  apiserver = await installApiServer(release, project, ['@kubernetes/client-node', 'vitest']);
  await writeFile(join(project, 'package.json'), '{ "name": "another-project", "private": true, "type": "module" }\n');
  for (const document of ['docs/embedded-api-server.md', 'apiserver/README.md']) {
    for (const { info, lines } of fencesOf(await readFile(document, 'utf8'))) {
      const name = /\bprogram=(\S+)/.exec(info)?.[1];
      if (name !== undefined) await writeFile(join(project, name), `${lines.join('\n')}\n`);
    }
  }
}, 240_000);
afterAll(async () => {
  for (const folder of [place, project, release]) await rm(folder, { recursive: true, force: true });
});

/** What a command prints in another project; rejects when it fails. */
async function print(command: string, args: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const { NODE_OPTIONS: _ours, VITEST: _vitest, ...rest } = process.env;
  const { stdout, stderr } = await run(command, args, { cwd: project, env: { ...rest, ...env }, timeout: 60_000 });
  return stdout + stderr;
}

test('the built package runs: the API server, the servers of the examples, a bundle unpacked in its worker threads', async () => {
  await using stack = new AsyncDisposableStack();
  const bin = join(home, 'cli', 'bin.js');
  expect(execFileSync(process.execPath, [bin, 'version']).toString()).toMatch(/^longshore \d+\.\d+\.\d+ /);
  const registry = stack.use(await startRegistry());
  registry.putImage('valid:v1', [{ files: valid }]);
  const kubeconfig = join(place, 'kubeconfig');
  const child = spawn(process.execPath, [bin, 'up', '--kubeconfig', kubeconfig], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  stack.defer(async () => {
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'exit');
  });
  for await (const line of createInterface({ input: child.stdout })) if (line.startsWith('ready')) break;
  const kube = createKubeClient({ access: await loadClusterAccess({ path: kubeconfig }), clock: systemClock });
  stack.defer(() => kube.close());
  await kube.create(bundle('packaged', { type: 'image', image: { ref: `${registry.host}/valid:v1` } }), {
    fieldManager: 'test',
  });
  await eventually(async () => {
    const found = await kube.get({ apiVersion: 'core.rukpak.io/v1alpha1', kind: 'Bundle', name: 'packaged' });
    expect(statusOf(found)['phase']).toBe('Unpacked');
  });
});

const catalogDir = resolve('examples/catalog/configs');
const alone = ['cli', 'src/api', 'src/base'];

test.each([
  { args: ['--help'], loads: alone },
  { args: ['version'], loads: alone },
  { args: ['list', '--kubeconfig', '/nowhere'], loads: [...alone, 'js-yaml', 'src/installations', 'src/kube'] },
  {
    args: ['catalog', 'list', 'packages', catalogDir],
    loads: [...alone, 'js-yaml', 'src/catalog', 'src/constraints'],
  },
  { args: ['catalog', 'render', catalogDir], loads: [...alone, 'js-yaml', 'src/catalog', 'src/constraints'] },
  {
    args: ['catalog', 'graph', 'tide-gauge', '--catalog', catalogDir],
    loads: [...alone, 'js-yaml', 'src/catalog', 'src/constraints', 'src/drawing', 'src/resolver'],
  },
  {
    args: ['catalog', 'validate', catalogDir],
    loads: [...alone, 'js-yaml', 're2js', 'src/catalog', 'src/cel', 'src/constraints', 'src/schema'],
  },
])('of the package longshore $args.0 $args.1 loads $loads and nothing else', async ({ args, loads }) => {
  expect(await modulesLoadedBy(join(home, 'cli', 'bin.js'), args)).toEqual(loads.toSorted());
});

test('@longshore/apiserver has the files and dependencies that it needs, and nothing of the program', async () => {
  const { dependencies } = JSON.parse(await readFile(join(apiserver, 'package.json'), 'utf8')) as {
    dependencies: Readonly<Record<string, string>>;
  };
  expect(Object.values(dependencies).every((version) => /^\d+\.\d+\.\d+$/.test(version))).toBe(true);
  const others = ['fastify', 'prom-client', 'tar', '@grpc/grpc-js', '@kubernetes/client-node'];
  const bundled = ['@peculiar/x509', 'reflect-metadata'];
  for (const name of [...others, ...bundled]) expect(Object.keys(dependencies)).not.toContain(name);
  const licenses = await readFile(join(apiserver, 'THIRD-PARTY-LICENSES'), 'utf8');
  for (const name of [...bundled, '@peculiar/asn1-x509', 'asn1js', 'tsyringe']) expect(licenses).toContain(`${name} `);
  const files = ['LICENSE', 'README.md', 'THIRD-PARTY-LICENSES', 'dist', 'package.json'];
  expect((await readdir(apiserver)).toSorted()).toEqual(files);
  const compiled = await readdir(join(apiserver, 'dist'));
  expect(compiled.toSorted()).toEqual(['apiserver', 'src']);
  const folders = await readdir(join(apiserver, 'dist/src'));
  for (const name of ['catalog', 'kube', 'controller', 'sources']) expect(folders).not.toContain(name);
});

test('the programs of the documents for node:test pass in a JavaScript project', async () => {
  const programs = ['node.test.js', 'webhook.test.js', 'faults.test.js', 'node.readme.js'];
  expect(await print(process.execPath, ['--test', ...programs])).toMatch(/pass 4\b/);
});

test('the program of docs/embedded-api-server.md for vitest passes in a JavaScript project', async () => {
  expect(await print(join(tools, 'vitest'), ['run', 'vitest.test.js'], { NO_COLOR: '1' })).toMatch(/Tests +1 passed/);
});

const jest = join(tools, 'jest');
const why = existsSync(jest) ? '' : ' (skipped: jest is not installed)';
test.skipIf(why !== '')(`the program of docs/embedded-api-server.md for jest passes${why}`, async () => {
  const env = { NODE_OPTIONS: '--experimental-vm-modules' };
  expect(await print(jest, ['jest.test.js'], env)).toContain('1 passed');
});

test('a CommonJS program can require the API server', async () => {
  const program = `const { startApiServer } = require('@longshore/apiserver');
    startApiServer().then(async (cluster) => {
      const namespaces = await cluster.client.list({ apiVersion: 'v1', kind: 'Namespace' });
      console.log(namespaces.length);
      await cluster.stop();
    });\n`;
  await writeFile(join(project, 'program.cjs'), program);
  expect(await print(process.execPath, ['program.cjs'])).toBe('4\n');
});

test('import and require lead to one module, which names everything that the API server exports', async () => {
  const program = `const required = require('@longshore/apiserver');
    import('@longshore/apiserver').then((imported) => {
      const names = Object.keys(imported).filter((name) => imported[name] === required[name]);
      console.log(names.length > 0 && names.length === Object.keys(imported).length, names.includes('startApiServer'));
    });\n`;
  await writeFile(join(project, 'same.cjs'), program);
  expect(await print(process.execPath, ['same.cjs'])).toBe('true true\n');
});

const older = ['/usr/bin/node', '/usr/local/bin/node'].find((path) => {
  const { stdout } = spawnSync(path, ['--version'], { encoding: 'utf8' });
  return Number(/^v(\d+)/.exec(stdout ?? '')?.[1] ?? 24) < 24;
});
const whyNot = older === undefined ? ' (skipped: there is no Node.js older than 24 in /usr/bin)' : '';
test.skipIf(older === undefined)(`an older Node.js gets one line with what is required${whyNot}`, async () => {
  const needed = /Node\.js 24.* or newer,? is needed, this is v\d+/;
  const { stderr, status } = spawnSync(older ?? '', [join(home, 'cli', 'bin.js'), 'up'], { encoding: 'utf8' });
  expect(status).toBe(1);
  expect(stderr).toMatch(needed);
  expect(stderr.trim().split('\n')).toHaveLength(1);
  for (const code of ["import('@longshore/apiserver')", "require('@longshore/apiserver')"]) {
    const failed = spawnSync(older ?? '', ['-e', code], { cwd: project, encoding: 'utf8' });
    expect(failed.stderr).toMatch(needed);
  }
});

test('the types of the API server serve a TypeScript project that has no other packages', async () => {
  const program = `interface V1Deployment extends ApiObject { spec?: { replicas?: number } }
import { ApiError, startApiServer, type ApiObject, type ApiServer } from '@longshore/apiserver';
const cluster: ApiServer = await startApiServer({ crds: ['crds'], faults: 1 });
const found = await cluster.client.get<V1Deployment>({ apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' });
const replicas: number | undefined = found.spec?.replicas;
export const isDone: boolean = replicas === 2 && !(found instanceof ApiError);
export const wrong: string = cluster.faults.add({ error: 409 }).hits;\n`;
  await writeFile(join(project, 'program.ts'), program);
  const args = [
    '--noEmit',
    '--strict',
    '--target',
    'es2024',
    '--lib',
    'es2024',
    '--module',
    'nodenext',
    '--types',
    '',
    'program.ts',
  ];
  const failed = await print(join(tools, 'tsc'), args).catch((thrown: { stdout: string }) => thrown.stdout);
  expect(failed.trim().split('\n')).toEqual([
    expect.stringContaining("'faults' does not exist in type 'ApiServerOptions'"),
    expect.stringContaining("Type 'number' is not assignable to type 'string'"),
  ]);
});

test.skipIf(older === undefined)(`npm of an older Node.js warns of nothing of ours in a checkout${whyNot}`, () => {
  const env = { ...process.env, PATH: `${dirname(older ?? '')}:${process.env['PATH']}` };
  const { status, stderr } = spawnSync('npm', ['ci', '--dry-run', '--offline'], { env, encoding: 'utf8' });
  expect({ status, warnings: stderr.match(/^npm warn(?! Unknown user config).*$/gm) }).toEqual({
    status: 0,
    warnings: null,
  });
});

test('a dry run builds all files of a release, signed, and changes nothing in the checkout', async () => {
  const names = released.stdout.split('\n').map((line) => line.split('  ')[0]);
  const expected = [
    /^NOTES\.md$/,
    /^SHA256SUMS$/,
    /^SHA256SUMS\.sig$/,
    /^longshore-[\d.]+\.tgz$/,
    /^longshore-apiserver-[\d.]+\.tgz$/,
    /^longshore-chart-[\d.]+\.tgz$/,
  ];
  for (const name of expected) expect(names).toContainEqual(expect.stringMatching(name));
  expect(released.stdout).not.toContain(' 0 bytes');
  expect(changed).toEqual([]);
  if (!released.stderr.includes('would be refused')) return;
  const refused = await runProgram(process.execPath, ['scripts/release.ts', '--out', join(place, 'out')]);
  expect(refused).toMatchObject({ code: 1, stdout: '' });
});

test('the program of docs/machine-hooks.md is checked by TypeScript, and backs up the volume of a machine before its instance ends', async () => {
  await using stack = new AsyncDisposableStack();
  const [fence] = fencesOf(await readFile('docs/machine-hooks.md', 'utf8')).filter(({ info }) =>
    info.includes('program=backup.ts'),
  );
  const program = join(place, 'backup.ts');
  await writeFile(join(place, 'package.json'), '{ "name": "backup", "private": true, "type": "module" }\n');
  await writeFile(program, `${fence?.lines.join('\n') ?? ''}\n`);
  const checks = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'esnext', '--types', 'node'];
  await run(join(tools, 'tsc'), [...checks, 'backup.ts'], { cwd: place });
  const kubeconfig = join(place, 'machines-kubeconfig');
  const start = (args: readonly string[]) => {
    const child = spawn(process.execPath, args, {
      cwd: place,
      env: { ...process.env, KUBECONFIG: kubeconfig },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    stack.defer(async () => {
      child.kill('SIGTERM');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    });
    return child;
  };
  const up = start([join(home, 'cli', 'bin.js'), 'up', '--machines', '1', '--no-olm', '--kubeconfig', kubeconfig]);
  for await (const line of createInterface({ input: up.stdout })) if (line.startsWith('ready')) break;
  start([program]);
  const kube = createKubeClient({ access: await loadClusterAccess({ path: kubeconfig }), clock: systemClock });
  stack.defer(() => kube.close());
  const machines = { apiVersion: 'machine.openshift.io/v1beta1', kind: 'Machine', namespace: 'openshift-machine-api' };
  const name = await eventually(async () => {
    const [machine] = (await kube.list(machines)).items;
    expect(machine?.['status']).toMatchObject({ phase: 'Running' });
    return machine?.metadata.name ?? '';
  });
  const metadata = { annotations: { 'example.com/volume': 'data' } };
  await kube.patch({ ...machines, name }, { metadata }, { fieldManager: 'test' });
  const hooks = { preTerminate: [{ name: 'BackupVolume', owner: 'backup-controller' }] };
  const { uid } = await eventually(async () => {
    const machine = await kube.get({ ...machines, name });
    expect(machine['spec']).toMatchObject({ lifecycleHooks: hooks });
    return machine.metadata;
  });
  await kube.delete({ ...machines, name });
  await eventually(async () => {
    const names = (await kube.list(machines)).items.map((machine) => machine.metadata.name);
    expect(names).not.toContain(name);
  });
  const { namespace } = machines;
  const job = await kube.get({ apiVersion: 'batch/v1', kind: 'Job', namespace, name: `backup-${uid ?? ''}` });
  expect(job['status']).toMatchObject({ succeeded: 1 });
});
