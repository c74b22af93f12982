import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { matchesDocument, stepsOf } from './documents.ts';

/** Longer than the demo allows itself, so that its message is the one that is seen. */
const patienceMs = 200_000;

interface Outcome {
  readonly exitCode: number;
  readonly output: string;
}

const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0;
const git = spawnSync('which', ['git']).stdout.toString().trim();

function runDemo(path: string, story: readonly string[] = []): Promise<Outcome> {
  const options = { env: { ...process.env, PATH: path }, timeout: patienceMs, maxBuffer: 4 * 1024 * 1024 };
  return new Promise((resolve) => {
    execFile(process.execPath, ['cli/bin.js', 'demo', ...story], options, (error, stdout, stderr) => {
      resolve({ exitCode: error === null ? 0 : 1, output: stdout + stderr });
    });
  });
}

const reported = [
  'admission webhook "vbundles.core.rukpak.io" denied the request: bundle.spec is immutable',
  /combo-tag-ref\s+git\s+Unpacked/,
  /combo\s+combo-\w+\s+InstallationSucceeded/,
  /\nfast\n/,
  /combo\s+combo-\w+\s+UpgradeFailed/,
  'Deployment.apps "combo" is invalid: spec.selector',
  'field is immutable',
  'bundledeployment.core.rukpak.io "combo" deleted',
  /\nDone in \d+ s/,
];

function expectStory({ exitCode, output }: Outcome): void {
  for (const part of reported) expect(output).toMatch(part);
  expect(output).toMatch(/◉◀──┬─╮ {3}0\.2\.0 {2}head, on the path/);
  const picture = /--file (\S+)/.exec(output)?.[1] ?? '';
  expect(readFileSync(picture, 'utf8')).toMatch(/^<svg [^]*>0\.2\.0<\/text>[^]*<\/svg>\n$/);
  const last = output.slice(output.lastIndexOf('get crd'));
  expect(last).toContain('bundles.core.rukpak.io');
  expect(last).not.toContain('combinations');
  expect(exitCode).toBe(0);
}

const reportedOfOlm = [
  'waits for approval of tide-gauge.v0.1.0',
  /tide-gauge\.v0\.1\.0\s+Tide Gauge\s+0\.1\.0\s+Succeeded/,
  'tide-gauge.v0.1.1 is installed',
  'tide-gauge.v0.2.0 is installed',
  /harbour\.v1\.0\.0\s+Harbour\s+1\.0\.0\s+Succeeded/,
  'Failed InterOperatorGroupOwnerConflict: intersecting operatorgroups provide the same apis',
  'ClusterServiceVersion operators/tide-gauge.v0.2.0 deleted',
  /harbour-office\s+tide-gauge\s+tide-gauge\s+stable-v0\s+tide-gauge\.v0\.1\.1\s+installed/,
  /gauges\.tide\.example\.com\s+\d/,
  /\nDone in \d+ s/,
];

function expectOlmStory({ exitCode, output }: Outcome): void {
  for (const part of reportedOfOlm) expect(output).toMatch(part);
  expect(exitCode).toBe(0);
}

