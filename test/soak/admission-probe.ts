import { setTimeout as pause } from 'node:timers/promises';
import type { ApiObject, ClusterClient } from '../../apiserver/index.ts';

/** How often each answer was given. */
export interface AdmissionCounts {
  right: number;
  /** Neither allowed nor denied: the webhook or the API server did not answer. */
  unanswered: number;
}

const everyMs = 200;
const denial = 'directory must define path';

function bundleIn(directory: string): ApiObject & { readonly spec: unknown } {
  const git = { repository: 'https://git.example.com/a', ref: { branch: 'main' }, directory };
  const spec = { provisionerClassName: 'core-rukpak-io-plain', source: { type: 'git', git } };
  return { apiVersion: 'core.rukpak.io/v1alpha1', kind: 'Bundle', metadata: { name: 'probe' }, spec };
}

/** Asks all the time whether a bad Bundle is denied and a good one is not, from the first denial on: before that no webhook is registered. */
export class AdmissionProbe {
  readonly counts: AdmissionCounts = { right: 0, unanswered: 0 };
  readonly problems: string[] = [];
  readonly #client: () => ClusterClient;
  #hasBegun = false;

  constructor(client: () => ClusterClient) {
    this.#client = client;
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#ask('../x', false);
      await this.#ask('x', true);
      await pause(everyMs);
    }
  }

  async #ask(directory: string, isGood: boolean): Promise<void> {
    try {
      await this.#client().create(bundleIn(directory), { dryRun: true });
      if (isGood) this.counts.right += 1;
      else if (this.#hasBegun) this.problems.push('a bad Bundle was admitted');
    } catch (thrown) {
      const isDenied = String(thrown).includes(denial);
      this.#hasBegun ||= isDenied;
      if (!isDenied) this.counts.unanswered += 1;
      else if (isGood) this.problems.push(`a good Bundle was denied: ${String(thrown)}`);
      else this.counts.right += 1;
    }
  }
}
