import { spawn, spawnSync } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { constants, getPriority, tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { eventually, sshKeys } from '../../../test/support/index.ts';
import { parseSshRemote } from '../definitions/index.ts';
import { requestedRef } from './ref.ts';
import { readPrivateKey } from './ssh-identity.ts';
import { SshProgram } from './ssh-program.ts';

const plain = await sshKeys();
const encrypted = await sshKeys('word-of-the-key');

test.each([
  ['git@example.com:org/combo.git', 'git@example.com:org/combo.git'],
  ['example.com:combo', 'git@example.com:combo'],
  ['ssh://example.com/combo', 'ssh://git@example.com/combo'],
  ['ssh://me@example.com:2222/org/combo.git', 'ssh://me@example.com:2222/org/combo.git'],
  ['git+ssh://example.com/combo', 'ssh://git@example.com/combo'],
  ['ssh://git@[::1]:2222/combo', 'ssh://git@[::1]:2222/combo'],
])('%s is reached as %s', (text, address) => {
  expect(parseSshRemote(text)?.address).toBe(address);
});

test.each(['https://example.com/x', 'file:///etc', 'github.com/org/combo', 'combo', '/srv/combo.git'])(
  '%s is no address of SSH',
  (text) => {
    expect(parseSshRemote(text)).toBeUndefined();
  },
);

test.each([
  'ssh://-oProxyCommand=touch%20x/combo',
  'ssh://git@-oProxyCommand=x/combo',
  '-oProxyCommand=x:combo',
  'git@-oProxyCommand=x:combo',
  '-x@example.com:combo',
  'ssh://-x@example.com/combo',
  'example.com:-combo',
  'ext::sh -c touch% /tmp/x',
  'git@example.com:combo\nmore',
  'ssh://example.com/',
  'git@example.com:',
  'ssh://git:word@example.com/combo',
  'ssh://exa mple.com/combo',
  'ssh://$(touch x)/combo',
  'ssh://git@example.com/%zz',
  'ssh://%ff@example.com/combo',
  'git@$(touch x):combo',
])('%j is refused, and never seen by a program', (text) => {
  expect(() => parseSshRemote(text)).toThrow(
    expect.objectContaining({
      name: 'TerminalError',
      reason: 'InvalidSource',
    }),
  );
});

test('a password in an address is not repeated', () => {
  expect(() => parseSshRemote('ssh://git:word@example.com/combo')).toThrow(
    'repository "ssh://redacted@example.com/combo" holds a password',
  );
  expect(() => parseSshRemote('ssh://git:wo/rd@example.com/combo')).toThrow(
    'repository "ssh://redacted@example.com/combo" is not an address',
  );
});

test.each(['', 'a b', 'a:b', '*', 'a..b', '-/../x', 'a.lock', 'x^', '/x', 'x/', 'a\nb', '@{1}', '.x'])(
  '%j is no name of a branch',
  (branch) => {
    expect(() => requestedRef({ repository: '', ref: { branch } })).toThrow(
      expect.objectContaining({ reason: 'InvalidSource' }),
    );
  },
);

test('a name with slashes, dots and dashes is one', () => {
  expect(requestedRef({ repository: '', ref: { branch: '-feature/v1.2' } })).toEqual({
    kind: 'name',
    fullName: 'refs/heads/-feature/v1.2',
  });
});

function secretOf(key: string | undefined): Parameters<typeof readPrivateKey>[0] {
  return { name: 'deploy', data: key === undefined ? {} : { 'ssh-privatekey': Buffer.from(key).toString('base64') } };
}

test('a key is taken with line ends of any kind, and gets one at its end', () => {
  const { privateKey } = plain;
  const mangled = privateKey.trim().replaceAll('\n', '\r\n');
  expect(readPrivateKey(secretOf(mangled))).toBe(`${privateKey.trim()}\n`);
});

const body = Buffer.from('not a real key').toString('base64');
test.each([
  { name: 'no key at all', key: undefined, problem: 'secret "deploy" has no key "ssh-privatekey"' },
  { name: 'an encrypted OpenSSH key', key: encrypted.privateKey, problem: 'the key is encrypted' },
  {
    name: 'an encrypted PKCS#8 key',
    key: `-----BEGIN ENCRYPTED PRIVATE KEY-----\n${body}\n-----END ENCRYPTED PRIVATE KEY-----`,
    problem: 'the key is encrypted',
  },
  {
    name: 'an encrypted PEM key',
    key: `-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n${body}\n-----END RSA PRIVATE KEY-----`,
    problem: 'the key is encrypted',
  },
  { name: 'a public key', key: plain.publicKey, problem: 'expected a private key in PEM or OpenSSH form' },
  { name: 'text', key: 'hello', problem: 'expected a private key in PEM or OpenSSH form' },
])('$name is refused by the name of its Secret', ({ key, problem }) => {
  const read = (): string => readPrivateKey(secretOf(key));
  expect(read).toThrow(problem);
  expect(read).toThrow(expect.objectContaining({ reason: 'InvalidSecret' }));
});

test('a program whose output is not read to its end is ended nevertheless', async () => {
  const folder = await mkdtemp(`${tmpdir()}/ssh-program-`);
  await writeFile(`${folder}/ssh`, '#!/bin/sh\nexec yes\n');
  await chmod(`${folder}/ssh`, 0o755);
  const environment = { PATH: `${folder}:/usr/bin:/bin` };
  const { signal } = new AbortController();
  const program = new SshProgram({ what: 'yes', args: [], folder, environment, silenceMs: 10_000, signal });
  const pieces = program.output();
  expect((await pieces.next()).done).toBe(false);
  await pieces.return(undefined);
  await program[Symbol.asyncDispose]();
  expect(await program.end()).toMatchObject({ code: null });
  await rm(folder, { recursive: true, force: true });
});

test('what a server has a program do leaves the processor to this process', async () => {
  const folder = await mkdtemp(`${tmpdir()}/ssh-program-`);
  await writeFile(`${folder}/ssh`, '#!/bin/sh\necho $$\nexec sleep 600\n');
  await chmod(`${folder}/ssh`, 0o755);
  const environment = { PATH: `${folder}:/usr/bin:/bin` };
  const { signal } = new AbortController();
  await using program = new SshProgram({ what: 'sleep', args: [], folder, environment, silenceMs: 600_000, signal });
  const pieces = program.output();
  const pid = Number(String((await pieces.next()).value));
  expect(getPriority(pid)).toBe(constants.priority.PRIORITY_LOW);
  await program[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

test('a program ends with the process that started it, which is killed', async () => {
  const folder = await mkdtemp(`${tmpdir()}/ssh-program-`);
  await writeFile(`${folder}/ssh`, '#!/bin/sh\necho $$ > pid\nexec sleep 600\n');
  await chmod(`${folder}/ssh`, 0o755);
  const environment = { PATH: `${folder}:/usr/bin:/bin` };
  const options = JSON.stringify({ what: 'sleep', args: [], folder, environment, silenceMs: 600_000 });
  const module = new URL('ssh-program.ts', import.meta.url);
  const code = `import { SshProgram } from '${module.href}';
    const program = new SshProgram({ ...${options}, signal: new AbortController().signal });
    for await (const _ of program.output());`;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: 'ignore' });
  const pid = await eventually(async () => {
    const text = await readFile(`${folder}/pid`, 'utf8');
    expect(text).toMatch(/^\d+\n$/);
    return Number(text);
  });
  parent.kill('SIGKILL');
  // What no process has waited for is still listed, as a zombie.
  const stateOf = (): string => spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).stdout;
  await eventually(() => expect(stateOf()).toMatch(/^(Z.*)?$/m));
  await rm(folder, { recursive: true, force: true });
});
