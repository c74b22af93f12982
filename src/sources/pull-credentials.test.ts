import { describe, expect, test } from 'vitest';
import { TerminalError } from '../base/index.ts';
import { findCredentials, openKeyring } from './pull-credentials.ts';
import type { SourceSecret } from './source.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const auth = (user: string): object => ({ auth: base64(`${user}:word`) });

function dockerConfig(name: string, auths: unknown): SourceSecret {
  const data = { '.dockerconfigjson': base64(JSON.stringify({ auths })) };
  return { name, type: 'kubernetes.io/dockerconfigjson', data };
}

function find(secrets: readonly SourceSecret[], image: string): ReturnType<typeof findCredentials> {
  const slash = image.indexOf('/');
  const place = { registry: image.slice(0, slash), repository: image.slice(slash + 1) };
  return findCredentials(openKeyring({ secrets }), place);
}

const registries = {
  'quay.io': auth('host'),
  'https://quay.io/team': auth('team'),
  'quay.io/team/app/': auth('app'),
  'other.example.com:5000': auth('port'),
  'http://v1.example.com/v1/': auth('v1'),
  'https://index.docker.io/v1/': auth('hub'),
  '*.example.com': auth('glob'),
  'a*c.b.example.com': auth('partial'),
  'named.example.com': { username: 'named', password: 'word' },
};

test.each([
  { image: 'quay.io/other/app', username: 'host' },
  { image: 'quay.io/team/tool', username: 'team' },
  { image: 'quay.io/team/app', username: 'app' },
  { image: 'quay.io/team/app/deep', username: 'app' },
  { image: 'quay.io/teamwork/app', username: 'host' },
  { image: 'other.example.com:5000/x', username: 'port' },
  { image: 'v1.example.com/x', username: 'v1' },
  { image: 'docker.io/library/nginx', username: 'hub' },
  { image: 'some.example.com/x', username: 'glob' },
  { image: 'abc.b.example.com/x', username: 'partial' },
  { image: 'named.example.com/x', username: 'named' },
  { image: 'some.example.com:443/x', username: undefined },
  { image: 'deep.some.example.com/x', username: undefined },
  { image: 'quay.io:443/team/app', username: undefined },
  { image: 'ghcr.io/x', username: undefined },
])('for $image the entry of $username is taken', ({ image, username }) => {
  const found = find([dockerConfig('s', registries)], image);
  expect(found.credentials?.username).toBe(username);
  if (username !== undefined) expect(found.credentials?.password).toBe('word');
});

describe('of several secrets', () => {
  test('the longest path counts, and of equal ones the first', () => {
    const secrets = [
      dockerConfig('one', { 'quay.io': auth('one'), 'quay.io/a': auth('one-a') }),
      dockerConfig('two', { 'quay.io': auth('two'), 'quay.io/a/b': auth('two-b') }),
    ];
    expect(find(secrets, 'quay.io/x').credentials?.username).toBe('one');
    expect(find(secrets, 'quay.io/a/x').credentials?.username).toBe('one-a');
    expect(find(secrets, 'quay.io/a/b').credentials?.username).toBe('two-b');
  });

  test('an empty entry, as a credential store leaves it, is passed over', () => {
    const secrets = [dockerConfig('one', { 'quay.io': {} }), dockerConfig('two', { 'quay.io': auth('two') })];
    expect(find(secrets, 'quay.io/x').credentials?.username).toBe('two');
    expect(find([dockerConfig('one', { 'quay.io': {} })], 'quay.io/x')).toEqual({
      credentials: undefined,
      note: 'no entry for quay.io/x in pull secret "one" (entry "quay.io" of secret "one" is empty)',
    });
  });

  test('the old form of a secret is read, too', () => {
    const data = { '.dockercfg': base64(JSON.stringify({ 'quay.io': auth('old') })) };
    expect(find([{ name: 's', type: 'kubernetes.io/dockercfg', data }], 'quay.io/x').credentials?.username).toBe('old');
  });
});

