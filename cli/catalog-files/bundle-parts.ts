import { TerminalError } from '../../src/base/index.ts';
import type { BundleUnderCheck } from '../../src/bundle-checks/index.ts';
import type { BundleParts } from '../../src/catalog/index.ts';

/** What a catalog needs of a bundle, and what of it could not be read. */
export interface ReadParts {
  readonly parts: BundleParts;
  readonly warnings: readonly string[];
}

function isHidden(path: string): boolean {
  return path.startsWith('manifests/.');
}

/** Manifests that are no objects are left out with a warning; hidden files are ignored.
 *  @throws TerminalError InvalidBundle for a chart, and for files that are too large to be read */
export function bundleParts(bundle: BundleUnderCheck): ReadParts {
  const { manifestFiles, metadataFiles, otherEntries, objects } = bundle;
  if (bundle.mediaType === 'helm') throw new TerminalError('InvalidBundle', 'no bundle objects found: it is a chart');
  const unread = otherEntries.find(
    ({ path, kind }) => kind === 'too large' && /^(manifests|metadata)\/[^/]+$/.test(path),
  );
  if (unread !== undefined) throw new TerminalError('InvalidBundle', `${unread.path}: too large to be read`);
  const faults = [...manifestFiles, ...metadataFiles].flatMap(({ path, fault }) => {
    if (fault === undefined || isHidden(path)) return [];
    const line = fault.line === undefined ? '' : `:${fault.line}`;
    const lost = path.startsWith('metadata/dependencies.') ? ', and what the bundle needs is not known' : '';
    return [`${path}${line}: ${fault.reason}: the file is left out${lost}`];
  });
  const seen = objects.filter(({ file }) => !isHidden(file.path));
  const withObjects = new Set(seen.map(({ file }) => file.path));
  const others = manifestFiles
    .filter(({ path, fault }) => fault === undefined && !isHidden(path) && !withObjects.has(path))
    .map(({ path }) => `${path}: no Kubernetes object: the file is left out`);
  return {
    parts: {
      objects: seen.map(({ object }) => object),
      annotations: bundle.annotations?.value,
      dependencies: bundle.dependencies?.value,
      properties: bundle.properties?.value,
    },
    warnings: [...faults, ...others],
  };
}
