import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { rememberedPort, rememberPort } from './index.ts';

test('a port is remembered, and a damaged file names none', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'longshore-ports-'));
  expect(await rememberedPort(folder.path, 'port')).toBe(0);
  await rememberPort(folder.path, 'port', 6443);
  expect(await rememberedPort(folder.path, 'port')).toBe(6443);
  for (const damaged of ['', 'x', '-5', '99999999']) {
    await writeFile(join(folder.path, 'port'), damaged);
    expect(await rememberedPort(folder.path, 'port'), damaged).toBe(0);
  }
});
