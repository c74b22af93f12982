import type { OpenServer } from '../../manager/index.ts';
import { type ContentServiceOptions, startContentService } from '../../provisioners/index.ts';
import {
  errorMessage,
  isJsonObject,
  type JsonObject,
  type ServingCertificate,
  type ServingPair,
  textAt,
} from '../../src/base/index.ts';
import { isNotFound, type KubeClient, type KubeObject, refOf } from '../../src/kube/index.ts';
import { formerObjects, isOurs, readClientRoles } from '../install/index.ts';
import { startOnRememberedPort } from '../process/index.ts';
import type { OwnProcess } from './own-process.ts';

const portFile = 'content-port';
const publishRetryMs = 5_000;

async function apply(kube: KubeClient, object: unknown): Promise<void> {
  await kube.apply(object as KubeObject, { fieldManager: 'longshore', force: true });
}

/** Removes the roles that an earlier version has written into the data folder, under names that bundles use as well. */
async function removeFormerRoles(kube: KubeClient, current: readonly JsonObject[]): Promise<void> {
  const names = current.map(({ metadata }) => textAt(isJsonObject(metadata) ? metadata : undefined, 'name'));
  for (const { object, currentName } of formerObjects()) {
    if (object.kind !== 'ClusterRole' || !names.includes(currentName)) continue;
    try {
      if (isOurs(await kube.get(refOf(object)))) await kube.delete(refOf(object));
    } catch (thrown) {
      if (!isNotFound(thrown)) throw thrown;
    }
  }
}

/** Publishes the address and the authority of the server where clients of RukPak look for them. */
async function publishContent(
  kube: KubeClient,
  systemNamespace: string,
  server: { readonly url: string; readonly caBundlePem: string },
): Promise<void> {
  const metadata = { name: 'rukpak-ca', namespace: systemNamespace };
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const data = { 'ca.crt': base64(server.caBundlePem), url: base64(server.url) };
  await apply(kube, { apiVersion: 'v1', kind: 'Secret', metadata, data });
}

/** Publishes the authority, and again with every new certificate; retries until it succeeds; ends with the signal.
 *  @throws KubeRejection, KubeUnavailable when the first time fails */
export async function keepContentPublished(
  { kube, clock, log, signal, systemNamespace }: OwnProcess,
  { url, serving }: { readonly url: string; readonly serving: ServingCertificate },
): Promise<void> {
  const publish = async (): Promise<void> =>
    await publishContent(kube, systemNamespace, { url, caBundlePem: serving.current().caBundlePem });
  const again = async (next: ServingPair): Promise<void> => {
    while (!signal.aborted && serving.current() === next) {
      try {
        await publish();
        return;
      } catch (thrown) {
        log.error({ message: errorMessage(thrown) }, 'the authority of the content server is not published yet');
        await clock.sleep(publishRetryMs, { signal });
      }
    }
  };
  await publish();
  void serving.keepFresh((next) => {
    again(next).catch((thrown: unknown) => {
      if (!signal.aborted) log.error({ err: thrown }, 'the authority of the content server is not published');
    });
  }, signal);
}

/** Starts the content server on its previous port, or another one if that is in use; users find its authority in the Secret
 *  `rukpak-ca` of the system namespace and its permissions in the ClusterRoles of `deploy/base/client-roles.yaml`. */
export async function openContentServer(
  options: Omit<ContentServiceOptions, 'host' | 'port'> & {
    readonly folder: string;
    /** 0: the one of last time, or a free one. */
    readonly port: number;
    readonly systemNamespace: string;
  },
): Promise<OpenServer> {
  const { kube, systemNamespace, serving } = options;
  const server = await startOnRememberedPort({ ...options, portFile }, (port) =>
    startContentService({ ...options, host: '127.0.0.1', port }),
  );
  const contentUrl = `https://127.0.0.1:${server.port}`;
  const roles = await readClientRoles();
  for (const role of roles) await apply(kube, role);
  await removeFormerRoles(kube, roles);
  await publishContent(kube, systemNamespace, { url: contentUrl, caBundlePem: serving.current().caBundlePem });
  return { url: contentUrl, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}
