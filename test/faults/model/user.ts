import { request } from 'node:https';
import type { ApiError, ClusterClient } from '../../../apiserver/index.ts';
import type { KubeObject } from '../../../src/kube/index.ts';
import type { SeededRandom } from '../../conformance/random.ts';
import { eventually } from '../../support/index.ts';
import type { Action, DesiredState } from './actions.ts';
import { groupOf } from './bundles.ts';
import { archiveOf, contentMapOf, type Sources } from './sources.ts';

const apiVersion = 'core.rukpak.io/v1alpha1';
const provisionerClassName = 'core-rukpak-io-plain';
/** Template label that distinguishes contents where the source does not. */
const contentLabel = 'content';
const pausedAnnotation = 'core.rukpak.io/paused';
const goneWithinMs = 150_000;

/** What its name alone describes. */
type PlainAct = Exclude<Extract<Action, { name: string }>['what'], 'apply' | 'relabel'>;

export interface UserOptions {
  readonly client: Pick<ClusterClient, 'list' | 'apply' | 'patch' | 'delete' | 'until'>;
  readonly sources: Sources;
  readonly random: SeededRandom;
  readonly contentUrl: string;
  readonly token: string;
}

function isCode(thrown: unknown, ...codes: readonly number[]): boolean {
  return codes.includes((thrown as ApiError).code);
}

function deploymentRef(name: string): { apiVersion: string; kind: string; name: string } {
  return { apiVersion, kind: 'BundleDeployment', name };
}

/** Applies actions to a cluster, as a user with kubectl would; meets no faults but those of uploads. */
export class User {
  readonly #options: UserOptions;
  readonly #uploads = new Map<string, Buffer>();

  readonly #acts: Readonly<Record<PlainAct, (name: string) => Promise<void>>> = {
    pause: (name) => this.#annotate(name, 'true'),
    unpause: (name) => this.#annotate(name, null),
    delete: (name) => this.#delete(deploymentRef(name)),
    'change an object': (name) => this.#change(name),
    'delete an object': (name) => this.#delete(this.#someObject(name)),
    'delete a Bundle': (name) => this.#deleteBundles(name),
  };

  constructor(options: UserOptions) {
    this.#options = options;
  }

  /** The webhook asks the API server too, so that a write may be refused by a fault: a user tries it again. */
  async do(action: Action): Promise<void> {
    await eventually(() => this.#try(action), { timeoutMs: goneWithinMs });
  }

  async #try(action: Action): Promise<void> {
    if (!('name' in action)) return;
    const { what, name } = action;
    if (what === 'apply') await this.#apply(name, action.desired);
    else if (what === 'relabel') {
      await this.#patch(name, { spec: { template: { metadata: { labels: { note: `n${action.label}` } } } } });
    } else await this.#acts[what](name);
  }

  /** Sends what Bundles of type upload wait for, some of it cut off. */
  async upload(): Promise<void> {
    const { client, random } = this.#options;
    for (const bundle of (await client.list({ apiVersion, kind: 'Bundle' })) as unknown as KubeObject[]) {
      const { name = '', labels = {} } = bundle.metadata;
      const body = this.#uploads.get(labels[contentLabel] ?? '');
      const phase = (bundle['status'] as { phase?: string } | undefined)?.phase;
      if (body === undefined || phase !== 'Pending') continue;
      await this.#put(name, body, random.happens(0.1)).catch(() => undefined);
    }
  }

  async #put(name: string, body: Buffer, isCut: boolean): Promise<void> {
    const { contentUrl, token } = this.#options;
    await new Promise<void>((resolve, reject) => {
      const sent = request(`${contentUrl}/uploads/${name}.tgz`, {
        method: 'PUT',
        rejectUnauthorized: false,
        agent: false,
        headers: { authorization: `Bearer ${token}`, 'content-length': body.length },
      });
      sent.once('error', reject);
      sent.once('response', (response) => {
        response.resume();
        response.once('close', resolve);
      });
      if (isCut) sent.write(body.subarray(0, body.length / 2), () => sent.destroy());
      else sent.end(body);
    });
  }

  async #apply(name: string, desired: DesiredState): Promise<void> {
    const { client, sources } = this.#options;
    const content = `${name}-${desired.version}`;
    if (desired.source === 'configMaps') await client.apply(contentMapOf(name, desired));
    if (desired.source === 'upload') this.#uploads.set(content, archiveOf(name, desired));
    const source = await sources.publish(name, desired);
    const metadata = { labels: { [contentLabel]: content } };
    const template = { metadata, spec: { provisionerClassName, source } };
    await client.until(deploymentRef(name), (found) => found?.metadata.deletionTimestamp === undefined, {
      timeoutMs: goneWithinMs,
    });
    await client.apply(
      { apiVersion, kind: 'BundleDeployment', metadata: { name }, spec: { provisionerClassName, template } },
      { fieldManager: 'user', force: true },
    );
  }

  async #annotate(name: string, value: string | null): Promise<void> {
    await this.#patch(name, { metadata: { annotations: { [pausedAnnotation]: value } } });
  }

  async #deleteBundles(name: string): Promise<void> {
    const labelSelector = `core.rukpak.io/owner-name=${name}`;
    for (const bundle of await this.#options.client.list({ apiVersion, kind: 'Bundle', labelSelector })) {
      await this.#delete({ apiVersion, kind: 'Bundle', name: bundle.metadata.name ?? '' });
    }
  }

  async #patch(name: string, patch: unknown): Promise<void> {
    try {
      await this.#options.client.patch(deploymentRef(name), patch);
    } catch (thrown) {
      if (!isCode(thrown, 404)) throw thrown;
    }
  }

  async #delete(ref: Parameters<ClusterClient['delete']>[0]): Promise<void> {
    try {
      await this.#options.client.delete(ref);
    } catch (thrown) {
      // A namespace that is being deleted already answers 409.
      if (!isCode(thrown, 404, 409)) throw thrown;
    }
  }

  async #change(name: string): Promise<void> {
    const { client } = this.#options;
    const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: name, name: 'settings' };
    try {
      await client.patch(ref, { data: { version: 'changed by hand', more: 'of a user' } });
    } catch (thrown) {
      if (!isCode(thrown, 404)) throw thrown;
    }
  }

  #someObject(name: string): Parameters<ClusterClient['delete']>[0] {
    return this.#options.random.pick([
      { apiVersion: 'v1', kind: 'ConfigMap', namespace: name, name: 'settings' },
      { apiVersion: 'v1', kind: 'ConfigMap', namespace: name, name: 'part-3' },
      { apiVersion: 'v1', kind: 'Namespace', name },
      { apiVersion: 'apps/v1', kind: 'Deployment', namespace: name, name: 'web' },
      { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name: `things.${groupOf(name)}` },
    ]);
  }
}
