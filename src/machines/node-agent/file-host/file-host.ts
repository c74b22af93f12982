import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { posix } from 'node:path';
import { promisify } from 'node:util';
import { isJsonObject, parseJson, TerminalError } from '../../../base/index.ts';
import type { DisruptionAction } from '../difference.ts';
import type { NodeHost, NodeJournal } from '../host.ts';
import type { NodeConfig } from '../node-config.ts';
import { entriesOf, isSameEntry } from './entries.ts';
import { type Entry, RootedFiles } from './files.ts';

/** A program of the node with its arguments. */
export type NodeCommand = readonly [program: string, ...args: readonly string[]];

export interface FileHostOptions {
  /** Where the file system of the node is: `/`, or where a container has it. */
  readonly root: string;
  /** Runs a program on the node; by default none is run, as in a folder that is no running system. */
  readonly run?: (command: NodeCommand) => Promise<void>;
  /** How the node is restarted; undefined: it is left to others, and the agent waits for a new boot. */
  readonly rebootCommand?: NodeCommand | undefined;
}

const stateFolder = '/var/lib/longshore/node-agent';
const journalFile = posix.join(stateFolder, 'journal.json');
/** What was at a path before a configuration had a file there. */
const originalsFile = posix.join(stateFolder, 'originals.json');
const bootFile = '/proc/sys/kernel/random/boot_id';
const maxOriginalBytes = 16 * 1024 * 1024;
const rebootWaitMs = 60_000;
const secretMode = 0o600;

type Originals = Record<string, Entry | null>;

interface StoredEntry {
  readonly kind: string;
  readonly target?: string;
  readonly content?: string;
  readonly mode?: number;
  readonly uid?: number;
  readonly gid?: number;
}

function store(entry: Entry | null): StoredEntry | null {
  if (entry === null || entry.kind === 'link') return entry;
  return { ...entry, content: entry.content.toString('base64') };
}

function restore(stored: StoredEntry | null): Entry | null {
  if (stored === null) return null;
  if (stored.kind === 'link') return { kind: 'link', target: stored.target ?? '' };
  const { content = '', mode = 0, uid = 0, gid = 0 } = stored;
  return { kind: 'file', content: Buffer.from(content, 'base64'), mode, uid, gid };
}

/** A node whose configuration is files: units of systemd and arguments of the kernel among them. */
export class FileHost implements NodeHost {
  readonly canChangeImages: boolean = false;
  readonly #options: FileHostOptions;
  readonly #files: RootedFiles;

  constructor(options: FileHostOptions) {
    this.#options = options;
    this.#files = new RootedFiles(options.root);
  }

  async bootId(): Promise<string> {
    const path = posix.join(this.#options.root, bootFile);
    return (await readFile(path, 'utf8')).trim();
  }

  async #readState(path: string): Promise<unknown> {
    const entry = await this.#files.read(path);
    if (entry === undefined) return {};
    if (entry.kind === 'link') throw new TerminalError('UnsafePath', `${path} is a symbolic link`);
    return parseJson(path, entry.content.toString());
  }

