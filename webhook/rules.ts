import type { BundleSource } from '../src/api/index.ts';
import type { JsonObject } from '../src/base/index.ts';
import type { Finding } from '../src/crd-safety/index.ts';
import type { Participant } from '../src/dependencies/index.ts';
import type { ConfigMapFacts, SourceRuleName } from '../src/sources/definitions/index.ts';
import {
  type DependencyFacts,
  dependencies,
  type RequiredChange,
  required,
} from './bundle-deployments/dependencies.ts';
import { type ConfigChange, deploymentConfig } from './bundle-deployments/deployment-config.ts';
import { type DeploymentDeletion, foregroundDeletion } from './bundle-deployments/foreground-deletion.ts';
import { type OwnersChange, ownerReferences } from './bundle-deployments/owner-references.ts';
import { presentOwners } from './bundle-deployments/present-owners.ts';
import { type AccountChange, type AccountFacts, serviceAccount } from './bundle-deployments/service-account.ts';
import { type AnnotationsChange, bundleAnnotations } from './bundles/bundle-annotations.ts';
import { deploymentOwners } from './bundles/deployment-owners.ts';
import { type ClassChange, provisionerClass } from './bundles/provisioner-class.ts';
import { specImmutable } from './bundles/spec-immutable.ts';
import { writtenAnnotations } from './bundles/written-annotations.ts';
import { catalogNameLabel } from './catalogs/catalog-name-label.ts';
import { type BundleUse, type ConfigMapChange, configMapInUse, configMapReferenced } from './config-maps/rules.ts';
import { type Annotations, type CrdUpdate, crdSafetyAnnotations, crdUpgrade } from './crds/rules.ts';
import { type HooksChange, machineHooks } from './machines/machine-hooks.ts';
import {
  type PlatformOperatorSubject,
  platformOperatorName,
  platformOperatorPackage,
  platformOperatorPackageImmutable,
  platformOperatorUnique,
} from './platform-operators/rules.ts';
import type { ObjectIdentity } from './review/facts.ts';
import type { AdmissionResult } from './review/result.ts';
import { contentMetadata } from './sources/content-metadata.ts';
import { definedRule } from './sources/defined-rule.ts';
import type { SourceFacts } from './sources/facts.ts';
import { sourceType } from './sources/source-type.ts';
import { sourceUnion } from './sources/source-union.ts';

/** Every rule of admission by its name in metrics: the object or change that it evaluates, and the facts of the cluster that it needs. */
export interface RuleInputs extends Record<SourceRuleName, [source: BundleSource, facts: ConfigMapFacts]> {
  'source-union': [source: BundleSource];
  'source-type': [source: BundleSource];
  'content-metadata': [provisionerClassName: string, facts: SourceFacts];
  'bundle-annotations': [change: AnnotationsChange];
  'provisioner-class': [changes: readonly ClassChange[], foreignClasses: readonly string[]];
  'written-annotations': [changed: readonly string[], mayWriteRecords: boolean];
  'deployment-owners': [added: readonly string[], mayWriteRecords: boolean];
  'spec-immutable': [oldSpec: JsonObject, newSpec: JsonObject];
  'deployment-config': [change: ConfigChange];
  'service-account': [change: AccountChange, facts: AccountFacts];
  'owner-references': [change: OwnersChange, mayDelete: boolean];
  'present-owners': [absent: ObjectIdentity | undefined, loss: string];
  dependencies: [subject: Participant, facts: DependencyFacts];
  required: [change: RequiredChange, facts: DependencyFacts];
  'foreground-deletion': [deletion: DeploymentDeletion];
  'crd-safety-annotations': [annotations: Annotations];
  'crd-upgrade': [change: CrdUpdate, findings: readonly Finding[]];
  'config-map-referenced': [change: ConfigMapChange, bundles: readonly BundleUse[]];
  'config-map-in-use': [change: ConfigMapChange, bundles: readonly BundleUse[]];
  'platform-operator-name': [operator: PlatformOperatorSubject];
  'platform-operator-package': [operator: PlatformOperatorSubject];
  'platform-operator-package-immutable': [after: PlatformOperatorSubject, before: PlatformOperatorSubject];
  'platform-operator-unique': [operator: PlatformOperatorSubject, others: readonly PlatformOperatorSubject[]];
  'catalog-name-label': [catalog: JsonObject];
  'machine-hooks': [change: HooksChange];
}

/** The name of a rule. */
export type RuleName = keyof RuleInputs;

/** A rule: what it requires, as docs/monitoring.md shows it, and a pure function. */
interface Rule<Input extends readonly unknown[]> {
  readonly requirement: string;
  readonly evaluate: (...input: Input) => AdmissionResult;
}

