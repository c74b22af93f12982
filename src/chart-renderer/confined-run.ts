import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { TransientError, threadMemory } from '../base/index.ts';
import type { RunLimits } from './limits.ts';

/** A program to be run without a network, in a folder of its own. */
export interface ConfinedRun {
  readonly command: readonly string[];
  readonly folder: string;
  /** Whether the kernel lets a process have a network of its own, in which there is nothing. */
  readonly hasOwnNetwork: boolean;
  readonly limits: RunLimits;
  readonly signal: AbortSignal;
}

/** How a run ended. */
export interface RunEnd {
  readonly output: Buffer;
  /** Standard error; of a long one the beginning and the end. */
  readonly complaint: string;
  readonly status: number | null;
  /** Which of its limits ended it. */
  readonly limit: 'processor' | 'memory' | 'output' | undefined;
}

const maxComplaintBytes = 64 * 1024;
const headBytes = maxComplaintBytes / 2;
/** Nothing listens there. */
const nowhere = 'http://127.0.0.1:1';
const isOutOfMemory = /out of memory|cannot allocate memory|failed to (create new OS thread|reserve|allocate)/i;
/** Sets what only a shell can set, for the process that takes its place. Where memory runs short, the system ends that one before the process that has
 *  started it. */
const confine =
  'ulimit -c 0; ulimit -t "$1"; ulimit -d "$2" 2>/dev/null; { echo 1000 >/proc/self/oom_score_adj; } 2>/dev/null; shift 2; exec "$@"';

/** Nothing of the environment of this process. */
function environmentOf({ folder, limits }: ConfinedRun): Record<string, string> {
  const softBytes = Math.floor(limits.memoryBytes * 0.8);
  const proxies = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'];
  return {
    PATH: '/nonexistent',
    HOME: folder,
    TMPDIR: folder,
    LC_ALL: 'C',
    KUBECONFIG: '/dev/null',
    HELM_CACHE_HOME: `${folder}/cache`,
    HELM_CONFIG_HOME: `${folder}/config`,
    HELM_DATA_HOME: `${folder}/data`,
    HELM_NO_PLUGINS: '1',
    GOMAXPROCS: '2',
    // Most of what a short run allocates is never collected; the limit below bounds what it may be.
    GOGC: '400',
    GOMEMLIMIT: String(softBytes),
    NO_PROXY: '',
    ...Object.fromEntries(proxies.map((name) => [name, nowhere])),
  };
}

function commandOf({ command, hasOwnNetwork, limits }: ConfinedRun): readonly [string, ...string[]] {
  const { processorSeconds, memoryBytes } = limits;
  const shell = ['/bin/sh', '-c', confine, 'sh', String(processorSeconds), String(Math.floor(memoryBytes / 1024))];
  const [first = '', ...others] = [...(hasOwnNetwork ? ['/usr/bin/unshare', '-r', '-n', '--'] : []), ...shell];
  return [first, ...others, ...command];
}

/** Ends the process group of the run. */
function kill(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

/** What a run has written so far, within limits. */
class Streams {
  readonly pieces: Buffer[] = [];
  complaint = Buffer.alloc(0);
  isTooLong = false;
  #bytes = 0;

  constructor(child: ChildProcessByStdio<null, Readable, Readable>, maxBytes: number) {
    child.stdout.on('data', (piece: Buffer) => {
      this.#bytes += piece.length;
      if (this.#bytes <= maxBytes) {
        this.pieces.push(piece);
        return;
      }
      this.isTooLong = true;
      this.pieces.length = 0;
      kill(child.pid);
    });
    child.stderr.on('data', (piece: Buffer) => {
      const all = Buffer.concat([this.complaint, piece]);
      // The cause is often what was written last.
      this.complaint =
        all.length <= maxComplaintBytes ? all : Buffer.concat([all.subarray(0, headBytes), all.subarray(-headBytes)]);
    });
  }
}

function limitOf(streams: Streams, status: number | null, endedBy: NodeJS.Signals | null): RunEnd['limit'] {
  if (streams.isTooLong) return 'output';
  const complaint = streams.complaint.toString('utf8');
  if (status !== 0 && isOutOfMemory.test(complaint)) return 'memory';
  return endedBy === 'SIGKILL' || endedBy === 'SIGXCPU' || /SIGXCPU/.test(complaint) ? 'processor' : undefined;
}

/** A program counts with the threads of this process, which have the memory of one container together. Undefined where the system does not show it. */
async function residentBytes(pid: number | undefined): Promise<number | undefined> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kibibytes = /^RssAnon:\s+(\d+) kB$/m.exec(text)?.[1];
  return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
}

/** Runs a program to its end, in a process group that does not outlive this function.
 *  @throws TransientError DeadlineExceeded, ProgramEnded when others need its memory · the error of a program that cannot be started · the signal's reason */
export async function runConfined(run: ConfinedRun): Promise<RunEnd> {
  const { folder, limits, signal } = run;
  signal.throwIfAborted();
  const [program, ...args] = commandOf(run);
  const env = environmentOf(run);
  const child = spawn(program, args, { cwd: folder, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const streams = new Streams(child, limits.outputBytes);
  const { promise, resolve, reject } = Promise.withResolvers<RunEnd>();
  let why: Error | undefined;
  const end = (reason: Error): void => {
    why ??= reason;
    kill(child.pid);
  };
  const deadline = new TransientError('DeadlineExceeded', `helm did not end within ${limits.deadlineMs / 1000} s`);
  const timer = setTimeout(() => end(deadline), limits.deadlineMs);
  using _ = threadMemory.add({
    jobCount: 1,
    measure: () => residentBytes(child.pid),
    makeRoom: (text) => end(new TransientError('ProgramEnded', `helm was ended, to be run again later: ${text}`)),
  });
  const onAbort = (): void => end(signal.reason as Error);
  signal.addEventListener('abort', onAbort, { once: true });
  child.once('error', reject);
  child.once('close', (status, endedBy) => {
    if (why !== undefined) reject(why);
    const complaint = streams.complaint.toString('utf8');
    resolve({ output: Buffer.concat(streams.pieces), complaint, status, limit: limitOf(streams, status, endedBy) });
  });
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    kill(child.pid);
  }
}
