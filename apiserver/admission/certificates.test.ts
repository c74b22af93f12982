import 'reflect-metadata';
import * as x509 from '@peculiar/x509';
import { expect, test } from 'vitest';
import type { AdmissionRequest } from '../core/admission-plugin.ts';
import { builtinResourceTypes } from '../registry/builtin-resources.ts';
import { certificateSigners } from './certificates.ts';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
const plugin = certificateSigners({ decide: () => ({ isAllowed: true, reason: '' }) } as never);
const resource = builtinResourceTypes().find(({ plural }) => plural === 'certificatesigningrequests');

async function create(organization: unknown): Promise<void> {
  const name = [{ O: [organization] }, { CN: ['jane'] }] as x509.JsonName;
  const pem = await x509.Pkcs10CertificateRequestGenerator.create({ name, keys, signingAlgorithm: algorithm });
  const spec = {
    signerName: 'kubernetes.io/kube-apiserver-client',
    usages: ['client auth'],
    request: Buffer.from(pem.toString('pem')).toString('base64'),
  };
  const request = { operation: 'CREATE', resource, subresource: undefined, namespace: '', name: 'r', object: { spec } };
  await plugin.validate?.(request as unknown as AdmissionRequest);
}

test.each([
  ['a UTF-8 string', { utf8String: 'system:masters' }],
  ['a printable string', { printableString: 'system:masters' }],
  ['a string of 16-bit characters', { bmpString: 'system:masters' }],
])('no client of the API server is in system:masters, requested as %s', async (_form, organization) => {
  await expect(create(organization)).rejects.toThrow('system:masters group is not allowed');
});

test('a request for system:masters as a string of 32-bit characters, which Go does not read, is refused', async () => {
  await expect(create({ universalString: 'system:masters' })).rejects.toThrow('failed to parse CSR');
});

test('a client of the API server may be in another group', async () => {
  await expect(create({ utf8String: 'readers' })).resolves.toBeUndefined();
});
