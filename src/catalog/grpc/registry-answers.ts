import { goQuote, type JsonObject, TerminalError } from '../../base/index.ts';
import type { CatalogIndex } from '../store/catalog-index.ts';
import type { ChannelMember } from '../store/channel-members.ts';
import { releaseBytes } from '../store/release.ts';
import { type ApiKind, type BundleMessage, bundleCodec, type EntryMessage } from './api-messages.ts';
import { type BundleManifests, bundleManifests } from './bundle-message.ts';
import { allocateMessage } from './grpc-messages.ts';
import { delimitedHead } from './wire-fields.ts';

function refuse(text: string): never {
  throw new TerminalError('NotFound', text);
}

function describeApi({ group, version, kind }: ApiKind): string {
  return `provide group:${goQuote(group)} version:${goQuote(version)} kind:${goQuote(kind)}`;
}

function entry({ packageName, channelName, bundleName }: ChannelMember, replaces: string): EntryMessage {
  return { packageName, channelName, bundleName, replaces };
}

/** Names that a member skips and does not replace besides, as often as it lists them. */
function skipsOf({ replaces, skips }: ChannelMember): readonly string[] {
  return skips.filter((name) => name !== replaces);
}

/** One where it replaces the bundle, one for each time that it skips it; each has what the member replaces, whatever was asked for. */
function replacements(member: ChannelMember, csvName: string): readonly EntryMessage[] {
  const edges = [member.replaces, ...skipsOf(member)].filter((name) => name === csvName);
  return edges.map(() => entry(member, member.replaces));
}

/** Numbers of fields of api.Bundle. */
const [csvJsonField, objectField] = [4, 5];

