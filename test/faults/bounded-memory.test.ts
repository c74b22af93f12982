/** @module-tag long */
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startWebServer } from '../support/index.ts';
import { startHostileCatalogs } from './hostile-catalogs.ts';
import { hostileGraphs, writeHostilePayloads } from './hostile-payloads.ts';
import { problemsOf, readHostileCatalogs } from './hostile-run.ts';
import { endlessSources, startEndlessServer } from './hostile-sources.ts';
import { openMemoryCgroup } from './memory-cgroup.ts';
import { type MeasuredReport, runMeasured } from './memory-child.ts';

const mebibyte = 1024 * 1024;
/** Much is waited for until its deadline. */
const longTimeoutMs = 480_000;
/** Of a process; whole answers, as the limits let them come, would be more. */
const limitMebibytes = 512;
function assertBounded(report: MeasuredReport): void {
  expect(problemsOf(report, limitMebibytes)).toEqual([]);
}

test('a program that exceeds the memory of its control group is killed', async ({ skip }) => {
  await using group = await (async () => {
    const opened = await openMemoryCgroup(64 * mebibyte);
    return 'missing' in opened ? skip(opened.missing) : opened;
  })();
  const [program = '', ...args] = group.inside;
  const script = `Array.from({ length: 100 }, () => Buffer.alloc(${mebibyte}, 1))`;
  expect(spawnSync(program, [...args, process.execPath, '-e', script]).signal).toBe('SIGKILL');
  await expect(group.read()).resolves.toMatchObject({ kills: 1 });
});

test('servers with endless responses cost no more than the memory of a process, however many are asked', async () => {
  await using server = await startEndlessServer();
  const sources = endlessSources(server);
  const times = 2;
  const layerBytes = 24 * mebibyte;
  const report = await runMeasured('fetch-child.ts', { sources, times, layerBytes }, limitMebibytes);
  expect(report.outcomes).toHaveLength(sources.length * times);
  assertBounded(report);
  expect(report.outcomes.filter((outcome) => outcome.endsWith(': unpacked'))).toEqual([]);
  expect(report.peakDiskMebibytes).toBeLessThan(sources.length * times * 2 * 24);
});

test(
  'catalogs that have no end, or ask for more memory than they have bytes, cost no more than that',
  async () => {
    await using catalogs = await startHostileCatalogs();
    const { ofImages, ofAddresses } = await readHostileCatalogs(catalogs, { deadlineMs: 2_000, limitMebibytes });
    expect(ofImages.outcomes).toHaveLength(catalogs.images.length);
    // What one image may unpack to, and an index of that, for each that is unpacked at a time.
    expect(ofImages.peakDiskMebibytes).toBeLessThan(2 * 2 * 256);
    for (const report of [ofImages, ...ofAddresses]) assertBounded(report);
  },
  longTimeoutMs,
);

test('releases and graphs of updates that take more memory than they have bytes cost no more than that', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'longshore-payloads-'));
  try {
    await using server = await startWebServer(({ url = '' }, response) => {
      const [, name = ''] = /^\/(\w+)/.exec(url) ?? [];
      response.end(hostileGraphs[name]?.());
    });
    const folders = await writeHostilePayloads(dir);
    const graphUrls = Object.keys(hostileGraphs).map((name) => `${server.url}/${name}`);
    const report = await runMeasured('release-child.ts', { folders, graphUrls }, limitMebibytes);
    expect(report.outcomes).toHaveLength(folders.length + graphUrls.length);
    assertBounded(report);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
});
