import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { OperatorBinary } from './binaries.ts';
import type { Engine, EngineStart, Implementation } from './scenario.ts';

/** Two minutes by default. Rounds and their retries are counted in it. */
const minResyncPeriod = '4s';
/** Longer than a round and the retries of a task. */
const quietMs = 5_000;
/** A state that is not reached by then is taken as never reached. */
const stateLimitMs = 90_000;

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** Starts the real cluster-version-operator. It listens nowhere. */
async function startOperator(
  binary: OperatorBinary,
  { kubeconfigPath, workFolder, release, payloads }: EngineStart,
  period: string,
): Promise<Engine> {
  const logPath = join(workFolder, 'cluster-version-operator.log');
  await using log = await open(logPath, 'a');
  const args = ['start', '--kubeconfig', kubeconfigPath, '--node-name', 'node', '--release-image', release.image];
  const child = spawn(binary.program, [...args, '--listen=', '-v=2'], {
    cwd: workFolder,
    env: {
      PATH: process.env['PATH'],
      HOME: workFolder,
      PAYLOAD_OVERRIDE: release.folder,
      UPDATE_PAYLOADS_DIR: join(payloads[0]?.folder ?? workFolder, '..'),
      MIN_RESYNC_PERIOD: period,
    },
    stdio: ['ignore', log.fd, log.fd],
  });
  await once(child, 'spawn');
  return {
    ...(child.pid === undefined ? {} : { pid: child.pid }),
    assertAlive: async () => {
      if (child.exitCode === null && child.signalCode === null) return;
      const tail = (await readFile(logPath, 'utf8')).slice(-1500);
      throw new Error(`the cluster-version-operator ended with ${child.exitCode}: ${tail}`);
    },
    [Symbol.asyncDispose]: () => stop(child),
  };
}

/** The real cluster-version-operator. */
export function oracle(binary: OperatorBinary, period: string = minResyncPeriod): Implementation {
  return {
    crds: binary.crds,
    quietMs,
    stateLimitMs,
    isManager: (manager) => manager === 'cluster-version-operator',
    start: (start) => startOperator(binary, start, period),
  };
}
