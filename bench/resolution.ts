import { type CatalogIndex, createCatalogView } from '../src/catalog/index.ts';
import { type Property, parseVersion } from '../src/constraints/index.ts';
import { type CatalogPackage, type CatalogView, type ResolutionRequest, resolve } from '../src/resolver/index.ts';
import { type Measurement, percentile } from './table.ts';

const milliseconds = (value: number): string => `${value < 10 ? value.toFixed(2) : Math.round(value)} ms`;

/** A package of one bundle that needs versions of another. */
function needing(name: string, packageName: string, versionRange: string): CatalogPackage {
  const bundle = `${name}.v1.0.0`;
  const properties: Property[] = [{ type: 'olm.package.required', value: { packageName, versionRange } }];
  return {
    name,
    defaultChannel: 'stable',
    channels: [{ name: 'stable', entries: [{ name: bundle, skips: [] }] }],
    bundles: new Map([[bundle, { name: bundle, packageName: name, version: parseVersion('1.0.0'), properties }]]),
  };
}

/** Subscriptions of a namespace. */
const subscribed = 20;

function largestPackage(index: CatalogView): string {
  const sizes = index.packageNames().map((name) => ({ name, size: index.package(name)?.bundles.size ?? 0 }));
  return sizes.toSorted((a, b) => b.size - a.size)[0]?.name ?? '';
}

function timed(catalogs: readonly CatalogView[], names: readonly string[], outcome: 'resolved' | 'conflict'): number {
  const requested = names.map((name) => ({ name, packageName: name }));
  const request: ResolutionRequest = { catalogs, requested, installed: [], limits: { maxSteps: 100_000_000 } };
  const startedMs = performance.now();
  const answer = resolve(request);
  const tookMs = performance.now() - startedMs;
  if (answer.outcome !== outcome) throw new Error(`${names.join(', ')}: ${answer.outcome}`);
  return tookMs;
}

/** Resolves packages of the grown catalog: each alone, two that conflict over all versions of the largest one, all at once. */
export function resolutionMeasurements(index: CatalogIndex): Measurement[] {
  const names = index.packageNames();
  const each = names.map((name) => timed([index], [name], 'resolved'));
  const largest = largestPackage(index);
  const [older, newer] = [needing('older', largest, '<1.1.0'), needing('newer', largest, '>=1.1.0')];
  const both = createCatalogView({ name: 'both' }, new Map([older, newer].map((one) => [one.name, one])));
  const conflict = timed([index, both], ['older', 'newer'], 'conflict');
  const among = timed([index, both], [...names, 'older', 'newer'], 'conflict');
  const all = timed([index], names, 'resolved');
  const some = names.filter((_, at) => at % Math.ceil(names.length / subscribed) === 0).slice(0, subscribed);
  const few = timed([index], some, 'resolved');
  const bundles = index.package(largest)?.bundles.size ?? 0;
  return [
    {
      what: 'grown catalog: resolve each package with what it needs, p50 and p99',
      value: `${milliseconds(percentile(each, 50))}, ${milliseconds(percentile(each, 99))}`,
      goal: 'p99 under 50 ms',
    },
    {
      what: `grown catalog: a conflict over a package of ${bundles} bundles explained`,
      value: milliseconds(conflict),
      goal: 'under 1 s',
    },
    { what: `grown catalog: the same among all ${names.length} packages`, value: milliseconds(among) },
    {
      what: `grown catalog: a namespace with ${some.length} Subscriptions resolved`,
      value: milliseconds(few),
      goal: 'under 0.5 s',
    },
    { what: `grown catalog: all ${names.length} packages resolved at once`, value: milliseconds(all) },
  ];
}
