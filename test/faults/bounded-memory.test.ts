import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { endlessSources, startEndlessServer } from './hostile-sources.ts';

const mebibyte = 1024 * 1024;

test('servers whose answers have no end cost no more than the memory of a process, however many are asked', async () => {
  await using server = await startEndlessServer();
  const sources = endlessSources(server);
  const times = 3;
  const task = JSON.stringify({ sources, times, layerBytes: 24 * mebibyte });
  const child = new URL('./fetch-child.ts', import.meta.url).pathname;
  const { stdout } = await promisify(execFile)(process.execPath, [child, task], { maxBuffer: 1e8 });
  const { failures, peakMebibytes } = JSON.parse(stdout) as { failures: string[]; peakMebibytes: number };
  expect(failures).toHaveLength(sources.length * times);
  for (const failure of failures) {
    expect(failure).toMatch(/limit|expected \d+ bytes, got more|SizeMismatch|digest|larger/);
    expect(failure.length).toBeLessThan(1500);
  }
  // Whole answers, as the limits let them come, would be more.
  expect(peakMebibytes).toBeLessThan(512);
});
