import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { parseOptions } from '../command/options.ts';
import { configurationDocument } from './configuration-document.ts';
import { controllersOptions, parseListenAddress, readControllersConfig, webhookOptions } from './processes.ts';

test.each([
  { text: ':8081', address: { host: '::', port: 8081 } },
  { text: '127.0.0.1:0', address: { host: '127.0.0.1', port: 0 } },
  { text: '[::1]:65535', address: { host: '::1', port: 65_535 } },
])('listens on $text', ({ text, address }) => {
  expect(parseListenAddress('bind-address', text)).toEqual(address);
});

test.each(['', '8081', ':', ':65536', '::1:80', '[::1:80', 'a:b', ':1 ', 'http://a:80'])(
  'refuses to listen on "%s"',
  (text) => {
    expect(() => parseListenAddress('bind-address', text)).toThrow(
      `--bind-address: expected [HOST]:PORT, found "${text}"`,
    );
  },
);

test('by default the controllers serve below their Service and trust the authority beside their certificate', () => {
  const config = readControllersConfig(parseOptions(controllersOptions, ['--tls-dir', '/tls'], {}).values);
  expect(config).toMatchObject({ externalAddress: undefined, caPath: '/tls/ca.crt', storeDir: '/var/cache/bundles' });
});

test.each(['http://core', 'core', 'https://user@core', 'https://core?x=1'])('refuses the address %s', (url) => {
  const { values } = parseOptions(controllersOptions, ['--http-external-address', url], {});
  expect(() => readControllersConfig(values)).toThrow('--http-external-address: expected https://HOST[:PORT]');
});

test('refuses to drain for longer than Kubernetes may wait', () => {
  expect(() => parseOptions(webhookOptions, ['--drain', '301'], {})).toThrow('--drain: expected 0s to 5m, found 301s');
});

test('docs/configuration.md has every setting', async () => {
  expect(await readFile('docs/configuration.md', 'utf8'), 'run: npm run generate').toBe(configurationDocument());
});
