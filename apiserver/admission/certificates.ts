import { errorMessage, isJsonEqual, readSigningRequest } from '../../src/base/index.ts';
import type { AccessRequest, Authorizer } from '../auth/index.ts';
import { type AdmissionPlugin, type AdmissionRequest, objectOf, textOf } from '../core/index.ts';
import { refusal } from './refusal.ts';

const group = 'certificates.k8s.io';

/** Whether a user may do something for a signer, or for all signers of its domain. */
function mayFor(
  authorizer: Authorizer,
  request: AdmissionRequest,
  { verb, signer }: { readonly verb: string; readonly signer: string },
): boolean {
  const domain = signer.split('/')[0] ?? '';
  const about = (name: string): AccessRequest => ({
    kind: 'resource',
    verb,
    group,
    resource: 'signers',
    subresource: '',
    namespace: '',
    name,
  });
  return [signer, `${domain}/*`].some((name) => authorizer.decide(request.user, about(name)).isAllowed);
}

function isChanged({ object, oldObject }: AdmissionRequest, field: string): boolean {
  const [now, before] = [object, oldObject].map((one) => objectOf(one?.['status'])[field] ?? null);
  return !isJsonEqual(now ?? null, before ?? null);
}

const clientSigner = 'kubernetes.io/kube-apiserver-client';

/** The organizations in a certificate request (PEM, in base64), read as the signer reads them. */
async function organizationsIn(request: AdmissionRequest, text: string): Promise<readonly string[]> {
  try {
    return (await readSigningRequest(Buffer.from(text, 'base64').toString('latin1'))).organizations;
  } catch (thrown) {
    throw refusal(request, `failed to parse CSR: ${errorMessage(thrown)}`);
  }
}

async function checkSubject(request: AdmissionRequest): Promise<void> {
  const { operation, resource, subresource, object } = request;
  const isRequest = resource.storageKey === `certificatesigningrequests.${group}` && subresource === undefined;
  const spec = objectOf(object?.['spec']);
  if (!isRequest || operation !== 'CREATE' || spec['signerName'] !== clientSigner) return;
  if (!(await organizationsIn(request, textOf(spec['request']))).includes('system:masters')) return;
  throw refusal(request, `use of ${clientSigner} signer with system:masters group is not allowed`);
}

function check(authorizer: Authorizer, request: AdmissionRequest): void {
  const { operation, resource, subresource, oldObject } = request;
  if (operation !== 'UPDATE' || resource.storageKey !== `certificatesigningrequests.${group}`) return;
  const signer = textOf(objectOf(oldObject?.['spec'])['signerName']);
  if (subresource === 'approval' && !mayFor(authorizer, request, { verb: 'approve', signer })) {
    throw refusal(request, `user not permitted to approve requests with signerName ${JSON.stringify(signer)}`);
  }
  const isSigning = subresource === 'status' && (isChanged(request, 'certificate') || isChanged(request, 'conditions'));
  if (isSigning && !mayFor(authorizer, request, { verb: 'sign', signer })) {
    throw refusal(request, `user not permitted to sign requests with signerName ${JSON.stringify(signer)}`);
  }
}

/** Certificates are approved and signed by users with permission for their signer; no one gets a certificate of the server's own administrators. */
export function certificateSigners(authorizer: Authorizer): AdmissionPlugin {
  return {
    name: 'CertificateApproval and CertificateSigning',
    validate: async (request) => {
      await checkSubject(request);
      check(authorizer, request);
    },
  };
}
