import { describe, expect, test } from 'vitest';
import { assertMayReceive, assertNamesHost } from './credential-hosts.ts';
import type { SourceSecret } from './source.ts';

const secretWith = (hosts: string | undefined) => ({
  name: 'login',
  namespace: 'system',
  ...(hosts === undefined ? {} : { hosts }),
});
const check =
  (hosts: string | undefined, url: string, allowsUnnamed = false) =>
  (): void =>
    assertNamesHost(secretWith(hosts), url, allowsUnnamed);

test.each([
  ['git.example.com', 'https://git.example.com/a.git'],
  ['git.example.com', 'https://GIT.example.com:443/a.git'],
  ['a.example.com, git.example.com:8443', 'https://git.example.com:8443/a.git'],
  ['*.example.com', 'https://a.b.example.com/x'],
  ['http://127.0.0.1:8080', 'http://127.0.0.1:8080/x'],
  ['[::1]:8443', 'https://[::1]:8443/x'],
])('%j is for %s', (hosts, url) => {
  expect(check(hosts, url)).not.toThrow();
});

test.each([
  ['git.example.com', 'https://hostile.example.net/a.git'],
  ['git.example.com', 'https://git.example.com.hostile.net/a.git'],
  ['git.example.com', 'https://hostile-git.example.com/a.git'],
  ['git.example.com', 'https://git.example.com@hostile.net/a.git'],
  ['git.example.com', 'https://git.example.com:8443/a.git'],
  ['git.example.com', 'http://git.example.com/a.git'],
  ['*.example.com', 'https://example.com/x'],
  ['*.example.com', 'https://notexample.com/x'],
  ['*', 'https://hostile.example.net/x'],
  ['', 'https://hostile.example.net/x'],
  ['https://git.example.com/', 'https://hostile.example.net/x'],
])('%j is not for %s', (hosts, url) => {
  for (const allowsUnnamed of [false, true]) {
    expect(check(hosts, url, allowsUnnamed)).toThrow(expect.objectContaining({ reason: 'HostNotNamed' }));
  }
});

test('a Secret that names no host is for none, and the message has the command that names one', () => {
  expect(check(undefined, 'https://git.example.com:8443/a.git')).toThrow(
    'secret "login" is not for the host git.example.com:8443: it must name the hosts that may receive its credentials. To allow this one: kubectl annotate secret login -n system core.rukpak.io/hosts=git.example.com:8443',
  );
});

test('it is for every host where that is allowed', () => {
  expect(check(undefined, 'https://git.example.com/a.git', true)).not.toThrow();
});

describe('a server whose certificate is not verified', () => {
  const address = 'https://git.example.com/a.git';
  const receive =
    (secret: SourceSecret, given: { readonly address?: string; readonly allowsUnnamed?: boolean } = {}) =>
    () =>
      assertMayReceive(secret, { address, insecureSkipVerify: true, allowsUnnamed: false, ...given });

  test('gets no credentials, although it claims a name that the Secret allows', () => {
    expect(receive(secretWith('git.example.com'))).toThrow(
      'secret "login" is not sent to git.example.com without verifying the server\'s certificate: remove auth.insecureSkipVerify, and name the authority of the certificate with --registry-ca. To send them anyway, readable by others on the network: kubectl annotate secret login -n system core.rukpak.io/allow-unverified-tls=true',
    );
    expect(receive(secretWith('git.example.com'))).toThrow(expect.objectContaining({ reason: 'UnverifiedTls' }));
  });

  test('gets them when the Secret allows it', () => {
    expect(receive({ ...secretWith('git.example.com'), allowsUnverifiedTls: true })).not.toThrow();
  });

  test('gets none when the Secret allows it for another host', () => {
    expect(receive({ ...secretWith('other.example.com'), allowsUnverifiedTls: true })).toThrow('is not for the host');
  });

  test('gets those of a Secret for every server, where that is allowed', () => {
    expect(receive(secretWith(undefined), { allowsUnnamed: true })).not.toThrow();
    expect(receive(secretWith('git.example.com'), { allowsUnnamed: true })).toThrow('without verifying');
  });

  test('is not a server without TLS that the Secret names', () => {
    expect(receive(secretWith('http://git.example.com'), { address: 'http://git.example.com/a' })).not.toThrow();
  });
});
