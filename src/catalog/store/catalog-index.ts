import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { errorMessage, type JsonObject, parseJson } from '../../base/index.ts';
import type { GroupVersionKind } from '../../constraints/index.ts';
import type { CatalogPackage, CatalogView } from '../../resolver/index.ts';
import type { SurveyedSchema } from '../graphql/field-survey.ts';
import type { Meta } from '../meta.ts';
import type { CatalogIdentity } from '../read/catalog-view.ts';
import { ChannelMembers } from './channel-members.ts';
import { expandSegment, joinChecksums } from './gzip-segments.ts';
import { isDamage, openIndexFile, unusable } from './index-file.ts';
import { RecentPackages } from './recent-packages.ts';
import { releaseBytes } from './release.ts';
import { readSlimPackage } from './slim-meta.ts';

/** Which documents of a catalog are meant: those equal in everything that is given. */
export interface MetaFilter {
  readonly schema?: string | undefined;
  readonly package?: string | undefined;
  readonly name?: string | undefined;
  /** `package` means the `olm.package` of that name, too, which has no package of its own. */
  readonly isPackageIncluded?: boolean;
  /** Of those, so many at most, after the first `offset`. */
  readonly limit?: number;
  readonly offset?: number;
}

/** Documents that were chosen, as they are in the file at that time. Texts are read one at a time, when they are asked for. */
export interface MetaSelection {
  readonly count: number;
  /** Of all lines. */
  readonly lengthBytes: number;
  /** CRC-32 of all lines. */
  checksum(): number;
  /** One document a line, compact and with sorted keys, a line feed at its end; from `startByte` to before `endByte` of all of them.
   *  A caller may release a piece after use by `releaseBytes`.
   *  @throws TerminalError CatalogIndexUnusable when one is damaged */
  lines(startByte?: number, endByte?: number): Iterable<Buffer>;
  /** The same, compressed: together they are a gzip stream without its header and trailer. */
  segments(): Iterable<Uint8Array>;
}

interface ChosenRow {
  readonly id: number;
  readonly length: number;
  readonly checksum: number;
}

/** Packages that are kept parsed, of all indexes of a thread together: of one twice as much as the largest package has. */
const recentPackages = new RecentPackages(8_000_000);

/** A catalog in a file. Everything is answered from there, but for packages that were asked for lately. Documents that are being read stay
 *  readable when it is closed, and when its file is replaced. */
export class CatalogIndex implements CatalogView, Disposable {
  readonly name: string;
  readonly namespace?: string;
  readonly priority: number;
  readonly labels: Readonly<Record<string, string>>;
  /** `sha256:` of all documents in their order, each as one line in canonical form. */
  readonly digest: string;
  readonly metaCount: number;
  readonly lengthBytes: number;
  readonly storedAtMs: number;
  readonly members: ChannelMembers;
  readonly #file: string;
  /** CRC-32 of all lines. */
  readonly #checksum: number;
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  #users = 1;

