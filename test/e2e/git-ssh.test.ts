import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, type SshServer, sshKeys, startSshServer } from '../support/index.ts';
import { repository } from './contents.ts';
import { bundle, conditionOf, problemOf, startWorld, statusOf, type World } from './world.ts';

const stranger = await sshKeys();
const encrypted = await sshKeys('word-of-the-key');

let world: World;
let ssh: SshServer;
let silent: SshServer;
let commits: readonly string[];

beforeAll(async () => {
  world = await startWorld(['--answer-timeout', '5', '--max-layer-size', '1']);
  const older = { ...repository, 'manifests/older.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: older}\n' };
  commits = await world.git.createRepository('combo.git', [{ files: older }, { files: repository, tags: ['v0.0.1!'] }]);
  const root = world.git.directoryOf('.');
  ssh = await startSshServer({ root });
  silent = await startSshServer({ root, isSilent: true });
  await createSecret('gitsecret', ssh.keys.privateKey, ssh.knownHosts);
});
afterAll(async () => {
  await ssh[Symbol.asyncDispose]();
  await silent[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
});

async function createSecret(name: string, privateKey: string | undefined, knownHosts?: string): Promise<void> {
  const data = Object.entries({ 'ssh-privatekey': privateKey, 'ssh-knownhosts': knownHosts }).flatMap(([key, text]) =>
    text === undefined ? [] : [[key, Buffer.from(text).toString('base64')]],
  );
  const metadata = { name, namespace: 'rukpak-system' };
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata, type: 'kubernetes.io/ssh-auth' };
  // The type wants its key; without one the Secret is opaque.
  const type = privateKey === undefined ? 'Opaque' : secret.type;
  const object = { ...secret, type, data: Object.fromEntries(data) as Record<string, string> };
  await world.kube.apply(object, { fieldManager: 'test', force: true });
}

interface BundleOptions {
  readonly ref?: Readonly<Record<string, string>>;
  readonly secret?: string;
  readonly server?: SshServer;
  readonly path?: string;
  readonly rest?: Readonly<Record<string, unknown>>;
  readonly insecureSkipVerify?: boolean;
}

async function create(name: string, options: BundleOptions = {}): Promise<void> {
  const { ref = { branch: 'main' }, secret = 'gitsecret', server = ssh, path = 'combo.git', rest = {} } = options;
  const { insecureSkipVerify = false } = options;
  const auth = { secret: { name: secret }, ...(insecureSkipVerify ? { insecureSkipVerify } : {}) };
  const git = { repository: `ssh://git@127.0.0.1:${server.port}/${path}`, ref, auth, ...rest };
  await world.kube.create(bundle(name, { type: 'git', git }), { fieldManager: 'test' });
}

async function failureOf(name: string): Promise<string> {
  return problemOf(await world.bundleWithPhase(name, 'Failing'));
}

describe('a repository over SSH', () => {
  test('B15, Q19 is unpacked with the key of a Secret when any host is accepted', async () => {
    await createSecret('any-host', ssh.keys.privateKey);
    await create('b15', { secret: 'any-host', insecureSkipVerify: true });
    const unpacked = await world.bundleWithPhase('b15', 'Unpacked');
    expect(conditionOf(unpacked, 'Unpacked')?.message).toBe('Successfully unpacked the git Bundle');
    expect(existsSync(join(world.platform.storeDir, 'b15.tgz'))).toBe(true);
  });

  test.each([
    { name: 'branch', ref: { branch: 'main' }, commit: 1 },
    { name: 'tag', ref: { tag: 'v0.0.1' }, commit: 1 },
  ])('is pinned to the commit of a $name of a known host', async ({ name, ref, commit }) => {
    await create(`ssh-${name}`, { ref });
    const unpacked = await world.bundleWithPhase(`ssh-${name}`, 'Unpacked');
    expect(statusOf(unpacked)['resolvedSource']).toMatchObject({ git: { ref: { commit: commits[commit] } } });
  });

  test('Q19 gives an older commit by its hash', async () => {
    await create('ssh-commit', { ref: { commit: commits[0] ?? '' }, rest: { directory: './dev/deploy' } });
    const unpacked = await world.bundleWithPhase('ssh-commit', 'Unpacked');
    expect(statusOf(unpacked)['resolvedSource']).toMatchObject({ git: { ref: { commit: commits[0] } } });
  });

  test('Q19 knows its host by any line of ssh-knownhosts, not by the first one', async () => {
    const other = `other.example.com ${stranger.publicKey}`;
    await createSecret('many-hosts', ssh.keys.privateKey, `# hosts\n${other}\n${ssh.knownHosts}\n`);
    await create('ssh-hosts', { secret: 'many-hosts' });
    await world.bundleWithPhase('ssh-hosts', 'Unpacked');
  });

  test('leaves nothing behind in the store, and no secret in the status', async () => {
    await create('ssh-clean');
    const unpacked = await world.bundleWithPhase('ssh-clean', 'Unpacked');
    expect(JSON.stringify(unpacked)).not.toContain('PRIVATE KEY');
    // A Bundle that fails is tried again meanwhile.
    await eventually(async () => {
      const temporary = await readdir(join(world.platform.storeDir, 'temporary'));
      expect(temporary.filter((name) => name.startsWith('git-'))).toEqual([]);
    });
  });

  test('N16, Q20 is retried as soon as its Secret exists', async () => {
    await create('ssh-late', { secret: 'late' });
    expect(await failureOf('ssh-late')).toContain('secret "late" not found in namespace "rukpak-system"');
    await createSecret('late', ssh.keys.privateKey, ssh.knownHosts);
    await world.bundleWithPhase('ssh-late', 'Unpacked');
  });
});

