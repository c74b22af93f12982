/** @module-tag long */
import { expect, test } from 'vitest';
import { eventually } from '../../support/index.ts';
import { HostileTenant, openHostileStage } from './hostile-run.ts';
import { hostileVersions } from './hostile-versions.ts';
import { journeys } from './journeys.ts';
import { Trip } from './stage.ts';

const limitMebibytes = 768;
const maxMessageCharacters = 2_000;
const patience = { timeoutMs: 120_000, intervalMs: 500 };

test('operators that ask for too much are refused clearly, others are installed meanwhile, and then nothing is written any more', async () => {
  await using hostile = await openHostileStage(limitMebibytes);
  const { stage } = hostile;
  const tenants = hostileVersions.map((version, index) => new HostileTenant(stage, version, index));
  for (const tenant of tenants) {
    await tenant.create();
    await hostile.assertAlive();
  }
  await using trip = await Trip.prepare(stage, journeys.fleet, 'good');
  await trip.request();
  await trip.whenInstalled();
  for (const tenant of tenants) {
    await eventually(async () => {
      const text = await tenant.shown();
      expect(text, tenant.hostile.name).toMatch(tenant.hostile.shows);
      expect(text.length, tenant.hostile.name).toBeLessThan(maxMessageCharacters);
    }, patience);
  }
  await hostile.whenQuiet();
  expect(await hostile.peak()).toBeLessThan(limitMebibytes);
}, 600_000);
