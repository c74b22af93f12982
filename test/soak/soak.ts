import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { ApiObject, ClusterClient } from '../../apiserver/index.ts';
import { SeededRandom } from '../conformance/random.ts';
import { renew } from '../e2e/own-processes.ts';
import { type Action, actionsOf } from '../faults/model/actions.ts';
import { Model } from '../faults/model/model.ts';
import { Sources } from '../faults/model/sources.ts';
import { StateChecker } from '../faults/model/state-checker.ts';
import { User } from '../faults/model/user.ts';
import { canHaveSmallDisks, onSmallDisk } from '../faults/small-disk.ts';
import { freePort } from '../support/index.ts';
import { type AdmissionCounts, AdmissionProbe } from './admission-probe.ts';
import { startBalancer } from './balancer.ts';
import { Chaos } from './chaos.ts';
import { SoakCluster } from './cluster.ts';
import { Replica } from './replica.ts';

export interface SoakOptions {
  readonly forMs: number;
  readonly seed: number;
  readonly report: (line: string) => void;
}

/** What a soak showed. */
export interface SoakReport {
  readonly actions: number;
  /** How often everything was in its desired state. */
  readonly settled: number;
  readonly chaos: ReadonlyMap<string, number>;
  readonly admission: AdmissionCounts;
  /** Of each process: how often it ended, and the most memory it had. */
  readonly processes: readonly { readonly name: string; readonly endings: number; readonly peakBytes: number }[];
  readonly problems: readonly string[];
}

const diskSize = { mebibytes: 32, ballastMebibytes: 1 };
const actionsBetweenSettling = 25;
const longestPauseMs = 1_500;
const settleMs = 240_000;
const lookMs = 2_000;
/** Of one process, ever. */
const maxBytes = 600 * 1024 * 1024;

/** The client of the server that is there now. */
function clientOf(cluster: SoakCluster): Pick<ClusterClient, 'list' | 'apply' | 'patch' | 'delete' | 'until' | 'find'> {
  return {
    list: (...args) => cluster.client.list(...args),
    apply: (...args) => cluster.client.apply(...args),
    patch: (...args) => cluster.client.patch(...args),
    delete: (...args) => cluster.client.delete(...args),
    until: (...args) => cluster.client.until(...args),
    find: (...args) => cluster.client.find(...args),
  };
}

/** Processes beside a cluster. */
class Replicas {
  readonly all: Replica[] = [];
  readonly #cluster: SoakCluster;
  readonly #folder: string;
  readonly #stack: AsyncDisposableStack;

  constructor(cluster: SoakCluster, folder: string, stack: AsyncDisposableStack) {
    this.#cluster = cluster;
    this.#folder = folder;
    this.#stack = stack;
  }

