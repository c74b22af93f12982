import { X509Certificate } from 'node:crypto';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/index.ts';
import type { Probe } from '../probe.ts';
import { type Area, area } from '../suite.ts';

const controllers = { needs: 'controllers' } as const;
const path = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const client = 'kubernetes.io/kube-apiserver-client';
const kubelet = 'kubernetes.io/kube-apiserver-client-kubelet';
const serving = 'kubernetes.io/kubelet-serving';

/** Certificate requests that OpenSSL wrote; their keys are not stored. */
const requests = {
  jane: `-----BEGIN CERTIFICATE REQUEST-----
MIHvMIGVAgEAMDMxEDAOBgNVBAoMB3JlYWRlcnMxEDAOBgNVBAoMB3dyaXRlcnMx
DTALBgNVBAMMBGphbmUwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQJWfDnM3m8
AgaSARvdClWyotax02PvjZQPlSGjQH8PfAx+SDlI0QsmporkIjc3rDzFxtlmdbN/
iHl8IrB5Dag5oAAwCgYIKoZIzj0EAwIDSQAwRgIhAOCh71YcF+wh0gbnqGZxYH1R
IMOj9CMWBN6nPFRRKAxZAiEAojKk9Dnd44Fk32CL3HVdU1Jm3/4ap6QsCxJevbbY
zuE=
-----END CERTIFICATE REQUEST-----
`,
  node: `-----BEGIN CERTIFICATE REQUEST-----
MIHtMIGTAgEAMDExFTATBgNVBAoMDHN5c3RlbTpub2RlczEYMBYGA1UEAwwPc3lz
dGVtOm5vZGU6b25lMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEmDJkahrv16Yb
md6I28ZLIelu0QJR8dHw0FhXDm39Pf4KKgd4qAAaSWYntpw8NDtyPewVVXJcgiOJ
BH3B457F+6AAMAoGCCqGSM49BAMCA0kAMEYCIQCygglR7OU+bQ9fwZioBdjfFTfL
7it3xs9RX1EIlvqVnQIhAKy2e4OGUqyuSOv9La62xvx1r/ok+U1q5lAj46ifrGqA
-----END CERTIFICATE REQUEST-----
`,
  nodeNamed: `-----BEGIN CERTIFICATE REQUEST-----
MIIBHzCBxgIBADAxMRUwEwYDVQQKDAxzeXN0ZW06bm9kZXMxGDAWBgNVBAMMD3N5
c3RlbTpub2RlOm9uZTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABDHLlU8kyy7+
ptwrQO+uzmT+ytRmULppTZKhKkCfGkwyJH4Qi/xpRTDn6kqkMeIoNN+6pDGHjWyt
U5rm5lF/xiWgMzAxBgkqhkiG9w0BCQ4xJDAiMCAGA1UdEQQZMBeCD29uZS5leGFt
cGxlLmNvbYcEwAACBzAKBggqhkjOPQQDAgNIADBFAiA3SAyocLnsqnBG9Z3O8dOD
LrPar0hcnvqmP8u882LZ5QIhAOqg4WkO58jmzQ544kUFiTbmeugBFMUaYbJo75WU
qI9c
-----END CERTIFICATE REQUEST-----
`,
} as const;

interface RequestOptions {
  readonly signer: string;
  readonly request: keyof typeof requests;
  readonly usages: readonly string[];
  readonly expirationSeconds?: number;
}

function statusOf(body: JsonValue): JsonObject {
  return isJsonObject(body) && isJsonObject(body['status']) ? body['status'] : {};
}

function conditionsOf(body: JsonValue): JsonObject[] {
  const { conditions } = statusOf(body);
  return Array.isArray(conditions) ? conditions.filter((condition) => isJsonObject(condition)) : [];
}

function certificateIn(body: JsonValue): X509Certificate | undefined {
  const { certificate } = statusOf(body);
  return typeof certificate === 'string' ? new X509Certificate(Buffer.from(certificate, 'base64')) : undefined;
}

/** What the signer decided. */
function keep(body: JsonValue): unknown {
  const certificate = certificateIn(body);
  const conditions = conditionsOf(body).map(({ type, status, reason, message }) => ({ type, status, reason, message }));
  if (certificate === undefined) return { conditions };
  const { subject, subjectAltName, keyUsage, ca, validFromDate, validToDate } = certificate;
  // If not requested, the authority chooses the lifetime.
  const isAsked = isJsonObject(body) && isJsonObject(body['spec']) && body['spec']['expirationSeconds'] !== undefined;
  const minutes = isAsked ? Math.round((validToDate.getTime() - validFromDate.getTime()) / 60_000) : undefined;
  return { conditions, subject, subjectAltName, keyUsage, ca, minutes };
}

async function create(api: Probe, { signer, request, usages, expirationSeconds }: RequestOptions): Promise<string> {
  const name = api.unique(`request-${api.steps.length}`);
  const at = `${path}/${name}`;
  api.cleanUp(at);
  const spec = { signerName: signer, request: Buffer.from(requests[request]).toString('base64'), usages };
  await api.setUp('POST', path, {
    body: {
      apiVersion: 'certificates.k8s.io/v1',
      kind: 'CertificateSigningRequest',
      metadata: { name },
      spec: { ...spec, ...(expirationSeconds === undefined ? {} : { expirationSeconds }) },
    },
  });
  return at;
}

/** Creates and approves a request; shows what came of it. */
async function show(api: Probe, options: RequestOptions): Promise<void> {
  const at = await create(api, options);
  const conditions = [{ type: 'Approved', status: 'True', reason: 'Checked', message: 'by a case' }];
  const contentType = 'application/merge-patch+json';
  await api.setUp('PATCH', `${at}/approval`, { body: { status: { conditions } }, contentType });
  await api.eventually(at, (body) => certificateIn(body) !== undefined || conditionsOf(body).length > 1);
  await api.ask('GET', at, { keep });
}

const clientUsages = ['digital signature', 'client auth'];
const servingUsages = ['digital signature', 'server auth'];

/** CertificateSigningRequests of the built-in signers, once they are approved. */
export const cases: Area = area('Certificate requests', (it) => {
  it('signs a client of the API server', controllers, async (api) => {
    await show(api, { signer: client, request: 'jane', usages: clientUsages });
    await show(api, { signer: client, request: 'jane', usages: ['client auth'], expirationSeconds: 3600 });
    const usages = ['digital signature', 'key encipherment', 'client auth'];
    await show(api, { signer: client, request: 'nodeNamed', usages, expirationSeconds: 86_400 });
  });

  it('refuses a client of the API server with other usages', controllers, async (api) => {
    await show(api, { signer: client, request: 'jane', usages: ['digital signature'] });
    await show(api, { signer: client, request: 'jane', usages: ['client auth', 'server auth'] });
  });

  it('signs kubelets as clients, and no one else', controllers, async (api) => {
    await show(api, { signer: kubelet, request: 'node', usages: clientUsages });
    await show(api, { signer: kubelet, request: 'node', usages: ['client auth'] });
    await show(api, { signer: kubelet, request: 'nodeNamed', usages: clientUsages });
    await show(api, { signer: kubelet, request: 'jane', usages: clientUsages });
  });

  it('signs kubelets as servers, under their names', controllers, async (api) => {
    await show(api, { signer: serving, request: 'nodeNamed', usages: servingUsages });
    await show(api, { signer: serving, request: 'node', usages: servingUsages });
    await show(api, { signer: serving, request: 'nodeNamed', usages: clientUsages });
    await show(api, { signer: serving, request: 'jane', usages: servingUsages });
  });
});
