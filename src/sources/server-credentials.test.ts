import { expect, test } from 'vitest';
import { readServerCredentials } from './server-credentials.ts';
import type { SourceSecret } from './source.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const auth = (user: string): object => ({ auth: base64(`${user}:word`) });

function dockerConfig(auths: unknown, more: Partial<SourceSecret> = {}): SourceSecret {
  const data = { '.dockerconfigjson': base64(JSON.stringify({ auths })) };
  return { name: 'login', type: 'kubernetes.io/dockerconfigjson', data, ...more };
}

const read = (secret: SourceSecret, address: string, more: object = {}) =>
  readServerCredentials(secret, { address, insecureSkipVerify: false, allowsUnnamed: false, ...more });

const servers = dockerConfig({
  'git.example.com': auth('host'),
  'https://git.example.com/team': auth('team'),
  'git.example.com:8443': auth('port'),
  'named.example.com:443': auth('named'),
  'http://127.0.0.1:15001': auth('plain'),
  '*.example.org': auth('pattern'),
});

test.each([
  ['https://git.example.com/a.git', 'host'],
  ['https://GIT.example.com:443/a.git', 'host'],
  ['https://git.example.com/team/a.git', 'team'],
  ['https://git.example.com:8443/a.git', 'port'],
  ['https://named.example.com/a.tgz', 'named'],
  ['http://127.0.0.1:15001/a.tgz', 'plain'],
  ['https://files.example.org/a.tgz', 'pattern'],
])('of a docker configuration, %s gets the entry of %s', (address, username) => {
  expect(read(servers, address)).toEqual({ username, password: 'word' });
});

test.each([
  'https://hostile.example.net/a.git',
  'https://git.example.com.hostile.net/a.git',
  'https://git.example.com@hostile.net/a.git',
  'https://git.example.com:9443/a.git',
  'http://git.example.com/a.git',
  'https://127.0.0.1:15001/a.tgz',
  'http://files.example.org/a.tgz',
  'https://a.files.example.org/a.tgz',
])('it is not for %s, even where a Secret without hosts is for every server', (address) => {
  for (const allowsUnnamed of [false, true]) {
    expect(() => read(servers, address, { allowsUnnamed })).toThrow(
      expect.objectContaining({ reason: 'HostNotNamed' }),
    );
  }
});

test('the message names the server as the key has to, and no other key', () => {
  expect(() => read(servers, 'http://git.example.com:80/a.git')).toThrow(
    /^secret "login" is not for the host http:\/\/git\.example\.com: its docker configuration has no entry for it; add one with that key$/,
  );
});

test('an annotation narrows it further', () => {
  const narrowed = { ...servers, hosts: 'git.example.com:8443' };
  expect(read(narrowed, 'https://git.example.com:8443/a.git')?.username).toBe('port');
  expect(() => read(narrowed, 'https://git.example.com/a.git')).toThrow(
    'its annotation core.rukpak.io/hosts lists other hosts',
  );
});

test('a server whose certificate is not verified gets nothing unless the Secret allows it', () => {
  const address = 'https://git.example.com/a.git';
  const careless = { insecureSkipVerify: true };
  for (const allowsUnnamed of [false, true]) {
    expect(() => read(servers, address, { ...careless, allowsUnnamed })).toThrow(
      expect.objectContaining({ reason: 'UnverifiedTls' }),
    );
  }
  expect(read({ ...servers, allowsUnverifiedTls: true }, address, careless)?.username).toBe('host');
});

test('what is wrong with the configuration is reported without its text', () => {
  const broken = { ...servers, data: { '.dockerconfigjson': base64('{"auths": secret') } };
  expect(() => read(broken, 'https://git.example.com/a.git')).toThrow(
    /^secret "login", key "\.dockerconfigjson", is not valid JSON$/,
  );
});

test('username and password are sent to the hosts in the annotation of their Secret', () => {
  const data = { username: base64('me'), password: base64('word') };
  const basic = { name: 'login', type: 'kubernetes.io/basic-auth', hosts: 'git.example.com', data };
  expect(read(basic, 'https://git.example.com/a.git')).toEqual({ username: 'me', password: 'word' });
  expect(() => read(basic, 'https://hostile.example.net/a.git')).toThrow('is not for the host hostile.example.net');
});
