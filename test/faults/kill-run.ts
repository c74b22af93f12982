import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../../src/base/index.ts';
import type { Connection } from '../conformance/connection.ts';
import { eventually } from '../support/index.ts';
import { type ServerProcess, startServer } from './server-process.ts';
import type { SmallDisk } from './small-disk.ts';

const writers = 8;
const namesEach = 5;
const longestLifeMs = 400;
const leastWrites = 2;
const collection = '/api/v1/namespaces/default/configmaps';
const parts = ['a', 'b', 'c', 'd'];

/** How a server ends, and on what disk the next one begins. */
interface Round {
  readonly end: 'kill' | 'stop';
  /** Whether the disk is full by then; `still`: when the next server starts, too. */
  readonly disk: 'roomy' | 'full' | 'still full';
}

/** Every combination in turn. */
const roundsInTurn: readonly Round[] = (['kill', 'stop'] as const).flatMap((end) =>
  (['roomy', 'full', 'still full'] as const).map((disk) => ({ end, disk })),
);

/** What a run of kills found. `problems` is empty when all is well. */
export interface KillReport {
  readonly kills: number;
  readonly stops: number;
  /** Kills and stops on a full disk. */
  readonly full: number;
  readonly acknowledged: number;
  readonly problems: readonly string[];
}

interface ConfigMap {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
  readonly data?: Readonly<Record<string, string>>;
}

/** What may be there after a kill: what was acknowledged last, or what was on its way. Undefined: nothing. */
interface Expectation {
  acknowledged: number | undefined;
  onItsWay: { readonly value: number | undefined } | undefined;
}

/** Bytes in each part of an object. A small object takes more than one page now and then; a few large ones, of 0.9 MB, fill the log, so that a checkpoint
 *  is always under way. */
const partBytes = { small: 500, large: 225_000 };

/** All parts of an object have the same number. */
function objectOf(name: string, value: number): string {
  const filling = 'x'.repeat(value % 5 < 2 ? partBytes.large : partBytes.small);
  const data = Object.fromEntries(parts.map((part) => [part, `${value}:${filling}`]));
  return JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });
}

function valueOf({ data = {} }: ConfigMap): number | 'torn' {
  const values = new Set(parts.map((part) => data[part]?.split(':', 1)[0]));
  const [value] = values;
  return values.size === 1 && value !== undefined ? Number(value) : 'torn';
}

/** Writes until the server is killed, and knows what it was promised. */
class Ledger {
  readonly expected = new Map<string, Expectation>();
  acknowledged = 0;
  highestRevision = 0;
  #next = 1;

  /** One writer's life: creates, changes and deletes its own objects, one at a time. */
  async write(connection: Connection, writer: number): Promise<void> {
    for (let turn = 0; ; turn += 1) {
      const name = `kill-${writer}-${turn % namesEach}`;
      const isDeletion = this.#expectationOf(name).acknowledged !== undefined && turn % 7 === 6;
      try {
        await this.#send(connection, name, isDeletion ? undefined : this.#next++);
      } catch {
        // The server is down: what was sent last may or may not have been written.
        return;
      }
    }
  }

  async #send(connection: Connection, name: string, value: number | undefined): Promise<void> {
    const expectation = this.#expectationOf(name);
    expectation.onItsWay = { value };
    const isNew = expectation.acknowledged === undefined;
    const method = value === undefined ? 'DELETE' : isNew ? 'POST' : 'PUT';
    const body = value === undefined ? undefined : objectOf(name, value);
    const path = method === 'POST' ? collection : `${collection}/${name}`;
    const answer = await connection.ask({ method, path, headers: { 'content-type': 'application/json' }, body });
    // The disk is full, so nothing was written.
    if (answer.status === 507) expectation.onItsWay = undefined;
    if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    expectation.acknowledged = value;
    expectation.onItsWay = undefined;
    this.acknowledged += 1;
    if (value !== undefined) this.#see((answer.body as unknown as ConfigMap).metadata.resourceVersion);
  }

  /** What is wrong with the state after a restart; the state becomes what is expected from now on. */
  check(list: {
    readonly metadata: { readonly resourceVersion: string };
    readonly items: readonly ConfigMap[];
  }): string[] {
    const problems: string[] = [];
    const found = new Map(list.items.map((item) => [item.metadata.name, item]));
    if (Number(list.metadata.resourceVersion) < this.highestRevision) {
      problems.push(`resourceVersion went back from ${this.highestRevision} to ${list.metadata.resourceVersion}`);
    }
    for (const [name, expectation] of this.expected) {
      const item = found.get(name);
      const value = item === undefined ? undefined : valueOf(item);
      const isAsPromised = value === expectation.acknowledged;
      const isOnItsWay = expectation.onItsWay !== undefined && value === expectation.onItsWay.value;
      if (!isAsPromised && !isOnItsWay) {
        problems.push(`${name} is ${value}, acknowledged was ${expectation.acknowledged}`);
      }
      this.expected.set(name, { acknowledged: value === 'torn' ? undefined : value, onItsWay: undefined });
    }
    this.#see(list.metadata.resourceVersion);
    return problems;
  }

  #see(version: string): void {
    this.highestRevision = Math.max(this.highestRevision, Number(version));
  }

  #expectationOf(name: string): Expectation {
    const known = this.expected.get(name) ?? { acknowledged: undefined, onItsWay: undefined };
    this.expected.set(name, known);
    return known;
  }
}

