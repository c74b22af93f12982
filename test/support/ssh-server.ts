import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { promisify } from 'node:util';
import ssh2, { type AuthContext, type Connection, type ServerChannel } from 'ssh2';

// CommonJS whose exports Node.js does not find by name.
const { Server, utils } = ssh2;

/** A pair of keys; the private one in OpenSSH's form. */
export interface SshKeys {
  readonly privateKey: string;
  readonly publicKey: string;
}

/** An SSH server on loopback that serves git repositories for reading, to the user `git` with the right key. */
export interface SshServer extends AsyncDisposable {
  readonly port: number;
  /** What the client must prove itself by. */
  readonly keys: SshKeys;
  /** The line of `ssh-knownhosts` for this server. */
  readonly knownHosts: string;
  /** Commands that clients asked for. */
  readonly commands: readonly string[];
}

export interface SshServerOptions {
  /** Holds the repositories. */
  readonly root: string;
  /** Accepts every client and then stays silent. */
  readonly isSilent?: boolean;
}

/** Makes a pair of keys with the program ssh-keygen; with a passphrase the private one is encrypted. */
export async function sshKeys(passphrase = ''): Promise<SshKeys> {
  const dir = await mkdtemp(`${tmpdir()}/ssh-keys-`);
  try {
    await promisify(execFile)('ssh-keygen', [
      '-q',
      '-t',
      'ed25519',
      '-N',
      passphrase,
      '-C',
      'test',
      '-f',
      `${dir}/key`,
    ]);
    const [privateKey, publicKey] = await Promise.all(
      ['key', 'key.pub'].map((name) => readFile(`${dir}/${name}`, 'utf8')),
    );
    return { privateKey: privateKey ?? '', publicKey: (publicKey ?? '').trim() };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

function isKnown(context: AuthContext, publicKey: string): boolean {
  if (context.method !== 'publickey' || context.username !== 'git') return false;
  const known = utils.parseKey(publicKey);
  if (known instanceof Error || !context.key.data.equals(known.getPublicSSH())) return false;
  const { signature, blob } = context;
  return signature === undefined || blob === undefined || known.verify(blob, signature, context.hashAlgo);
}

function serve(command: string, channel: ServerChannel, options: SshServerOptions): void {
  const path = /^git-upload-pack '([^']+)'$/.exec(command)?.[1];
  if (path === undefined) {
    channel.stderr.write('only git-upload-pack is allowed\n');
    channel.exit(128);
    channel.end();
    return;
  }
  const program = spawn('git', ['upload-pack', `${options.root}/${path.replace(/^\//, '')}`], {
    env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
  });
  program.stdin.on('error', () => undefined);
  channel.pipe(program.stdin);
  program.stdout.pipe(channel, { end: false });
  program.stderr.pipe(channel.stderr, { end: false });
  program.once('close', (code) => {
    channel.exit(code ?? 1);
    channel.end();
  });
  channel.once('close', () => program.kill());
}

function acceptClient(
  client: Connection,
  server: { commands: string[]; publicKey: string; options: SshServerOptions },
): void {
  client.on('error', () => undefined);
  client.on('authentication', (context) => {
    if (isKnown(context, server.publicKey)) context.accept();
    else context.reject(['publickey']);
  });
  client.on('session', (accept) => {
    const session = accept();
    session.on('env', (acceptEnv) => acceptEnv?.());
    session.on('exec', (acceptExec, _reject, { command }) => {
      server.commands.push(command);
      const channel = acceptExec();
      channel.on('error', () => undefined);
      if (server.options.isSilent !== true) serve(command, channel, server.options);
    });
  });
}

/** Starts one on a free port. Needs the git program. */
export async function startSshServer(options: SshServerOptions): Promise<SshServer> {
  const [hostKeys, keys] = await Promise.all([sshKeys(), sshKeys()]);
  const commands: string[] = [];
  const clients = new Set<Connection>();
  const server = new Server({ hostKeys: [hostKeys.privateKey] }, (client) => {
    clients.add(client);
    client.once('close', () => clients.delete(client));
    acceptClient(client, { commands, publicKey: keys.publicKey, options });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    keys,
    knownHosts: `[127.0.0.1]:${port} ${hostKeys.publicKey}`,
    commands,
    async [Symbol.asyncDispose]() {
      for (const client of clients) client.end();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
