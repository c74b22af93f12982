import { ConsoleProblem } from '../problem.ts';
import { EventSource } from './event-source.ts';
import { InstalledSource } from './installed-source.ts';
import type { WatchDeps } from './kind-rows.ts';
import { ObjectSource } from './object-source.ts';
import type { Source } from './source.ts';

/** A source that is stopped some time after its last user. */
interface Shared {
  readonly source: Source;
  users: number;
  timer: NodeJS.Timeout | undefined;
}

const lingerMs = 30_000;
const maxSources = 48;
/** Kinds with contents that no page shows. */
const secretKinds: ReadonlySet<string> = new Set(['Secret', 'OAuthAccessToken', 'OAuthAuthorizeToken', 'OAuthClient']);
const namePattern = /^[a-z0-9][a-z0-9.:-]{0,252}$/i;

function unknownWatch(watch: string): ConsoleProblem {
  return new ConsoleProblem(400, 'UnknownWatch', { message: `there is no watch "${watch.slice(0, 200)}"` });
}

/** `objects GROUP/VERSION KIND [NAMESPACE [NAME]]`; `-` for all namespaces. */
function objectSource(deps: WatchDeps, watch: string): Source {
  const [, apiVersion = '', kind = '', namespace = '-', name, ...rest] = watch.split(' ');
  const isKind = /^([a-z0-9.-]+\/)?v[a-z0-9]+ [A-Za-z0-9]+$/.test(`${apiVersion} ${kind}`);
  const isPlace = [namespace, name].every((text) => text === undefined || text === '-' || namePattern.test(text));
  if (!isKind || !isPlace || rest.length > 0) throw unknownWatch(watch);
  if (secretKinds.has(kind)) {
    throw new ConsoleProblem(403, 'NotShown', { message: `the console does not show objects of kind ${kind}` });
  }
  const place = namespace === '-' ? {} : { namespace };
  const one = name === undefined ? {} : { fieldSelector: `metadata.name=${name}` };
  return new ObjectSource(deps, { apiVersion, kind, ...place, ...one }, name);
}

function openSource(deps: WatchDeps, watch: string): Source {
  if (watch === 'installed') return new InstalledSource(deps);
  if (watch === 'events') return new EventSource(deps);
  const [word = '', namespace = ''] = watch.split(' ');
  if (word === 'events' && namePattern.test(namespace)) return new EventSource(deps, namespace);
  if (word === 'objects') return objectSource(deps, watch);
  throw unknownWatch(watch);
}

/** The watches of a session. Pages share them; they run on for a while, so that the next page begins with what is known. */
export class SessionWatches implements Disposable {
  readonly #deps: WatchDeps;
  readonly #shared = new Map<string, Shared>();

  constructor(deps: WatchDeps) {
    this.#deps = deps;
  }

  /** Whether a page is open. */
  isUsed(): boolean {
    return [...this.#shared.values()].some(({ users }) => users > 0);
  }

  /** @throws ConsoleProblem for a watch that does not exist, and for too many */
  open(watch: string): { readonly source: Source } & Disposable {
    const shared = this.#shared.get(watch) ?? this.#start(watch);
    clearTimeout(shared.timer);
    shared.users += 1;
    let isOpen = true;
    return {
      source: shared.source,
      [Symbol.dispose]: () => {
        if (isOpen) this.#release(watch, shared);
        isOpen = false;
      },
    };
  }

  #start(watch: string): Shared {
    if (this.#shared.size >= maxSources) this.#stopUnused();
    if (this.#shared.size >= maxSources) {
      throw new ConsoleProblem(429, 'TooManyWatches', {
        message: 'too many watches: close other pages of the console',
      });
    }
    const shared: Shared = { source: openSource(this.#deps, watch), users: 0, timer: undefined };
    this.#shared.set(watch, shared);
    return shared;
  }

  #release(watch: string, shared: Shared): void {
    shared.users -= 1;
    if (shared.users > 0) return;
    shared.timer = setTimeout(() => this.#stop(watch, shared), lingerMs);
    shared.timer.unref();
  }

  #stop(watch: string, shared: Shared): void {
    shared.source[Symbol.dispose]();
    if (this.#shared.get(watch) === shared) this.#shared.delete(watch);
  }

  #stopUnused(): void {
    for (const [watch, shared] of this.#shared) if (shared.users === 0) this.#stop(watch, shared);
  }

  [Symbol.dispose](): void {
    for (const [watch, shared] of this.#shared) {
      clearTimeout(shared.timer);
      this.#stop(watch, shared);
    }
  }
}
