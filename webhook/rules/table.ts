import { configMapEntries } from './config-map-entries.ts';
import { configMapInUse } from './config-map-in-use.ts';
import { configMapReferenced } from './config-map-referenced.ts';
import { gitCommit } from './git-commit.ts';
import { gitDirectory } from './git-directory.ts';
import { imageReference } from './image-reference.ts';
import { movingReference } from './moving-reference.ts';
import type { RuleName } from './names.ts';
import type { ConfigMapRule, SourceRule } from './rule.ts';
import { secretHosts } from './secret-hosts.ts';
import { sourceMember } from './source-member.ts';
import { sourceType } from './source-type.ts';
import { sourceUnion } from './source-union.ts';

/** What a new source of a Bundle must satisfy, in the order of the messages. */
export const bundleSourceRules: Readonly<Partial<Record<RuleName, SourceRule>>> = {
  'source-type': sourceType,
  'source-member': sourceMember,
  'git-directory': gitDirectory,
  'git-commit': gitCommit,
  'image-reference': imageReference,
  'config-map-entries': configMapEntries,
  'moving-reference': movingReference,
  'secret-hosts': secretHosts,
};

/** The same for the template of a BundleDeployment, whose schema does not check the union. */
export const templateSourceRules: Readonly<Partial<Record<RuleName, SourceRule>>> = {
  'source-union': sourceUnion,
  ...bundleSourceRules,
};

/** What a change to a ConfigMap of the system namespace must satisfy. */
export const configMapRules: Readonly<Partial<Record<RuleName, ConfigMapRule>>> = {
  'config-map-referenced': configMapReferenced,
  'config-map-in-use': configMapInUse,
};
