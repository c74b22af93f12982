import { execFileSync } from 'node:child_process';
import { access, appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { defaultBranch } from './default-branch.ts';

const before = process.cwd();
let dir: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'longshore-branch-'));
});

afterEach(async () => {
  process.chdir(before);
  await rm(dir, { recursive: true, force: true });
});

test('the configuration of a repository in the current folder runs no program', async () => {
  execFileSync('git', ['init', '--quiet', dir]);
  const ran = join(dir, 'ran');
  const lines = [
    '[protocol "ext"]',
    'allow = always',
    `[url "ext::sh -c touch% ${ran}% "]`,
    'insteadOf = http://127.0.0.1:1/',
  ];
  await appendFile(join(dir, '.git', 'config'), `${lines.join('\n')}\n`);
  process.chdir(dir);
  const asked = defaultBranch('http://127.0.0.1:1/team/app.git', AbortSignal.timeout(20_000));
  await expect(asked).rejects.toMatchObject({ reason: 'NoDefaultBranch' });
  await expect(access(ran)).rejects.toThrow('ENOENT');
});
