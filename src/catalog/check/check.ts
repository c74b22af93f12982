import type { ChannelEntry } from '../../resolver/index.ts';
import type { Meta } from '../meta.ts';
import { assemblePackage } from './assemble.ts';
import { bundleRecord } from './bundle-faults.ts';
import { type DecodedMeta, decodeDocument, decodingFault, isKnownSchema } from './decode.ts';
import type { CatalogFinding, CatalogReport } from './finding.ts';
import { modelFaults } from './model-faults.ts';
import { detached, type PackageRecord } from './record.ts';
import { type CatalogRecords, structuralFaults } from './structure.ts';
import type { CatalogWarnings } from './warnings.ts';

/** Validates a catalog document by document. */
export interface CatalogCheck {
  /** The document is not kept. */
  add(meta: Meta): void;
  /** Something that kept a document from being read at all. */
  addFault(fault: Pick<CatalogFinding, 'message' | 'place' | 'advice'>): void;
  /** Everything that was found; call it once, after the last document. */
  finish(): CatalogReport;
}

/** Findings of each severity beyond this are counted alone. */
const maxFindings = 10_000;

type About = Pick<CatalogFinding, 'place' | 'package' | 'channel' | 'bundle'>;

function aboutOf({ schema, name, package: packageName, place }: Meta): About {
  const owner = schema === 'olm.package' ? name : packageName;
  return {
    place,
    ...(owner === '' ? {} : { package: detached(owner) }),
    ...(schema === 'olm.channel' ? { channel: detached(name) } : {}),
    ...(schema === 'olm.bundle' ? { bundle: detached(name) } : {}),
  };
}

function retainedEntry({ name, replaces, skips, skipRange }: ChannelEntry): ChannelEntry {
  return {
    name: detached(name),
    ...(replaces === undefined ? {} : { replaces: detached(replaces) }),
    skips: skips.map(detached),
    ...(skipRange === undefined ? {} : { skipRange: detached(skipRange) }),
  };
}

/** Keeps what later rules need of a document. */
function keep(records: CatalogRecords, decoded: DecodedMeta, kept: Pick<PackageRecord, 'place' | 'isBroken'>): void {
  switch (decoded.schema) {
    case 'olm.package': {
      const name = detached(decoded.name);
      records.packages.push({ ...kept, name, packageName: name, defaultChannel: detached(decoded.defaultChannel) });
      break;
    }
    case 'olm.channel': {
      const named = { name: detached(decoded.name), packageName: detached(decoded.package) };
      records.channels.push({ ...kept, ...named, entries: decoded.entries.map(retainedEntry) });
      break;
    }
    case 'olm.bundle':
      records.bundles.push(bundleRecord(decoded, kept.place, kept.isBroken));
      break;
    default: {
      const entries = decoded.entries.map(({ schema, name, message }) => ({
        schema: detached(schema),
        name: detached(name),
        message: message === '' ? '' : '…',
      }));
      records.deprecations.push({ ...kept, name: '', packageName: detached(decoded.package), entries });
    }
  }
}

const emptyWarning: CatalogFinding = {
  rule: 'empty',
  severity: 'warning',
  message: 'there is no package',
  advice: 'name the folder, file or image that has the documents of the catalog',
};

/** A check of one catalog by every rule of the reference, and by the rules of `warnings` (`catalogWarnings`), which only warn. It does not end at the first fault, and a package that is
 *  wrong does not prevent validation of the others. Keeps a few names of each bundle, so that memory does not follow the size of the catalog.
 *  @see docs/spec/catalogs.md#structural-validation, docs/spec/catalogs.md#model-validation */
export function createCatalogCheck(warnings?: CatalogWarnings): CatalogCheck {
  const records: CatalogRecords = { packages: [], channels: [], bundles: [], deprecations: [] };
  const errors: CatalogFinding[] = [];
  const warned: CatalogFinding[] = [];
  let more = 0;
  const report = (finding: CatalogFinding): void => {
    const list = finding.severity === 'error' ? errors : warned;
    if (list.length < maxFindings) list.push(finding);
    else more += 1;
  };
  return {
    add: (meta) => {
      const { schema, value } = meta;
      if (!isKnownSchema(schema)) {
        const warning = warnings?.ofSchema(schema);
        if (warning !== undefined) report({ severity: 'warning', ...aboutOf(meta), ...warning });
        return;
      }
      const fault = decodingFault(schema, value);
      if (fault !== undefined) report({ rule: 'parse', severity: 'error', message: fault, ...aboutOf(meta) });
      const decoded = decodeDocument(schema, value);
      for (const warning of warnings?.ofDocument(decoded, value) ?? []) {
        report({ severity: 'warning', ...aboutOf(meta), ...warning });
      }
      keep(records, decoded, { place: meta.place, isBroken: fault !== undefined });
    },
    addFault: (fault) => report({ rule: 'parse', severity: 'error', ...fault }),
    finish: () => {
      const { findings, packages } = structuralFaults(records);
      for (const finding of findings) report(finding);
      const sorted = [...packages].sort(([a], [b]) => (a < b ? -1 : 1));
      for (const [, parts] of sorted) {
        const model = assemblePackage(parts);
        for (const finding of modelFaults([[model.name, model]])) report(finding);
        for (const finding of warnings?.ofPackage(model, new Set(parts.bundles.keys())) ?? []) report(finding);
      }
      if (packages.size === 0 && errors.length === 0) report(emptyWarning);
      const counts = { packages: packages.size, channels: records.channels.length, bundles: records.bundles.length };
      return { findings: [...errors, ...warned], more, ...counts };
    },
  };
}