/** The rules of admission. */
export const rules: { readonly [Name in RuleName]: Rule<RuleInputs[Name]> } = {
  'source-union': {
    requirement: 'the source of a template and its git reference have exactly one member',
    evaluate: sourceUnion,
  },
  'source-type': { requirement: 'the type of a source is supported', evaluate: sourceType },
  'source-member': {
    requirement: 'a source has the fields that its type requires',
    evaluate: definedRule('source-member'),
  },
  'git-directory': { requirement: 'the directory stays within the repository', evaluate: definedRule('git-directory') },
  'git-commit': { requirement: 'a commit is a full hash', evaluate: definedRule('git-commit') },
  'image-reference': { requirement: 'an image reference is well formed', evaluate: definedRule('image-reference') },
  'config-map-entries': {
    requirement: 'ConfigMaps of a source stay within the bundle and cannot change',
    evaluate: definedRule('config-map-entries'),
  },
  'secret-hosts': {
    requirement: 'warns when a Secret does not name the host that it is sent to',
    evaluate: definedRule('secret-hosts'),
  },
  'moving-reference': {
    requirement: 'warns of tags and branches, which may move',
    evaluate: definedRule('moving-reference'),
  },
  'content-metadata': {
    requirement: 'metadata files of the source, where readable, are valid',
    evaluate: contentMetadata,
  },
  'bundle-annotations': { requirement: 'annotations about a bundle are valid', evaluate: bundleAnnotations },
  'written-annotations': {
    requirement: 'annotations of a Bundle that controllers write are not changed by others',
    evaluate: writtenAnnotations,
  },
  'deployment-owners': {
    requirement: 'a BundleDeployment is added to the owners of a Bundle by controllers alone',
    evaluate: deploymentOwners,
  },
  'provisioner-class': {
    requirement: 'warns of a class that no known provisioner serves',
    evaluate: provisionerClass,
  },
  'spec-immutable': { requirement: 'the spec of a Bundle is immutable', evaluate: specImmutable },
  'deployment-config': {
    requirement: '`spec.config` is valid for the provisioner class',
    evaluate: deploymentConfig,
  },
  'service-account': {
    requirement: 'a user who sets, or replaces, a service account may impersonate it',
    evaluate: serviceAccount,
  },
  'owner-references': {
    requirement:
      'a user who adds an owner to a Bundle, BundleDeployment, ClusterExtension or PlatformOperator may delete it',
    evaluate: ownerReferences,
  },
  'present-owners': {
    requirement:
      'ClusterExtensions and PlatformOperators that are added to the owners of a BundleDeployment exist, and BundleDeployments that are added to those of a Bundle',
    evaluate: presentOwners,
  },
  dependencies: { requirement: 'the dependencies of a new template are met', evaluate: dependencies },
  required: {
    requirement: 'a BundleDeployment that others require is neither deleted nor replaced',
    evaluate: required,
  },
  'foreground-deletion': {
    requirement:
      'a BundleDeployment that leaves its objects, or is deleted by a ClusterExtension, is not deleted in the foreground',
    evaluate: foregroundDeletion,
  },
  'crd-safety-annotations': {
    requirement: 'warns of unknown checks in annotations of CustomResourceDefinitions',
    evaluate: crdSafetyAnnotations,
  },
  'crd-upgrade': {
    requirement: 'a changed CustomResourceDefinition is compatible with existing objects',
    evaluate: crdUpgrade,
  },
  'config-map-referenced': {
    requirement: 'a new ConfigMap that Bundles reference is immutable',
    evaluate: configMapReferenced,
  },
  'config-map-in-use': {
    requirement: 'a ConfigMap that Bundles reference is not deleted',
    evaluate: configMapInUse,
  },
  'platform-operator-name': {
    requirement: 'the name of a PlatformOperator is valid for its BundleDeployment',
    evaluate: platformOperatorName,
  },
  'platform-operator-package': { requirement: 'its package name is well formed', evaluate: platformOperatorPackage },
  'platform-operator-package-immutable': {
    requirement: 'its package is immutable',
    evaluate: platformOperatorPackageImmutable,
  },
  'platform-operator-unique': {
    requirement: 'no other PlatformOperator installs its package',
    evaluate: platformOperatorUnique,
  },
  'catalog-name-label': {
    requirement: 'sets its name as a label on a ClusterCatalog; denies nothing',
    evaluate: catalogNameLabel,
  },
  'machine-hooks': {
    requirement: 'hooks of a Machine that is being deleted are removed only',
    evaluate: machineHooks,
  },
};
