import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { createCertificateAuthority, issueCertificate } from '../../../src/base/index.ts';
import { freePort } from '../../../test/support/free-port.ts';
import { type CalledHook, HookCaller } from './call.ts';

test('a call that is open is answered, however many other hooks are called meanwhile', async () => {
  const terms = { nowMs: Date.now(), lifetimeDays: 1 };
  const authority = await createCertificateAuthority({ commonName: 'hooks', ...terms });
  const names = { commonName: '127.0.0.1', usage: 'server' as const, ipAddresses: ['127.0.0.1'] };
  const serving = await issueCertificate(authority, { ...names, ...terms });
  const server = createServer({ cert: serving.certificatePem, key: serving.privateKeyPem }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const caBundle = Buffer.from(authority.certificatePem).toString('base64');
  const hookAt = (port: number, key: string): CalledHook => ({
    key,
    clientConfig: { url: `https://127.0.0.1:${port}/`, caBundle },
    timeoutSeconds: 30,
  });
  using caller = new HookCaller(() => ({ host: '127.0.0.1', port: 0 }), {
    decide: () => ({ isAllowed: true, reason: '' }),
    rulesOf: () => ({ rules: [], errors: [] }),
  });
  const { signal } = new AbortController();
  const asked = once(server, 'request') as Promise<[unknown, ServerResponse]>;
  const open = caller.call(hookAt((server.address() as AddressInfo).port, 'open'), {}, signal);
  const [, response] = await asked;
  const port = await freePort();
  const others = Array.from({ length: 201 }, (_, at) => caller.call(hookAt(port, `other-${at}`), {}, signal));
  await Promise.allSettled(others);
  response.end('{"answer":"yes"}');
  expect(await open).toEqual({ answer: 'yes' });
  server.close();
  server.closeAllConnections();
});
