import { randomBytes } from 'node:crypto';
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/base/index.ts';
import type { Answer, Asker, Connection } from './connection.ts';
import { Normaliser } from './normalise.ts';
import { openWatch, type Watch, type WatchOptions } from './watch.ts';

/** One thing that a case saw, normalised: JSON. */
export type Step = JsonObject;

export interface AskOptions {
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is. */
  readonly rawBody?: string | Buffer;
  /** Default `application/json` where there is a body; '' sends none. */
  readonly contentType?: string;
  readonly accept?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Response headers to record beside `Warning`; lower case. */
  readonly recordHeaders?: readonly string[];
  /** Narrows what is recorded of the body. */
  readonly keep?: (body: JsonValue) => unknown;
  readonly as?: Asker;
}

const pollMs = 20;
const patience = 30_000;

function warningsOf(answer: Answer): string[] {
  const header = answer.headers['warning'] as string | string[] | undefined;
  const lines = Array.isArray(header) ? header : (header ?? '').split(/, (?=299 )/);
  return lines.filter((line) => line !== '');
}

/** What a case uses to ask a server; it records what came back. One for each case. */
export class Probe {
  /** A namespace of the case alone. */
  readonly namespace: string;
  /** An API group of the case alone, for its CustomResourceDefinitions. */
  readonly group: string;
  readonly steps: Step[] = [];
  readonly #connection: Connection;
  readonly #hasCaches: boolean;
  readonly #normaliser = new Normaliser();
  readonly #token = randomBytes(4).toString('hex');
  readonly #cleanUps: string[] = [];
  readonly #watches: Watch[] = [];
  readonly #deferred: (() => Promise<void>)[] = [];

  constructor(connection: Connection, hasCaches: boolean) {
    this.#connection = connection;
    this.#hasCaches = hasCaches;
    this.namespace = this.unique('namespace');
    this.group = `${this.unique('group')}.example.com`;
  }

  /** A unique name; it is recorded as `<label>`. */
  unique(label: string): string {
    const name = `c${this.#token}-${label}`;
    this.alias(name, label);
    return name;
  }

  /** From now on `text` is recorded as `<label>`. */
  alias(text: string, label: string): void {
    this.#normaliser.alias(text, label);
  }

  /** Deletes the object after the case, the last first. */
  cleanUp(path: string): void {
    this.#cleanUps.push(path);
  }

  /** Runs after the case, when all else is removed. */
  defer(work: () => Promise<void>): void {
    this.#deferred.push(work);
  }

  /** Sends a request and records its answer. */
  async ask(method: string, path: string, options: AskOptions = {}): Promise<Answer> {
    const answer = await this.#send(method, path, options);
    const body = answer.body ?? answer.text;
    const kept = options.keep === undefined ? body : options.keep(body);
    this.#push({
      ask: `${method} ${this.#normaliser.path(path)}`,
      status: answer.status,
      ...this.#headersOf(answer, options),
      body: kept ?? null,
    });
    return answer;
  }

  /** Sends a request that only prepares; throws unless it succeeds. */
  async setUp(method: string, path: string, options: AskOptions = {}): Promise<Answer> {
    const answer = await this.#send(method, path, options);
    if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${answer.text.slice(0, 800)}`);
    return answer;
  }

  /** Asks, unrecorded, until `isMet`; the answer is the last body. Throws with it after half a minute. */
  async eventually(
    path: string,
    isMet: (body: JsonValue) => boolean,
    question: AskOptions & { readonly method?: string } = {},
  ): Promise<JsonValue> {
    const endMs = performance.now() + patience;
    for (;;) {
      const answer = await this.#send(question.method ?? 'GET', path, question);
      const body = answer.body ?? answer.text;
      if (isMet(body)) return body;
      if (performance.now() > endMs)
        throw new Error(`${question.method ?? 'GET'} ${path} never became as awaited: ${answer.text.slice(0, 800)}`);
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
  }

  /** Sends a request, unrecorded, again and again until it is refused. */
  async untilRefused(method: string, path: string, options: AskOptions): Promise<void> {
    const endMs = performance.now() + patience;
    while ((await this.#send(method, path, options)).status < 400) {
      if (performance.now() > endMs) throw new Error(`${method} ${path} was never refused`);
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
  }

  /** Polls, unrecorded, until the object does not exist (404). */
  async untilDeleted(path: string): Promise<void> {
    await this.eventually(path, (body) => isJsonObject(body) && body['kind'] === 'Status' && body['code'] === 404);
  }

  /** Waits until the caches of a real server have followed the last write. */
  async settle(ms = 300): Promise<void> {
    if (this.#hasCaches) await new Promise((resolve) => setTimeout(resolve, ms));
  }

  /** Opens a watch. Its events are recorded when it is closed, by default at the end of the case. */
  async watch(path: string, options: WatchOptions = {}): Promise<Watch> {
    const record = (step: Step): void => this.#push({ ...step, watch: this.#normaliser.path(path) });
    const watch = await openWatch({ connection: this.#connection, record, path }, options);
    this.#watches.push(watch);
    return watch;
  }

  /** Records any value. */
  record(label: string, value: unknown): void {
    this.#push({ label, value: value ?? null });
  }

  /** Makes the namespace; where service accounts are made, waits for its own. */
  async prepare(hasControllers: boolean): Promise<void> {
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: this.namespace } };
    await this.setUp('POST', '/api/v1/namespaces', { body });
    if (!hasControllers) return;
    const made = [`serviceaccounts/default`, `configmaps/kube-root-ca.crt`];
    for (const name of made) {
      const isThere = (found: JsonValue): boolean => isJsonObject(found) && found['kind'] !== 'Status';
      await this.eventually(`/api/v1/namespaces/${this.namespace}/${name}`, isThere);
    }
  }

  /** Closes watches and removes what the case made; failures to do so are of no interest to the case. */
  async finish(): Promise<void> {
    for (const watch of this.#watches) watch.close();
    for (const path of this.#cleanUps.toReversed()) await this.#send('DELETE', path, {});
    await this.#send('DELETE', `/api/v1/namespaces/${this.namespace}`, {});
    for (const work of this.#deferred) await work();
  }

  #headersOf(answer: Answer, options: AskOptions): JsonObject {
    const warnings = warningsOf(answer);
    const names = options.recordHeaders ?? [];
    const headers = Object.fromEntries(names.map((name) => [name, String(answer.headers[name] ?? '')]));
    return {
      ...(warnings.length === 0 ? {} : { warnings }),
      ...(names.length === 0 ? {} : { headers }),
    };
  }

  #push(step: { readonly [key: string]: unknown }): void {
    const plain = JSON.parse(JSON.stringify(step)) as JsonObject;
    this.steps.push(this.#normaliser.value(plain) as JsonObject);
  }

  #send(method: string, path: string, options: AskOptions): Promise<Answer> {
    const body = options.rawBody ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
    const contentType = options.contentType ?? (body === undefined ? '' : 'application/json');
    const headers = {
      'user-agent': 'conformance/1',
      ...(contentType === '' ? {} : { 'content-type': contentType }),
      ...(options.accept === undefined ? {} : { accept: options.accept }),
      ...options.headers,
    };
    return this.#connection.ask({ method, path, headers, body, as: options.as });
  }
}
