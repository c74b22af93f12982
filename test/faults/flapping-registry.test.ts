/** @module-tag long */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { createUnpacker, type Unpacker } from '../../provisioners/index.ts';
import { errorMessage } from '../../src/base/index.ts';
import { type Intercept, startRegistry } from '../support/index.ts';

const { signal } = new AbortController();
const provisionerClassName = 'core-rukpak-io-plain';
const fileCount = 4;

/** An object a file; all of a version name it. */
function filesOf(version: number): Readonly<Record<string, string>> {
  const names = Array.from({ length: fileCount }, (_, index) => `file-${index}`);
  return Object.fromEntries(
    names.map((name) => [
      `manifests/${name}.yaml`,
      `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata: {version: "${version}"}\n`,
    ]),
  );
}

/** Every answer of a registry is corrupted in turn: reset, cut short, changed, refused, and now and then left as it is. */
function flaps(): Intercept {
  let count = 0;
  return (_, response) => {
    count += 1;
    const fault = count % 7;
    const end = response.end.bind(response);
    if (fault === 1) response.destroy();
    else if (fault === 2) response.writeHead(503, { 'retry-after': '0' }).end();
    else if (fault === 3)
      response.end = ((bytes: Uint8Array) =>
        response.write(bytes.subarray(0, bytes.length / 2), () =>
          response.destroy(),
        )) as unknown as typeof response.end;
    else if (fault === 4)
      response.end = ((bytes?: Uint8Array) => end(bytes?.map((byte) => byte ^ 1))) as typeof response.end;
    return fault === 1 || fault === 2;
  };
}

async function versionsOf(unpacker: Unpacker, bundle: { name: string; uid: string }): Promise<unknown[]> {
  const terms = { config: {}, cluster: { certificateProviders: [], kubeVersion: '' } };
  const { objects } = await unpacker.load({ bundle, provisionerClassName, terms }, { signal });
  return objects.map((object) => (object['data'] as Record<string, unknown>)['version']);
}

test('a registry whose responses break, and whose tag is another image each time, gives one complete version or none', async () => {
  const digests = new Map<string, number>();
  let version = 0;
  let put = (): void => undefined;
  const flap = flaps();
  await using registry = await startRegistry({
    intercept: (request, response) => {
      if (request.url?.includes('/manifests/v1') === true) put();
      return flap(request, response);
    },
  });
  put = () => {
    version += 1;
    const files = Object.entries(filesOf(version));
    const layers = [files.slice(0, 2), files.slice(2)].map((part) => ({ files: Object.fromEntries(part) }));
    digests.set(registry.putImage('app:v1', layers), version);
  };
  const storeDir = await mkdtemp(`${tmpdir()}/flapping-`);
  const unpacker = await createUnpacker({ storeDir, storeBytes: 1024 ** 3, threads: 1, answerDeadlineMs: 5000 });
  const failures: string[] = [];
  let unpackedCount = 0;
  for (let round = 0; round < 12; round += 1) {
    const bundle = { name: `app-${round}`, uid: `uid-${round}` };
    const request = {
      bundle,
      provisionerClassName,
      source: { type: 'image', image: { ref: `${registry.host}/app:v1` } },
    };
    const content = await unpacker.unpack(request, { signal }).catch((thrown: unknown) => {
      failures.push(errorMessage(thrown));
    });
    if (content === undefined) {
      await expect(unpacker.find(bundle)).resolves.toBeUndefined();
      continue;
    }
    unpackedCount += 1;
    const ref = content.resolvedSource.image?.ref ?? '';
    const pinned = digests.get(ref.slice(ref.indexOf('@') + 1));
    expect(await versionsOf(unpacker, bundle)).toEqual(Array.from({ length: fileCount }, () => String(pinned)));
  }
  expect(unpackedCount).toBeGreaterThan(0);
  expect(version).toBeGreaterThan(unpackedCount);
  for (const failure of failures) expect(failure).toContain(registry.host);
  await unpacker[Symbol.asyncDispose]();
  await rm(storeDir, { recursive: true, force: true });
});
