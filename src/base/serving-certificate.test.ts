import { expect, test } from 'vitest';
import { eventually, SteppedClock } from '../../test/support/index.ts';
import { certificateStartMs, createServingCertificate, isServingCertificate, type ServingPair } from './index.ts';

const dayMs = 86_400_000;

test.each([
  { when: 'the clock is set back by a day', jumpMs: -dayMs, issued: 1 },
  { when: 'the clock is set forward by 80 days', jumpMs: 80 * dayMs, issued: 1 },
  { when: 'the clock is set back by a minute', jumpMs: -60_000, issued: 0 },
])('a certificate is valid at any time: $when', async ({ jumpMs, issued }) => {
  const clock = new SteppedClock(Date.now());
  const ended = new AbortController();
  const serving = await createServingCertificate({ clock, commonName: 'test' });
  const installed: ServingPair[] = [];
  const kept = serving.keepFresh((next) => installed.push(next), ended.signal);
  clock.jump(jumpMs);
  for (let minute = 0; minute < 3; minute += 1) {
    await clock.pass(60_000);
    if (minute === 0) await eventually(() => expect(installed).toHaveLength(issued));
  }
  expect(installed).toHaveLength(issued);
  const { caBundlePem, ...pair } = serving.current();
  expect(isServingCertificate(pair, { caBundlePem, dnsNames: ['localhost'] })).toBe(true);
  for (const pem of [caBundlePem, pair.certificatePem]) expect(certificateStartMs(pem)).toBeLessThan(clock.now());
  ended.abort(new Error('the test is over'));
  await kept.catch(() => undefined);
});
