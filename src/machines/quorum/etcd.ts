import {
  isJsonObject,
  type JsonObject,
  listOfTexts,
  mapLimit,
  objectsAt,
  parseJson,
  redactUrl,
  textAt,
} from '../../base/index.ts';
import { postJson } from '../post-json.ts';
import type { QuorumMember } from './decide.ts';
import type { QuorumProvider } from './provider.ts';

export interface EtcdOptions {
  /** Client URLs of members; further ones are found by asking these. */
  readonly endpoints: readonly string[];
  /** PEM texts of the client certificate and the authority. */
  readonly tls?: { readonly ca: string; readonly cert: string; readonly key: string } | undefined;
  readonly deadlineMs?: number;
}

const maxAnswerBytes = 1024 * 1024;
const maxMembers = 100;
/** A learner that lacks fewer entries than this is synced: etcd itself refuses to promote one that is not. */
const lagEntries = 500n;
const idText = /^\d{1,20}$/;

function numberAt(object: JsonObject, key: string): bigint {
  const text = textAt(object, key);
  return idText.test(text) ? BigInt(text) : 0n;
}

function hostsOf(urls: readonly string[]): readonly string[] {
  return urls.flatMap((url) => (URL.canParse(url) ? [new URL(url).hostname.replace(/^\[|\]$/g, '')] : []));
}

function urlOf(endpoint: string, path: string): string {
  return `${endpoint.replace(/\/$/, '')}${path}`;
}

/** etcd, by the JSON form of its API on the client port. */
export class EtcdProvider implements QuorumProvider {
  readonly #options: EtcdOptions;
  #found: readonly string[] = [];

  constructor(options: EtcdOptions) {
    this.#options = options;
  }

  get #scheme(): 'https' | 'http' {
    return this.#options.tls === undefined ? 'http' : 'https';
  }

  async #post(url: string, body: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const { tls, deadlineMs = 5_000 } = this.#options;
    const text = await postJson(JSON.stringify(body), { url, tls, deadlineMs, maxBytes: maxAnswerBytes, signal });
    const answer = parseJson(`the answer of ${redactUrl(url)}`, text);
    if (!isJsonObject(answer)) throw new Error(`${redactUrl(url)}: expected an object`);
    return answer;
  }

  /** Asks one member after the other; the answer of the first that answers counts. */
  async #ask(path: string, body: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const endpoints = [...new Set([...this.#found, ...this.#options.endpoints])];
    const failures: unknown[] = [];
    for (const endpoint of endpoints) {
      try {
        return await this.#post(urlOf(endpoint, path), body, signal);
      } catch (thrown) {
        signal.throwIfAborted();
        failures.push(thrown);
      }
    }
    const [first] = failures;
    throw first instanceof Error ? first : new Error(`etcd: no endpoint to send ${path} to`);
  }

  async #health(urls: readonly string[], signal: AbortSignal): Promise<JsonObject | undefined> {
    const [url] = urls;
    if (url === undefined) return undefined;
    try {
      return await this.#post(urlOf(url, '/v3/maintenance/status'), {}, signal);
    } catch {
      signal.throwIfAborted();
      return undefined;
    }
  }

  async members({ signal }: { readonly signal: AbortSignal }): Promise<readonly QuorumMember[]> {
    const answer = await this.#ask('/v3/cluster/member/list', { linearizable: true }, signal);
    const listed = objectsAt(answer, 'members').slice(0, maxMembers);
    const states = await mapLimit(listed, 10, (member) => this.#health(listOfTexts(member, 'clientURLs'), signal));
    this.#found = listed.flatMap((member) => listOfTexts(member, 'clientURLs').slice(0, 1));
    const newest = states.reduce((most, state) => {
      const index = state === undefined ? 0n : numberAt(state, 'raftIndex');
      return index > most ? index : most;
    }, 0n);
    return listed.map((member, index): QuorumMember => {
      const state = states[index];
      const hasLeader = state !== undefined && numberAt(state, 'leader') > 0n;
      return {
        id: textAt(member, 'ID'),
        addresses: hostsOf(listOfTexts(member, 'peerURLs')),
        isVoter: member['isLearner'] !== true,
        isHealthy: hasLeader && listOfTexts(state, 'errors').length === 0,
        isSynced: hasLeader && numberAt(state, 'raftAppliedIndex') + lagEntries >= newest,
      };
    });
  }

  async addLearner(address: string, { signal }: { readonly signal: AbortSignal }): Promise<void> {
    const host = address.includes(':') ? `[${address}]` : address;
    const peerURLs = [`${this.#scheme}://${host}:2380`];
    await this.#ask('/v3/cluster/member/add', { peerURLs, isLearner: true }, signal);
  }

  async promote(id: string, { signal }: { readonly signal: AbortSignal }): Promise<void> {
    await this.#ask('/v3/cluster/member/promote', { ID: id }, signal);
  }

  async remove(id: string, { signal }: { readonly signal: AbortSignal }): Promise<void> {
    await this.#ask('/v3/cluster/member/remove', { ID: id }, signal);
  }
}
