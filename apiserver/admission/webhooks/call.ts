import type { ClientRequest, IncomingMessage } from 'node:http';
import { Agent, type AgentOptions, request as httpsRequest } from 'node:https';
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  joinStream,
  paceConnectionsOf,
  parseJson,
} from '../../../src/base/index.ts';

import type { Authorizer } from '../../auth/index.ts';
import { connectionProblem } from '../../core/index.ts';

const maxResponseBytes = 4 * 1024 * 1024;
/** A short value, as `{}`, takes twenty times its text in memory; a converted object has one in ten bytes. */
const maxResponseValues = 500_000;
/** For so many hooks connections are kept. */
const maxAgents = 200;

/** A call that brought no answer; the message is the tail of kube-apiserver's text, from `Post "…"` on where it got that far. */
export class HookCallError extends Error {}

/** What is called, and how long an answer may take. */
export interface CalledHook {
  /** Unique in the cluster and stable while the configuration stays. */
  readonly key: string;
  readonly clientConfig: JsonObject;
  readonly timeoutSeconds: number;
}

/** Where a Service is on this machine or in this network. */
export interface ServiceEndpoint {
  readonly host: string;
  readonly port: number;
}

/** Finds an endpoint of a Service.
 *  @throws HookCallError `service "x" not found`, `no endpoints available for service "x"` */
export type ServiceResolver = (service: {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}) => ServiceEndpoint;

interface Target {
  readonly url: URL;
  /** Of the URL as it is printed: `https://svc.ns.svc:443`, although 443 is the default. */
  readonly origin: string;
  readonly connect: () => ServiceEndpoint;
  readonly serverName: string;
}

function serviceTarget(service: JsonObject, timeoutSeconds: number, resolve: ServiceResolver): Target {
  const name = String(service.name as string);
  const namespace = String(service.namespace as string);
  const port = typeof service.port === 'number' ? service.port : 443;
  const path = typeof service.path === 'string' ? service.path : '';
  const serverName = `${name}.${namespace}.svc`;
  const url = new URL(`https://${serverName}:${port}${path}?timeout=${timeoutSeconds}s`);
  return {
    url,
    origin: `https://${serverName}:${port}`,
    connect: () => resolve({ namespace, name, port }),
    serverName,
  };
}

function targetOf({ clientConfig, timeoutSeconds }: CalledHook, resolve: ServiceResolver): Target {
  if (isJsonObject(clientConfig.service)) return serviceTarget(clientConfig.service, timeoutSeconds, resolve);
  const url = new URL(typeof clientConfig.url === 'string' ? clientConfig.url : '');
  url.searchParams.set('timeout', `${timeoutSeconds}s`);
  const host = url.hostname.replaceAll(/[[\]]/g, '');
  const endpoint = { host, port: url.port === '' ? 443 : Number(url.port) };
  return { url, origin: url.origin, connect: () => endpoint, serverName: host };
}

function readBody(response: IncomingMessage): Promise<Buffer> {
  const tooLarge = (): Error => new HookCallError(`response is larger than ${maxResponseBytes} bytes`);
  return joinStream(response, maxResponseBytes, tooLarge);
}

interface HookAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

interface Exchange {
  readonly target: Target;
  readonly agent: Agent;
  readonly body: string;
  readonly signal: AbortSignal;
}

function send({ target, agent, body, signal }: Exchange): { call: ClientRequest; answer: Promise<IncomingMessage> } {
  const { url, connect, serverName } = target;
  const { host, port } = connect();
  const call = httpsRequest({
    method: 'POST',
    host,
    port,
    servername: /^[\d.]+$|:/.test(serverName) ? '' : serverName,
    path: `${url.pathname}${url.search}`,
    headers: {
      host: url.host,
      'content-type': 'application/json',
      accept: 'application/json, */*',
      'content-length': Buffer.byteLength(body),
    },
    agent,
    signal,
  });
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    call.on('response', resolve);
    call.on('error', reject);
  });
  call.end(body);
  return { call, answer };
}