  async #writeState(path: string, state: unknown): Promise<void> {
    const content = Buffer.from(JSON.stringify(state));
    const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
    await this.#files.write(path, { kind: 'file', content, mode: secretMode, uid, gid });
  }

  async recall(): Promise<NodeJournal> {
    const journal = await this.#readState(journalFile);
    return isJsonObject(journal) ? (journal as unknown as NodeJournal) : {};
  }

  remember(journal: NodeJournal): Promise<void> {
    return this.#writeState(journalFile, journal);
  }

  async drift(config: NodeConfig): Promise<string | undefined> {
    for (const [path, desired] of entriesOf(config)) {
      const problem = await this.#driftAt(path, desired);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }

  async #driftAt(path: string, desired: Entry): Promise<string | undefined> {
    const found = await this.#files.read(path);
    if (found === undefined) return `file "${path}" does not exist`;
    if (isSameEntry(found, desired)) return undefined;
    if (found.kind === 'link' || desired.kind === 'link') return `link mismatch for "${path}"`;
    if (!found.content.equals(desired.content)) return `content mismatch for file "${path}"`;
    if (found.mode === desired.mode)
      return `owner mismatch for file: "${path}"; expected: ${desired.uid}:${desired.gid}; received: ${found.uid}:${found.gid}`;
    return `mode mismatch for file: "${path}"; expected: ${desired.mode.toString(8)}; received: ${found.mode.toString(8)}`;
  }

  async #originals(): Promise<Originals> {
    const stored = (await this.#readState(originalsFile)) as Record<string, StoredEntry | null>;
    return Object.fromEntries(Object.entries(stored).map(([path, entry]) => [path, restore(entry)]));
  }

  async #saveOriginals(originals: Originals): Promise<void> {
    const stored = Object.fromEntries(Object.entries(originals).map(([path, entry]) => [path, store(entry)]));
    const bytes = Object.values(originals).reduce(
      (sum, entry) => sum + (entry?.kind === 'file' ? entry.content.length : 0),
      0,
    );
    if (bytes > maxOriginalBytes) {
      const message = `the files that the configuration replaces have ${bytes} bytes, at most ${maxOriginalBytes} are kept`;
      throw new TerminalError('TooLarge', message);
    }
    await this.#writeState(originalsFile, stored);
  }

  async apply(before: NodeConfig, after: NodeConfig): Promise<void> {
    const [old, desired] = [entriesOf(before), entriesOf(after)];
    const originals = await this.#originals();
    for (const path of desired.keys()) {
      if (old.has(path) || Object.hasOwn(originals, path)) continue;
      originals[path] = (await this.#files.read(path)) ?? null;
    }
    await this.#saveOriginals(originals);
    const done: (readonly [string, Entry | undefined])[] = [];
    try {
      for (const [path, entry] of desired) await this.#change(path, entry, done);
      for (const path of old.keys())
        if (!desired.has(path)) await this.#change(path, originals[path] ?? undefined, done);
      await this.#afterWriting(before, after);
    } catch (thrown) {
      await this.#rollBack(done);
      throw thrown;
    }
    const kept = Object.entries(originals).filter(([path]) => desired.has(path));
    await this.#saveOriginals(Object.fromEntries(kept));
  }

  /** Writes or removes, and notes what was there. Removes only what a former configuration had put there. */
  async #change(path: string, entry: Entry | undefined, done: (readonly [string, Entry | undefined])[]): Promise<void> {
    const found = await this.#files.read(path);
    if (found === undefined && entry === undefined) return;
    if (found !== undefined && entry !== undefined && isSameEntry(found, entry)) return;
    done.push([path, found]);
    if (entry === undefined) await this.#files.remove(path, { removesFolder: isUnitFolder(posix.dirname(path)) });
    else await this.#files.write(path, entry);
  }

  async #rollBack(done: readonly (readonly [string, Entry | undefined])[]): Promise<void> {
    for (const [path, entry] of done.toReversed()) {
      await (entry === undefined ? this.#files.remove(path) : this.#files.write(path, entry));
    }
  }

  async #afterWriting(before: NodeConfig, after: NodeConfig): Promise<void> {
    const isChanged = before.kernelArguments.join(' ') !== after.kernelArguments.join(' ');
    if (isChanged) await this.#options.run?.(['update-grub']);
    await this.#options.run?.(['systemctl', 'daemon-reload']);
  }

  async perform(actions: readonly DisruptionAction[]): Promise<void> {
    for (const { type, unit = '' } of actions) {
      if (type === 'DaemonReload') await this.#options.run?.(['systemctl', 'daemon-reload']);
      // `--` keeps a name from being read as an option.
      if (type === 'Reload') await this.#options.run?.(['systemctl', 'reload', '--', unit]);
      if (type === 'Restart') await this.#options.run?.(['systemctl', 'restart', '--', unit]);
    }
  }

  untilBootMs(): Promise<number> {
    return Promise.resolve(rebootWaitMs);
  }

  async reboot(): Promise<number> {
    const { run, rebootCommand } = this.#options;
    if (rebootCommand !== undefined) await run?.(rebootCommand);
    return rebootWaitMs;
  }
}

function isUnitFolder(path: string): boolean {
  return /\/etc\/systemd\/system\/[^/]+\.(d|wants|requires)$/.test(path);
}

const execute = promisify(execFile);
const commandDeadlineMs = 300_000;

/** Runs programs of the node: in the node's file system where that is not the one of this process. */
export function runOnNode(root: string): (command: NodeCommand) => Promise<void> {
  return async ([program, ...args]) => {
    const [name, all] = root === '/' ? [program, args] : ['chroot', [root, program, ...args]];
    await execute(name, all, { timeout: commandDeadlineMs, maxBuffer: 1024 * 1024 });
  };
}
