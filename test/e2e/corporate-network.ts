import { readExample, readExampleCatalog } from '../../cli/examples/example-content.ts';
import { createCertificateAuthority, issueCertificate } from '../../src/base/index.ts';
import { type Registry, startProxyServer, startRegistry } from '../support/index.ts';

/** Registries that have names and certificates of an authority of their own, and the proxy that leads to them. */
export interface CorporateNetwork extends AsyncDisposable {
  /** `HOST:PORT` of the proxy. */
  readonly proxy: string;
  readonly caPem: string;
}

const [registryName, mirrorName] = ['registry.example.com', 'mirror.example.com'];
const catalogLabels = { 'operators.operatorframework.io.index.configs.v1': '/configs' };

/** The mirror has an image `app` that the registry does not have: what installs it was fetched from the mirror. */
async function fill(registry: Registry, mirror: Registry): Promise<void> {
  for (const { version, files } of await readExample('combo')) {
    registry.putImage(`combo:${version}`, [{ files }]);
    if (version === 'v0.0.2') mirror.putImage('team/app:v1.2.0', [{ files }]);
  }
  const files = {
    'configs/catalog.json': await readExampleCatalog(['0.1.0', '0.1.1', '0.2.0', '1.0.0'], registryName),
  };
  registry.putImage('catalog:v2', [{ files }], catalogLabels);
}

/** Starts them; the names are known to the proxy alone. */
export async function startCorporateNetwork(): Promise<CorporateNetwork> {
  await using stack = new AsyncDisposableStack();
  const validity = { nowMs: Date.now(), lifetimeDays: 1 };
  const authority = await createCertificateAuthority({ commonName: 'corporate authority', ...validity });
  const serve = async (name: string): Promise<Registry> => {
    const request = { commonName: name, usage: 'server' as const, dnsNames: [name], ...validity };
    return stack.use(await startRegistry({ tls: await issueCertificate(authority, request) }));
  };
  const [registry, mirror] = [await serve(registryName), await serve(mirrorName)];
  await fill(registry, mirror);
  const hosts = { [`${registryName}:443`]: registry.host, [`${mirrorName}:443`]: mirror.host };
  const proxy = stack.use(await startProxyServer({ hosts }));
  const owned = stack.move();
  return {
    proxy: new URL(proxy.url).host,
    caPem: authority.certificatePem,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
