import { maxMetadataFileBytes } from '../../src/base/index.ts';
import type { BundleContent } from '../../src/bundle-checks/index.ts';
import type { Staging } from '../../src/content/index.ts';
import { maxManifestFileBytes } from '../../src/formats/index.ts';

const maxBundleBytes = 128 * 1024 * 1024;
const looked = /^(manifests|metadata)\/[^/]+$/;

/** The staged files as checks want them; `name` is what was asked for. Of large bundles the first 128 MiB are read. */
export async function bundleContent(name: string, staging: Staging): Promise<BundleContent> {
  const files: { readonly path: string; readonly content: Buffer }[] = [];
  const otherEntries: BundleContent['otherEntries'][number][] = staging.tree
    .links()
    .map(({ path }) => ({ path, kind: 'link' as const }));
  let readBytes = 0;
  for (const { path, node } of staging.tree.entries()) {
    if (node.kind === 'directory') otherEntries.push({ path, kind: 'directory' });
    else if (looked.test(path)) {
      const { sizeBytes } = node;
      readBytes += sizeBytes;
      const maxBytes = path.startsWith('metadata/') ? maxMetadataFileBytes : maxManifestFileBytes;
      if (sizeBytes > maxBytes || readBytes > maxBundleBytes) {
        otherEntries.push({ path, kind: 'too large', sizeBytes });
      } else files.push({ path, content: await staging.readFile(path, node, maxBytes) });
    }
  }
  return { name, files, otherEntries };
}
