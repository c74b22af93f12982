import { type MessageCodec, messageCodec } from './descriptors.ts';

// The messages of api.Registry, by the names of their fields. What is not given is empty.

export interface ApiKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** A type, and a value as JSON. */
export interface TypedText {
  readonly type: string;
  readonly value: string;
}

interface Deprecation {
  readonly message: string;
}

/** A bundle as a member of a channel. */
export interface BundleMessage {
  readonly csvName: string;
  readonly packageName: string;
  readonly channelName: string;
  readonly csvJson?: string;
  /** Manifests, as JSON. */
  readonly object?: readonly string[];
  /** Of its image; empty where its manifests are in the catalog. */
  readonly bundlePath: string;
  readonly providedApis: readonly ApiKind[];
  readonly requiredApis: readonly ApiKind[];
  readonly version: string;
  readonly skipRange?: string;
  readonly dependencies: readonly TypedText[];
  readonly properties: readonly TypedText[];
  readonly replaces?: string;
  readonly skips?: readonly string[];
  readonly deprecation?: Deprecation;
}

export interface PackageMessage {
  readonly name: string;
  readonly channels: readonly {
    readonly name: string;
    /** Of its head. */
    readonly csvName: string;
    readonly deprecation?: Deprecation;
  }[];
  readonly defaultChannelName: string;
  readonly deprecation?: Deprecation;
}

export interface EntryMessage {
  readonly packageName: string;
  readonly channelName: string;
  readonly bundleName: string;
  readonly replaces: string;
}

/** The fields of a bundle that its edges make: appended to a message that has none, they complete it. */
export const edgeFields: MessageCodec<Pick<BundleMessage, 'replaces' | 'skips'>> = messageCodec('api.Bundle');
export const bundleCodec: MessageCodec<BundleMessage> = messageCodec('api.Bundle');
export const packageCodec: MessageCodec<PackageMessage> = messageCodec('api.Package');
