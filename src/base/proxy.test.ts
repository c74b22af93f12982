import { expect, test } from 'vitest';
import { proxyFor, readProxySettings } from './proxy.ts';

const proxy = 'http://proxy.example.com:3128';
const via = (url: string, noProxy: string): string | undefined =>
  proxyFor(new URL(url), readProxySettings({ HTTP_PROXY: proxy, HTTPS_PROXY: proxy, NO_PROXY: noProxy }));

test.each([
  ['https://quay.io/v2/', ''],
  ['https://quay.io/v2/', 'example.com,10.0.0.0/8'],
  ['https://notexample.com/', 'example.com'],
  ['https://example.com/', '.example.com'],
  ['https://example.com:8443/', 'example.com:443'],
  ['https://11.0.0.1/', '10.0.0.0/8'],
  ['https://10.0.0.1/', '10.0.0.0/99'],
])('%s is reached through the proxy, the exceptions being %j', (url, noProxy) => {
  expect(via(url, noProxy)).toBe(proxy);
});

test.each([
  ['https://example.com/', 'quay.io, example.com'],
  ['https://a.b.example.com/', 'example.com'],
  ['https://a.example.com/', '.example.com'],
  ['https://a.example.com/', '*.example.com'],
  ['https://A.Example.com/', 'EXAMPLE.COM'],
  ['https://example.com:8443/', 'example.com:8443'],
  ['https://10.1.2.3/', '10.0.0.0/8'],
  ['https://10.1.2.3/', '10.1.2.3'],
  ['https://[fd00::1]/', 'fd00::/8'],
  ['https://registry.ns.svc/', '.svc,.cluster.local'],
  ['https://anything.example/', '*'],
  ['https://localhost:5000/', ''],
  ['https://127.0.0.1:5000/', ''],
  ['http://[::1]:5000/', ''],
])('%s is reached directly, the exceptions being %j', (url, noProxy) => {
  expect(via(url, noProxy)).toBeUndefined();
});

test('lower case comes first, a proxy without a scheme speaks HTTP, and each scheme has its own', () => {
  const settings = readProxySettings({ https_proxy: 'low:1', HTTPS_PROXY: 'http://high:2' });
  expect(proxyFor(new URL('https://quay.io/'), settings)).toBe('http://low:1');
  expect(proxyFor(new URL('http://quay.io/'), settings)).toBeUndefined();
});

test('a password that cannot be decoded is refused when the process starts, and not shown', () => {
  expect(() => readProxySettings({ HTTPS_PROXY: 'http://me:100%word@proxy:1080' })).toThrow(
    /^HTTPS_PROXY http:\/\/redacted@proxy:1080\/: expected .*"%25" for a percent sign/,
  );
});

test('a proxy of another kind is refused, without its password', () => {
  expect(() => readProxySettings({ HTTPS_PROXY: 'socks5://me:word@proxy:1080' })).toThrow(
    'HTTPS_PROXY socks5://redacted@proxy:1080: expected http://HOST:PORT or https://HOST:PORT',
  );
});
