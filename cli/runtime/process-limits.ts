import { getHeapStatistics } from 'node:v8';
import { TerminalError } from '../../src/base/index.ts';

const mebibyte = 1024 * 1024;
/** Below that, V8 ends the process in the middle of its work, without a useful message. A container of 512 MiB allows 259. */
const leastHeapMebibytes = { up: 384, controllers: 256, webhook: 256 };
/** Watches, webhooks, the store and fetches take some hundred; without room for them connections fail at random. */
const leastOpenFiles = 256;

/** What the process may use. */
export interface ProcessLimits {
  readonly heapMebibytes: number;
  readonly openFiles: number;
}

interface Report {
  readonly userLimits?: { readonly open_files?: { readonly soft?: unknown } };
}

/** Node.js raises the soft limit of open files to the hard one when it starts. */
export function readProcessLimits(): ProcessLimits {
  const { report } = process;
  // Its types are older: names of peers would be looked up.
  Object.assign(report, { excludeNetwork: true });
  const soft = (report.getReport() as Report).userLimits?.open_files?.soft;
  return {
    heapMebibytes: Math.floor(getHeapStatistics().heap_size_limit / mebibyte),
    openFiles: typeof soft === 'number' ? soft : Number.POSITIVE_INFINITY,
  };
}

/** @throws TerminalError ProcessLimits, naming the limit and what raises it */
export function checkProcessLimits(
  command: keyof typeof leastHeapMebibytes,
  { heapMebibytes, openFiles }: ProcessLimits = readProcessLimits(),
): void {
  const least = leastHeapMebibytes[command];
  if (heapMebibytes < least) {
    const remedy = 'raise or remove --max-old-space-size in NODE_OPTIONS, or the memory limit of the container';
    const text = `Node.js may use a heap of ${heapMebibytes} MiB, at least ${least} MiB are needed: ${remedy}`;
    throw new TerminalError('ProcessLimits', text);
  }
  if (openFiles < leastOpenFiles) {
    const text = `this process may open ${openFiles} files, at least ${leastOpenFiles} are needed: raise the limit (ulimit -n 1024)`;
    throw new TerminalError('ProcessLimits', text);
  }
}
