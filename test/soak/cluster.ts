import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type ApiServer, type ClusterClient, startApiServer } from '../../apiserver/index.ts';
import { readCrds } from '../../cli/client/crds.ts';
import type { SeededRandom } from '../conformance/random.ts';
import { addApiFaults } from '../faults/model/api-faults.ts';
import { freePort } from '../support/index.ts';

/** An API server that goes away and comes back, on one address and one data folder. */
export class SoakCluster implements AsyncDisposable {
  readonly kubeconfigPath: string;
  readonly #dataDir: string;
  readonly #port: number;
  #server: ApiServer;
  #faults: Disposable | undefined;
  /** Whether it is up, and answers without faults on purpose. */
  isWell = true;

  private constructor(folder: string, port: number, server: ApiServer) {
    this.kubeconfigPath = join(folder, 'kubeconfig');
    this.#dataDir = join(folder, 'cluster');
    this.#port = port;
    this.#server = server;
  }

  static async open(folder: string): Promise<SoakCluster> {
    const port = await freePort();
    const crds = (await readCrds()) as unknown as NonNullable<Parameters<typeof startApiServer>[0]>['crds'];
    const kubeconfigPath = join(folder, 'kubeconfig');
    const server = await startApiServer({
      port,
      dataDir: join(folder, 'cluster'),
      kubeconfigPath,
      ...(crds && { crds }),
    });
    await server.client.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'rukpak-system' } });
    return new SoakCluster(folder, port, server);
  }

  /** Of the server that is there now. */
  get client(): ClusterClient {
    return this.#server.client;
  }

  /** Stops it, and restarts it later. */
  async restart(awayMs: number): Promise<void> {
    this.isWell = false;
    this.#endFaults();
    await this.#server.stop();
    await pause(awayMs);
    this.#server = await startApiServer({
      port: this.#port,
      dataDir: this.#dataDir,
      kubeconfigPath: this.kubeconfigPath,
    });
    this.isWell = true;
  }

  /** A tenth of the requests fails for a while. */
  async stumble(random: SeededRandom, forMs: number): Promise<void> {
    this.isWell = false;
    this.#faults = addApiFaults(this.#server.faults, random);
    await pause(forMs);
    this.#endFaults();
    this.isWell = true;
  }

  #endFaults(): void {
    this.#faults?.[Symbol.dispose]();
    this.#faults = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.stop();
  }
}
