import { mkdtempDisposable, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isServingCertificate, silentLogger } from '../../src/base/index.ts';
import { SteppedClock } from '../../test/support/index.ts';
import { openStoredCertificate } from './stored-certificates.ts';

const dayMs = 86_400_000;

/** The authority that a server shows after each of the steps, each at a start of its own; every certificate fits its authority. */
async function authorities(folder: string, steps: readonly (() => unknown)[], clock: SteppedClock): Promise<string[]> {
  const shown: string[] = [];
  for (const step of steps) {
    await step();
    const serving = await openStoredCertificate({ folder, name: 'webhook', clock, log: silentLogger() });
    const { caBundlePem, ...pair } = serving.current();
    expect(isServingCertificate(pair, { caBundlePem, dnsNames: ['localhost'] })).toBe(true);
    shown.push(caBundlePem);
  }
  return shown;
}

test('an authority stays the same over restarts, in a file that only its user may read', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'longshore-authority-'));
  const clock = new SteppedClock(Date.now());
  const [first, second, later] = await authorities(
    folder.path,
    [() => undefined, () => undefined, () => clock.jump(3_000 * dayMs)],
    clock,
  );
  expect([second, later]).toEqual([first, first]);
  expect((await stat(join(folder.path, 'webhook-authority.pem'))).mode & 0o777).toBe(0o600);
});

test.each<[string, (path: string, clock: SteppedClock) => unknown]>([
  ['is in its last year', (_path, clock) => clock.jump(3_300 * dayMs)],
  ['begins later than now', (_path, clock) => clock.jump(-dayMs)],
  ['is cut off', async (path) => await writeFile(path, (await readFile(path, 'utf8')).slice(0, 700))],
  ['is empty', async (path) => await writeFile(path, '')],
])('an authority that %s is replaced, once', async (_name, change) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'longshore-authority-'));
  const clock = new SteppedClock(Date.now());
  const path = join(folder.path, 'webhook-authority.pem');
  const steps = [() => undefined, () => change(path, clock), () => undefined];
  const [first, second, third] = await authorities(folder.path, steps, clock);
  expect(second).not.toBe(first);
  expect(third).toBe(second);
});

test('a server whose authority cannot be stored serves with it all the same', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'longshore-authority-'));
  const clock = new SteppedClock(Date.now());
  const [first] = await authorities(join(folder.path, 'absent'), [() => undefined], clock);
  expect(first).toContain('BEGIN CERTIFICATE');
});