/** A message of a bundle whose only manifest is a ClusterServiceVersion. */
function withManifest(message: Uint8Array, csvJson: Uint8Array): Buffer {
  const fields = [csvJsonField, objectField].flatMap((field) => [delimitedHead(field, csvJson.length), csvJson]);
  const parts = [message, ...fields];
  const whole = allocateMessage(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** What the methods of api.Registry answer of one catalog. Errors have the texts that clients know.
 *  @see docs/spec/catalogs.md#grpc-api */
export class RegistryAnswers {
  readonly #index: CatalogIndex;

  constructor(index: CatalogIndex) {
    this.#index = index;
  }

  /** By name. */
  packages(): readonly { readonly name: string }[] {
    return this.#index.packageNames().map((name) => ({ name }));
  }

  /** @throws TerminalError NotFound */
  package(name: string): Uint8Array {
    return this.#index.members.packageMessage(name) ?? refuse(`package ${goQuote(name)} not found`);
  }

  /** A bundle as a member of a channel, with manifests, without edges but `skipRange`.
   *  @throws TerminalError NotFound */
  bundle(packageName: string, channelName: string, csvName: string): Uint8Array {
    const where = this.#assertChannel(packageName, channelName);
    const member = this.#index.members.member(packageName, channelName, csvName);
    return this.#whole(member ?? refuse(`${where}, bundle ${goQuote(csvName)} not found`));
  }

  /** The head of a channel.
   *  @throws TerminalError NotFound; also for a channel without exactly one head */
  head(packageName: string, channelName: string): Uint8Array {
    const where = this.#assertChannel(packageName, channelName);
    const heads = this.#index.members.channel(packageName, channelName)?.heads ?? [];
    const [head] = heads;
    if (head === undefined) return refuse('no channel head found in graph');
    if (heads.length > 1) return refuse(`multiple channel heads found in graph: ${heads.join(', ')}`);
    const member = this.#index.members.member(packageName, channelName, head);
    return this.#whole(member ?? refuse(`${where}, bundle ${goQuote(head)} not found`));
  }

  /** @throws TerminalError NotFound when there are none */
  entriesThatReplace(csvName: string): readonly EntryMessage[] {
    const entries = this.#index.members.replacing(csvName).flatMap((member) => replacements(member, csvName));
    return entries.length > 0 ? entries : refuse(`no channel entries found that replace ${csvName}`);
  }

  /** Of several the one nearest the head.
   *  @throws TerminalError NotFound */
  bundleThatReplaces(csvName: string, packageName: string, channelName: string): Uint8Array {
    if (!this.#isPackage(packageName)) return refuse(`package ${packageName} not found`);
    const where = this.#assertChannel(packageName, channelName);
    const member = this.#index.members.nearestReplacing(csvName, packageName, channelName);
    return this.#whole(member ?? refuse(`no entry found for ${where}`));
  }

  /** For each member that provides the API, one for what it replaces, if anything, and one for each name that it skips.
   *  @throws TerminalError NotFound when there are none */
  entriesThatProvide(api: ApiKind): readonly EntryMessage[] {
    return this.#providers(api, () => true).flatMap((member) =>
      [member.replaces, ...skipsOf(member)].map((name) => entry(member, name)),
    );
  }

  /** As `entriesThatProvide`, for heads of channels; skipped names that are no entries of the channel are left out.
   *  @throws TerminalError NotFound when no head provides the API */
  latestEntriesThatProvide(api: ApiKind): readonly EntryMessage[] {
    const { members } = this.#index;
    return this.#providers(api, ({ isHead }) => isHead).flatMap((member) => {
      const { packageName, channelName } = member;
      const present = skipsOf(member).filter((name) => members.member(packageName, channelName, name) !== undefined);
      return [member.replaces, ...present].map((name) => entry(member, name));
    });
  }

  /** The head of the default channel of the first package by name that provides the API there.
   *  @throws TerminalError NotFound */
  defaultBundleThatProvides(api: ApiKind): Uint8Array {
    const heads = this.#providers(api, ({ isHead }) => isHead);
    const isDefault = ({ packageName, channelName }: ChannelMember): boolean =>
      this.#index.package(packageName)?.defaultChannel === channelName;
    return this.#whole(
      heads.find(isDefault) ?? refuse(`no entry found that ${describeApi(api).replace('provide', 'provides')}`),
    );
  }

  /** Every membership, ordered by channel, package and bundle, encoded, with edges. */
  *bundles(): Generator<Uint8Array> {
    using _user = this.#index.use();
    for (const id of this.#index.members.ids()) {
      const message = this.#index.members.message(id);
      if (message !== undefined) yield message;
    }
  }

  #providers(api: ApiKind, isSelected: (member: ChannelMember) => boolean): readonly ChannelMember[] {
    const members = this.#index.members.providing(api).filter(isSelected);
    return members.length > 0 ? members : refuse(`no channel entries found that ${describeApi(api)}`);
  }

  #isPackage(name: string): boolean {
    return this.#index.members.packageMessage(name) !== undefined;
  }

  #assertChannel(packageName: string, channelName: string): string {
    if (!this.#isPackage(packageName)) return refuse(`package ${goQuote(packageName)} not found`);
    const where = `package ${goQuote(packageName)}, channel ${goQuote(channelName)}`;
    return this.#index.members.channel(packageName, channelName) === undefined ? refuse(`${where} not found`) : where;
  }

  /** Encoded. The manifests of a head are in the index; to make others takes longer: documents are decompressed and parsed. */
  #whole(member: ChannelMember): Uint8Array {
    const { members } = this.#index;
    const { edgeless = new Uint8Array(), csvJson, meta = 0 } = members.wholeParts(member.id) ?? {};
    if (csvJson !== undefined) {
      const whole = withManifest(edgeless, csvJson);
      releaseBytes(csvJson);
      return whole;
    }
    const known = members.madeManifests.get(meta);
    if (known !== undefined) return withManifest(edgeless, known);
    const message = bundleCodec.decode(edgeless);
    const manifests = this.#manifestsOf(member, message);
    if (manifests === undefined) return edgeless;
    const { csvJson: made, object } = manifests;
    if (object.length !== 1 || object[0] !== made) return bundleCodec.encode({ ...message, ...manifests });
    const bytes = Buffer.from(made);
    members.madeManifests.add(meta, bytes);
    return withManifest(edgeless, bytes);
  }

  #manifestsOf({ packageName, bundleName }: ChannelMember, message: BundleMessage): BundleManifests | undefined {
    if (message.bundlePath === '') return undefined;
    const [bundle] = this.#index.metas({ schema: 'olm.bundle', package: packageName, name: bundleName });
    const { version } = message;
    return bundle === undefined
      ? undefined
      : bundleManifests(bundle.value, { version, stated: this.#statedBy(packageName) });
  }

  /** The part of a package that its manifests show. */
  #statedBy(packageName: string): JsonObject | undefined {
    const { statedPackages } = this.#index.members;
    const known = statedPackages.get(packageName);
    if (known !== undefined) return JSON.parse(Buffer.from(known).toString()) as JsonObject;
    const [stated] = this.#index.metas({ schema: 'olm.package', name: packageName });
    if (stated === undefined) return undefined;
    const { description, icon } = stated.value;
    statedPackages.add(packageName, Buffer.from(JSON.stringify({ description, icon })));
    return { description, icon };
  }
}
