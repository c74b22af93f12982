import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { formatYaml } from '../src/base/index.ts';
import { type ApiServer, startApiServer, type WebhookServer } from './index.ts';
import { localiseWebhooks } from './webhook-server.ts';

const configuration = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: 'guard' },
  webhooks: [
    {
      name: 'guard.example.com',
      clientConfig: { service: { name: 'guard', namespace: 'system', path: '/check' } },
      rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['secrets'] }],
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    },
  ],
};

const refuse: RequestListener = (incoming, outgoing) => {
  let text = '';
  incoming.on('data', (chunk: Buffer) => (text += chunk.toString()));
  incoming.on('end', () => {
    const { request } = JSON.parse(text) as { request: { uid: string } };
    const response = { uid: request.uid, allowed: false, status: { message: `no, from ${incoming.url}` } };
    outgoing.end(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response }));
  });
};

async function serve({ host, port, certificatePem, keyPem }: WebhookServer): Promise<AsyncDisposable> {
  const server = createServer({ cert: certificatePem, key: keyPem }, refuse);
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  return {
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function createSecret({ client }: ApiServer): Promise<unknown> {
  return client.create({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } });
}

test('webhooks of a folder of manifests are asked on the planned port instead of their Service', async () => {
  await using stack = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), 'longshore-webhooks-'));
  stack.defer(() => rm(dir, { recursive: true, force: true }));
  await mkdir(join(dir, 'deeper'));
  await writeFile(join(dir, 'deeper', 'webhooks.yaml'), formatYaml(configuration));
  await writeFile(join(dir, 'kustomization.yaml'), 'resources: [deeper]\n');
  const server = stack.use(await startApiServer({ webhooks: [dir], simulation: false }));
  await expect(createSecret(server)).rejects.toThrow('failed calling webhook "guard.example.com"');
  stack.use(await serve(server.webhookServer as WebhookServer));
  await expect(createSecret(server)).rejects.toThrow(
    'admission webhook "guard.example.com" denied the request: no, from /check',
  );
});

test('a server that runs already is asked under its own url', async () => {
  const options = { webhooks: [configuration], webhookServer: { url: 'https://127.0.0.1:1/base/', caBundle: 'PEM' } };
  await using server = await startApiServer({ ...options, simulation: false });
  const kind = 'ValidatingWebhookConfiguration';
  const stored = await server.client.get({ apiVersion: configuration.apiVersion, kind, name: 'guard' });
  const clientConfig = { url: 'https://127.0.0.1:1/base/check', caBundle: Buffer.from('PEM').toString('base64') };
  expect(stored).toMatchObject({ webhooks: [{ clientConfig }] });
});

test('conversion of a CustomResourceDefinition is asked there too', () => {
  const crd = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.example.com' },
    spec: {
      conversion: {
        strategy: 'Webhook',
        webhook: {
          clientConfig: { service: { name: 'n', namespace: 's', path: 'convert' } },
          conversionReviewVersions: ['v1'],
        },
      },
    },
  };
  const localised = localiseWebhooks(crd, { url: 'https://127.0.0.1:9', caBundlePem: 'x' });
  expect(localised).toMatchObject({
    spec: { conversion: { webhook: { clientConfig: { url: 'https://127.0.0.1:9/convert', caBundle: 'eA==' } } } },
  });
});

test('a manifest that is not there is named', async () => {
  await expect(startApiServer({ crds: ['nowhere/crds'] })).rejects.toThrow('nowhere/crds: no such file or folder');
});
