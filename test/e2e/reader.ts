import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { startApiServer } from '../../apiserver/index.ts';
import { documentedPorts, type ExampleServers, startExampleServers } from '../../cli/demo/example-servers.ts';
import { startPlatform } from '../../cli/platform.ts';
import { silentLogger } from '../../src/base/index.ts';
import { type SshServer, startGitServer, startSshServer } from '../support/index.ts';
import { repository } from './contents.ts';
import { configOf } from './world.ts';

/** Somebody with a cluster, a working folder, the programs kubectl and longshore, and the servers that the documents name. */
export interface Reader extends AsyncDisposable {
  /** The text with our servers in place of the hosts that it names. */
  localise(text: string): string;
  write(name: string, content: string): Promise<void>;
  /** What a command prints, errors included. */
  run(command: string): Promise<string>;
}

/** What a document leaves to its reader. */
const placeholders: readonly (readonly [string, string])[] = [
  ['<registry>', 'registry.example.com'],
  ['<mirror>', 'mirror.example.com'],
  ['<host>', 'downloads.example.com'],
];

/** The examples of the repository, keys as the owner of the private servers would hand them out, and a program `longshore`. */
async function layOut(
  folder: string,
  {
    keyFiles,
    localise,
  }: { readonly keyFiles: Readonly<Record<string, string>>; readonly localise: (text: string) => string },
): Promise<void> {
  await cp('examples', join(folder, 'examples'), { recursive: true });
  for (const path of globSync('examples/catalog/configs/*/*.yaml', { cwd: folder })) {
    await writeFile(join(folder, path), localise(await readFile(join(folder, path), 'utf8')));
  }
  for (const [name, text] of Object.entries(keyFiles)) await writeFile(join(folder, name), text, { mode: 0o600 });
  const program = join(folder, '.bin', 'longshore');
  await mkdir(dirname(program));
  await writeFile(program, `#!/bin/sh\nexec "${process.execPath}" "${resolve('cli/bin.js')}" "$@"\n`);
  await chmod(program, 0o755);
}

function hostsOf({ registry, git }: ExampleServers, ssh: SshServer): readonly (readonly [string, string])[] {
  return [
    [`http://127.0.0.1:${documentedPorts.git}`, git?.url ?? ''],
    [`127.0.0.1:${documentedPorts.registry}`, registry.host],
    ['<git-host>', `127.0.0.1:${ssh.port}`],
    ...placeholders,
  ];
}

/** The repository `combo.git` behind an SSH server. */
async function startSshRepositories(): Promise<AsyncDisposable & { readonly ssh: SshServer }> {
  await using stack = new AsyncDisposableStack();
  const git = stack.use(await startGitServer());
  await git.createRepository('combo.git', [{ files: repository, tags: ['v0.0.2'] }]);
  const ssh = stack.use(await startSshServer({ root: git.directoryOf('.') }));
  const owned = stack.move();
  return { ssh, [Symbol.asyncDispose]: () => owned.disposeAsync() };
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
  const examples = stack.use(await startExampleServers());
  const repositories = stack.use(await startSshRepositories());
  const { ssh } = repositories;
  const localise = (text: string): string =>
    hostsOf(examples, ssh).reduce((all, [name, place]) => all.replaceAll(name, place), text);
  await layOut(cwd, { keyFiles: { deploy_key: ssh.keys.privateKey, known_hosts: ssh.knownHosts }, localise });
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
    localise,
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
