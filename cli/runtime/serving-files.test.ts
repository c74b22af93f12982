import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createServingCertificate, type Logger, silentLogger, systemClock } from '../../src/base/index.ts';
import { openServingFiles } from './serving-files.ts';

test('an expired certificate is used, as there is no other, and logged', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'serving-files-'));
  const stop = new AbortController();
  try {
    const past = { ...systemClock, now: () => Date.now() - 40 * 86_400_000 };
    const serving = await createServingCertificate({ clock: past, commonName: 'old', lifetimeDays: 30 });
    const { certificatePem, privateKeyPem, caBundlePem } = serving.current();
    await writeFile(join(dir, 'tls.crt'), certificatePem);
    await writeFile(join(dir, 'tls.key'), privateKeyPem);
    await writeFile(join(dir, 'ca.crt'), caBundlePem);
    const logged: unknown[] = [];
    const log = { ...silentLogger(), error: (...line: unknown[]) => void logged.push(line) } as unknown as Logger;
    const options = { dir, caPath: join(dir, 'ca.crt'), clock: systemClock, log, signal: stop.signal };
    expect((await openServingFiles(options)).current().certificatePem).toBe(certificatePem);
    expect(logged).toEqual([[expect.objectContaining({ dir }), 'the certificate has expired']]);
  } finally {
    stop.abort();
    await rm(dir, { recursive: true, force: true });
  }
});
