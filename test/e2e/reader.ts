import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { startApiServer } from '../../apiserver/index.ts';
import { documentedPorts, type ExampleServers, startExampleServers } from '../../cli/examples/example-servers.ts';
import { startPlatform } from '../../cli/up/platform.ts';
import { silentLogger } from '../../src/base/index.ts';
import { type SshServer, startGitServer, startSshServer } from '../support/index.ts';
import { repository } from './contents.ts';
import { type CorporateNetwork, startCorporateNetwork } from './corporate-network.ts';
import { installOtherOlm } from './other-olm.ts';
import { runLongshore } from './program.ts';
import { configOf } from './world.ts';

/** A reader with a cluster, a working folder, the programs kubectl and longshore, and the servers that the documents name. */
export interface Reader extends AsyncDisposable {
  /** The text with our servers in place of the hosts that it names. */
  localise(text: string): string;
  write(name: string, content: string): Promise<void>;
  /** What a command prints, errors included. */
  run(command: string): Promise<string>;
  /** Starts a program in another terminal, and waits until it is ready. What it exports counts for later commands as well. */
  serve(command: string): Promise<void>;
}

/** Where a reader works. */
export interface ReaderOptions {
  /** On a cluster without Longshore. */
  readonly isBare?: boolean;
  /** With the Deployments of another Operator Lifecycle Manager. */
  readonly hasOtherOlm?: boolean;
  /** With `combo.git` behind an SSH server, which documents call <git-host>. */
  readonly hasSshRepositories?: boolean;
  /** In a network whose hosts a proxy alone knows, with a cluster that the document starts. */
  readonly isBehindProxy?: boolean;
  /** With the program helm. */
  readonly helmPath?: string;
  /** With Operator Lifecycle Manager, which takes half of the processor time of a start. */
  readonly hasOlm?: boolean;
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
  // Programs of the examples import packages.
  await symlink(resolve('node_modules'), join(folder, 'node_modules'));
  const program = join(folder, '.bin', 'longshore');
  await mkdir(dirname(program));
  await writeFile(program, `#!/bin/sh\nexec "${process.execPath}" "${resolve('cli/bin.js')}" "$@"\n`);
  await chmod(program, 0o755);
}

