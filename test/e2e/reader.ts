import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { startApiServer } from '../../apiserver/index.ts';
import { type DemoServers, startDemoServers } from '../../cli/demo/servers.ts';
import { startPlatform } from '../../cli/platform.ts';
import { objectsAt, silentLogger, textAt } from '../../src/base/index.ts';
import { readCatalogFolder } from '../../src/catalog/index.ts';
import {
  asksBasicAuthentication,
  fileEntries,
  type Registry,
  startGitServer,
  startRegistry,
  startSshServer,
  startWebServer,
  tarFile,
} from '../support/index.ts';
import { repository } from './contents.ts';
import { configOf } from './world.ts';

/** The user and the password that the private servers of the documents ask for. */
const account = ['reader', 'word-of-the-reader'] as const;

/** Somebody with a cluster, a working folder, the programs kubectl and longshore, and the servers that the documents name. */
export interface Reader extends AsyncDisposable {
  /** The text with our servers in place of the hosts that it names. */
  localise(text: string): string;
  write(name: string, content: string): Promise<void>;
  /** What a command prints, errors included. */
  run(command: string): Promise<string>;
}

interface Private extends AsyncDisposable {
  readonly hosts: readonly (readonly [string, string])[];
  readonly keyFiles: Readonly<Record<string, string>>;
}

/** A registry, a git server over HTTP and over SSH, and a web server that show their content to one account. */
async function startPrivateServers(): Promise<Private> {
  await using stack = new AsyncDisposableStack();
  const intercept = asksBasicAuthentication(...account);
  const registry = stack.use(await startRegistry({ intercept }));
  registry.putImage('combo:v0.0.2', [{ files: repository }]);
  const git = stack.use(await startGitServer({ intercept }));
  await git.createRepository('combo.git', [{ files: repository, tags: ['v0.0.2'] }]);
  const archive = gzipSync(tarFile(fileEntries(repository)));
  const web = stack.use(
    await startWebServer((request, response) => {
      if (intercept(request, response)) return;
      response.end(archive);
    }),
  );
  const ssh = stack.use(await startSshServer({ root: git.directoryOf('.') }));
  const operators = stack.use(await startOperatorRegistry());
  const owned = stack.move();
  return {
    hosts: [
      ['ssh://git@private.example.com/', `ssh://git@127.0.0.1:${ssh.port}/`],
      ['https://git.private.example.com/', `${git.url}/`],
      ['https://downloads.private.example.com/', `${web.url}/`],
      ['registry.private.example.com', registry.host],
      ['operators.example.com', operators.host],
    ],
    keyFiles: { deploy_key: ssh.keys.privateKey, known_hosts: ssh.knownHosts },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** What a catalog says of the versions that it is to have. */
async function catalogWith(versions: readonly string[], host: string): Promise<string> {
  const isKept = (name: string): boolean => versions.some((version) => name.endsWith(`.v${version}`));
  const documents: string[] = [];
  for await (const { schema, name, value } of readCatalogFolder('examples/catalog/configs')) {
    const entries = objectsAt(value, 'entries').filter((entry) => isKept(textAt(entry, 'name')));
    const isGone = schema === 'olm.bundle' ? !isKept(name) : schema === 'olm.channel' && entries.length === 0;
    const document = schema === 'olm.channel' ? { ...value, entries } : value;
    if (!isGone) documents.push(JSON.stringify(document).replaceAll('registry.example.com/', `${host}/`));
  }
  return documents.join('\n');
}

/** A registry with the operators of the examples, and two versions of a catalog of them. */
async function startOperatorRegistry(): Promise<Registry> {
  const registry = await startRegistry();
  for (const name of ['harbour', 'tide-gauge']) {
    for (const version of await readdir(join('examples', name))) {
      const folder = join('examples', name, version);
      const paths = (await readdir(folder, { recursive: true })).filter((path) => path.endsWith('.yaml')).sort();
      const files = await Promise.all(paths.map(async (path) => [path, await readFile(join(folder, path), 'utf8')]));
      registry.putImage(`${name}-bundle:${version}`, [{ files: Object.fromEntries(files) as Record<string, string> }]);
    }
  }
  const labels = { 'operators.operatorframework.io.index.configs.v1': '/configs' };
  for (const [tag, versions] of Object.entries({ v1: ['0.1.0'], v2: ['0.1.0', '0.1.1', '0.2.0', '1.0.0'] })) {
    const files = { 'configs/catalog.json': await catalogWith(versions, registry.host) };
    registry.putImage(`catalog:${tag}`, [{ files }], labels);
  }
  return registry;
}

/** The examples of the repository, keys as the owner of the private servers would hand them out, and a program `longshore`. */
async function layOut(folder: string, keyFiles: Readonly<Record<string, string>>): Promise<void> {
  await cp('examples', join(folder, 'examples'), { recursive: true });
  for (const [name, text] of Object.entries(keyFiles)) await writeFile(join(folder, name), text, { mode: 0o600 });
  const program = join(folder, '.bin', 'longshore');
  await mkdir(dirname(program));
  await writeFile(program, `#!/bin/sh\nexec "${process.execPath}" "${resolve('cli/bin.js')}" "$@"\n`);
  await chmod(program, 0o755);
}

function hostsOf({ places }: DemoServers, others: Private): readonly (readonly [string, string])[] {
  return [
    ...others.hosts,
    ['https://git.example.com/combo.git', places.repository],
    ['registry.example.com/combo', places.image],
  ];
}

/** An API server that nothing of ours runs on. */
async function startBareCluster(folder: string): Promise<AsyncDisposable & { readonly kubeconfigPath: string }> {
  const kubeconfigPath = join(folder, '.bare.kubeconfig');
  const server = await startApiServer({ kubeconfigPath });
  return { kubeconfigPath, [Symbol.asyncDispose]: () => server.stop() };
}

/** Starts one, with servers and a cluster of its own; `isBare`: without Longshore. */
export async function startReader({ isBare = false }: { readonly isBare?: boolean } = {}): Promise<Reader> {
  await using stack = new AsyncDisposableStack();
  const cwd = await mkdtemp(join(tmpdir(), 'longshore-docs-'));
  stack.defer(() => rm(cwd, { recursive: true, force: true }));
  const servers = stack.use(await startDemoServers());
  const others = stack.use(await startPrivateServers());
  await layOut(cwd, others.keyFiles);
  const platform = stack.use(
    isBare ? await startBareCluster(cwd) : await startPlatform(configOf([]), { log: silentLogger() }),
  );
  const env = {
    ...process.env,
    PATH: `${join(cwd, '.bin')}:${process.env['PATH']}`,
    KUBECONFIG: platform.kubeconfigPath,
    KUBECTL_KUBERC: 'false',
    NO_COLOR: '1',
  };
  const owned = stack.move();
  return {
    localise: (text) => hostsOf(servers, others).reduce((all, [name, place]) => all.replaceAll(name, place), text),
    write: async (name, content) => await writeFile(join(cwd, name), content),
    run: (command) =>
      new Promise((done) => {
        execFile('sh', ['-c', `exec 2>&1; ${command}`], { cwd, env, timeout: 90_000 }, (_error, stdout) => {
          done(stdout);
        });
      }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
