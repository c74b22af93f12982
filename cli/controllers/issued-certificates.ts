import { keepServingSecret } from '../../provisioners/index.ts';
import type { ServingCertificate } from '../../src/base/index.ts';
import type { OwnProcess } from '../runtime/index.ts';

/** Issues the certificates of the content server and of the webhook into their Secrets, and renews them; gives that of the content server.
 *  @throws KubeRejection, KubeUnavailable */
export async function issueServing(own: OwnProcess): Promise<ServingCertificate> {
  const namespace = own.systemNamespace;
  const names = (service: string): string[] => [
    `${service}.${namespace}.svc`,
    `${service}.${namespace}.svc.cluster.local`,
  ];
  const [ofContent] = await Promise.all([
    keepServingSecret(
      { namespace, name: 'core-cert', dnsNames: ['localhost', ...['core', 'catalogs', 'packages'].flatMap(names)] },
      own,
    ),
    keepServingSecret(
      { namespace, name: 'rukpak-webhook-certificate', dnsNames: ['localhost', ...names('rukpak-webhook-service')] },
      own,
    ),
  ]);
  return ofContent;
}
