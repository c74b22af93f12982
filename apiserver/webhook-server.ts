import { createServer } from 'node:net';
import {
  type CertifiedKey,
  isJsonObject,
  issueCertificate,
  type JsonObject,
  type JsonValue,
} from '../src/base/index.ts';
import type { KubeObject } from './core/index.ts';

const lifetimeDays = 30;

/** Where webhooks of the program under test are expected, in place of the Services that their configurations name. */
export interface WebhookServer {
  /** `https://127.0.0.1:PORT`, without a path. */
  readonly url: string;
  readonly host: string;
  readonly port: number;
  /** To serve with: good for 127.0.0.1, ::1 and localhost. Empty where a `url` was given. */
  readonly certificatePem: string;
  readonly keyPem: string;
}

/** A server of webhooks that runs already, with a certificate of its own. */
export interface WebhookServerOptions {
  readonly url: string;
  /** PEM of who signed its certificate; default the authority of the API server. */
  readonly caBundle?: string;
}

/** What takes the place of `clientConfig.service`. */
export interface WebhookAddress {
  readonly url: string;
  readonly caBundlePem: string;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port could be found');
  return address.port;
}

/** A free loopback port and a certificate for it. */
export async function planWebhookServer(authority: CertifiedKey, nowMs: number): Promise<WebhookServer> {
  const [port, { certificatePem, privateKeyPem }] = await Promise.all([
    freePort(),
    issueCertificate(authority, {
      commonName: 'webhook',
      usage: 'server',
      dnsNames: ['localhost'],
      ipAddresses: ['127.0.0.1', '::1'],
      nowMs,
      lifetimeDays,
    }),
  ]);
  const host = '127.0.0.1';
  return { url: `https://${host}:${port}`, host, port, certificatePem, keyPem: privateKeyPem };
}

/** A `WebhookServer` for a server that runs already. */
export function knownWebhookServer({ url }: WebhookServerOptions): WebhookServer {
  const { hostname, port } = new URL(url);
  const plain = url.replace(/\/+$/, '');
  return { url: plain, host: hostname, port: Number(port || 443), certificatePem: '', keyPem: '' };
}

function localised(config: JsonObject, address: WebhookAddress): JsonObject {
  const { service, url, caBundle = Buffer.from(address.caBundlePem).toString('base64'), ...rest } = config;
  if (!isJsonObject(service)) return { ...rest, ...(url === undefined ? {} : { url }), caBundle };
  const path = typeof service['path'] === 'string' ? service['path'] : '';
  // A bundle of the configuration's own would be of the Service that is not asked now.
  return {
    ...rest,
    url: `${address.url}${path.startsWith('/') || path === '' ? path : `/${path}`}`,
    caBundle: Buffer.from(address.caBundlePem).toString('base64'),
  };
}

function localisedHolder(holder: JsonValue, address: WebhookAddress): JsonValue {
  if (!isJsonObject(holder) || !isJsonObject(holder['clientConfig'])) return holder;
  return { ...holder, clientConfig: localised(holder['clientConfig'], address) };
}

/** A webhook configuration, or a CustomResourceDefinition with conversion, that asks the loopback server: `service` becomes `url`, `caBundle`
 *  is filled in; a `url` of its own stays. */
export function localiseWebhooks(object: KubeObject, address: WebhookAddress): KubeObject {
  const { webhooks, spec } = object;
  if (Array.isArray(webhooks)) {
    return { ...object, webhooks: webhooks.map((webhook) => localisedHolder(webhook, address)) };
  }
  if (!isJsonObject(spec) || !isJsonObject(spec['conversion'])) return object;
  const { conversion } = spec;
  const { webhook = null } = conversion;
  const changed = webhook === null ? conversion : { ...conversion, webhook: localisedHolder(webhook, address) };
  return { ...object, spec: { ...spec, conversion: changed } };
}
