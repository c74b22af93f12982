import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { open, readFile, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import {
  type Clock,
  nodeHttp,
  type ProxySettings,
  redactUrl,
  TerminalError,
  TransientError,
  verifyStream,
} from '../base/index.ts';
import { extractArchive, isArchiveStart, type Staging } from '../content/index.ts';
import { type AddressRule, type ImagePolicy, maxProvenanceBytes } from '../image-policy/index.ts';
import { assertAddressAllowed, assertChartSigned } from './address-permission.ts';
import { basicAuthorization } from './basic-auth.ts';
import { type ChartChoice, findInIndex, indexAddress, maxIndexBytes, readChartFragment } from './chart-index.ts';
import { readIndexPart } from './chart-index-part.ts';
import { provenanceAddress } from './chart-provenance.ts';
import { createHttpClient, failure, type HttpClient, type HttpRequest, type HttpResponse } from './http-client.ts';
import { withRetries } from './retry.ts';
import { parseRetryAfter } from './retry-after.ts';
import { readServerCredentials } from './server-credentials.ts';
import type { ContentSource, FetchOptions, SourceSecret } from './source.ts';

export interface HttpSourceDeps {
  readonly caPem: readonly string[];
  readonly proxies?: ProxySettings | undefined;
  readonly answerDeadlineMs: number;
  readonly clock: Clock;
  /** The archive lies below it while it is read. */
  readonly temporaryDir: string;
  /** Whether a Secret that names no hosts is for every server. */
  readonly allowsUnnamedHosts: boolean;
}

interface RequestedArchive {
  /** Without the fragment. */
  readonly url: string;
  readonly digest: string | undefined;
  /** A chart of the repository that the address names. */
  readonly chart?: ChartChoice | undefined;
}

/** The client is not authorized, or the content was removed permanently. */
const finalStatuses: ReadonlySet<number> = new Set([401, 403, 410, 451]);
const retriedStatuses: ReadonlySet<number> = new Set([408, 425, 429]);

function parseUrl(text: string): RequestedArchive {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    const message = `create http request "GET ${redactUrl(text)}" for bundle content: expected an https:// or http:// address`;
    throw new TerminalError('InvalidSource', message);
  }
  const fragment = url.hash;
  url.hash = '';
  const chart = readChartFragment(fragment);
  if (chart !== undefined) return { url: indexAddress(url.href), digest: undefined, chart };
  const hex = /^#sha256=([0-9a-f]{64})$/.exec(fragment)?.[1];
  if (fragment !== '' && hex === undefined) {
    const message = `GET ${redactUrl(text)}: "${fragment}" does not pin the content: expected #sha256= and 64 lower-case hexadecimal digits, or #chart=NAME&version=VERSION of a chart repository`;
    throw new TerminalError('InvalidSource', message);
  }
  return { url: url.href, digest: hex === undefined ? undefined : `sha256:${hex}` };
}

function statusError(what: string, response: HttpResponse, nowMs: number): TransientError | TerminalError {
  const { status } = response;
  const text = `${what}: unexpected status "${status} ${nodeHttp().STATUS_CODES[status] ?? ''}"`;
  if (finalStatuses.has(status)) return new TerminalError('Refused', text);
  if (status === 404) return new TransientError('NotFound', text);
  const isPassing = retriedStatuses.has(status) || status >= 500;
  const waitMs = parseRetryAfter(response.headers['retry-after'], nowMs);
  const retry = waitMs === undefined ? {} : { retryAfterMs: waitMs };
  return new TransientError(isPassing ? 'ServerUnavailable' : 'UnexpectedAnswer', text, retry);
}

interface Download extends FetchOptions {
  readonly http: HttpClient;
  readonly clock: Clock;
  readonly archive: RequestedArchive;
  readonly authorization: string | undefined;
  readonly path: string;
  readonly maxBytes: number;
  readonly staging: Staging;
}

/** Saves the archive, verified against its pin; the answer is the digest of what came. */
async function download(options: Download): Promise<string> {
  const { http, clock, archive, authorization, path, maxBytes, staging, signal } = options;
  const what = `GET ${redactUrl(archive.url)}`;
  // The digest is of the bytes as they are served, so no transfer compression is asked for.
  const headers = { 'accept-encoding': 'identity', ...(authorization === undefined ? {} : { authorization }) };
  const request: HttpRequest = { method: 'GET', url: archive.url, headers, signal };
  const response = await http.send(request);
  if (response.status !== 200) {
    response.body.destroy();
    throw statusError(what, response, clock.now());
  }
  let digest = '';
  const onDigest = (got: string): void => {
    digest = got;
  };
  try {
    const onBytes = (sizeBytes: number): void => staging.takeDisk(sizeBytes);
    const check = verifyStream({ what, maxBytes, digest: archive.digest, onDigest, onBytes });
    await pipeline(response.body, check, createWriteStream(path, { flags: 'w', mode: 0o600 }), { signal });
    return digest;
  } catch (thrown) {
    throw failure(request, thrown);
  }
}

type Fetching = Omit<Download, 'archive' | 'authorization' | 'maxBytes'>;

async function fetchFile(options: Download): Promise<string> {
  const { clock, signal, archive, onProgress } = options;
  onProgress?.(`fetching ${redactUrl(archive.url)}`);
  return await withRetries({ clock, signal }, () => download(options));
}

