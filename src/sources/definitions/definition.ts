import type { BundleSource, SourceType } from '../../api/index.ts';
import { goMembers, type JsonObject, type JsonValue } from '../../base/index.ts';

/** What rules for a source need to know of the cluster. */
export interface ConfigMapFacts {
  /** The ConfigMaps of the system namespace that the source names: name → whether it is immutable; absent ones are left out. */
  readonly configMaps: ReadonlyMap<string, boolean>;
}

/** What a rule finds: a denial, with a text of RukPak or of our own, or a warning. */
export interface SourceFinding {
  readonly effect: 'deny as RukPak' | 'deny' | 'warn';
  readonly text: string;
}

/** A rule of admission for the source of a new Bundle or template; pure. */
export type SourceRule = (source: BundleSource, facts: ConfigMapFacts) => readonly SourceFinding[];

/** Rules of admission that depend on the type of a source, in the order of their messages, by their names in metrics. */
export const sourceRuleNames = [
  'source-member',
  'git-directory',
  'git-commit',
  'image-reference',
  'config-map-entries',
  'moving-reference',
  'secret-hosts',
] as const;
/** One of `sourceRuleNames`. */
export type SourceRuleName = (typeof sourceRuleNames)[number];
/** Rules of one type. */
export type SourceRules = Readonly<Partial<Record<SourceRuleName, SourceRule>> & Record<'source-member', SourceRule>>;

/** Objects of the system namespace that fetching a source needs. */
export interface SourceInputs {
  /** Name of the Secret with its credentials; undefined or empty when it names none. */
  readonly secretName: (source: BundleSource) => string | undefined;
  /** Names of the ConfigMaps that it is made of. */
  readonly configMapNames: (source: BundleSource) => readonly string[];
}

/** What people call the content of a source. */
export interface SourceDescription {
  /** Tag, commit or digest. */
  readonly version?: string | undefined;
  /** Where the content came from, pinned: `registry.example.com/combo:v1 (sha256:0123456789ab)`. */
  readonly source: string;
}

/** All that differs by the type of a source, except fetching. */
export interface SourceDefinition<Type extends SourceType = SourceType> {
  readonly type: Type;
  /** Address of the server that has the content; undefined where the cluster has it. */
  readonly address: (source: BundleSource) => string | undefined;
  readonly inputs: SourceInputs;
  /** Whether fetching it occupies a program of the system. Default: it does not. */
  readonly runsProgram?: (source: BundleSource) => boolean;
  /** It comes from a registry of images: image policies and mirrors apply, its Secret is a pull secret, and those of the service account are used if it
   *  names none. Default false. */
  readonly isImage?: boolean;
  /** Its content is sent by a client: nothing else has it, and equal sources may have different contents. Default false. */
  readonly isUploaded?: boolean;
  /** The source that stands for exactly the content that it was resolved to, whatever its tag or branch names today. `resolved` is the recorded
   *  `status.resolvedSource`. Undefined where the content cannot be fetched again. */
  readonly pin: (source: JsonObject, resolved: JsonObject | undefined) => JsonObject | undefined;
  /** Undefined where only the digest of the content is known. `resolved` is `status.resolvedSource`. */
  readonly describe: (source: BundleSource, resolved: BundleSource | undefined) => SourceDescription | undefined;
  /** Its member with the fields in RukPak's order, as the hash of a template has it: the same in every release. Undefined when absent. */
  readonly hashed: (source: BundleSource) => JsonValue | undefined;
  readonly rules: SourceRules;
}

/** `auth` of a source. */
export interface SourceAuth {
  readonly secret?: { readonly name?: string };
  readonly insecureSkipVerify?: boolean;
}

/** `auth` as the hash of a template has it. */
export function hashedAuth(auth: SourceAuth | undefined): JsonObject {
  const secret = goMembers([['name', auth?.secret?.name]]);
  return { secret, ...goMembers([['insecureSkipVerify', auth?.insecureSkipVerify]]) };
}

/** No objects of the cluster. */
export const noInputs: SourceInputs = { secretName: () => undefined, configMapNames: () => [] };

/** A denial with a text of our own. */
export function deny(text: string): readonly SourceFinding[] {
  return [{ effect: 'deny', text }];
}

/** A denial with a text that users know from RukPak. */
export function denyAsRukPak(text: string): readonly SourceFinding[] {
  return [{ effect: 'deny as RukPak', text }];
}

/** Warnings alone. */
export function warn(texts: readonly string[]): readonly SourceFinding[] {
  return texts.map((text) => ({ effect: 'warn', text }));
}

/** The member that the type names is present. */
export function requireMember(type: SourceType, denial: typeof deny): SourceRule {
  return (source) => {
    const member: unknown = source[type];
    if (member !== undefined && member !== null) return [];
    return denial(`bundle.spec.source.${type} must be set for source type "${type}"`);
  };
}

/** Warns of a reference whose content its owner can change. */
export function warnOfMoving(field: string): readonly SourceFinding[] {
  return warn([`bundle.spec.source.${field} may move: pin a digest (commit) to be sure of the content`]);
}
