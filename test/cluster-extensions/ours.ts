import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseOptions } from '../../cli/command/options.ts';
import { readConfig, upOptions } from '../../cli/settings/up.ts';
import { type Platform, startPlatform } from '../../cli/up/platform.ts';
import { silentLogger } from '../../src/base/index.ts';
import { startRegistry } from '../support/index.ts';
import type { Implementation } from './scenario.ts';

const quietMs = 700;
/** A state that is not reached by then is taken as never reached. */
const stateLimitMs = 25_000;

/** Starts what `longshore up` runs, with a registry. */
export async function startOurs(): Promise<Implementation> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'longshore-extensions-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const registry = stack.use(await startRegistry());
  const args = ['--data-dir', folder, '--no-olm', '--log-level', 'silent'];
  const start = (): Promise<Platform> =>
    startPlatform(readConfig(parseOptions(upOptions, args, {}).values), { log: silentLogger() });
  let platform = await start();
  stack.defer(() => platform[Symbol.asyncDispose]());
  const owned = stack.move();
  return {
    kubeconfigPath: platform.kubeconfigPath,
    registry,
    quietMs,
    stateLimitMs,
    restart: async () => {
      await platform[Symbol.asyncDispose]();
      platform = await start();
    },
    assertAlive: () => Promise.resolve(),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
