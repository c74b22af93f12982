import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorMessage } from '../../../src/base/index.ts';
import { type ApiProxy, type Fate, startApiProxy } from '../../support/index.ts';
import { type ControllersProcess, spawnControllers } from './controllers-process.ts';
import type { Journey } from './journeys.ts';
import { type Objects, openStage, type Stage, Trip, whenQuiet, writeKubeconfig } from './stage.ts';

/** When a process is killed: before or after its write number `at` has been done. */
export interface Strike {
  readonly at: number;
  readonly is: 'cut' | 'lost';
}

/** What a journey with a kill came to. */
export interface StrikeReport {
  /** The write at which the process was killed; undefined when there were fewer. */
  readonly write: string | undefined;
  readonly problems: readonly string[];
}

/** Journeys in one cluster, one after the other, whose controllers are killed. */
export class KilledJourneys implements AsyncDisposable {
  readonly #stage: Stage;
  readonly #journey: Journey;
  #proxy: ApiProxy | undefined;
  #kubeconfigPath = '';
  #controllers: ControllersProcess | undefined;
  #trips = 0;
  #writes: string[] = [];
  #strike: Strike | undefined;
  #struck: string | undefined;
  #expected: Objects = new Map();

  private constructor(stage: Stage, journey: Journey) {
    this.#stage = stage;
    this.#journey = journey;
  }

  static async open(journey: Journey): Promise<KilledJourneys> {
    const stage = await openStage();
    const journeys = new KilledJourneys(stage, journey);
    const admin = await readFile(stage.kubeconfigPath, 'utf8');
    journeys.#proxy = await startApiProxy(admin, (write) => journeys.#decide(write));
    journeys.#kubeconfigPath = await writeKubeconfig(stage, 'kubeconfig-of-proxy', journeys.#proxy.kubeconfig);
    journeys.#start();
    await journeys.#controllers?.ready;
    return journeys;
  }

  /** A journey without a kill; how many writes it takes. */
  async undisturbed(): Promise<number> {
    const trip = await this.#prepare();
    await trip.travel();
    // What comes last is written within a moment.
    await trip.whenQuiet();
    this.#expected = trip.objects();
    const count = this.#writes.length;
    await this.#finish(trip);
    return count;
  }

  async disturbed(strike: Strike): Promise<StrikeReport> {
    const trip = await this.#prepare();
    this.#strike = strike;
    try {
      await trip.travel();
      await trip.assertEnd(this.#expected);
      await this.#finish(trip);
      return { write: this.#struck, problems: [] };
    } catch (thrown) {
      const complaints = this.#controllers?.complaints() ?? '';
      return { write: this.#struck, problems: [`${trip.slug}: ${errorMessage(thrown)}\n${complaints}`] };
    }
  }

  async #prepare(): Promise<Trip> {
    this.#trips += 1;
    const trip = await Trip.prepare(this.#stage, this.#journey, `k${this.#trips}`);
    this.#writes = [];
    this.#struck = undefined;
    return trip;
  }

  async #finish(trip: Trip): Promise<void> {
    this.#strike = undefined;
    await trip.remove();
    await trip[Symbol.asyncDispose]();
    await whenQuiet(() => String(this.#writes.length));
  }

  #decide(write: string): Fate {
    this.#writes.push(write);
    const strike = this.#strike;
    if (strike === undefined || this.#writes.length !== strike.at) return 'pass';
    this.#struck = write;
    return { is: strike.is, struck: () => this.#kill() };
  }

  #kill(): void {
    const dead = this.#controllers;
    dead?.kill();
    this.#proxy?.close();
    void dead?.ended.then(() => {
      this.#proxy?.open();
      this.#start();
    });
  }

  #start(): void {
    const folder = join(this.#stage.folder, 'controllers');
    this.#controllers = spawnControllers({ kubeconfigPath: this.#kubeconfigPath, folder });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#controllers?.[Symbol.asyncDispose]();
    await this.#proxy?.[Symbol.asyncDispose]();
    await this.#stage[Symbol.asyncDispose]();
  }
}