  constructor(file: string, identity: Partial<CatalogIdentity>) {
    const { database, facts } = openIndexFile(file);
    this.name = identity.name ?? '';
    if (identity.namespace !== undefined) this.namespace = identity.namespace;
    this.priority = identity.priority ?? 0;
    this.labels = identity.labels ?? {};
    this.digest = facts.get('digest') ?? '';
    this.metaCount = Number(facts.get('metaCount'));
    this.lengthBytes = Number(facts.get('lengthBytes'));
    this.storedAtMs = Number(facts.get('storedAtMs'));
    this.#file = file;
    this.#checksum = Number(facts.get('checksum'));
    this.#database = database;
    this.members = new ChannelMembers((query, ...values) => this.#all(query, ...values));
  }

  /** What there is to ask for, by schema. */
  schemas(): readonly SurveyedSchema[] {
    const [row] = this.#all("SELECT value FROM facts WHERE name = 'schemas'");
    const text = row?.['value'];
    return typeof text === 'string' ? (JSON.parse(text) as SurveyedSchema[]) : [];
  }

  packageNames(): readonly string[] {
    return this.#all('SELECT name FROM packages ORDER BY name').map(({ name }) => String(name));
  }

  package(name: string): CatalogPackage | undefined {
    const known = recentPackages.get(this, name);
    if (known !== undefined) return known;
    const [row] = this.#all('SELECT record FROM packages WHERE name = ?', name);
    if (row === undefined) return undefined;
    const record = String(row['record']);
    const found = readSlimPackage(record);
    if (found !== undefined) recentPackages.put(this, found, record.length);
    return found;
  }

  packagesProviding({ group, version, kind }: GroupVersionKind): readonly string[] {
    const query =
      'SELECT DISTINCT package FROM providers WHERE api_group = ? AND version = ? AND kind = ? ORDER BY package';
    return this.#all(query, group, version, kind).map(({ package: name }) => String(name));
  }

  packagesWith(bundle: string): readonly string[] {
    const query = "SELECT DISTINCT package FROM metas WHERE name = ? AND schema = 'olm.bundle' ORDER BY package";
    return this.#all(query, bundle).map(({ package: name }) => String(name));
  }

  /** The documents that a filter lets through, in the order of the catalog. */
  select(filter: MetaFilter = {}): MetaSelection {
    const { schema, package: packageName, name } = filter;
    const isAll = [schema, packageName, name].every((requested) => requested === undefined);
    let chosen: readonly ChosenRow[] | undefined;
    // What is asked of all documents before they are read is known without looking for each.
    const rows = (): readonly ChosenRow[] => (chosen ??= this.#chosen(filter));
    const lengthOf = (): number => (isAll ? this.lengthBytes : rows().reduce((sum, { length }) => sum + length, 0));
    const checksumOf = (): number => rows().reduce((sum, row) => joinChecksums(sum, row.checksum, row.length), 0);
    return {
      count: isAll ? this.metaCount : rows().length,
      lengthBytes: lengthOf(),
      checksum: () => (isAll ? this.#checksum : checksumOf()),
      lines: (start = 0, end = Number.POSITIVE_INFINITY) => this.#lines(rows, start, end),
      segments: () => this.#segments(rows),
    };
  }

  /** The documents that a filter lets through, in the order of the catalog, one at a time.
   *  @throws TerminalError CatalogIndexUnusable when one is damaged */
  *metas(filter: MetaFilter = {}): Generator<Meta> {
    using _user = this.use();
    const place = this.#database.prepare('SELECT schema, package, name, file, line FROM metas WHERE id = ?');
    for (const row of this.#chosen(filter)) {
      const { schema, package: packageName, name, file, line } = place.get(row.id) ?? {};
      yield {
        schema: String(schema),
        package: String(packageName),
        name: String(name),
        value: parseJson(this.#file, this.#text(row)) as JsonObject,
        place: { file: String(file), line: Number(line) },
      };
    }
  }

  /** Keeps the file open until what is returned is disposed, though others close the index meanwhile. */
  use(): Disposable {
    this.#users += 1;
    let isUsing = true;
    return {
      [Symbol.dispose]: () => {
        if (isUsing) this.#leave();
        isUsing = false;
      },
    };
  }

  [Symbol.dispose](): void {
    this.#leave();
  }

  #leave(): void {
    this.#users -= 1;
    if (this.#users > 0) return;
    this.#statements.clear();
    recentPackages.forget(this);
    this.#database.close();
  }

  #all(query: string, ...values: SQLInputValue[]): Record<string, unknown>[] {
    try {
      // Compiling a statement costs more than running most of them. There are a few dozen texts.
      const statement = this.#statements.get(query) ?? this.#database.prepare(query);
      this.#statements.set(query, statement);
      return statement.all(...values);
    } catch (thrown) {
      throw isDamage(thrown) ? unusable(this.#file, errorMessage(thrown), thrown) : thrown;
    }
  }

  #chosen({ schema, package: packageName, name, isPackageIncluded, limit = -1, offset = 0 }: MetaFilter): ChosenRow[] {
    const [terms, values]: [string[], SQLInputValue[]] = [[], []];
    const add = (term: string, ...given: string[]): void => {
      terms.push(term);
      values.push(...given);
    };
    if (schema !== undefined) add('schema = ?', schema);
    if (name !== undefined) add('name = ?', name);
    if (packageName !== undefined && isPackageIncluded === true) {
      add("(package = ? OR (schema = 'olm.package' AND name = ?))", packageName, packageName);
    } else if (packageName !== undefined) add('package = ?', packageName);
    const where = terms.length === 0 ? '' : ` WHERE ${terms.join(' AND ')}`;
    const query = `SELECT id, length, checksum FROM metas${where} ORDER BY id LIMIT ? OFFSET ?`;
    return this.#all(query, ...values, limit, offset) as unknown as ChosenRow[];
  }

  #bytes(id: number): Uint8Array {
    const [row] = this.#all('SELECT bytes FROM texts WHERE id = ?', id);
    if (!(row?.['bytes'] instanceof Uint8Array)) throw unusable(this.#file, `document ${id} is missing`);
    return row['bytes'];
  }

  #line({ id, length, checksum }: ChosenRow): Buffer {
    const bytes = this.#bytes(id);
    const text = expandSegment({ bytes, lengthBytes: length, checksum });
    releaseBytes(bytes);
    if (text === undefined) throw unusable(this.#file, `document ${id} is damaged`);
    return text;
  }

  #text(row: ChosenRow): string {
    const line = this.#line(row);
    const text = line.toString();
    releaseBytes(line);
    return text;
  }

  *#lines(chosen: () => readonly ChosenRow[], startByte: number, endByte: number): Generator<Buffer> {
    using _user = this.use();
    let at = 0;
    for (const row of chosen()) {
      const [from, to] = [Math.max(0, startByte - at), Math.min(row.length, endByte - at)];
      if (from < to) yield this.#line(row).subarray(from, to);
      at += row.length;
    }
  }

  *#segments(chosen: () => readonly ChosenRow[]): Generator<Uint8Array> {
    using _user = this.use();
    for (const { id } of chosen()) yield this.#bytes(id);
  }
}

/** Opens the index of a catalog that `buildCatalogIndex` wrote; at once, however large.
 *  @throws TerminalError CatalogIndexUnusable when it is damaged, of another format or another program's · Error when there is none */
export function openCatalogIndex(file: string, identity: Partial<CatalogIdentity> = {}): CatalogIndex {
  return new CatalogIndex(file, identity);
}
