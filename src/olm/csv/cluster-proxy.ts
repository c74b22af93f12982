import { errorMessage, isJsonEqual, type JsonObject, objectAt, textAt } from '../../base/index.ts';
import type { Manager } from '../../controller/index.ts';
import {
  createCache,
  isConditionTrue,
  isKubeError,
  type KindCache,
  type KubeObject,
  type ObjectCache,
} from '../../kube/index.ts';

const definitionName = 'proxies.config.openshift.io';
const apiVersion = 'config.openshift.io/v1';
const objectName = 'cluster';

/** The variables, and the members of the status that have their values. What is in the spec was not validated yet. */
const members = [
  ['HTTP_PROXY', 'httpProxy'],
  ['HTTPS_PROXY', 'httpsProxy'],
  ['NO_PROXY', 'noProxy'],
] as const;

/** Names of the variables. */
export const proxyVariables: readonly string[] = members.map(([name]) => name);

/** A variable of containers. */
export interface Variable extends JsonObject {
  readonly name: string;
  readonly value: string;
}

function variablesOf(proxy: KubeObject | undefined): readonly Variable[] {
  const status = objectAt(proxy as JsonObject | undefined, 'status');
  return members.map(([name, member]) => ({ name, value: textAt(status, member) })).filter(({ value }) => value !== '');
}

interface Followed {
  readonly uid: string;
  readonly cache: ObjectCache<readonly Variable[]>;
}

/** The variables that the containers of operators get where the platform has a proxy of the cluster. Without that kind nothing is watched.
 *  @see docs/spec/olm-v0.md#install-strategy-deployment */
export class ClusterProxy {
  readonly #manager: Pick<Manager, 'kube' | 'clock' | 'log' | 'signal'>;
  readonly #definitions: KindCache;
  #followed: Followed | undefined;

  /** `definitions` are summaries. */
  constructor(manager: Pick<Manager, 'kube' | 'clock' | 'log' | 'signal'>, definitions: KindCache) {
    this.#manager = manager;
    this.#definitions = definitions;
  }

  /** Empty values are left out. */
  variables(): readonly Variable[] {
    return this.#followed?.cache.get(objectName) ?? [];
  }

  /** Follows the proxy, now and whenever its kind is defined. Resolves when its values are known, or will not be. */
  async follow(onChange: () => void): Promise<void> {
    const following = this.#definitions.subscribe(({ before, after }) => {
      if ((after ?? before)?.metadata.name === definitionName) this.#open(onChange);
    });
    this.#manager.signal.addEventListener('abort', () => following[Symbol.dispose](), { once: true });
    this.#open(onChange);
    try {
      await this.#followed?.cache.whenAnswered();
    } catch (thrown) {
      if (!isKubeError(thrown) && !this.#manager.signal.aborted) throw thrown;
      this.#manager.log.warn({ message: errorMessage(thrown) }, 'the proxy of the cluster cannot be read');
    }
  }

  #open(onChange: () => void): void {
    const definition = this.#definitions.get(definitionName);
    const uid =
      definition === undefined || !isConditionTrue(definition, 'Established') ? '' : (definition.metadata.uid ?? '');
    if (uid === (this.#followed?.uid ?? '')) return;
    const hadVariables = this.variables().length > 0;
    this.#followed?.cache.stop();
    this.#followed = uid === '' ? undefined : { uid, cache: this.#createCache(onChange) };
    if (hadVariables) onChange();
  }

  #createCache(onChange: () => void): ObjectCache<readonly Variable[]> {
    const { kube, clock, log, signal } = this.#manager;
    // Without the kind until now.
    kube.forgetKinds(apiVersion);
    const target = { apiVersion, kind: 'Proxy', fieldSelector: `metadata.name=${objectName}` };
    const cache = createCache({ kube, clock, log, signal, target, project: variablesOf });
    cache.subscribe(({ before = [], after = [] }) => {
      if (!isJsonEqual([...before], [...after])) onChange();
    });
    return cache;
  }
}
