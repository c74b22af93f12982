import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { changedSince, mergeBase } from './changed-files.ts';

const folder = await mkdtemp(join(tmpdir(), 'longshore-changed-'));
afterAll(() => rm(folder, { recursive: true, force: true }));
const why = spawnSync('git', ['--version']).status === 0 ? '' : ' (skipped: git is not installed)';

const identity = ['-c', 'user.name=test', '-c', 'user.email=test@example.com', '-c', 'init.defaultBranch=main'];
const git = (...args: string[]): string =>
  execFileSync('git', [...identity, ...args], { cwd: folder, encoding: 'utf8' }).trim();

async function commit(name: string): Promise<string> {
  await writeFile(join(folder, name), name);
  git('add', '-A');
  git('commit', '-qm', name);
  return git('rev-parse', 'HEAD');
}

test.skipIf(why !== '')(`what changed is what differs from where the branch left main${why}`, async () => {
  git('init', '-q');
  const first = await commit('a.ts');
  expect(mergeBase(folder)).toBeUndefined();
  const second = await commit('b.ts');
  expect(mergeBase(folder)).toBe(first);
  git('checkout', '-qb', 'branch');
  await commit('c.ts');
  expect(mergeBase(folder)).toBe(second);
  await rm(join(folder, 'a.ts'));
  await writeFile(join(folder, 'b.ts'), 'changed');
  await writeFile(join(folder, 'd.ts'), 'untracked');
  expect(changedSince(folder, second).toSorted()).toEqual(['b.ts', 'c.ts', 'd.ts']);
  expect(() => changedSince(folder, 'nowhere')).toThrow('git diff nowhere failed: expected a commit');
});