/** The archive that is asked for; of a chart repository by its index. */
async function findArchive(
  asked: RequestedArchive,
  fetching: Fetching & Pick<Download, 'authorization'>,
): Promise<RequestedArchive> {
  if (asked.chart === undefined) return asked;
  await fetchFile({ ...fetching, archive: asked, maxBytes: maxIndexBytes });
  const part = { what: redactUrl(asked.url), path: fetching.path, chart: asked.chart.name };
  const index = { address: asked.url, content: await readIndexPart(part) };
  return await findInIndex(index, asked.chart, fetching.signal);
}

/** What is no archive at all, often a page of the server, in the words that RukPak's users know. */
async function explainNoArchive(path: string, what: string, thrown: unknown): Promise<unknown> {
  if (!(thrown instanceof TerminalError) || thrown.reason !== 'InvalidArchive') return thrown;
  await using handle = await open(path);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(512), 0, 512, 0);
  if (isArchiveStart(buffer.subarray(0, bytesRead))) return thrown;
  const text = `${what}: gzip: invalid header: expected a tar, compressed with gzip or zstd or not at all`;
  return new TerminalError('InvalidArchive', text, { cause: thrown });
}

/** The provenance of a packed chart; undefined where there is none. */
async function fetchProvenance(
  fetching: Fetching & Pick<Download, 'authorization'>,
  { url }: RequestedArchive,
): Promise<Buffer | undefined> {
  const archive = { url: provenanceAddress(url), digest: undefined };
  try {
    await fetchFile({ ...fetching, archive, maxBytes: maxProvenanceBytes });
  } catch (thrown) {
    if (thrown instanceof TransientError && thrown.reason === 'NotFound') return undefined;
    throw thrown;
  }
  return await readFile(fetching.path);
}

/** An address and what is known of it. */
export interface HttpSourceRequest {
  readonly source: ContentSource;
  readonly secret?: SourceSecret | undefined;
  readonly staging: Staging;
  /** Which addresses may be used; any without it. */
  readonly policy?: ImagePolicy | undefined;
  /** By which the content was asked for at first, when `source` is what became of that. */
  readonly firstUrl?: string | undefined;
  /** The content is known to be what was allowed before, and is compared with that. */
  readonly isKnown?: boolean | undefined;
}

function findRule({ policy, firstUrl, isKnown }: HttpSourceRequest, url: string): AddressRule | undefined {
  return isKnown === true ? undefined : assertAddressAllowed(policy, parseUrl(firstUrl ?? url).url);
}

/** Fetches a gzip tar from a web server into the staging area. The answer is the source with the digest of the bytes in its URL, so that the
 *  content cannot change behind a Bundle.
 *  @throws TerminalError ImageDenied, InvalidSource, HostNotNamed, InvalidSecret, Refused, BodyTooLarge, RedirectRefused and those of `extractArchive`
 *  · TransientError DigestMismatch, ServerUnavailable, NotFound, UnexpectedAnswer, DeadlineExceeded, ImageDenied for a signature that is missing or wrong */
export async function fetchHttp(
  deps: HttpSourceDeps,
  request: HttpSourceRequest,
  options: FetchOptions,
): Promise<ContentSource> {
  const spec = request.source.http;
  if (spec === undefined) throw new TerminalError('InvalidSource', 'bundle source http configuration is unset');
  const asked = parseUrl(spec.url);
  const rule = findRule(request, spec.url);
  const insecureSkipVerify = spec.auth?.insecureSkipVerify === true;
  const allowsUnnamed = deps.allowsUnnamedHosts;
  const recipient = { address: asked.url, insecureSkipVerify, allowsUnnamed };
  const credentials = readServerCredentials(request.secret, recipient);
  const authorization = credentials === undefined ? undefined : basicAuthorization(credentials);
  const path = `${deps.temporaryDir}/${randomUUID()}`;
  const { caPem, proxies, answerDeadlineMs } = deps;
  using http = createHttpClient({ caPem, proxies, answerDeadlineMs, insecureSkipVerify });
  const maxBytes = request.staging.limits.compressedLayerBytes;
  try {
    const fetching: Fetching = { ...options, http, clock: deps.clock, path, staging: request.staging };
    const archive = await findArchive(asked, { ...fetching, authorization });
    // What a repository names elsewhere gets no credentials of it.
    const isSameServer = new URL(archive.url).origin === new URL(asked.url).origin;
    const serverAuthorization = isSameServer ? authorization : undefined;
    const digest = await fetchFile({ ...fetching, archive, authorization: serverAuthorization, maxBytes });
    if (rule !== undefined) {
      const chart = { address: archive.url, digest };
      await assertChartSigned(rule, chart, () =>
        fetchProvenance({ ...fetching, authorization: serverAuthorization, path: `${path}.prov` }, archive),
      );
    }
    const content = createReadStream(path, { highWaterMark: 256 * 1024 }) as AsyncIterable<Buffer>;
    const what = redactUrl(archive.url);
    try {
      await extractArchive(content, request.staging, { what, hasWhiteouts: false, signal: options.signal });
    } catch (thrown) {
      throw await explainNoArchive(path, what, thrown);
    }
    request.staging.assertLinksInside(what);
    return { ...request.source, http: { ...spec, url: `${archive.url}#${digest.replace(':', '=')}` } };
  } catch (thrown) {
    throw http.conceal(thrown);
  } finally {
    await Promise.all([path, `${path}.prov`].map((file) => rm(file, { force: true })));
  }
}
