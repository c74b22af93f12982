import { cutText } from '../../base/index.ts';
import {
  buildCatalogIndex,
  type CatalogFinding,
  type CatalogReport,
  createCatalogCheck,
  type Meta,
} from '../../catalog/index.ts';
import type { UnpackedCatalog } from './unpack-job.ts';

/** Others wait while a package is read: a tenth of a second. The largest that are published have a tenth of it. */
const maxPackageCharacters = 4_000_000;
/** Of the bundles in all channels: their part of the index on disk. */
const maxMemberBytes = 1024 ** 3;
const maxReportedFaults = 50;
const maxFaultCharacters = 1000;
const maxNameCharacters = 253;

function faultText({ package: packageName, place, message }: CatalogFinding): string {
  const at = place === undefined ? '' : `${place.file}:${place.line}: `;
  return `${packageName === undefined ? '' : `package ${JSON.stringify(packageName)}: `}${at}${cutText(message, maxFaultCharacters)}`;
}

function faultsOf({ findings }: CatalogReport): { readonly faults: readonly string[]; readonly faultCount: number } {
  const errors = findings.filter(({ severity }) => severity === 'error');
  return { faults: errors.slice(0, maxReportedFaults).map(faultText), faultCount: errors.length };
}

/** Makes the index of a catalog in `file`; violations of the rules of catalogs are reported, and indexed all the same.
 *  @throws what `metas` throws · TerminalError UnreadableCatalog when the index would be too large · Error when the file cannot be written */
export async function indexMetas(
  metas: AsyncIterable<Meta> | Iterable<Meta>,
  file: string,
  signal: AbortSignal,
): Promise<UnpackedCatalog> {
  const check = createCatalogCheck();
  async function* checked(): AsyncGenerator<Meta> {
    for await (const meta of metas) {
      check.add(meta);
      yield meta;
    }
  }
  const { digest, metaCount, lengthBytes, oversized } = await buildCatalogIndex(checked(), file, {
    signal,
    maxPackageCharacters,
    maxMemberBytes,
  });
  const report = check.finish();
  const { faults, faultCount } = faultsOf(report);
  const left = oversized.map(
    ({ name, message }) => `package ${JSON.stringify(cutText(name, maxNameCharacters))}: ${message}`,
  );
  return {
    digest,
    metaCount,
    lengthBytes,
    packageCount: report.packages,
    faults: [...left, ...faults].slice(0, maxReportedFaults),
    faultCount: faultCount + left.length,
  };
}
