import { existsSync } from 'node:fs';
import { basename, resolve as resolvePath } from 'node:path';
import { errorMessage, TerminalError } from '../../src/base/index.ts';
import { createCatalogView, readPackages, UnreadableCatalog } from '../../src/catalog/index.ts';
import { formatVersion, isChosen, parseVersionChoice } from '../../src/constraints/index.ts';
import type {
  CatalogView,
  InstalledConstraints,
  PresentBundle,
  RequestedPackage,
  ResolutionRequest,
} from '../../src/resolver/index.ts';
import { readInstalled } from './installed.ts';
import { openCatalog } from './open.ts';
import type { OpenOptions } from './reading.ts';

type Channels = ReadonlyMap<string, string>;

/** Reads `PACKAGE=CHANNEL`, each for a package that is requested. */
function readChannels(texts: readonly string[], packages: ReadonlySet<string>): Channels {
  const channels = new Map<string, string>();
  for (const text of texts) {
    const [name = '', channel = '', ...rest] = text.split('=');
    if (name === '' || channel === '' || rest.length > 0) {
      throw new TerminalError('InvalidOption', `--channel: expected PACKAGE=CHANNEL, found "${text}"`);
    }
    if (!packages.has(name)) throw new TerminalError('InvalidOption', `--channel ${text}: ${name} is not requested`);
    if (channels.has(name)) throw new TerminalError('InvalidOption', `--channel: ${name} is given two channels`);
    channels.set(name, channel);
  }
  return channels;
}

/** An exact version may be any of a channel, as `startingCSV` of a Subscription: the name of its bundle, in the first catalog that has it. */
function startingBundle(name: string, range = '', catalogs: readonly CatalogView[]): string | undefined {
  for (const catalog of catalogs) {
    const bundles = [...(catalog.package(name)?.bundles.values() ?? [])];
    const found = bundles.find(({ version }) => formatVersion(version) === range);
    if (found !== undefined) return found.name;
  }
  return undefined;
}

/** What the requested packages are read with. */
interface Known {
  readonly installed: readonly PresentBundle[];
  readonly channels: Channels;
  readonly catalogs: readonly CatalogView[];
}

function readRequested(text: string, { installed, channels, catalogs }: Known): RequestedPackage {
  const [, name = '', range] = /^([^@]*)(?:@(.*))?$/s.exec(text) ?? [];
  if (name === '') throw new TerminalError('InvalidOption', `expected PACKAGE or PACKAGE@RANGE, found "${text}"`);
  const present = installed.find(({ packageName }) => packageName === name);
  const first = present === undefined ? startingBundle(name, range, catalogs) : undefined;
  const channel = channels.get(name);
  const requested = {
    name,
    packageName: name,
    ...(present === undefined ? {} : { installed: present.name }),
    ...(channel === undefined ? {} : { channel }),
    ...(first === undefined ? {} : { startingBundle: first }),
  };
  if (range === undefined) return requested;
  try {
    const choice = parseVersionChoice(range);
    return { ...requested, versions: { text: range, include: (version) => isChosen(version, choice) } };
  } catch (thrown) {
    const what = `${text}: expected a range of versions after @, such as 1.x or ">=1.2 <2"`;
    throw new TerminalError('InvalidOption', `${what} (${errorMessage(thrown)})`, { cause: thrown });
  }
}

/** A minute or so: a person may wait, and asks for hundreds of packages at once. */
const maxSteps = 200_000_000;

/** What catalogs are called in the answer: paths by their last part, where that distinguishes them. */
function shortNames(names: readonly string[]): ReadonlyMap<string, string> {
  const parts = names.map((name) => (existsSync(name) ? basename(resolvePath(name)) : name));
  const isClear = new Set(parts).size === parts.length;
  return new Map(names.map((name, index): [string, string] => [name, isClear ? (parts[index] ?? name) : name]));
}

/** Reads a catalog; `warn` reports what cannot be read. */
async function openView(
  name: string,
  identity: Pick<CatalogView, 'name' | 'priority'>,
  { options, warn }: Pick<Asked, 'options' | 'warn'>,
): Promise<CatalogView> {
  async function* usable(): ReturnType<typeof openCatalog> {
    try {
      yield* openCatalog(name, options);
    } catch (thrown) {
      if (!(thrown instanceof UnreadableCatalog)) throw thrown;
      warn(`${thrown.message}\nOnly what could be read of ${name} is used.`);
    }
  }
  return createCatalogView(identity, await readPackages(usable()));
}

/** What `longshore resolve` was asked. */
export interface Asked {
  readonly packages: readonly string[];
  /** The first is preferred. */
  readonly catalogs: readonly string[];
  /** `NAME=VERSION`, or files. */
  readonly installed: readonly string[];
  readonly installedConstraints: InstalledConstraints;
  /** `PACKAGE=CHANNEL` */
  readonly channels: readonly string[];
  readonly options: OpenOptions;
  readonly warn: (text: string) => void;
}

/** Reads the catalogs, and makes a request of what was asked: packages that are named move as far as they can, others that are installed only
 *  where something needs it.
 *  @throws TerminalError InvalidOption, and what `openCatalog` throws */
export async function readRequest(asked: Asked): Promise<ResolutionRequest> {
  const installed = await readInstalled(asked.installed);
  const nothing: Known = { installed: [], channels: new Map(), catalogs: [] };
  const names = new Set(asked.packages.map((text) => readRequested(text, nothing).name));
  if (names.size < asked.packages.length) {
    throw new TerminalError('InvalidOption', 'resolve: a package is named twice: give it one range');
  }
  const channels = readChannels(asked.channels, names);
  const twice = asked.catalogs.find((name, index) => asked.catalogs.indexOf(name) !== index);
  if (twice !== undefined) throw new TerminalError('InvalidOption', `--catalog ${twice} is given twice`);
  const catalogs: CatalogView[] = [];
  const shown = shortNames(asked.catalogs);
  for (const [index, name] of asked.catalogs.entries()) {
    catalogs.push(await openView(name, { name: shown.get(name) ?? name, priority: -index }, asked));
  }
  const present = installed(catalogs);
  for (const { name, properties, packageName } of present) {
    if (properties.length > 0 || packageName === undefined) continue;
    asked.warn(`no catalog has ${name} of package ${packageName}: its properties and requirements are unknown`);
  }
  const others = present.filter(({ packageName }) => packageName !== undefined && !names.has(packageName));
  return {
    catalogs,
    installed: present,
    installedConstraints: asked.installedConstraints,
    requested: [
      ...asked.packages.map((text) => readRequested(text, { installed: present, channels, catalogs })),
      ...others.map(({ name, packageName = name }): RequestedPackage => {
        return { name: packageName, packageName, installed: name, updates: 'ifNeeded', staysIfMissing: true };
      }),
    ],
    words: { requested: 'request', installed: 'installed bundle', isAnonymous: true },
    limits: { maxSteps },
  };
}
