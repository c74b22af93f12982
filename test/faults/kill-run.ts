import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../../src/base/index.ts';
import type { Connection } from '../conformance/connection.ts';
import { eventually } from '../support/index.ts';
import { type ServerProcess, startServer } from './server-process.ts';

const writers = 8;
const namesEach = 5;
const longestLifeMs = 400;
const leastWrites = 2;
const collection = '/api/v1/namespaces/default/configmaps';
const parts = ['a', 'b', 'c', 'd'];

/** What a run of kills found. `problems` is empty when all is well. */
export interface KillReport {
  readonly kills: number;
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

/** All parts of an object say the same number; 2 KiB, so that it takes more than one page now and then. */
function objectOf(name: string, value: number): string {
  const data = Object.fromEntries(parts.map((part) => [part, `${value}:${'x'.repeat(500)}`]));
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
        // The server is gone: what was sent last may or may not have been written.
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

/** Kills a server with `SIGKILL` in the middle of writes, time and again, and looks at what is left each time. */
export async function killTimes(
  dataDir: string,
  times: number,
  report: (line: string) => void = () => {},
): Promise<KillReport> {
  const ledger = new Ledger();
  const problems: string[] = [];
  let kills = 0;
  for (; kills < times && problems.length === 0; kills += 1) {
    await using server = await startServer(dataDir);
    problems.push(...ledger.check(await stateOf(server)));
    const lives = Array.from({ length: writers }, (_, writer) => ledger.write(server.connection, writer));
    const before = ledger.acknowledged;
    await sleep(Math.random() * longestLifeMs);
    // A slow machine may not have written anything by then.
    await eventually(() => {
      if (ledger.acknowledged < before + leastWrites) throw new Error('nothing was written');
    });
    await server.kill();
    await Promise.all(lives);
    if ((kills + 1) % 20 === 0) report(`${kills + 1} kills, ${ledger.acknowledged} acknowledged writes`);
  }
  await using server = await startServer(dataDir);
  problems.push(...ledger.check(await stateOf(server)));
  return { kills, acknowledged: ledger.acknowledged, problems };
}
