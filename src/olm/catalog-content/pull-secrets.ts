import { secretHostsAnnotation, secretUnverifiedAnnotation } from '../../api/index.ts';
import { isNotFound, type KubeClient, type KubeObject } from '../../kube/index.ts';
import type { PullSecrets, SourceSecret } from '../../sources/index.ts';

function sourceSecret(object: KubeObject, name: string, namespace: string): SourceSecret {
  const { type, data } = object as Partial<SourceSecret>;
  const hosts = object.metadata.annotations?.[secretHostsAnnotation];
  return {
    name,
    namespace,
    ...(type === undefined ? {} : { type }),
    ...(data === undefined ? {} : { data }),
    ...(hosts === undefined ? {} : { hosts }),
    allowsUnverifiedTls: object.metadata.annotations?.[secretUnverifiedAnnotation] === 'true',
  };
}

/** The pull secrets of a CatalogSource (`spec.secrets`), as they are now: of its own namespace and no other. One that does not exist is passed over, as the
 *  kubelet does it; the message of a refused pull names it. Their entries bind credentials to hosts.
 *  @throws KubeRejection, KubeUnavailable */
export async function readPullSecrets(
  kube: Pick<KubeClient, 'get'>,
  { namespace, names }: { readonly namespace: string; readonly names: readonly string[] },
  signal: AbortSignal,
): Promise<PullSecrets> {
  const secrets: SourceSecret[] = [];
  const missing: string[] = [];
  for (const name of new Set(names)) {
    try {
      const object = await kube.get({ apiVersion: 'v1', kind: 'Secret', namespace, name }, { signal });
      secrets.push(sourceSecret(object, name, namespace));
    } catch (thrown) {
      if (!isNotFound(thrown)) throw thrown;
      missing.push(name);
    }
  }
  return { secrets, missing };
}
