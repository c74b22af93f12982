import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { readAdvertisement } from './advertisement.ts';
import { ByteReader } from './byte-reader.ts';
import { flushPacket, textPacket } from './pkt-line.ts';

const mebibyte = 1024 * 1024;
const commit = 'a'.repeat(40);

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

test('long names of branches do not stay in memory with their commits, which are counted', async () => {
  const count = 2000;
  let counted = 0;
  const before = process.memoryUsage().heapUsed;
  let after = 0;
  async function* lines(): AsyncGenerator<Buffer> {
    for (let index = 0; index < count; index += 1) {
      const name = `refs/heads/${index}${'x'.repeat(65_000)}`;
      yield Buffer.from(textPacket(`${index.toString(16).padStart(40, '0')} ${name}\n`));
    }
    collectGarbage();
    after = process.memoryUsage().heapUsed;
    yield Buffer.from(flushPacket);
  }
  const reader = new ByteReader(lines(), { what: 'the server', maxBytes: 1024 * mebibyte });
  const onNames = (sizeBytes: number): void => {
    counted += sizeBytes;
  };
  const { tips } = await readAdvertisement(reader, { kind: 'commit', commit }, onNames);
  expect(tips.size).toBe(count);
  expect(after - before).toBeLessThan(32 * mebibyte);
  expect(counted).toBeGreaterThan(count * commit.length);
});
