import { secretHostsAnnotation, secretUnverifiedAnnotation } from '../../api/index.ts';
import { TerminalError } from '../../base/index.ts';
import { isNotFound, type KubeClient, type KubeObject } from '../../kube/index.ts';
import type { PullSecrets, SourceSecret } from '../../sources/index.ts';

/** All of one CatalogSource are in memory at once, which users of its namespace fill. */
const maxNames = 100;
const maxCharacters = 16 * 1024 * 1024;

function refuse(why: string): never {
  throw new TerminalError('InvalidSecret', `spec.secrets: ${why}`);
}

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
 *  @throws TerminalError InvalidSecret where there are too many, or too large ones · KubeRejection, KubeUnavailable */
export async function readPullSecrets(
  kube: Pick<KubeClient, 'get'>,
  { namespace, names }: { readonly namespace: string; readonly names: readonly string[] },
  signal: AbortSignal,
): Promise<PullSecrets> {
  const known = new Set(names);
  if (known.size > maxNames) refuse(`names ${known.size} Secrets, the limit is ${maxNames}`);
  const secrets: SourceSecret[] = [];
  const missing: string[] = [];
  let characters = 0;
  for (const name of known) {
    try {
      const object = await kube.get({ apiVersion: 'v1', kind: 'Secret', namespace, name }, { signal });
      const secret = sourceSecret(object, name, namespace);
      for (const value of Object.values(secret.data ?? {})) characters += value.length;
      if (characters > maxCharacters) refuse(`the Secrets have more than ${maxCharacters} characters together`);
      secrets.push(secret);
    } catch (thrown) {
      if (!isNotFound(thrown)) throw thrown;
      missing.push(name);
    }
  }
  return { secrets, missing };
}
