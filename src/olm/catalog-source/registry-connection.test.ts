import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { freePort } from '../../../test/support/index.ts';
import type { Clock } from '../../base/index.ts';
import { RegistryConnection } from './registry-connection.ts';

test('a registry that is away is tried at least once a minute, and attempts leave nothing behind', async () => {
  const pausesMs: number[] = [];
  const enough = Promise.withResolvers<readonly unknown[]>();
  const endless = new Promise<void>(() => undefined);
  const clock: Clock = {
    now: () => 0,
    sleep: async (ms, { signal } = {}) => {
      pausesMs.push(ms);
      if (pausesMs.length < 20 || signal === undefined) return;
      enough.resolve(getEventListeners(signal, 'abort'));
      await endless;
    },
  };
  const address = `127.0.0.1:${await freePort()}`;
  using connection = new RegistryConnection({ address, clock, onChange: () => undefined });
  expect(await enough.promise).toEqual([]);
  expect(Math.max(...pausesMs)).toBeLessThanOrEqual(60_000);
  expect(connection.state).toBe('TRANSIENT_FAILURE');
  expect(connection.problem).toContain('ECONNREFUSED');
});
