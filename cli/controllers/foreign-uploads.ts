import type { UploadMirrorOptions } from '../../provisioners/index.ts';
import { TransientError } from '../../src/base/index.ts';
import { contentClientOf } from '../client/index.ts';
import type { OwnProcess } from '../runtime/index.ts';

/** Opens uploads of the process that leads, which is found where all clients find it. */
export function foreignUploads({ access, kube, systemNamespace }: OwnProcess): UploadMirrorOptions['open'] {
  return async (bundleName, signal) => {
    // Each time again: another process may be the leader by now.
    const client = contentClientOf({ access, kube, namespace: systemNamespace, secretName: 'rukpak-ca' });
    const url = `${await client.address()}/uploads/${bundleName}.tgz`;
    const body = await client.open({ url, signal });
    const sizeBytes = Number(body.headers['content-length']);
    if (body.statusCode === 200 && Number.isSafeInteger(sizeBytes)) return { body, sizeBytes };
    body.destroy();
    if (body.statusCode === 404) return undefined;
    throw new TransientError('UploadUnavailable', `${url}: expected status 200 and a length, found ${body.statusCode}`);
  };
}
