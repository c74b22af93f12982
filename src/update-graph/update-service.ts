import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { sha256Digest, TerminalError } from '../base/index.ts';
import { formatUpdateGraph, type UpdateGraph } from './graph.ts';
import type { NamedGraph } from './served-graph.ts';

/** What answers requests for graphs. */
export interface UpdateService {
  readonly handle: RequestListener;
}

/** A graph as it is sent. */
interface Document {
  readonly body: Buffer;
  readonly packed: Buffer;
  readonly etag: string;
}

const paths = new Set(['/api/upgrades_info/graph', '/api/upgrades_info/v1/graph', '/graph']);
const emptyGraph: UpdateGraph = { nodes: [], edges: [], conditionalEdges: [] };
const maxDocumentBytes = 256 * 1024 * 1024;
const contentType = 'application/json';

function documentOf(graph: UpdateGraph): Document {
  const body = Buffer.from(formatUpdateGraph(graph));
  return { body, packed: gzipSync(body, { level: 9 }), etag: `"${sha256Digest(body).slice('sha256:'.length)}"` };
}

const keyOf = (channel: string, architecture: string): string => `${architecture} ${channel}`;

interface Problem {
  readonly status: number;
  readonly kind: string;
  readonly value: string;
}

function refuse(response: ServerResponse, { status, kind, value }: Problem): void {
  const body = JSON.stringify({ kind, value });
  const allow = status === 405 ? { allow: 'GET, HEAD' } : {};
  const headers = { ...allow, 'content-type': contentType, 'content-length': Buffer.byteLength(body) };
  response.writeHead(status, headers).end(body);
}

/** Whether a client takes JSON. */
function takesJson(accept: string | undefined): boolean {
  if (accept === undefined || accept === '') return true;
  const types = accept.split(',').map((part) => part.split(';')[0]?.trim().toLowerCase());
  return types.some((type) => type === '*/*' || type === 'application/*' || type === contentType);
}

function isKnown(header: string | undefined, etag: string): boolean {
  const tags = (header ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes(etag) || tags.includes('*');
}

function send(
  response: ServerResponse,
  document: Document,
  asked: { readonly isPacked: boolean; readonly isHead: boolean },
): void {
  const body = asked.isPacked ? document.packed : document.body;
  response.writeHead(200, {
    'content-type': contentType,
    'content-length': body.length,
    'cache-control': 'max-age=300',
    vary: 'Accept-Encoding',
    etag: document.etag,
    ...(asked.isPacked ? { 'content-encoding': 'gzip' } : {}),
  });
  response.end(asked.isHead ? undefined : body);
}

function takesGzip(header = ''): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/.test(header);
}

/** Why a request has no graph for an answer. */
function problemOf({ method, headers }: IncomingMessage, path: string, query: URLSearchParams): Problem | undefined {
  if (!paths.has(path)) return { status: 404, kind: 'does_not_exist', value: 'no such path' };
  if (method !== 'GET' && method !== 'HEAD') return { status: 405, kind: 'invalid_params', value: 'expected GET' };
  if (!takesJson(headers.accept)) {
    return { status: 406, kind: 'invalid_content_type', value: `expected Accept: ${contentType}` };
  }
  return (query.get('channel') ?? '') === '' ? { status: 400, kind: 'missing_params', value: 'channel' } : undefined;
}

/** All responses, made before the first request: what a client asks for makes no work and fills no memory.
 *  @throws TerminalError GraphTooLarge */
function documentsOf(graphs: Iterable<NamedGraph>): ReadonlyMap<string, Document> {
  const documents = new Map<string, Document>();
  let sizeBytes = 0;
  for (const { channel, architecture, graph } of graphs) {
    const document = documentOf(graph);
    sizeBytes += document.body.length + document.packed.length;
    if (sizeBytes > maxDocumentBytes) {
      const text = `channel ${channel}: the graphs of all channels take more than ${maxDocumentBytes} bytes: serve fewer channels or releases`;
      throw new TerminalError('GraphTooLarge', text);
    }
    documents.set(keyOf(channel, architecture), document);
  }
  return documents;
}

/** Answers requests for graphs as the public update service does: `GET /api/upgrades_info/graph?channel=…&arch=…`; other parameters are ignored. A channel
 *  that there is no graph of has an empty one.
 *  @throws TerminalError GraphTooLarge
 *  @see docs/spec/cluster-version.md#serving-a-graph */
export function updateService(graphs: Iterable<NamedGraph>): UpdateService {
  const documents = documentsOf(graphs);
  const empty = documentOf(emptyGraph);
  return {
    handle: (request, response) => {
      const [path = '', ...rest] = (request.url ?? '').split('?');
      const query = new URLSearchParams(rest.join('?'));
      const problem = problemOf(request, path, query);
      if (problem !== undefined) return refuse(response, problem);
      const { method, headers } = request;
      const document = documents.get(keyOf(query.get('channel') ?? '', query.get('arch') ?? 'amd64')) ?? empty;
      if (isKnown(headers['if-none-match'], document.etag)) {
        response.writeHead(304, { etag: document.etag }).end();
        return;
      }
      return send(response, document, { isPacked: takesGzip(headers['accept-encoding']), isHead: method === 'HEAD' });
    },
  };
}