describe('the note', () => {
  const raw = (text: string): SourceSecret => ({
    ...dockerConfig('s', {}),
    data: { '.dockerconfigjson': base64(text) },
  });
  test.each([
    {
      name: 'another type',
      secret: { name: 's', type: 'Opaque', data: {} },
      message: 'secret "s" has type "Opaque", expected kubernetes.io/dockerconfigjson or kubernetes.io/dockercfg',
    },
    {
      name: 'no key',
      secret: { name: 's', type: 'kubernetes.io/dockerconfigjson' },
      message: 'secret "s" has no key ".dockerconfigjson"',
    },
    {
      name: 'no key of the old form',
      secret: { name: 's', type: 'kubernetes.io/dockercfg', data: { '.dockerconfigjson': '' } },
      message: 'secret "s" has no key ".dockercfg"',
    },
    { name: 'no JSON', secret: raw('geheim'), message: 'secret "s", key ".dockerconfigjson", is not valid JSON' },
    {
      name: 'a list',
      secret: raw('[]'),
      message: 'secret "s", key ".dockerconfigjson", holds no object of registries',
    },
    {
      name: 'no auths',
      secret: raw('{"auth":{}}'),
      message: 'secret "s", key ".dockerconfigjson", holds no object of registries',
    },
    {
      name: 'a word for an entry',
      secret: dockerConfig('s', { 'quay.io': 'geheim' }),
      message: 'entry "quay.io" of secret "s" is no object',
    },
    {
      name: 'an auth that is not user:password',
      secret: dockerConfig('s', { 'quay.io': { auth: base64('geheim') } }),
      message: 'entry "quay.io" of secret "s" has an "auth" that is not the base64 form of user:password',
    },
    {
      name: 'an identity token',
      secret: dockerConfig('s', { 'quay.io': { auth: base64('0000:'), identitytoken: 'geheim' } }),
      message:
        'entry "quay.io" of secret "s" has only an identitytoken, which is not supported: give it "username" and "password", or "auth"',
    },
  ])('of $name, and nothing of the secret itself', ({ secret, message }) => {
    const attempt = (): unknown => find([secret], 'quay.io/x');
    expect(attempt).toThrow(new TerminalError('InvalidSecret', message));
    expect(message).not.toContain('geheim');
    // Registries of other owners are irrelevant here.
    if (message.startsWith('entry')) expect(find([secret], 'ghcr.io/x').credentials).toBeUndefined();
  });

  test('of a service account whose secrets are missing or broken: they are passed over and named', () => {
    const good = dockerConfig('good', { 'quay.io': auth('good') });
    const origin = { secrets: [{ name: 'bad', type: 'Opaque' }, good], missing: ['gone'], serviceAccount: 'default' };
    const keyring = openKeyring(origin);
    expect(findCredentials(keyring, { registry: 'quay.io', repository: 'x' }).credentials?.username).toBe('good');
    expect(findCredentials(keyring, { registry: 'ghcr.io', repository: 'x' }).note).toBe(
      'no entry for ghcr.io/x in pull secret "bad", "good" of service account "default" (secret "gone" not found; secret "bad" has type "Opaque", expected kubernetes.io/dockerconfigjson or kubernetes.io/dockercfg)',
    );
  });

  test('of no secret at all', () => {
    expect(findCredentials(openKeyring(undefined), { registry: 'x', repository: 'y' }).note).toBe(
      'there is no pull secret',
    );
    const none = { secrets: [], serviceAccount: 'default' };
    expect(findCredentials(openKeyring(none), { registry: 'x', repository: 'y' }).note).toBe(
      'there is no pull secret of service account "default"',
    );
  });
});

test('a pattern of many stars takes no time', () => {
  const secret = dockerConfig('s', { [`${'*a'.repeat(20_000)}.example.com`]: auth('x') });
  expect(find([secret], `${'a'.repeat(60)}b.example.com/x`).credentials).toBeUndefined();
});
