import { cutText, errorMessage, serverText, TerminalError, TransientError, withDeadline } from '../../base/index.ts';
import { formatVersion, parseVersion } from '../../constraints/index.ts';
import { type HttpClient, readBody } from '../../sources/index.ts';
import { type AvailableUpdates, availableUpdates, parseUpdateGraph } from '../../update-graph/index.ts';
import { parseClusterId } from './cluster-id.ts';
import { assertStorable } from './storable.ts';

/** What an update service is asked. */
export interface UpdateQuery {
  /** Its URL; empty for none. */
  readonly service: string;
  readonly clusterId: string;
  readonly channel: string;
  /** Version that the cluster runs. */
  readonly version: string;
  /** As Go names them; `Multi` for a release of several. */
  readonly architecture: { readonly current: string; readonly desired: string };
}

/** The condition RetrievedUpdates, and the updates when it is True. */
export type Retrieval =
  | { readonly status: 'True'; readonly reason: ''; readonly message: ''; readonly updates: AvailableUpdates }
  | { readonly status: 'False'; readonly reason: string; readonly message: string };

const deadlineMs = 60_000;
const maxBytes = 32 * 1024 * 1024;
/** Of an error about an answer, which may quote it, in a condition. */
const maxMessageCharacters = 2000;

/** Why a service cannot be asked, in the order in which the reference checks. */
function obstacle({ service, clusterId, channel, version, architecture }: UpdateQuery): Retrieval | undefined {
  const failed = (reason: string, message: string): Retrieval => ({ status: 'False', reason, message });
  if (service === '') return failed('NoUpstream', 'No updateService server has been set to retrieve updates.');
  if (!URL.canParse(service)) {
    return failed(
      'InvalidURI',
      `failed to parse update service URL: ${serverText(service, 200)}: expected http or https`,
    );
  }
  const id = parseClusterId(clusterId);
  if ('problem' in id) return failed('InvalidID', `invalid cluster ID: ${id.problem}`);
  if (architecture.desired === '') return failed('NoArchitecture', 'Architecture has not been configured.');
  if (version === '') {
    const text = 'The cluster version does not have a semantic version assigned and cannot calculate valid upgrades.';
    return failed('NoCurrentVersion', text);
  }
  if (channel === '') return failed('NoChannel', 'The update channel has not been configured.');
  if (isVersion(version)) return undefined;
  const text = 'The current cluster version is not a valid semantic version and cannot be used to calculate upgrades.';
  return failed('InvalidCurrentVersion', text);
}

function isVersion(text: string): boolean {
  try {
    parseVersion(text);
    return true;
  } catch {
    return false;
  }
}

/** The address with the four parameters added to those that it has. */
function queryAddress({ service, clusterId, channel, version, architecture }: UpdateQuery): string {
  const url = new URL(service);
  const id = parseClusterId(clusterId);
  const arch = architecture.desired === 'Multi' ? 'multi' : architecture.desired;
  const parameters = { arch, channel, id: 'id' in id ? id.id : '', version: formatVersion(parseVersion(version)) };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.append(name, value);
  url.searchParams.sort();
  return url.href;
}

async function fetchGraph(query: UpdateQuery, http: HttpClient, options: RetrievalOptions): Promise<string> {
  const headers = { accept: 'application/json', 'user-agent': options.userAgent };
  const { protocol } = new URL(query.service);
  if (!/^https?:$/.test(protocol)) {
    throw new TransientError('RemoteFailed', `unsupported protocol scheme "${protocol.slice(0, -1)}"`);
  }
  return await withDeadline('update service', { deadlineMs, signal: options.signal }, async (signal) => {
    const request = { method: 'GET', url: queryAddress(query), headers, signal } as const;
    const response = await http.send(request);
    if (response.status !== 200) {
      response.body.destroy();
      const { statusMessage = '' } = response.body;
      const text = `unexpected HTTP status: ${response.status} ${serverText(statusMessage, 200)}`.trim();
      throw new TransientError('ResponseFailed', text);
    }
    try {
      return (await readBody(request, response, maxBytes)).toString('utf8');
    } catch (thrown) {
      throw new TransientError('ResponseFailed', errorMessage(thrown), { cause: thrown });
    }
  });
}

/** Reasons of failures of a service, with which what it answered before stays. */
const reasons: ReadonlySet<string> = new Set(['ResponseFailed', 'ResponseInvalid', 'VersionNotFound']);
/** Reasons of texts that are no graph. */
const invalid: ReadonlySet<string> = new Set(['InvalidJson', 'TooManyValues', 'TooDeeplyNested', 'ForbiddenKey']);

function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof TransientError) && !(thrown instanceof TerminalError)) return 'Unknown';
  if (invalid.has(thrown.reason)) return 'ResponseInvalid';
  return reasons.has(thrown.reason) ? thrown.reason : 'RemoteFailed';
}

export interface RetrievalOptions {
  /** `product/version` */
  readonly userAgent: string;
  readonly signal: AbortSignal;
}

/** Asks an update service which updates a cluster may make, within a minute and 32 MiB. Failures become the condition RetrievedUpdates.
 *  @throws the reason of `signal`, when that is aborted
 *  @see docs/spec/cluster-version.md#retrievedupdates */
export async function retrieveUpdates(
  query: UpdateQuery,
  http: HttpClient,
  options: RetrievalOptions,
): Promise<Retrieval> {
  const problem = obstacle(query);
  if (problem !== undefined) return problem;
  try {
    const graph = parseUpdateGraph(await fetchGraph(query, http, options));
    const { version, channel, architecture } = query;
    const becomesMulti = architecture.desired === 'Multi' && architecture.current !== 'Multi';
    const updates = availableUpdates(graph, { version, channel, becomesMulti });
    assertStorable(updates);
    return { status: 'True', reason: '', message: '', updates };
  } catch (thrown) {
    options.signal.throwIfAborted();
    const message = `Unable to retrieve available updates: ${cutText(errorMessage(thrown), maxMessageCharacters)}`;
    return { status: 'False', reason: reasonOf(thrown), message };
  }
}
