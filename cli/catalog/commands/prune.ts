import { errorMessage, goQuote, makeFolder, printable, TerminalError } from '../../../src/base/index.ts';
import {
  createCatalogView,
  type Meta,
  type MissingRequirement,
  missingRequirements,
  PackageBuilder,
  type PackageSelection,
  pruneDocument,
  prunePackage,
  type RetainedPackage,
  type WriteOptions,
  writeCatalogFolder,
} from '../../../src/catalog/index.ts';
import { parseVersion } from '../../../src/constraints/index.ts';
import type { CatalogPackage } from '../../../src/resolver/index.ts';
import type { OptionValues, registryOptions } from '../../command/index.ts';
import { openCatalog, withCatalogs } from '../open.ts';
import type { pruneOptions } from '../options.ts';
import { assertEmptyFolder } from '../output-folder.ts';
import { printCatalog } from '../print.ts';

type Values = OptionValues<typeof pruneOptions & typeof registryOptions>;

function invalid(option: string, expected: string, found: string): never {
  throw new TerminalError('InvalidOption', `--${option}: expected ${expected}, found "${found}"`);
}

/** `NAME:VALUE` by name. */
function byPackage<T>(
  values: Values,
  option: 'min-version' | 'default-channel',
  [placeholder, read]: readonly [string, (text: string) => T],
): ReadonlyMap<string, T> {
  return new Map(
    values[option].map((text): [string, T] => {
      const at = text.indexOf(':');
      if (at <= 0) invalid(option, placeholder, text);
      try {
        return [text.slice(0, at), read(text.slice(at + 1))];
      } catch (thrown) {
        throw new TerminalError('InvalidOption', `--${option} ${text}: ${errorMessage(thrown)}`, { cause: thrown });
      }
    }),
  );
}

function readSelections(values: Values): readonly PackageSelection[] {
  const keeps = values['keep-package'];
  if (keeps.length === 0) {
    throw new TerminalError('InvalidOption', 'catalog prune: --keep-package is missing: name the packages to retain');
  }
  const minVersions = byPackage(values, 'min-version', ['NAME:VERSION', parseVersion]);
  const defaultChannels = byPackage(values, 'default-channel', ['NAME:CHANNEL', (text) => text]);
  const channels = new Map<string, string[]>();
  for (const text of keeps) {
    const [name = '', ...more] = text.split(':');
    if (name === '' || more.includes('')) invalid('keep-package', 'NAME[:CHANNEL]...', text);
    channels.set(name, [...(channels.get(name) ?? []), ...more]);
  }
  for (const name of [...minVersions.keys(), ...defaultChannels.keys()]) {
    if (!channels.has(name))
      throw new TerminalError('InvalidOption', `package ${goQuote(name)} is not retained: --keep-package ${name}`);
  }
  return Array.from(channels, ([name, requested]) => ({
    name,
    channels: requested,
    minVersion: minVersions.get(name),
    isHeadsOnly: values['heads-only'] === true,
    defaultChannel: defaultChannels.get(name),
  }));
}

interface Plan {
  readonly retained: ReadonlyMap<string, RetainedPackage>;
  readonly notes: readonly string[];
}

/** Packages that satisfy missing requirements, and are not retained yet. */
function toAdd(
  missing: readonly MissingRequirement[],
  retained: ReadonlyMap<string, RetainedPackage>,
): readonly string[] {
  const firsts = missing.map(({ providers }) =>
    providers.some((name) => retained.has(name)) ? undefined : providers[0],
  );
  return Array.from(new Set(firsts.filter((name) => name !== undefined)));
}

function missingText({ bundle, description, providers }: MissingRequirement): string {
  const what = `${bundle} needs ${description}, which no retained bundle satisfies`;
  return providers.length === 0
    ? `${what}, nor anything else in this catalog`
    : `${what}; package ${providers.join(' or ')} does: --keep-package ${providers[0] ?? ''}, or --with-dependencies`;
}

function planOf(
  packages: ReadonlyMap<string, CatalogPackage>,
  selections: readonly PackageSelection[],
  values: Values,
): Plan {
  const retained = new Map(selections.map((selection) => [selection.name, prunePackage(packages, selection)]));
  const notes = Array.from(retained.values()).flatMap(({ name, defaultChannel }) => {
    const before = packages.get(name)?.defaultChannel;
    return before === defaultChannel
      ? []
      : [`package ${name}: the default channel ${before ?? ''} is not retained: it is ${defaultChannel} now`];
  });
  const view = createCatalogView({ name: 'catalog' }, packages);
  let missing = missingRequirements(view, retained);
  if (values['with-dependencies'] === true) {
    for (let names = toAdd(missing, retained); names.length > 0; names = toAdd(missing, retained)) {
      for (const name of names) {
        retained.set(name, prunePackage(packages, { name, channels: [], isHeadsOnly: false }));
        notes.push(`package ${name} is retained, too: others depend on it`);
      }
      missing = missingRequirements(view, retained);
    }
  }
  return { retained, notes: [...notes, ...missing.map(missingText)] };
}

async function* watched(
  metas: AsyncIterable<Meta>,
  builder: PackageBuilder,
  isSelected: (name: string) => boolean,
): AsyncGenerator<Meta> {
  for await (const meta of metas) {
    builder.add(meta);
    const owner = meta.schema === 'olm.package' ? meta.name : meta.package;
    if (owner === '' || isSelected(owner)) yield meta;
  }
}

async function write(
  metas: AsyncIterable<Meta>,
  values: Values,
  options: WriteOptions & { readonly signal: AbortSignal },
): Promise<void> {
  const folder = values.to;
  if (folder !== undefined) {
    await assertEmptyFolder(folder);
    makeFolder(folder);
    await writeCatalogFolder(metas, folder, options);
    return;
  }
  await printCatalog(metas, values.output, options);
}

/** `longshore catalog prune REF --keep-package NAME[:CHANNEL]...` */
export async function catalogPrune(values: Values, [name]: readonly [string]): Promise<number> {
  const selections = readSelections(values);
  const requested = new Set(selections.map((selection) => selection.name));
  const isSelected = (owner: string): boolean => values['with-dependencies'] === true || requested.has(owner);
  return await withCatalogs(values, async (options) => {
    const builder = new PackageBuilder();
    let plan: Plan | undefined;
    const planned = (): Plan => {
      if (plan !== undefined) return plan;
      plan = planOf(builder.build(), selections, values);
      options.progress.clear();
      for (const note of plan.notes) process.stderr.write(`longshore: ${printable(note)}\n`);
      return plan;
    };
    const format = values.output === 'json' ? 'json' : 'yaml';
    await write(watched(openCatalog(name, options), builder, isSelected), values, {
      format,
      signal: options.signal,
      change: (document) => pruneDocument(planned().retained, document),
    });
    // Of an empty catalog, nothing was asked for yet.
    planned();
    return 0;
  });
}