  async #start(name: string, args: readonly string[], disk?: string): Promise<void> {
    const [command = '', ...rest] = args;
    const shared = ['--kubeconfig', this.#cluster.kubeconfigPath, '--log-level', 'warn'];
    const probes = ['--health-probe-bind-address', `127.0.0.1:${await freePort()}`];
    const own = disk === undefined ? {} : { disk, wrap: onSmallDisk(disk, diskSize) };
    const options = { name, folder: this.#folder, args: [command, ...shared, ...probes, ...rest], ...own };
    this.all.push(this.#stack.use(new Replica(options)));
  }

  /** One that may lead, with a disk of its own. */
  async startControllers(name: string, isDiskSmall: boolean): Promise<void> {
    const { client } = this.#cluster;
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', name: 'default', namespace: 'rukpak-system' };
    await client.until(account, (found) => found !== undefined);
    const spec = { containers: [{ name: 'manager', image: 'registry.example.com/longshore' }] };
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'rukpak-system' }, spec };
    await client.apply(pod as ApiObject);
    const [port, disk] = [await freePort(), join(this.#folder, `disk-of-${name}`)];
    const tlsDir = join(this.#folder, `tls-of-${name}`);
    await mkdir(disk);
    await renew(tlsDir);
    const address = `127.0.0.1:${port}`;
    const serving = [
      '--catalogs-bind-address',
      '127.0.0.1:0',
      '--http-bind-address',
      address,
      '--http-external-address',
      `https://${address}`,
    ];
    const store = ['--tls-dir', tlsDir, '--provisioner-storage-dir', join(disk, 'store')];
    const args = ['controllers', ...serving, ...store, '--leader-elect', '--pod-name', name];
    await this.#start(name, args, isDiskSmall ? disk : undefined);
  }

  /** Some behind one address, with one certificate. */
  async startWebhooks(names: readonly string[]): Promise<void> {
    const tlsDir = join(this.#folder, 'tls-of-webhook');
    await renew(tlsDir);
    const ports = await Promise.all(names.map(() => freePort()));
    const address = await freePort();
    this.#stack.use(await startBalancer(address, ports));
    const shared = ['--external-address', `https://127.0.0.1:${address}`, '--tls-dir', tlsDir, '--drain', '1'];
    for (const [index, name] of names.entries()) {
      await this.#start(name, ['webhook', '--bind-address', `127.0.0.1:${ports[index]}`, ...shared]);
    }
  }
}

/** Two of the controllers and two of the webhook. */
async function startReplicas(
  { report }: SoakOptions,
  cluster: SoakCluster,
  { folder, stack }: { readonly folder: string; readonly stack: AsyncDisposableStack },
): Promise<readonly Replica[]> {
  const replicas = new Replicas(cluster, folder, stack);
  const hasDisks = await canHaveSmallDisks();
  if (!hasDisks) report('no disk is filled: this machine does not allow mounting a file system');
  for (const name of ['core-a', 'core-b']) await replicas.startControllers(name, hasDisks);
  await replicas.startWebhooks(['webhook-0', 'webhook-1']);
  return replicas.all;
}

class Soak {
  readonly #options: SoakOptions;
  readonly #model: Model;
  readonly #user: User;
  readonly #checker: StateChecker;
  readonly #chaos: Chaos;
  readonly #random: SeededRandom;
  readonly problems: string[] = [];
  actions = 0;
  settled = 0;

  constructor(
    options: SoakOptions,
    parts: { model: Model; user: User; checker: StateChecker; chaos: Chaos; random: SeededRandom },
  ) {
    this.#options = options;
    this.#model = parts.model;
    this.#user = parts.user;
    this.#checker = parts.checker;
    this.#chaos = parts.chaos;
    this.#random = parts.random;
  }

  /** Acts, and looks from time to time whether everything is as asked for, until the time is over or it is not. */
  async run(untilMs: number): Promise<void> {
    for (let round = 0; Date.now() < untilMs && this.problems.length === 0; round += 1) {
      const { seed } = this.#options;
      for (const action of actionsOf(seed * 1000 + round, actionsBetweenSettling)) {
        if (Date.now() >= untilMs) break;
        // Versions of rounds differ; uploads are on the disk of one replica alone, which may be lost.
        await this.#do(this.#asOfRound(action, round));
        await pause(this.#random.next() * longestPauseMs);
      }
      await this.#settle();
    }
  }

  #asOfRound(action: Action, round: number): Action {
    if (action.what !== 'apply') return action;
    const { desired } = action;
    const source = desired.source === 'upload' ? 'image' : desired.source;
    return { ...action, desired: { ...desired, source, version: round * 1000 + desired.version } };
  }

  async #do(action: Action): Promise<void> {
    if (action.what === 'settle') return;
    await this.#user.do(action);
    this.#model.take(action);
    this.actions += 1;
  }

  async #settle(): Promise<void> {
    await using _quiet = await this.#chaos.rest();
    for (const name of this.#model.paused) await this.#do({ what: 'unpause', name });
    for (const source of this.#model.broken) await this.#do({ what: 'recover', source });
    const startedMs = Date.now();
    let problems: readonly string[] = ['nothing was looked at'];
    while (problems.length > 0 && Date.now() - startedMs < settleMs) {
      await pause(200);
      problems = await this.#checker.problems(this.#model.expectations());
    }
    this.problems.push(...problems);
    if (problems.length > 0) return;
    this.#model.take({ what: 'settle' });
    this.settled += 1;
    const seconds = ((Date.now() - startedMs) / 1000).toFixed(1);
    this.#options.report(
      `${this.actions} actions: everything is as asked for, ${seconds} s after the last disturbance`,
    );
  }
}

async function watchMemory(replicas: readonly Replica[], signal: AbortSignal, problems: string[]): Promise<void> {
  while (!signal.aborted) {
    for (const replica of replicas) {
      const bytes = await replica.look();
      if (bytes > maxBytes) problems.push(`${replica.name} has ${Math.round(bytes / 2 ** 20)} MiB of memory`);
    }
    await pause(lookMs);
  }
}

/** Two replicas of everything under load while leaders are killed, the API server goes and comes, clocks jump, disks fill and sources fail. */
export async function soak(options: SoakOptions): Promise<SoakReport> {
  const folder = await mkdtemp(join(tmpdir(), 'longshore-soak-'));
  const random = new SeededRandom(options.seed);
  const model = new Model();
  const stop = new AbortController();
  const problems: string[] = [];
  try {
    await using stack = new AsyncDisposableStack();
    const cluster = stack.use(await SoakCluster.open(folder));
    const sources = stack.use(new Sources(random, () => model.broken));
    await sources.start();
    const replicas = await startReplicas(options, cluster, { folder, stack });
    const client = clientOf(cluster);
    const user = new User({ client, sources, random, contentUrl: '', token: '' });
    const chaos = new Chaos({ cluster, replicas, random, report: options.report });
    const probe = new AdmissionProbe(() => cluster.client);
    const run = new Soak(options, { model, user, checker: new StateChecker(client), chaos, random });
    const { signal } = stop;
    const untilMs = Date.now() + options.forMs;
    const beside = [probe.run(signal), watchMemory(replicas, signal, problems), chaos.run(signal)];
    try {
      await run.run(untilMs);
    } finally {
      stop.abort();
      await Promise.all(beside);
    }
    await Promise.all(replicas.map((replica) => replica[Symbol.asyncDispose]()));
    const processes = replicas.map(({ name, endings, peakBytes }) => ({ name, endings, peakBytes }));
    const all = [...run.problems, ...probe.problems, ...problems, ...replicas.flatMap((replica) => replica.problems)];
    const { actions, settled } = run;
    return { actions, settled, chaos: chaos.counts, admission: probe.counts, processes, problems: all };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
