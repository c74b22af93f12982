import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ApiServer, startApiServer } from '../../apiserver/index.ts';
import {
  type Clock,
  createCertificateAuthority,
  isJsonObject,
  type JsonValue,
  systemClock,
} from '../../src/base/index.ts';
import { eventually, freePort } from '../support/index.ts';
import { startStandInPods } from './pods.ts';

/** A cluster for one implementation: nothing but OLM's kinds and the namespace `olm`. */
export interface ScenarioCluster extends AsyncDisposable {
  readonly server: ApiServer;
  /** Is deleted with the cluster. */
  readonly folder: string;
  readonly kubeconfigPath: string;
  /** Where the package server of the implementation has to listen. */
  readonly packageServerPort: number;
  read(path: string): Promise<JsonValue>;
}

/** The Service of the package server. */
export const packageService = { name: 'packageserver-service', namespace: 'olm' } as const;

/** Routes `packages.operators.coreos.com` to the package server. */
async function addPackageService({ client }: ApiServer): Promise<void> {
  await client.create({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: packageService,
    spec: { type: 'ExternalName', externalName: 'packageserver.example.com' },
  });
  await client.create({
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: 'v1.packages.operators.coreos.com' },
    spec: {
      group: 'packages.operators.coreos.com',
      version: 'v1',
      groupPriorityMinimum: 2000,
      versionPriority: 15,
      insecureSkipTLSVerify: true,
      service: { ...packageService, port: 443 },
    },
  });
}

/** What a cluster has beside OLM's kinds. */
export interface ClusterOptions {
  readonly clock?: Clock;
  /** False where the implementation registers its package server itself. */
  readonly isPackageServerRegistered: boolean;
  /** The package server is an operator of its own, as where OLM is installed by its manifests. */
  readonly hasOwnPackages?: boolean;
}

/** Starts an embedded API server whose simulation makes Deployments available, and whose APIServices and webhooks reach a stand-in for Pods. */
export async function openCluster(
  crds: readonly string[],
  { clock = systemClock, isPackageServerRegistered, hasOwnPackages = false }: ClusterOptions,
): Promise<ScenarioCluster> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'longshore-olm-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const kubeconfigPath = join(folder, 'kubeconfig');
  const packageServerPort = await freePort();
  const ports = { pods: 0 };
  const server = stack.use(
    await startApiServer({
      crds,
      clock,
      kubeconfigPath,
      resolveService: ({ name, namespace }) => {
        const isPackages = !hasOwnPackages && name === packageService.name && namespace === packageService.namespace;
        return { host: '127.0.0.1', port: isPackages ? packageServerPort : ports.pods };
      },
    }),
  );
  const authority = await createCertificateAuthority({ commonName: 'pods', nowMs: Date.now(), lifetimeDays: 1 });
  ports.pods = stack.use(await startStandInPods(server.client, authority)).port;
  await server.client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'olm' } });
  const labels = { disk: 'fast' };
  // What a Subscription selects; the simulation makes its Node soon after the start.
  await eventually(() =>
    server.client.patch({ apiVersion: 'v1', kind: 'Node', name: 'longshore' }, { metadata: { labels } }),
  );
  if (isPackageServerRegistered) await addPackageService(server);
  const owned = stack.move();
  return {
    server,
    folder,
    kubeconfigPath,
    packageServerPort,
    read: async (path) => {
      const { status, text } = await server.client.request({ path });
      try {
        const body = JSON.parse(text) as JsonValue;
        return status < 300 || !isJsonObject(body) ? body : { code: status, reason: body['reason'] ?? null };
      } catch {
        return { code: status };
      }
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
