import { setImmediate } from 'node:timers/promises';
import type { JsonObject } from '../../../src/base/index.ts';
import { isForbidden, type KubeObject, NoKindMatch } from '../../../src/kube/index.ts';
import { clusterCatalogImage } from '../commands/catalog-reference.ts';
import { type CommandRunner, outputOf } from '../commands/runner.ts';
import { ConsoleProblem } from '../problem.ts';
import type { Session } from '../sessions.ts';
import type { PackageRow } from '../wire.ts';
import { manifestOf, readDescribed } from './described-package.ts';
import { type Icon, iconOf, packageRow } from './package-rows.ts';

/** The packages of one catalog. */
interface CatalogContent {
  readonly rows: readonly PackageRow[];
  readonly icons: ReadonlyMap<string, Icon>;
}

/** A catalog whose packages are not known. */
interface Unread {
  readonly catalog: string;
  /** Empty while it is being read. */
  readonly why: string;
}

interface Entry {
  content: CatalogContent | undefined;
  why: string;
  readMs: number;
}

const target = { apiVersion: 'olm.operatorframework.io/v1', kind: 'ClusterCatalog' };
const deadlineMs = 3 * 60_000;
const maxContents = 16;
/** Of the icons of one catalog. */
const maxIconsBytes = 8 * 1024 * 1024;
const retryMs = 30_000;
const maxMessageLength = 600;

/** Identifies an icon of a package. */
export function iconKey({
  catalogNamespace,
  catalog,
  name,
}: Pick<PackageRow, 'catalogNamespace' | 'catalog' | 'name'>): string {
  return `${catalogNamespace}/${catalog}/${name}`;
}

/** The packages of ClusterCatalogs. Content has a digest, and is read once: by the first viewer who may read a catalog with it. */
export class ClusterCatalogs {
  readonly #runner: CommandRunner;
  readonly #nowMs: () => number;
  readonly #contents = new Map<string, Entry>();

  constructor(runner: CommandRunner, nowMs: () => number) {
    this.#runner = runner;
    this.#nowMs = nowMs;
  }

  /** What is known now; content that is not is read in the background. */
  async packages(session: Session): Promise<CatalogContent & { readonly unread: readonly Unread[] }> {
    const rows: PackageRow[] = [];
    const icons = new Map<string, Icon>();
    const unread: Unread[] = [];
    const catalogs = await this.#catalogs(session);
    for (const { name } of catalogs.slice(maxContents)) {
      unread.push({ catalog: name, why: `the console reads ${maxContents} catalogs of a cluster` });
    }
    for (const { name, image } of catalogs.slice(0, maxContents)) {
      const entry = this.#entry(session, name, image);
      for (const row of entry.content?.rows ?? []) rows.push(row);
      for (const [key, icon] of entry.content?.icons ?? []) icons.set(key, icon);
      if (entry.content === undefined) unread.push({ catalog: name, why: entry.why });
    }
    return { rows, icons, unread };
  }

  /** One package, with all channels.
   *  @throws ConsoleProblem with what the program reported */
  async manifest(
    session: Session,
    image: string,
    { catalog, name }: { catalog: string; name: string },
  ): Promise<KubeObject | undefined> {
    const output = await this.#describe(session, [image, name]);
    const [described] = readDescribed(output);
    return described === undefined ? undefined : manifestOf(catalog, described);
  }

  async #catalogs({ kube }: Session): Promise<readonly { readonly name: string; readonly image: string }[]> {
    const found: { readonly name: string; readonly image: string }[] = [];
    try {
      for await (const { items } of kube.listPages(target)) {
        const catalogs = items.map((item) => {
          return { name: item.metadata.name ?? '', image: clusterCatalogImage(item as unknown as JsonObject) };
        });
        found.push(...catalogs.filter(({ image }) => image.includes('@sha256:')));
      }
      return found;
    } catch (thrown) {
      if (thrown instanceof NoKindMatch || isForbidden(thrown)) return [];
      throw thrown;
    }
  }

  #entry(session: Session, catalog: string, image: string): Entry {
    const key = `${catalog} ${image}`;
    const known = this.#contents.get(key);
    const isRetried = (one: Entry): boolean => one.why !== '' && this.#nowMs() - one.readMs > retryMs;
    if (known !== undefined && !isRetried(known)) return known;
    const entry: Entry = { content: undefined, why: '', readMs: this.#nowMs() };
    this.#read(session, catalog, image).then(
      (content) => {
        entry.content = content;
      },
      (thrown: unknown) => {
        entry.why = (thrown instanceof Error ? thrown.message : String(thrown)).slice(0, maxMessageLength);
        entry.readMs = this.#nowMs();
      },
    );
    this.#contents.delete(key);
    this.#contents.set(key, entry);
    const [oldest] = this.#contents.keys();
    if (this.#contents.size > maxContents && oldest !== undefined) this.#contents.delete(oldest);
    return entry;
  }

  async #read(session: Session, catalog: string, image: string): Promise<CatalogContent> {
    const manifests = readDescribed(await this.#describe(session, [image])).map((one) => manifestOf(catalog, one));
    const rows = manifests.map(packageRow);
    const icons = new Map<string, Icon>();
    let bytes = 0;
    for (const manifest of manifests) {
      const icon = bytes < maxIconsBytes ? iconOf(manifest) : undefined;
      bytes += icon?.bytes.length ?? 0;
      if (icon !== undefined && bytes <= maxIconsBytes) icons.set(iconKey(packageRow(manifest)), icon);
      // Whether an icon is shown takes time: others have a turn in between.
      await setImmediate();
    }
    return { rows, icons };
  }

  async #describe(session: Session, words: readonly string[]): Promise<unknown> {
    const args = ['catalog', 'describe', ...words, '-o', 'json'];
    const { exitCode, stdout, stderr } = await this.#runner.run(session, { args }, AbortSignal.timeout(deadlineMs));
    if (exitCode === 0) return outputOf(stdout);
    const reported = stderr.replaceAll(/^longshore: /gm, '').trim();
    throw new ConsoleProblem(502, 'CatalogUnreadable', { message: reported || `the program ended with ${exitCode}` });
  }
}