async function stateOf(server: ServerProcess): Promise<Parameters<Ledger['check']>[0]> {
  const { status, body, text } = await server.connection.ask({ method: 'GET', path: collection, headers: {} });
  if (status !== 200) throw new Error(`list: ${status} ${text}`);
  return body as JsonObject as unknown as Parameters<Ledger['check']>[0];
}

async function writeUntilEnd(server: ServerProcess, ledger: Ledger, end: () => Promise<void>): Promise<void> {
  const lives = Array.from({ length: writers }, (_, writer) => ledger.write(server.connection, writer));
  const before = ledger.acknowledged;
  await sleep(Math.random() * longestLifeMs);
  // A slow machine may not have written anything by then.
  await eventually(() => {
    if (ledger.acknowledged < before + leastWrites) throw new Error('nothing was written');
  });
  await end();
  await Promise.all(lives);
}

/** Where servers run, and what is known of what they hold. */
interface Run {
  readonly dataDir: string;
  readonly disk: SmallDisk | undefined;
  readonly ledger: Ledger;
  readonly problems: string[];
}

async function startAndCheck({ dataDir, disk, ledger, problems }: Run): Promise<ServerProcess> {
  const server = await startServer(dataDir, disk?.inside);
  problems.push(...ledger.check(await stateOf(server)));
  return server;
}

/** On a full disk a server starts, or reports why it does not. */
async function startOnFullDisk(run: Run): Promise<void> {
  try {
    await using _server = await startAndCheck(run);
  } catch (thrown) {
    if (!String(thrown).includes('the disk is full')) run.problems.push(String(thrown));
  }
}

async function playRound(run: Run, round: Round): Promise<void> {
  await using server = await startAndCheck(run);
  await writeUntilEnd(server, run.ledger, async () => {
    if (round.disk !== 'roomy') await run.disk?.fill();
    await server[round.end]();
  });
  if (round.disk === 'still full') await startOnFullDisk(run);
  await run.disk?.free();
}

const bareKill: Round = { end: 'kill', disk: 'roomy' };

/** Ends a server in the middle of writes, time and again, and checks what is left each time. Without a disk to fill, all ends are `kill -9`. */
export async function killTimes(
  place: { readonly dataDir: string; readonly disk?: SmallDisk | undefined },
  times: number,
  report: (line: string) => void = () => {},
): Promise<KillReport> {
  const run: Run = { dataDir: place.dataDir, disk: place.disk, ledger: new Ledger(), problems: [] };
  const played: Round[] = [];
  while (played.length < times && run.problems.length === 0) {
    const round = run.disk === undefined ? bareKill : (roundsInTurn[played.length % roundsInTurn.length] ?? bareKill);
    await playRound(run, round);
    played.push(round);
    if (played.length % 20 === 0) report(`${played.length} ends, ${run.ledger.acknowledged} acknowledged writes`);
  }
  await using _last = await startAndCheck(run);
  const kills = played.filter(({ end }) => end === 'kill').length;
  const full = played.filter(({ disk }) => disk !== 'roomy').length;
  const { acknowledged } = run.ledger;
  return { kills, stops: played.length - kills, full, acknowledged, problems: run.problems };
}
