import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tideFiles } from '../support/checked-bundle.ts';
import { type Registry, startRegistry } from '../support/index.ts';
import { runLongshore, writeFolder } from './program.ts';

const csvFile = 'manifests/tide-gauge.clusterserviceversion.yaml';
const manifestType = 'application/vnd.oci.image.manifest.v1+json';

function putManifest(registry: Registry, name: string, architecture: string): string {
  const bytes = Buffer.from(JSON.stringify({ os: 'linux', architecture }));
  const config = { mediaType: 'application/vnd.oci.image.config.v1+json', size: bytes.length };
  const digest = registry.putBlob(bytes);
  return registry.putManifest(name, {
    schemaVersion: 2,
    mediaType: manifestType,
    config: { ...config, digest },
    layers: [],
  });
}

test('the suite multiarch asks registries for the platforms of images: indexes, single images, and missing ones', async () => {
  await using registry = await startRegistry();
  const dir = await mkdtemp(join(tmpdir(), 'longshore-platforms-test-'));
  try {
    const single = putManifest(registry, 'tide/single:v1', 'arm64');
    registry.putManifest('tide/gauge:v1', {
      schemaVersion: 2,
      mediaType: 'application/vnd.oci.image.index.v1+json',
      manifests: [
        { mediaType: manifestType, digest: single, size: 1, platform: { os: 'linux', architecture: 'amd64' } },
        { mediaType: manifestType, digest: single, size: 1, platform: { os: 'linux', architecture: 's390x' } },
        { mediaType: manifestType, digest: single, size: 1, platform: { os: 'unknown', architecture: 'unknown' } },
      ],
    });
    const csv = tideFiles[csvFile]
      .replaceAll(/registry\.example\/tide\/gauge@sha256:\w+/g, `${registry.host}/tide/gauge:v1`)
      .replace(
        '  relatedImages:\n',
        `  relatedImages:\n  - {name: one, image: "${registry.host}/tide/single:v1"}\n  - {name: gone, image: "${registry.host}/tide/gone:v1"}\n`,
      );
    await writeFolder(join(dir, 'tide'), { ...tideFiles, [csvFile]: csv });
    const args = ['bundle', 'validate', './tide', '--select', 'name=multiarch', '-o', 'json'];
    const { code, stdout } = await runLongshore(args, { cwd: dir });
    const { bundles } = JSON.parse(stdout) as { bundles: { findings: { id: string; message: string }[] }[] };
    const found = new Map(bundles[0]?.findings.map(({ id, message }) => [id, message]));
    expect(code).toBe(1);
    expect(found.get('M1')).toContain(`unable to inspect the image (${registry.host}/tide/gone:v1) : `);
    expect(found.get('M2')).toContain(`(linux.amd64) was not found for the image(s) [${registry.host}/tide/single:v1]`);
    expect(found.get('M3')).toContain('["amd64" "s390x"]');
    expect(found.get('M6')).toContain('["linux/amd64" "linux/s390x"]');
    expect(registry.requests.filter((request) => request.includes('/tide/gauge/blobs/'))).toEqual([]);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
});
