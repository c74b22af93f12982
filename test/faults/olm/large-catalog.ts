const bundlesAPackage = 50;

function* packageDocuments(name: string): Generator<object> {
  yield { schema: 'olm.package', name, defaultChannel: 'stable' };
  const nameOf = (index: number): string => `${name}.v1.${index}.0`;
  const indexes = Array.from({ length: bundlesAPackage }, (_, index) => index);
  const entries = indexes.map((index) => ({
    name: nameOf(index),
    ...(index === 0 ? {} : { replaces: nameOf(index - 1) }),
  }));
  yield { schema: 'olm.channel', package: name, name: 'stable', entries };
  for (const index of indexes) {
    yield {
      schema: 'olm.bundle',
      package: name,
      name: nameOf(index),
      image: `registry.example.com/bundles/${name}:v1.${index}.0`,
      properties: [
        { type: 'olm.package', value: { packageName: name, version: `1.${index}.0` } },
        { type: 'olm.gvk', value: { group: `${name}.example.com`, kind: 'Thing', version: 'v1' } },
      ],
    };
  }
}

/** A generated catalog, with a file for each package. */
export interface LargeCatalog {
  readonly packageNames: readonly string[];
  readonly files: Readonly<Record<string, string>>;
}

/** A catalog of packages with fifty bundles each, in one channel, as files below `configs`. The bundles have an image and no manifests. */
export function largeCatalog(bundleCount: number): LargeCatalog {
  const packageCount = Math.ceil(bundleCount / bundlesAPackage);
  const names = Array.from({ length: packageCount }, (_, index) => `operator-${String(index).padStart(4, '0')}`);
  const files = names.map((name): [string, string] => {
    const lines = Array.from(packageDocuments(name), (document) => `${JSON.stringify(document)}\n`);
    return [`configs/${name}/catalog.json`, lines.join('')];
  });
  return { packageNames: names, files: Object.fromEntries(files) };
}

/** Of the newest bundle of each package. */
export const newestVersion: string = `1.${bundlesAPackage - 1}.0`;