/** A connection that the other side closed while it was idle is no failure of the webhook: retry on a new one. */
async function exchange(options: Exchange): Promise<HookAnswer> {
  for (let attempt = 0; ; attempt++) {
    const { call, answer } = send(options);
    try {
      const response = await answer;
      const contentType = response.headers['content-type'] ?? 'application/json';
      return { status: response.statusCode ?? 0, contentType, text: (await readBody(response)).toString('utf8') };
    } catch (thrown) {
      const isStale = call.reusedSocket && (thrown as NodeJS.ErrnoException).code === 'ECONNRESET';
      if (!isStale || attempt > 0) throw thrown;
    }
  }
}

function parseAnswer({ status, contentType, text }: HookAnswer): JsonValue {
  if (status === 404) throw new HookCallError('the server could not find the requested resource');
  if (status < 200 || status > 299) {
    const shown = text.trim().slice(0, 1_000).replaceAll('\n', ' ');
    throw new HookCallError(
      `an error on the server (${JSON.stringify(shown)}) has prevented the request from succeeding`,
    );
  }
  if (text === '')
    throw new HookCallError(`0-length response with status code: ${status} and content type: ${contentType}`);
  return parseJson('webhook response', text, { maxValues: maxResponseValues });
}

/** Calls webhooks over HTTPS; keeps connections alive, one agent a hook and client configuration. */
export class HookCaller implements Disposable {
  readonly #resolve: ServiceResolver;
  /** Whom the conditions of hooks ask. */
  readonly authorizer: Authorizer;
  readonly #agents = new Map<string, Agent>();

  constructor(resolve: ServiceResolver, authorizer: Authorizer) {
    this.#resolve = resolve;
    this.authorizer = authorizer;
  }

  /** POSTs `review` and gives the decoded answer.
   *  @throws HookCallError when none came within the hook's timeout, or it cannot be read */
  async call(hook: CalledHook, review: JsonObject, signal: AbortSignal): Promise<JsonValue> {
    const target = targetOf(hook, this.#resolve);
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(hook.timeoutSeconds * 1000)]);
    const options = { target, agent: this.#agentOf(hook), body: JSON.stringify(review), signal: deadline };
    let answer: HookAnswer;
    try {
      answer = await exchange(options);
    } catch (thrown) {
      const { origin, url } = target;
      const printed = `${origin}${url.pathname}${url.search}`;
      throw new HookCallError(`Post "${printed}": ${connectionProblem(thrown, () => target.connect())}`, {
        cause: thrown,
      });
    }
    return parseAnswer(answer);
  }

  #agentOf(hook: CalledHook): Agent {
    const { caBundle } = hook.clientConfig;
    const ca = typeof caBundle === 'string' && caBundle !== '' ? Buffer.from(caBundle, 'base64') : undefined;
    const key = `${hook.key} ${JSON.stringify(hook.clientConfig)}`;
    const known = this.#agents.get(key);
    if (known !== undefined) return known;
    if (this.#agents.size >= maxAgents) this.#forgetOldest();
    const options: AgentOptions = { keepAlive: true, maxSockets: 100, timeout: 60_000 };
    const agent = paceConnectionsOf(new Agent(ca === undefined ? options : { ...options, ca }), { isRecognized: true });
    this.#agents.set(key, agent);
    return agent;
  }

  /** Closes connections that are idle. Calls that are open go on, and their connections end once they have been idle for a while. */
  #forgetOldest(): void {
    for (const [key, { freeSockets }] of this.#agents) {
      this.#agents.delete(key);
      for (const sockets of Object.values(freeSockets)) sockets?.forEach((socket) => socket.destroy());
      return;
    }
  }

  [Symbol.dispose](): void {
    for (const agent of this.#agents.values()) agent.destroy();
    this.#agents.clear();
  }
}