describe('what is reported of', () => {
  test.each([
    {
      name: 'a Secret without a key',
      id: 'no-key',
      key: undefined,
      hosts: true,
      text: 'source bundle content: configuring Auth error: secret "no-key" has no key "ssh-privatekey"',
    },
    {
      name: 'a Secret without known hosts',
      id: 'no-hosts',
      key: 'right',
      hosts: false,
      text: 'secret "no-hosts" has no key "ssh-knownhosts": the key of the host 127.0.0.1 cannot be checked',
    },
    { name: 'an encrypted key', id: 'encrypted', key: encrypted.privateKey, hosts: true, text: 'is encrypted' },
    {
      name: 'a key that opens nothing',
      id: 'stranger',
      key: stranger.privateKey,
      hosts: true,
      text: 'Permission denied',
    },
  ])('N16 $name', async ({ id, key, hosts, text }) => {
    const privateKey = key === 'right' ? ssh.keys.privateKey : key;
    await createSecret(id, privateKey, hosts ? ssh.knownHosts : undefined);
    await create(id, { secret: id });
    expect(await failureOf(id)).toContain(text);
  });

  test('Q19 a host with another key than the known one, to which nothing is sent', async () => {
    const liar = `[127.0.0.1]:${ssh.port} ${stranger.publicKey}`;
    await createSecret('liar', ssh.keys.privateKey, liar);
    await create('ssh-liar', { secret: 'liar', path: 'liar.git' });
    expect(await failureOf('ssh-liar')).toContain(
      'the host 127.0.0.1 presents a key that differs from the one in "ssh-knownhosts"',
    );
    expect(ssh.commands.filter((command) => command.includes('liar.git'))).toEqual([]);
  });

  test('a host with a key that is revoked, also where it is known', async () => {
    const hostKey = ssh.knownHosts.slice(ssh.knownHosts.indexOf(' ') + 1);
    await createSecret('revoked', ssh.keys.privateKey, `${ssh.knownHosts}\n@revoked * ${hostKey}`);
    await create('ssh-revoked', { secret: 'revoked' });
    expect(await failureOf('ssh-revoked')).toContain(
      'the host 127.0.0.1 presents a key that a line of "ssh-knownhosts" marks as @revoked',
    );
  });

  test('Q19 a host that no line of ssh-knownhosts names, to which nothing is sent', async () => {
    await createSecret('elsewhere', ssh.keys.privateKey, `other.example.com ${stranger.publicKey}`);
    await create('ssh-elsewhere', { secret: 'elsewhere', path: 'elsewhere.git' });
    expect(await failureOf('ssh-elsewhere')).toContain('no line of "ssh-knownhosts" has the key of the host 127.0.0.1');
    expect(ssh.commands.filter((command) => command.includes('elsewhere.git'))).toEqual([]);
  });

  test.each([
    { name: 'a branch that is not there', options: { ref: { branch: 'absent' } }, text: 'refs/heads/absent' },
    { name: 'a repository that is not there', options: { path: 'absent.git' }, text: 'absent.git' },
    {
      name: 'a commit that is not there',
      options: { ref: { commit: '0'.repeat(39).concat('1') } },
      text: 'checkout commit',
    },
    {
      name: 'a directory that is not there',
      options: { rest: { directory: 'absent' } },
      text: 'directory does not exist',
    },
  ])('$name', async ({ name, options, text }) => {
    const id = name.replaceAll(' ', '-');
    await create(id, options);
    expect(await failureOf(id)).toContain(text);
  });

  test('a server that stays silent, and no program is left running', { tags: 'long' }, async () => {
    await createSecret('silent', silent.keys.privateKey, silent.knownHosts);
    await create('ssh-silent', { server: silent, secret: 'silent' });
    expect(await failureOf('ssh-silent')).toMatch(/nothing received for 5 s|[Tt]imeout/);
    await world.kube.delete({ apiVersion: 'core.rukpak.io/v1alpha1', kind: 'Bundle', name: 'ssh-silent' });
    await eventually(() => {
      expect(execFileSync('ps', ['-eo', 'args']).toString()).not.toContain(`-p ${silent.port}`);
    });
  });

  test('a repository that is larger than the limit', async () => {
    const noise = randomBytes(2 * 1024 * 1024).toString('base64');
    await world.git.createRepository('huge.git', [{ files: { ...repository, 'noise.txt': noise } }]);
    await createSecret('huge', ssh.keys.privateKey, ssh.knownHosts);
    await create('ssh-huge', { path: 'huge.git', secret: 'huge' });
    expect(await failureOf('ssh-huge')).toContain('limit of 1048576 bytes');
  });
});
