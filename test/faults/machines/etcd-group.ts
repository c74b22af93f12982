import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { mapLimit } from '../../../src/base/index.ts';

interface Member {
  readonly child: ChildProcess;
  readonly folder: string;
}

interface ListedMember {
  readonly ID: string;
  readonly name?: string;
  readonly peerURLs: readonly string[];
  readonly isLearner?: boolean;
}

/** Real etcd members on loopback addresses, one an address, as static pods of machines would be. */
export class EtcdGroup implements AsyncDisposable {
  readonly #program: string;
  readonly #folder: string;
  readonly #members = new Map<string, Member>();

  constructor(program: string, folder: string) {
    this.#program = program;
    this.#folder = folder;
  }

  static peerUrl(address: string): string {
    return `http://${address}:2380`;
  }

  static clientUrl(address: string): string {
    return `http://${address}:2379`;
  }

  get addresses(): readonly string[] {
    return [...this.#members.keys()];
  }

  async #start(address: string, initial: readonly string[], state: 'new' | 'existing'): Promise<void> {
    const name = address.replaceAll('.', '-');
    const folder = join(this.#folder, name);
    const [peer, client] = [EtcdGroup.peerUrl(address), EtcdGroup.clientUrl(address)];
    const cluster = initial.map((one) => `${one.replaceAll('.', '-')}=${EtcdGroup.peerUrl(one)}`).join(',');
    const options = {
      name,
      'data-dir': folder,
      'log-level': 'error',
      'listen-peer-urls': peer,
      'initial-advertise-peer-urls': peer,
      'listen-client-urls': client,
      'advertise-client-urls': client,
      'initial-cluster': cluster,
      'initial-cluster-state': state,
      'election-timeout': '1000',
    };
    const args = ['--unsafe-no-fsync', ...Object.entries(options).map(([key, value]) => `--${key}=${value}`)];
    const child = spawn(this.#program, args, { stdio: 'ignore' });
    await once(child, 'spawn');
    this.#members.set(address, { child, folder });
  }

  /** Starts the first members. */
  async bootstrap(addresses: readonly string[]): Promise<void> {
    for (const address of addresses) await this.#start(address, addresses, 'new');
  }

  /** Ends the member of an address, and its data: its machine is deleted. */
  async destroy(address: string): Promise<void> {
    const member = this.#members.get(address);
    if (member === undefined) return;
    this.#members.delete(address);
    await stop(member.child);
    await rm(member.folder, { recursive: true, force: true });
  }

  async #post(address: string, path: string, body: object): Promise<Record<string, unknown>> {
    const response = await fetch(`${EtcdGroup.clientUrl(address)}${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(5_000),
    });
    if (!response.ok) throw new Error(`${address}${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Record<string, unknown>;
  }

  /** The answer of the first member that gives one: with a majority, or none does. */
  async #ask(path: string, body: object): Promise<Record<string, unknown>> {
    let last: unknown;
    for (const address of this.#members.keys()) {
      try {
        return await this.#post(address, path, body);
      } catch (thrown) {
        last = thrown;
      }
    }
    throw new Error('no member of etcd answers', { cause: last });
  }

  async list(): Promise<readonly ListedMember[]> {
    const { members = [] } = await this.#ask('/v3/cluster/member/list', { linearizable: true });
    return members as readonly ListedMember[];
  }

  async write(key: string, value: string): Promise<void> {
    const encode = (text: string): string => Buffer.from(text).toString('base64');
    await this.#ask('/v3/kv/put', { key: encode(key), value: encode(value) });
  }

  async read(key: string): Promise<string> {
    const { kvs = [] } = await this.#ask('/v3/kv/range', { key: Buffer.from(key).toString('base64') });
    const [found] = kvs as readonly { readonly value: string }[];
    return Buffer.from(found?.value ?? '', 'base64').toString();
  }

  /** Starts members that were added and run nowhere yet, at these addresses. */
  async join(addresses: readonly string[]): Promise<void> {
    const listed = await this.list();
    const hosts = listed.flatMap(({ peerURLs }) => peerURLs.map((url) => new URL(url).hostname));
    for (const { name = '', peerURLs } of listed) {
      const address = new URL(peerURLs[0] ?? '').hostname;
      if (name !== '' || this.#members.has(address) || !addresses.includes(address)) continue;
      await this.#start(address, hosts, 'existing');
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await mapLimit([...this.#members.values()], 10, ({ child }) => stop(child));
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
