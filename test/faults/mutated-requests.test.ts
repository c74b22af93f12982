import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../support/index.ts';
import { prepareForMutations, sendMutated } from './mutated-requests.ts';
import { startServer } from './server-process.ts';

const seed = 20_260_101;
/** `npm run faults` sends 10,000. */
const count = 200;
const mebibyte = 1024 * 1024;

/** What a real kube-apiserver answers with 500 too; `npm run faults` compares. */
const alsoReal: readonly RegExp[] = [
  /resourceVersion: Invalid value/,
  /failed to create typed patch object/,
  /required revision is a future revision/,
  /Too large resource version/,
  /couldn't get version\/kind; json parse error/,
  /does not contain declared merge key/,
  /unknown patch type/,
  /no kind .* is registered for version/,
];

test(`answers ${count} requests with corrupted bytes (seed ${seed}) without a fault of its own`, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'longshore-mutated-'));
  try {
    await using server = await startServer(folder);
    await prepareForMutations(server.connection);
    const faults = await sendMutated(server.connection, { seed, count });
    const own = faults.filter(({ text }) => !alsoReal.some((pattern) => pattern.test(text)));
    const shown = own.map(({ request, text }) => [request.method, request.path, String(request.body), text]);
    expect(shown).toEqual([]);
    expect(server.hasEnded).toBe(false);
    const before = (await server.residentBytes()) / mebibyte;
    await sendMutated(server.connection, { seed: seed + 1, count });
    await eventually(async () => expect((await server.residentBytes()) / mebibyte).toBeLessThan(before + 100));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