function hostsOf(
  { registry, git }: ExampleServers,
  ssh: SshServer | undefined,
): readonly (readonly [string, string])[] {
  return [
    [`http://127.0.0.1:${documentedPorts.git}`, git?.url ?? ''],
    [`127.0.0.1:${documentedPorts.registry}`, registry.host],
    ['<git-host>', `127.0.0.1:${ssh?.port}`],
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
async function startBareCluster(
  folder: string,
  hasOtherOlm: boolean,
): Promise<AsyncDisposable & { readonly kubeconfigPath: string }> {
  const kubeconfigPath = join(folder, '.bare.kubeconfig');
  const server = await startApiServer({ kubeconfigPath });
  if (hasOtherOlm) await installOtherOlm(server.client);
  return { kubeconfigPath, [Symbol.asyncDispose]: () => server.stop() };
}

/** The values that a line `export NAME=VALUE…` sets. */
function exportsOf(command: string, cwd: string): Record<string, string> {
  const words = command
    .split('\n')
    .filter((line) => line.startsWith('export '))
    .flatMap((line) => line.split(' ').slice(1));
  return Object.fromEntries(
    words.map((word) => [word.split('=', 1).join(''), word.slice(word.indexOf('=') + 1).replace('$PWD', cwd)]),
  );
}

/** Where a command runs; variables beside those of this process. */
interface Shell {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Starts `longshore up` of a document on a free port, or another program that reports when it is ready; ends with the scope. */
async function startServer(command: string, { cwd, env }: Shell): Promise<AsyncDisposable> {
  const line = command
    .replace(/^export .*\n/gm, '')
    .replace(/^longshore up/, 'longshore up --port 0 --no-examples --no-olm')
    .replace(/^/, 'exec env ');
  const child = spawn('sh', ['-c', line], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  for await (const printed of createInterface({ input: child.stdout })) if (printed.startsWith('ready')) break;
  child.stdout.resume();
  return {
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** What a shell prints, standard error included. */
function runShell(command: string, { cwd, env }: Shell, input = ''): Promise<string> {
  const options = { cwd, env: { ...process.env, ...env }, timeout: 90_000 };
  return new Promise((done) => {
    const child = execFile('sh', ['-c', `exec 2>&1; ${command}`], options, (_error, stdout) => done(stdout));
    // A reader such as `head` may end first.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
}

/** `longshore` with words that a shell leaves as they are, its standard error dropped or not, and what reads its output. */
const plainCommand = /^longshore ([\w./:@=, -]+?)( 2>\/dev\/null)?(?: \| (.+))?$/;

/** What a command prints. `longshore` runs in this process, which takes a tenth of the processor time, unless the shell has more to do than to pipe its output. */
async function runInShell(command: string, shell: Shell): Promise<string> {
  const [, words, dropped, reading] = plainCommand.exec(command) ?? [];
  if (words === undefined) return await runShell(command, shell);
  const isMerged = dropped === undefined && reading === undefined;
  const { stdout, stderr } = await runLongshore(words.split(' '), { ...shell, isMerged });
  const shown = dropped === undefined ? stderr : '';
  return shown + (reading === undefined ? stdout : await runShell(reading, shell, stdout));
}

interface ReaderPlace {
  readonly kubeconfigPath?: string;
  readonly network?: CorporateNetwork;
}

/** The cluster of a reader, unless the document starts it. */
async function startPlace(
  stack: AsyncDisposableStack,
  cwd: string,
  { isBare = false, isBehindProxy = false, hasOtherOlm = false, hasOlm = false, helmPath }: ReaderOptions,
): Promise<ReaderPlace> {
  if (isBehindProxy) return { network: stack.use(await startCorporateNetwork()) };
  const args = [...(helmPath === undefined ? [] : ['--helm', helmPath]), ...(hasOlm ? [] : ['--no-olm'])];
  const started = isBare
    ? await startBareCluster(cwd, hasOtherOlm)
    : await startPlatform(configOf(args), { log: silentLogger() });
  return { kubeconfigPath: stack.use(started).kubeconfigPath };
}

/** Starts one, with servers and a cluster of its own. */
export async function startReader(options: ReaderOptions = {}): Promise<Reader> {
  await using stack = new AsyncDisposableStack();
  const cwd = await mkdtemp(join(tmpdir(), 'longshore-docs-'));
  stack.defer(() => rm(cwd, { recursive: true, force: true }));
  const examples = stack.use(await startExampleServers());
  const ssh = options.hasSshRepositories === true ? stack.use(await startSshRepositories()).ssh : undefined;
  const { kubeconfigPath, network } = await startPlace(stack, cwd, options);
  const hosts = [...hostsOf(examples, ssh), ['<proxy>:3128', network?.proxy ?? ''] as const];
  const localise = (text: string): string => hosts.reduce((all, [name, place]) => all.replaceAll(name, place), text);
  const keyFiles = {
    ...(ssh === undefined ? {} : { deploy_key: ssh.keys.privateKey, known_hosts: ssh.knownHosts }),
    ...(network === undefined ? {} : { 'ca.pem': network.caPem }),
  };
  await layOut(cwd, { keyFiles, localise });
  if (options.helmPath !== undefined) await symlink(options.helmPath, join(cwd, '.bin', 'helm'));
  let env: Record<string, string> = {
    PATH: `${join(cwd, '.bin')}:${process.env['PATH']}`,
    KUBECONFIG: kubeconfigPath ?? '',
    KUBECTL_KUBERC: 'false',
    NO_COLOR: '1',
    ...(network === undefined ? {} : { HTTPS_PROXY: `http://${network.proxy}` }),
  };
  const owned = stack.move();
  return {
    localise,
    write: async (name, content) => await writeFile(join(cwd, name), content),
    serve: async (command) => {
      env = { ...env, ...exportsOf(command, cwd) };
      owned.use(await startServer(command, { cwd, env }));
    },
    run: async (command) => {
      env = { ...env, ...exportsOf(command, cwd) };
      // What stands for the network is in the environment that a process starts with.
      return await (network === undefined ? runInShell : runShell)(command, { cwd, env });
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
