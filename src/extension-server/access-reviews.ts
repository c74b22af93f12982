import { createHash } from 'node:crypto';
import { type Clock, isJsonObject, type JsonObject, listOfTexts, objectAt, textAt } from '../base/index.ts';
import type { KubeClient, KubeObject } from '../kube/index.ts';
import type { RequestAttributes } from './request-attributes.ts';
import type { RequestUser } from './request-user.ts';

/** How long an answer is used again, and how many of them. */
const lifetimeMs = 10_000;
const maxAnswers = 4_096;

interface Kept<T> {
  readonly untilMs: number;
  readonly answer: Promise<T>;
}

/** Answers by question, for a short time; a question that is asked meanwhile waits for the same answer. */
class Answers<T> {
  readonly #clock: Clock;
  readonly #kept = new Map<string, Kept<T>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async get(question: string, ask: () => Promise<T>): Promise<T> {
    const key = createHash('sha256').update(question).digest('base64');
    const nowMs = this.#clock.now();
    const known = this.#kept.get(key);
    const leftMs = (known?.untilMs ?? nowMs) - nowMs;
    // More is left than there was if the clock was set back.
    if (known !== undefined && leftMs > 0 && leftMs <= lifetimeMs) return await known.answer;
    const answer = ask();
    this.#kept.delete(key);
    this.#kept.set(key, { untilMs: nowMs + lifetimeMs, answer });
    // No answer is kept of a question that could not be asked.
    answer.catch(() => this.#kept.delete(key));
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > maxAnswers && oldest !== undefined) this.#kept.delete(oldest);
    return await answer;
  }
}

function userIn(status: JsonObject): RequestUser | undefined {
  const user = objectAt(status, 'user');
  if (status['authenticated'] !== true || user === undefined) return undefined;
  const uid = textAt(user, 'uid');
  const extra = objectAt(user, 'extra');
  return {
    username: textAt(user, 'username'),
    groups: listOfTexts(user, 'groups'),
    ...(uid === '' ? {} : { uid }),
    ...(extra === undefined
      ? {}
      : { extra: Object.fromEntries(Object.keys(extra).map((key) => [key, listOfTexts(extra, key)])) }),
  };
}

function attributesIn(attributes: RequestAttributes): JsonObject {
  const { kind, ...rest } = attributes;
  return kind === 'path' ? { nonResourceAttributes: { ...rest } } : { resourceAttributes: { ...rest } };
}

/** Asks the API server about tokens and permissions: TokenReview and SubjectAccessReview, which the ClusterRole `system:auth-delegator` allows. Answers
 *  are used for ten seconds. */
export class AccessReviews {
  readonly #kube: KubeClient;
  readonly #users: Answers<RequestUser | undefined>;
  readonly #permissions: Answers<boolean>;

  constructor(deps: { readonly kube: KubeClient; readonly clock: Clock }) {
    this.#kube = deps.kube;
    this.#users = new Answers(deps.clock);
    this.#permissions = new Answers(deps.clock);
  }

  /** The user of a bearer token; undefined when it is not valid.
   *  @throws KubeRejection, KubeUnavailable */
  async userOfToken(token: string): Promise<RequestUser | undefined> {
    const apiVersion = 'authentication.k8s.io/v1';
    const review = { apiVersion, kind: 'TokenReview', metadata: {}, spec: { token } };
    return await this.#users.get(token, async () => userIn(await this.#ask(review)));
  }

  /** Whether the user may do what the request does.
   *  @throws KubeRejection, KubeUnavailable */
  async isAllowed(user: RequestUser, attributes: RequestAttributes): Promise<boolean> {
    const { username, ...rest } = user;
    const spec = { user: username, ...rest, ...attributesIn(attributes) };
    const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', metadata: {}, spec };
    return await this.#permissions.get(JSON.stringify(spec), async () => {
      const status = await this.#ask(review);
      return status['allowed'] === true && status['denied'] !== true;
    });
  }

  async #ask(review: object): Promise<JsonObject> {
    const { status } = await this.#kube.create(review as KubeObject, { fieldManager: 'longshore' });
    return isJsonObject(status) ? status : {};
  }
}
