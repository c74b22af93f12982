import {
  type Clock,
  errorMessage,
  type Logger,
  type ServingCertificate,
  splitCertificates,
} from '../../src/base/index.ts';
import { isNotFound, type KubeObject } from '../../src/kube/index.ts';
import { type Registration, type RegistrationClient, registerWebhooks, webhookConfigurations } from './registration.ts';

/** How often configurations are checked for our authority. */
const recheckMs = 30_000;
const retryMs = 5_000;

/** Options of a registration that is kept up to date. */
export interface KeepRegisteredOptions extends Omit<Registration, 'caBundlePem'> {
  readonly kube: RegistrationClient;
  readonly serving: ServingCertificate;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

function authorityOf(pem: string): string {
  return splitCertificates(pem)[0]?.trim() ?? '';
}

/** Whether every webhook of ours in the configuration trusts the authority; webhooks that a user removed stay removed. */
function trusts(configuration: KubeObject, authority: string): boolean {
  const webhooks = (configuration['webhooks'] ?? []) as readonly { readonly clientConfig?: { caBundle?: string } }[];
  return webhooks.every(({ clientConfig }) =>
    Buffer.from(clientConfig?.caBundle ?? '', 'base64')
      .toString('utf8')
      .includes(authority),
  );
}

class Registrar {
  readonly #options: KeepRegisteredOptions;
  #registeredAuthority: string | undefined;
  #previousAuthority = '';
  #loggedMessage = '';
  readonly #missed = new Set<string>();
  #round = new AbortController();

  constructor(options: KeepRegisteredOptions) {
    this.#options = options;
  }

  /** Checks at once instead of after the rest of the wait; once more if a check is under way. */
  wake(): void {
    this.#round.abort();
  }

  /** One check; true when the API server trusts the authority in use. */
  async check(): Promise<boolean> {
    this.#round = new AbortController();
    try {
      const authority = authorityOf(this.#options.serving.current().caBundlePem);
      if (this.#registeredAuthority !== authority || !(await this.#isTrusted(authority)))
        await this.#register(authority);
      this.#loggedMessage = '';
      return true;
    } catch (thrown) {
      this.#options.signal.throwIfAborted();
      const message = errorMessage(thrown);
      const hint =
        'apply the manifests again if the configurations or the permissions of this service account are missing';
      if (message !== this.#loggedMessage) this.#options.log.error({ message, hint }, 'webhook registration failed');
      this.#loggedMessage = message;
      return false;
    }
  }

  async wait(isRegistered: boolean): Promise<void> {
    const { clock, signal } = this.#options;
    const either = AbortSignal.any([signal, this.#round.signal]);
    await clock.sleep(isRegistered ? recheckMs : retryMs, { signal: either }).catch(() => undefined);
  }

  /** With the authority before it: another replica may not have seen the new certificate yet, and does not object. */
  async #register(authority: string): Promise<void> {
    const { kube, serving, signal, log } = this.#options;
    if (this.#registeredAuthority !== authority) this.#previousAuthority = this.#registeredAuthority ?? '';
    const own = serving.current().caBundlePem;
    const caBundlePem = own.includes(this.#previousAuthority) ? own : `${own.trimEnd()}\n${this.#previousAuthority}\n`;
    await registerWebhooks(kube, { ...this.#options, caBundlePem }, { signal });
    this.#registeredAuthority = authority;
    log.info('webhooks registered');
  }

  async #isTrusted(authority: string): Promise<boolean> {
    const { kube, signal, log } = this.#options;
    for (const { apiVersion, kind, metadata } of webhookConfigurations(this.#options)) {
      try {
        const live = await kube.get({ apiVersion, kind, name: metadata.name }, { signal });
        this.#missed.delete(metadata.name);
        if (!trusts(live, authority)) return false;
      } catch (thrown) {
        if (!isNotFound(thrown)) throw thrown;
        if (!this.#missed.has(metadata.name)) {
          const hint = 'its objects are not validated until the manifests are applied again';
          log.warn({ configuration: metadata.name, hint }, 'webhook configuration not found');
        }
        this.#missed.add(metadata.name);
      }
    }
    return true;
  }
}

/** Registers the webhooks, resolving when that is done, then keeps the API server's trust: with each new certificate, and when a user has
 *  overwritten it. Configurations that are removed later are not made again: removing them is how admission is switched off. Ends with the signal. */
export async function keepRegistered(options: KeepRegisteredOptions): Promise<void> {
  const { serving, signal, log } = options;
  const registrar = new Registrar(options);
  void serving.keepFresh(() => registrar.wake(), signal);
  while (!signal.aborted && !(await registrar.check())) await registrar.wait(false);
  const follow = async (): Promise<void> => {
    let isRegistered = true;
    while (!signal.aborted) {
      await registrar.wait(isRegistered);
      isRegistered = await registrar.check();
    }
  };
  follow().catch((thrown: unknown) => {
    if (!signal.aborted) log.error({ err: thrown }, 'webhook registration stopped');
  });
}
