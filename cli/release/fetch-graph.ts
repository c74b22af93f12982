import { readFile } from 'node:fs/promises';
import { printableLine, readProxySettings, redactUrl, TerminalError, TransientError } from '../../src/base/index.ts';
import { createHttpClient, type HttpRequest, readBody } from '../../src/sources/index.ts';
import { parseUpdateGraph, type UpdateGraph } from '../../src/update-graph/index.ts';
import { readAuthorities } from '../input/index.ts';
import { packageVersion } from '../process/index.ts';

/** What is asked of an update service. */
export interface GraphQuery {
  readonly arch: string;
  readonly channel: string;
  readonly version?: string;
}

const deadlineMs = 60_000;
const maxBytes = 32 * 1024 * 1024;

async function fetchText(address: string, query: GraphQuery, authorities: string | undefined): Promise<string> {
  const url = new URL(address);
  for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value as string);
  url.searchParams.sort();
  const caPem = await readAuthorities(authorities);
  using http = createHttpClient({ caPem, proxies: readProxySettings(process.env), answerDeadlineMs: deadlineMs });
  const headers = { accept: 'application/json', 'user-agent': `longshore/${packageVersion()}` };
  const request: HttpRequest = { method: 'GET', url: url.href, headers, signal: AbortSignal.timeout(deadlineMs) };
  const response = await http.send(request);
  const body = (await readBody(request, response, maxBytes)).toString('utf8');
  if (response.status === 200) return body;
  const text = `GET ${url.origin}${url.pathname}: unexpected HTTP status: ${response.status}: ${printableLine(body.slice(0, 200))}`;
  throw new TransientError('RemoteFailed', text);
}

/** Whether a graph is to be had from a service. */
export function isGraphAddress(place: string): boolean {
  return /^https?:\/\//.test(place);
}

/** The graph of an update service, or in a file with its response. `authorities` is a file with certificates.
 *  @throws TransientError RemoteFailed · TerminalError ResponseInvalid */
export async function readGraph(
  place: string,
  query: GraphQuery,
  authorities: string | undefined,
): Promise<UpdateGraph> {
  const text = isGraphAddress(place) ? await fetchText(place, query, authorities) : await readFile(place, 'utf8');
  try {
    return parseUpdateGraph(text);
  } catch (thrown) {
    if (!(thrown instanceof TerminalError)) throw thrown;
    const where = isGraphAddress(place) ? redactUrl(place) : place;
    throw new TerminalError(thrown.reason, `${where}: ${thrown.message}`, { cause: thrown });
  }
}
