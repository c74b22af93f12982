import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Implementation } from './scenario.ts';

/** Longer than its intervals, and than the retries of a drain. */
const quietMs = 6_000;

/** The controllers of machine-api-operator. */
export function oracle(program: string): Implementation {
  return {
    quietMs,
    start: async ({ kubeconfigPath, actuatorUrl, workFolder }) => {
      await using log = await open(join(workFolder, 'reference.log'), 'a');
      const child = spawn(program, [], {
        cwd: workFolder,
        env: { PATH: process.env['PATH'], HOME: workFolder, KUBECONFIG: kubeconfigPath, ACTUATOR_URL: actuatorUrl },
        stdio: ['ignore', log.fd, log.fd],
      });
      await once(child, 'spawn');
      return {
        [Symbol.asyncDispose]: async () => {
          if (child.exitCode !== null || child.signalCode !== null) return;
          const ended = once(child, 'exit');
          child.kill('SIGKILL');
          await ended;
        },
      };
    },
  };
}
