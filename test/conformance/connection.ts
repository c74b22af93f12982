import { Buffer } from 'node:buffer';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { isJsonObject, type JsonObject, type JsonValue, parseYaml } from '../../src/base/index.ts';

/** Who asks: the cluster admin by default. */
export type Asker =
  | { readonly user: string; readonly groups?: readonly string[] }
  | { readonly token: string }
  | 'anonymous';

/** One request. */
export interface Question {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Buffer | undefined;
  readonly as?: Asker | undefined;
}

/** One whole response. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly raw: Buffer;
  readonly text: string;
  /** The JSON body; undefined where it is none. */
  readonly body: JsonValue | undefined;
}

const requestTimeoutMs = 60_000;

function first(config: JsonObject, list: string, part: string): JsonObject {
  const entries = config[list];
  const entry = Array.isArray(entries) ? entries[0] : undefined;
  const value = isJsonObject(entry) ? entry[part] : undefined;
  if (!isJsonObject(value)) throw new Error(`the kubeconfig has no ${list}[0].${part}`);
  return value;
}

function bytes(object: JsonObject, key: string): Buffer | undefined {
  const value = object[key];
  return typeof value === 'string' ? Buffer.from(value, 'base64') : undefined;
}

function askerHeaders(as: Asker | undefined): Record<string, string | readonly string[]> {
  if (as === undefined || as === 'anonymous') return {};
  if ('token' in as) return { authorization: `Bearer ${as.token}` };
  return { 'impersonate-user': as.user, ...(as.groups === undefined ? {} : { 'impersonate-group': as.groups }) };
}

function parseBody(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    // Plain text, a stream, protobuf: the caller has `text` and `raw`.
    return undefined;
  }
}

/** Raw requests to the server of a kubeconfig; one connection pool for the admin, another for everybody else. */
export class Connection implements Disposable {
  readonly #server: URL;
  readonly #token: string | undefined;
  readonly #admin: Agent;
  readonly #others: Agent;

  constructor(kubeconfig: string) {
    const config = parseYaml('kubeconfig', kubeconfig);
    if (!isJsonObject(config)) throw new Error('the kubeconfig is no YAML object');
    const cluster = first(config, 'clusters', 'cluster');
    const user = first(config, 'users', 'user');
    if (typeof cluster['server'] !== 'string') throw new Error('the kubeconfig names no server');
    this.#server = new URL(cluster['server']);
    this.#token = typeof user['token'] === 'string' ? user['token'] : undefined;
    const ca = bytes(cluster, 'certificate-authority-data');
    const cert = bytes(user, 'client-certificate-data');
    const key = bytes(user, 'client-key-data');
    this.#others = new Agent({ keepAlive: true, maxSockets: 128, ca });
    this.#admin = new Agent({ keepAlive: true, maxSockets: 128, ca, cert, key });
  }

  /** Sends a request; the answer's body is still to be read. */
  open(question: Question, signal?: AbortSignal): Promise<IncomingMessage> {
    const isAdmin = question.as === undefined || (typeof question.as === 'object' && 'user' in question.as);
    const authorization = isAdmin && this.#token !== undefined ? { authorization: `Bearer ${this.#token}` } : {};
    const length = question.body === undefined ? {} : { 'content-length': Buffer.byteLength(question.body) };
    const headers = { ...authorization, ...askerHeaders(question.as), ...length, ...question.headers };
    const agent = isAdmin ? this.#admin : this.#others;
    return new Promise((resolve, reject) => {
      const { hostname, port } = this.#server;
      const { method, path } = question;
      const sent = request(
        { hostname, port, method, path, agent, headers, timeout: requestTimeoutMs, signal },
        resolve,
      );
      sent.on('timeout', () => sent.destroy(new Error(`${method} ${path}: no answer within ${requestTimeoutMs} ms`)));
      sent.on('error', reject);
      sent.end(question.body);
    });
  }

  async ask(question: Question): Promise<Answer> {
    const response = await this.open(question);
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    const raw = Buffer.concat(chunks);
    const text = raw.toString('utf8');
    return { status: response.statusCode ?? 0, headers: response.headers, raw, text, body: parseBody(text) };
  }

  [Symbol.dispose](): void {
    this.#admin.destroy();
    this.#others.destroy();
  }
}