const reportedOfUpgrade = [
  /clusterversion\.config\.openshift\.io\/version\s+1\.0\.0\s+True\s+False\s+\d+s\s+Cluster version is 1\.0\.0/,
  /Version: 1\.1\.0\n {2}Image: .*\n {2}Reason: SingleReplicaStorage/,
  'but is available as a conditional update',
  /ReleaseAccepted=False\n[^]*unable to verify sha256:[0-9a-f]{64} against keyrings: verifier-public-key-examples/,
  /storage\s+1\.0\.0\s+True\s+True\s+True/,
  /metrics\s+1\.0\.0\s+True\s+False\s+False/,
  /Progress: {8}\[#+-+\] \d+ of 19 manifests, at run level 30/,
  /clusteroperator\/storage\s+\w+\s+ClusterOperatorDegraded\s.*this version needs at least 2, found 1/,
  /clusterversion\.config\.openshift\.io\/version\s+1\.1\.0\s+True\s+False\s+\d+s\s+Cluster version is 1\.1\.0/,
  /clusteroperator\.config\.openshift\.io\/storage\s+1\.1\.0\s+True\s+False\s+False/,
  /\nDone in \d+ s/,
];

const reportedOfMachines = [
  /database\s+preDrain\s+MigrateImportantApp\s+my-app-migration-controller/,
  '0 pods leave node database',
  /✗ preDrain hooks removed: waits for MigrateImportantApp of my-app-migration-controller to remove the hook/,
  /job\.batch\/backup-database condition met/,
  /✗ preTerminate hooks removed: waits for WaitForStorageDetach of my-custom-storage-detach-controller/,
  'hook WaitForStorageDetach of my-custom-storage-detach-controller is removed from machine database',
  /member\s+\w+\s+member\s+\d+s\s+waits for hooks\.platform\/Replacement of longshore\/replacement/,
  /machine\.machine\.openshift\.io\/member condition met/,
  /worker\s+False\s+False\s+False\s+True\s+\d+s\s+0 of 6 nodes updated, 6 waiting/,
  /pool status worker --wait [^]*\n6 of 6 nodes updated\n/,
  /At a time: 2\n/,
  /Canary: {4}\S+: ready since \S+Z, for 15s\n/,
  /Gate: {6}canary holds since \S+Z: canary: \S+ updated and ready; other nodes are started at \S+Z\. To go on without it: longshore pool skip worker canary\n/,
  /Canary: {4}\S+: passed\n/,
  /\nDone in \d+ s/,
];

/** How many nodes are neither updated nor waiting, for each line of progress. */
function nodesAtOnce(output: string): readonly number[] {
  const lines = output.matchAll(/^(\d+) of (\d+) nodes updated(?:, .*?(?:(\d+) waiting.*)?)?$/gm);
  return [...lines].map(([, updated, all, waiting = '0']) => Number(all) - Number(updated) - Number(waiting));
}

/** What the demo printed after a command, without the table that follows. */
function printedAfter(output: string, command: string): string {
  const [, text = ''] = output.split(`\n$ ${command}\n`);
  return text.split(/\n(?=[$#] |\n)/)[0] ?? '';
}

function expectMachinesStory({ exitCode, output }: Outcome): void {
  for (const part of reportedOfMachines) expect(output).toMatch(part);
  const [, chapter = ''] = readFileSync('docs/demo.md', 'utf8').split('## Machines and their nodes');
  const shown = stepsOf(chapter.replace('```\n', '```console\n'));
  expect(shown).not.toHaveLength(0);
  for (const step of shown) {
    if (step.kind !== 'command') continue;
    expect(output).toSatisfy((printed: string) => matchesDocument(step.output, printedAfter(printed, step.command)));
  }
  const atOnce = nodesAtOnce(output);
  expect(atOnce).not.toHaveLength(0);
  expect(Math.max(...atOnce)).toBeLessThanOrEqual(2);
  expect(exitCode).toBe(0);
}

test.skipIf(!hasKubectl || git === '')(
  'the demo runs with kubectl (skipped without kubectl and git)',
  { tags: 'long' },
  async () => {
    expectStory(await runDemo(process.env['PATH'] ?? ''));
  },
);

test.skipIf(!hasKubectl)('so does the demo of machines (skipped without kubectl)', { tags: 'long' }, async () => {
  expectMachinesStory(await runDemo(process.env['PATH'] ?? '', ['machines']));
});

describe.skipIf(git === '')('without kubectl (skipped without git)', () => {
  let dir = '';
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'longshore-path-'));
    await symlink(git, join(dir, 'git'));
  });
  afterAll(() => rm(dir, { recursive: true, force: true }));

  test('the demo does the same through the API and reports it', async () => {
    const outcome = await runDemo(dir);
    expect(outcome.output).toContain('kubectl is not installed');
    expectStory(outcome);
  });

  test('so does the demo of updates, which fails on the way and is fixed', { tags: 'long' }, async () => {
    const { exitCode, output } = await runDemo(dir, ['upgrade']);
    for (const part of reportedOfUpgrade) expect(output).toMatch(part);
    // What the second release deletes.
    expect(output.slice(output.indexOf('get configmaps -n metrics'))).not.toContain('push-gateway');
    expect(exitCode).toBe(0);
  });

  test('so does the demo of machines', { tags: 'long' }, async () => {
    expectMachinesStory(await runDemo(dir, ['machines']));
  });

  // With kubectl, docs/operators.md and docs/olm.md have the same commands.
  test('so does the demo of operators', { tags: 'long' }, async () => {
    expectOlmStory(await runDemo(dir, ['olm']));
  });
});
