import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

test('without kubectl nothing is generated, and the message names what to install', () => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/generate-deploy.ts'], {
    encoding: 'utf8',
    env: { PATH: '/nowhere' },
  });
  expect(status).not.toBe(0);
  expect(stderr).toContain('kubectl: expected the program in PATH, found none that runs; install it');
});
