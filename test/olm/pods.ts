import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createSecureContext, type SecureContext } from 'node:tls';
import type { ClusterClient } from '../../apiserver/index.ts';
import { type CertifiedKey, isJsonObject, textAt } from '../../src/base/index.ts';

/** Stands in for the containers of operators: answers as an extension API server of Boats and Docks for whatever group is requested. */
export interface StandInPods extends AsyncDisposable {
  readonly port: number;
}

const resources = [
  { name: 'boats', singularName: 'boat', namespaced: true, kind: 'Boat', verbs: ['get', 'list'] },
  { name: 'ferries', singularName: 'ferry', namespaced: true, kind: 'Ferry', verbs: ['get', 'list'] },
  {
    name: 'packagemanifests',
    singularName: 'packagemanifest',
    namespaced: true,
    kind: 'PackageManifest',
    verbs: ['get', 'list'],
  },
  { name: 'docks', singularName: 'dock', namespaced: true, kind: 'Dock', verbs: ['get', 'list'] },
];

function decoded(data: unknown, key: string): string {
  return isJsonObject(data) ? Buffer.from(textAt(data, key), 'base64').toString() : '';
}

/** The certificate that the Pods behind `SERVICE.NAMESPACE.svc` have mounted. */
async function mountedCertificate(client: ClusterClient, serverName: string): Promise<SecureContext | undefined> {
  const [service = '', namespace = ''] = serverName.split('.');
  const name = `${service}-cert`;
  const secret = await client.find({ apiVersion: 'v1', kind: 'Secret', namespace, name });
  if (secret === undefined) return undefined;
  return createSecureContext({ cert: decoded(secret['data'], 'tls.crt'), key: decoded(secret['data'], 'tls.key') });
}

/** Starts it on a port of loopback. `fallback` is shown where no certificate is mounted. */
export async function startStandInPods(client: ClusterClient, fallback: CertifiedKey): Promise<StandInPods> {
  const server = createServer(
    {
      cert: fallback.certificatePem,
      key: fallback.privateKeyPem,
      SNICallback: (name, done) => {
        mountedCertificate(client, name).then(
          (context) => done(null, context),
          (thrown: unknown) => done(thrown as Error),
        );
      },
    },
    (request, response) => {
      const [, group = '', version = ''] = /^\/apis\/([^/?]+)\/([^/?]+)/.exec(request.url ?? '') ?? [];
      const list = { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: `${group}/${version}`, resources };
      response.writeHead(version === '' ? 404 : 200, { 'content-type': 'application/json' });
      response.end(version === '' ? '{}' : JSON.stringify(list));
    },
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
