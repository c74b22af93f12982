import type { Readable } from 'node:stream';
import type { ImageReference } from '../api/index.ts';
import { type Clock, TerminalError, TransientError } from '../base/index.ts';
import { type HttpClient, type HttpRequest, type HttpResponse, readBody } from './http-client.ts';
import type { FoundCredentials } from './pull-credentials.ts';
import { RateLimits } from './rate-limits.ts';
import { RegistryClient } from './registry-client.ts';
import { withRetries } from './retry.ts';

/** What a manifest refers to. */
export interface PushBlob {
  readonly digest: string;
  readonly sizeBytes: number;
  /** The bytes, as often as asked for. */
  readonly open: () => Readable;
}

export interface PushRequest {
  /** With a tag: a digest follows from the manifest. */
  readonly reference: ImageReference;
  readonly manifest: { readonly mediaType: string; readonly bytes: Uint8Array; readonly digest: string };
  readonly blobs: readonly PushBlob[];
}

export interface PushEvents {
  /** `sentBytes` equals the blob's size when it is complete; `isThere`: the registry had it before. */
  readonly onBlob?: (blob: PushBlob, sentBytes: number, isThere: boolean) => void;
}

/** What it takes to write to a repository. */
export interface Push extends PushEvents {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly client: RegistryClient;
  readonly name: string;
}

const maxAnswerBytes = 1024 * 1024;

async function discarded(response: HttpResponse, request: HttpRequest): Promise<HttpResponse> {
  await readBody(request, response, maxAnswerBytes);
  return response;
}

/** Whether the repository has a blob. */
export async function isThere({ client }: Push, { digest }: Pick<PushBlob, 'digest'>): Promise<boolean> {
  const order = { method: 'HEAD', path: `blobs/${digest}`, headers: {}, statuses: [200, 404] } as const;
  return (await client.order(order, discarded)).status === 200;
}

/** @see OCI distribution-spec 1.1, "Pushing a blob monolithically", "POST then PUT" */
async function upload(push: Push, blob: PushBlob): Promise<void> {
  const { client, onBlob } = push;
  const begin = {
    method: 'POST',
    path: 'blobs/uploads/',
    headers: {},
    body: new Uint8Array(),
    statuses: [202],
  } as const;
  const { headers, url } = await client.order(begin, discarded);
  const { location } = headers;
  if (location === undefined || !URL.canParse(location, url)) {
    throw new TransientError('UnexpectedAnswer', `${push.name}: the registry gave no address for the upload`);
  }
  const target = new URL(location, url);
  target.searchParams.set('digest', blob.digest);
  const body = { ...blob, onSent: (sentBytes: number) => onBlob?.(blob, sentBytes, false) };
  const type = { 'content-type': 'application/octet-stream' };
  await client.order({ method: 'PUT', path: target.href, headers: type, body, statuses: [201, 204] }, discarded);
}

/** Writes a manifest under its tag, or under its digest when it has none. */
export async function putManifest(push: Push, { reference, manifest }: Omit<PushRequest, 'blobs'>): Promise<void> {
  const { bytes, digest, mediaType } = manifest;
  const path = `manifests/${reference.tag ?? digest}`;
  const headers = { 'content-type': mediaType };
  const { headers: replied } = await push.client.order(
    { method: 'PUT', path, headers, body: bytes, statuses: [200, 201, 202] },
    discarded,
  );
  const got = replied['docker-content-digest'];
  if (typeof got !== 'string' || got === digest) return;
  throw new TerminalError('DigestMismatch', `${push.name}: expected digest ${digest}, the registry reports ${got}`);
}

/** Sends a blob unless the repository has it. */
export async function pushBlob(push: Push, blob: PushBlob): Promise<void> {
  await withRetries(push, async () => {
    const isKnown = await isThere(push, blob);
    if (!isKnown) await upload(push, blob);
    push.onBlob?.(blob, blob.sizeBytes, isKnown);
  });
}

/** Pushes an image or artifact: blobs that the registry has are not sent again, the manifest comes last. An interrupted transfer restarts, with
 *  what is missing. The answer is `registry/repository@digest`.
 *  @throws TerminalError InvalidImageReference, Unauthorized, Forbidden, NotFound, DigestMismatch, UnexpectedAnswer
 *  · TransientError ServerUnavailable, RateLimited, DeadlineExceeded */
export async function pushImage(
  deps: {
    readonly http: HttpClient;
    readonly clock: Clock;
    readonly insecureRegistries: readonly string[];
    readonly credentials: FoundCredentials;
  },
  request: PushRequest,
  options: PushEvents & { readonly signal: AbortSignal },
): Promise<string> {
  const { registry, repository, digest } = request.reference;
  const name = `${registry}/${repository}`;
  if (digest !== undefined && digest !== request.manifest.digest) {
    const text = `image reference "${name}@${digest}": the pushed manifest has the digest ${request.manifest.digest}; name a tag instead`;
    throw new TerminalError('InvalidImageReference', text);
  }
  const access = 'pull,push';
  const { signal } = options;
  const client = new RegistryClient({
    ...deps,
    limits: new RateLimits(deps.clock),
    access,
    registry,
    repository,
    signal,
  });
  const push: Push = { ...options, clock: deps.clock, client, name };
  for (const blob of request.blobs) await pushBlob(push, blob);
  await withRetries(push, () => putManifest(push, request));
  return `${name}@${request.manifest.digest}`;
}
