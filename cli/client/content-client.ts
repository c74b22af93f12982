import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { pipeline } from 'node:stream/promises';
import { isJsonObject, serverText, systemClock, TerminalError } from '../../src/base/index.ts';
import { type ClusterAccess, createKubeClient, isNotFound, type KubeClient } from '../../src/kube/index.ts';
import { type clusterOptions, type OptionValues, readOrigin } from '../command/index.ts';
import { readAccess } from './kubeconfig.ts';

type Values = OptionValues<typeof clusterOptions>;

const answerDeadlineMs = 60_000;

interface ContentCall {
  readonly url: string;
  /** A file that is to be sent by PUT; without one it is a GET. */
  readonly uploadPath?: string;
  readonly onSent?: ((sentBytes: number, totalBytes: number) => void) | undefined;
  readonly signal: AbortSignal;
}

/** A cluster as the user of a kubeconfig sees it, and its content server. */
export interface ContentClient extends Disposable {
  readonly kube: KubeClient;
  /** Opens `url` of the content server as that user; any status is an answer.
   *  @throws TerminalError ServerUnavailable, ImpersonationUnsupported */
  open(call: ContentCall): Promise<IncomingMessage>;
  /** `https://127.0.0.1:41234`
   *  @throws TerminalError NoContentServer */
  address(): Promise<string>;
}

const maxShownBytes = 4096;

async function startOf(response: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let sizeBytes = 0;
  for await (const piece of response as AsyncIterable<Buffer>) {
    pieces.push(piece);
    sizeBytes += piece.length;
    if (sizeBytes >= maxShownBytes) break;
  }
  return Buffer.concat(pieces);
}

/** The message of a failed response, and the role that allows the request. */
export async function describeRefusal(what: 'GET' | 'PUT', url: string, response: IncomingMessage): Promise<string> {
  const answer = serverText(await startOf(response));
  const role = what === 'GET' ? 'bundle-reader' : 'bundle-uploader';
  const advice = response.statusCode === 403 ? `; the ClusterRole ${role}, bound to you, allows it` : '';
  return `${what} ${url}: status ${response.statusCode}: ${answer}${advice}`;
}

interface ServerFacts {
  readonly url: string | undefined;
  readonly ca: Buffer | undefined;
}

async function readServerFacts(kube: KubeClient, namespace: string, name: string): Promise<ServerFacts> {
  try {
    const { data } = await kube.get({ apiVersion: 'v1', kind: 'Secret', namespace, name });
    const read = (key: string): Buffer | undefined => {
      const value = isJsonObject(data) ? data[key] : undefined;
      return typeof value === 'string' ? Buffer.from(value, 'base64') : undefined;
    };
    return { url: read('url')?.toString(), ca: read('ca.crt') };
  } catch (thrown) {
    if (!isNotFound(thrown)) throw thrown;
    const text = `secret "${name}" not found in namespace "${namespace}": it has the address and the authority of the content server`;
    throw new TerminalError('NoContentServer', text, { cause: thrown });
  }
}

async function sendFile(path: string, sent: ClientRequest, onSent: (doneBytes: number) => void): Promise<void> {
  let doneBytes = 0;
  const count = async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      yield chunk;
      doneBytes += chunk.length;
      onSent(doneBytes);
    }
  };
  await pipeline(createReadStream(path), count, sent).catch(() => undefined);
}

/** The content server knows users by their credentials alone.
 *  @throws TerminalError ImpersonationUnsupported */
function assertOwnUser({ actingAs }: ClusterAccess): void {
  if (actingAs === undefined) return;
  const text = `the content server does not support impersonation ("as: ${actingAs.user}" in the kubeconfig): use the kubeconfig of a user with permission for it`;
  throw new TerminalError('ImpersonationUnsupported', text);
}

async function send(access: ClusterAccess, ca: Buffer | undefined, call: ContentCall): Promise<IncomingMessage> {
  assertOwnUser(access);
  const { cert, key } = await access.tls();
  const identity = cert === undefined || key === undefined ? {} : { cert, key };
  const sizeBytes = call.uploadPath === undefined ? 0 : (await stat(call.uploadPath)).size;
  const length = call.uploadPath === undefined ? {} : { 'content-length': sizeBytes };
  const sent = request(new URL(call.url), {
    method: call.uploadPath === undefined ? 'GET' : 'PUT',
    ...identity,
    ...(ca === undefined ? {} : { ca }),
    headers: { ...(await access.headers()), ...length },
    signal: call.signal,
    timeout: answerDeadlineMs,
  });
  sent.on('timeout', () => sent.destroy(new Error(`no answer within ${answerDeadlineMs / 1000} s`)));
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    sent.once('response', resolve);
    sent.once('error', reject);
  });
  try {
    if (call.uploadPath === undefined) sent.end();
    // A server that refuses answers before all is sent; that answer counts, not the broken pipe.
    else await Promise.race([sendFile(call.uploadPath, sent, (done) => call.onSent?.(done, sizeBytes)), answer]);
    return await answer;
  } catch (thrown) {
    const text = `${call.url}: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
    throw new TerminalError('ServerUnavailable', text, { cause: thrown });
  }
}

/** The cluster, and the Secret with the address of its content server. */
interface ContentClientOptions {
  readonly access: ClusterAccess;
  readonly kube: KubeClient;
  readonly namespace: string;
  readonly secretName: string;
  /** Used instead of the address in the Secret. */
  readonly elsewhere?: string | undefined;
}

/** A client of the content server of a cluster; nothing is asked yet. */
export function contentClientOf({
  access,
  kube,
  namespace,
  secretName,
  elsewhere,
}: ContentClientOptions): ContentClient {
  let known: Promise<ServerFacts> | undefined;
  const facts = (): Promise<ServerFacts> => {
    known ??= readServerFacts(kube, namespace, secretName);
    return known;
  };
  const led = (url: string): string => (elsewhere === undefined ? url : `${elsewhere}${new URL(url).pathname}`);
  return {
    kube,
    open: async (call) => await send(access, (await facts()).ca, { ...call, url: led(call.url) }),
    address: async () => {
      const { url } = await facts();
      if (url !== undefined) return url;
      throw new TerminalError('NoContentServer', `secret "${secretName}" in namespace "${namespace}" has no key "url"`);
    },
    [Symbol.dispose]: () => kube.close(),
  };
}

/** Reads the kubeconfig of the options; nothing is asked yet. */
export async function createContentClient(values: Values): Promise<ContentClient> {
  const access = await readAccess(values);
  const kube = createKubeClient({ access, clock: systemClock });
  const [namespace, secretName] = [values['system-namespace'], values['ca-secret-name']];
  const elsewhere = readOrigin('content-address', values['content-address']);
  return contentClientOf({ access, kube, namespace, secretName, elsewhere });
}
