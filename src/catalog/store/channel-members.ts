import type { SQLInputValue } from 'node:sqlite';
import type { GroupVersionKind } from '../../constraints/index.ts';
import { RecentBytes } from './recent-bytes.ts';

/** A bundle in a channel. */
export interface ChannelMember {
  /** Of the membership, for `message`. */
  readonly id: number;
  readonly packageName: string;
  readonly channelName: string;
  readonly bundleName: string;
  readonly replaces: string;
  readonly skips: readonly string[];
  readonly isHead: boolean;
}

/** What the message of a bundle with manifests is made of. */
export interface WholeParts {
  /** Its `api.Bundle`, encoded, without edges; with manifests where it has no image. */
  readonly edgeless: Uint8Array;
  /** Its ClusterServiceVersion, as JSON, where that is its only manifest and the index has it: of heads with an image. */
  readonly csvJson: Uint8Array | undefined;
  /** Of its document. */
  readonly meta: number;
}

/** A channel, as far as it leads to its members. */
export interface IndexedChannel {
  /** Sorted; one, in a channel without faults. */
  readonly heads: readonly string[];
}

type Query = (text: string, ...values: SQLInputValue[]) => Record<string, unknown>[];

const maxPackageBytes = 4 * 1024 * 1024;
const maxMadeBytes = 16 * 1024 * 1024;

const columns = 'id, package, channel, bundle, replaces, skips, distance FROM members';

/** The condition on members that lead from `target`, its only value. */
function leadsFrom(target: string): string {
  return target === '' ? 'replaces = ?' : 'id IN (SELECT member FROM edges WHERE target = ?)';
}

function memberOf(row: Readonly<Record<string, unknown>>): ChannelMember {
  const { id, package: packageName, channel, bundle, replaces, skips, distance } = row;
  return {
    id: Number(id),
    packageName: String(packageName),
    channelName: String(channel),
    bundleName: String(bundle),
    replaces: String(replaces),
    skips: JSON.parse(String(skips)) as string[],
    isHead: distance === 0,
  };
}

/** The members of channels and the edges between them: lists are ordered by package, channel and bundle by default. */
export class ChannelMembers {
  readonly #all: Query;
  /** Encoded packages that were requested last; the index never changes. */
  readonly #packages = new RecentBytes<string>(maxPackageBytes);
  /** ClusterServiceVersions, as JSON, that the index does not have and that were made last, by the document of their bundle. */
  readonly madeManifests: RecentBytes<number> = new RecentBytes<number>(maxMadeBytes);
  /** Of packages that were asked for last what manifests show, as JSON. */
  readonly statedPackages: RecentBytes<string> = new RecentBytes<string>(maxPackageBytes);

  constructor(query: Query) {
    this.#all = query;
  }

  channel(packageName: string, channelName: string): IndexedChannel | undefined {
    const query = 'SELECT heads FROM channels WHERE package = ? AND name = ?';
    const [row] = this.#all(query, packageName, channelName);
    return row === undefined ? undefined : { heads: JSON.parse(String(row['heads'])) as string[] };
  }

  member(packageName: string, channelName: string, bundleName: string): ChannelMember | undefined {
    const query = `SELECT ${columns} WHERE package = ? AND channel = ? AND bundle = ?`;
    const [row] = this.#all(query, packageName, channelName, bundleName);
    return row === undefined ? undefined : memberOf(row);
  }

  /** Members that replace or skip `target`; those that replace nothing where it is empty. */
  replacing(target: string): readonly ChannelMember[] {
    const query = `SELECT ${columns} WHERE ${leadsFrom(target)} ORDER BY package, channel, bundle`;
    return this.#all(query, target).map(memberOf);
  }

  /** Of the members of a channel that replace or skip `target`, the one nearest the head; of several the first by name. */
  nearestReplacing(target: string, packageName: string, channelName: string): ChannelMember | undefined {
    const query = `SELECT ${columns} WHERE ${leadsFrom(target)} AND package = ? AND channel = ? ORDER BY distance, bundle LIMIT 1`;
    return this.#all(query, target, packageName, channelName).map(memberOf)[0];
  }

  /** Members that provide an API. */
  providing({ group, version, kind }: GroupVersionKind): readonly ChannelMember[] {
    const query = `SELECT ${columns} WHERE (package, bundle) IN (SELECT package, bundle FROM providers WHERE api_group = ? AND version = ? AND kind = ?) ORDER BY package, channel, bundle`;
    return this.#all(query, group, version, kind).map(memberOf);
  }

  /** Every membership, ordered by channel, package and bundle. */
  ids(): readonly number[] {
    return this.#all('SELECT id FROM members ORDER BY channel, package, bundle').map(({ id }) => Number(id));
  }

  /** The `api.Bundle` of a membership, encoded, as lists of bundles have it: with edges; with manifests where it has no image.
   *  Undefined when there is none. */
  message(id: number): Uint8Array | undefined {
    const bytes = this.#all('SELECT message FROM members WHERE id = ?', id)[0]?.['message'];
    return bytes instanceof Uint8Array ? bytes : undefined;
  }

  /** Undefined when there is no such membership. */
  wholeParts(id: number): WholeParts | undefined {
    const query =
      'SELECT substr(message, 1, edgeless) AS edgeless, json, members.meta AS meta FROM members LEFT JOIN csvs USING (meta) WHERE id = ?';
    const [row] = this.#all(query, id);
    const [edgeless, csvJson] = [row?.['edgeless'], row?.['json']];
    if (!(edgeless instanceof Uint8Array)) return undefined;
    return { edgeless, csvJson: csvJson instanceof Uint8Array ? csvJson : undefined, meta: Number(row?.['meta']) };
  }

  /** The `api.Package` of a package, encoded; undefined when there is none. */
  packageMessage(name: string): Uint8Array | undefined {
    const known = this.#packages.get(name);
    if (known !== undefined) return known;
    const bytes = this.#all('SELECT message FROM packages WHERE name = ?', name)[0]?.['message'];
    if (!(bytes instanceof Uint8Array)) return undefined;
    this.#packages.add(name, bytes);
    return bytes;
  }
}
