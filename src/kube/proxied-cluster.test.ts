import { describe, expect, test } from 'vitest';
import { type ProxyServer, startProxyServer, startWebServer } from '../../test/support/index.ts';
import { createCertificateAuthority, formatYaml, issueCertificate, readProxySettings } from '../base/index.ts';
import { type ClusterAccess, loadClusterAccess } from './kubeconfig.ts';
import { createTransport } from './transport.ts';

describe('behind a proxy', () => {
  const server = 'https://api.corp.example:6443';

  async function withCluster(
    work: (options: { readonly proxy: ProxyServer; readonly ca: string }) => Promise<void>,
  ): Promise<void> {
    const nowMs = Date.now();
    const authority = await createCertificateAuthority({ commonName: 'cluster', nowMs, lifetimeDays: 1 });
    const commonName = 'api.corp.example';
    const names = { commonName, dnsNames: [commonName], nowMs, lifetimeDays: 1 };
    const tls = await issueCertificate(authority, { ...names, usage: 'server' });
    await using cluster = await startWebServer((_, response) => response.end('{"gitVersion":"v1"}'), tls);
    const hosts = { 'api.corp.example:6443': new URL(cluster.url).host };
    await using proxy = await startProxyServer({ login: 'me:word', hosts });
    await work({ proxy, ca: Buffer.from(authority.certificatePem).toString('base64') });
  }

  const textOf = (cluster: Record<string, string>): string =>
    formatYaml({
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'k' } }],
      clusters: [{ name: 'k', cluster: { server, ...cluster } }],
    });

  async function versionOf(access: ClusterAccess): Promise<string> {
    const transport = createTransport(access, { deadlineMs: 10_000, maxBodyBytes: 1000 });
    try {
      return (await transport.exchange({ method: 'GET', path: '/version' })).text;
    } finally {
      transport.close();
    }
  }

  test('a cluster is reached as HTTPS_PROXY and NO_PROXY of the environment name it', async () => {
    await withCluster(async ({ proxy, ca }) => {
      const text = textOf({ 'certificate-authority-data': ca });
      const url = proxy.url.replace('//', '//me:word@');
      const access = await loadClusterAccess({ text }, readProxySettings({ HTTPS_PROXY: url }));
      await expect(versionOf(access)).resolves.toContain('v1');
      expect(proxy.targets).toEqual(['api.corp.example:6443']);
      const settings = readProxySettings({ HTTPS_PROXY: url, NO_PROXY: '.corp.example' });
      expect((await loadClusterAccess({ text }, settings)).proxy).toBeUndefined();
    });
  });

  test('proxy-url of the kubeconfig comes first; a proxy that refuses is named without its password', async () => {
    await withCluster(async ({ proxy, ca }) => {
      const other = readProxySettings({ HTTPS_PROXY: 'http://127.0.0.1:1', NO_PROXY: '*' });
      const load = async (login: string): Promise<ClusterAccess> => {
        const cluster = { 'certificate-authority-data': ca, 'proxy-url': proxy.url.replace('//', `//${login}@`) };
        return await loadClusterAccess({ text: textOf(cluster) }, other);
      };
      await expect(versionOf(await load('me:word'))).resolves.toContain('v1');
      expect(proxy.targets).toEqual(['api.corp.example:6443']);
      const refused = versionOf(await load('me:secret'));
      await expect(refused).rejects.toThrow('GET /version: through the proxy');
      await expect(refused).rejects.not.toThrow('secret');
    });
  });

  test('a proxy of another kind is refused', async () => {
    const text = textOf({ 'proxy-url': 'socks5://me:word@proxy.corp.example' });
    await expect(loadClusterAccess({ text })).rejects.toThrow(
      'kubeconfig: proxy-url socks5://redacted@proxy.corp.example: expected http://HOST:PORT or https://HOST:PORT',
    );
  });
});
