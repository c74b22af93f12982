import type { ClusterServiceVersion } from '../../api/index.ts';
import { firstRepeated, type JsonObject, objectAt, objectsAt, TerminalError, textAt } from '../../base/index.ts';
import { compareVersions, formatVersion, parseTolerantVersion, type Version } from '../../constraints/index.ts';
import { isConditionTrue, type KubeObject } from '../../kube/index.ts';
import { type ApiKey, versionsAlongside } from '../../operators/index.ts';
import { type AccountFacts, checkAccounts } from './account-requirements.ts';
import type { RequirementsResult } from './facts.ts';
import type { Checked, RequirementEntry } from './requirement-entry.ts';

/** What the requirement check reads of the cluster. */
export interface RequirementFacts extends AccountFacts {
  definition(name: string): KubeObject | undefined;
  apiService(name: string): KubeObject | undefined;
  /** Whether the API server serves a kind that the operator requires. */
  isServed(api: ApiKey): boolean;
  /** Undefined where it cannot be read. */
  readonly serverVersion: string | undefined;
  /** Names of those that the operator replaces, directly or not. */
  readonly predecessors: ReadonlySet<string>;
}

/** All requirements, and whether all of them are met. */
export interface Requirements {
  readonly result: RequirementsResult;
  readonly entries: readonly RequirementEntry[];
}

function versionOf(text: string): Version | undefined {
  try {
    return parseTolerantVersion(text);
  } catch (thrown) {
    if (thrown instanceof TerminalError) return undefined;
    throw thrown;
  }
}

const released = (version: Version): Version => ({ ...version, prerelease: [], build: [] });

/** Whether the server is new enough, and the message about it. */
function compareServer(minimum: string, serverVersion: string | undefined): readonly [isMet: boolean, message: string] {
  if (serverVersion === undefined || serverVersion === '') return [false, 'Server version discovery error'];
  const found = versionOf(serverVersion);
  if (found === undefined) return [false, 'Server version parsing error'];
  const required = versionOf(minimum);
  if (required === undefined) return [false, 'CSV version parsing error'];
  const server = released(found);
  const text = formatVersion(required);
  // Only where it is met, the original names the version as the server does.
  return compareVersions(required, server) > 0
    ? [false, `CSV version requirement not met: minKubeVersion (${text}) > server version (${formatVersion(server)})`]
    : [true, `CSV minKubeVersion (${text}) less than server version (${serverVersion})`];
}

function checkServer({ metadata, spec }: ClusterServiceVersion, { serverVersion }: RequirementFacts): Checked[] {
  const { minKubeVersion = '' } = spec;
  if (minKubeVersion === '') return [];
  const [isMet, message] = compareServer(minKubeVersion, serverVersion);
  const what = { group: 'operators.coreos.com', version: 'v1alpha1', kind: 'ClusterServiceVersion' };
  const status = isMet ? 'Present' : 'PresentNotSatisfied';
  return [{ entry: { ...what, name: metadata.name, status, message }, isMet }];
}

/** Predecessors of the operator that the definition was installed for, while it was not installed for the operator itself. */
function installedFor(definition: KubeObject, csv: ClusterServiceVersion, facts: RequirementFacts): string[] {
  const owners = versionsAlongside(definition);
  const { namespace = '', name } = csv.metadata;
  if (owners.includes(`${namespace}/${name}`)) return [];
  return [...facts.predecessors].filter((predecessor) => owners.includes(`${namespace}/${predecessor}`)).toSorted();
}

function servesVersion(definition: KubeObject, version: string): boolean {
  const versions = objectsAt(objectAt(definition as JsonObject, 'spec'), 'versions');
  return versions.some((one) => textAt(one, 'name') === version && one['served'] === true);
}

type Finding = Pick<RequirementEntry, 'status' | 'message' | 'uuid'>;
type CrdDescription = { readonly name: string; readonly version: string };

function findDefinition(
  csv: ClusterServiceVersion,
  facts: RequirementFacts,
  { name, versions }: { readonly name: string; readonly versions: readonly string[] },
): Finding {
  const definition = facts.definition(name);
  if (definition === undefined) return { status: 'NotPresent', message: 'CRD is not present' };
  const owned = csv.spec.customresourcedefinitions?.owned ?? [];
  const others = owned.some((one) => one.name === name) ? installedFor(definition, csv, facts) : [];
  if (others.length > 0) {
    return { status: 'PresentNotSatisfied', message: `CRD installed alongside other CSV(s): ${others.join(', ')}` };
  }
  if (!versions.every((version) => servesVersion(definition, version))) {
    return { status: 'NotPresent', message: 'CRD version not served' };
  }
  const isEstablished = ['Established', 'NamesAccepted'].every((type) => isConditionTrue(definition, type));
  const uuid = definition.metadata.uid ?? '';
  return isEstablished
    ? { status: 'Present', message: 'CRD is present and Established condition is true', uuid }
    : {
        status: 'PresentNotAvailable',
        message: 'CRD is present but the Established condition is False (not available)',
        uuid,
      };
}

function checkDefinitions(csv: ClusterServiceVersion, facts: RequirementFacts): Checked[] {
  const { owned = [], required = [] } = csv.spec.customresourcedefinitions ?? {};
  const all: readonly CrdDescription[] = [...owned, ...required];
  const byName = Map.groupBy(all, ({ name }) => name);
  const what = { group: 'apiextensions.k8s.io', version: 'v1', kind: 'CustomResourceDefinition' };
  return [...byName.keys()].toSorted().map((name) => {
    const versions = (byName.get(name) ?? []).map(({ version }) => version);
    const found = findDefinition(csv, facts, { name, versions });
    return { entry: { ...what, name, ...found }, isMet: found.status === 'Present' };
  });
}

function checkApiServices({ spec }: ClusterServiceVersion, facts: RequirementFacts): Checked[] {
  const what = { group: 'apiregistration.k8s.io', version: 'v1', kind: 'APIService', message: '' };
  const { owned = [], required = [] } = spec.apiservicedefinitions ?? {};
  const deployments = new Set((spec.install.spec?.deployments ?? []).map(({ name }) => name));
  const checkedRequired = required.map((api): Checked => {
    const name = `${api.version}.${api.group}`;
    const service = facts.apiService(name);
    const isMet = service !== undefined && isConditionTrue(service, 'Available') && facts.isServed(api);
    return { entry: { ...what, name, status: isMet ? 'Present' : 'NotPresent' }, isMet };
  });
  const checkedOwned = owned.map((api): Checked => {
    const isMet = deployments.has(api.deploymentName ?? '');
    const status = isMet ? 'DeploymentFound' : 'DeploymentNotFound';
    return { entry: { ...what, name: `${api.version}.${api.group}`, status }, isMet };
  });
  return [...checkedRequired, ...checkedOwned];
}

function checkNativeApis({ spec }: ClusterServiceVersion, facts: RequirementFacts): Checked[] {
  return (spec.nativeAPIs ?? []).map(({ group, version, kind }) => {
    const isMet = facts.isServed({ group, version, kind });
    const status = isMet ? 'Present' : 'NotPresent';
    const message = isMet ? 'Native API exists' : 'Native API does not exist';
    return { entry: { group, version, kind, name: `${version}.${group}`, status, message }, isMet };
  });
}

function invalidStrategy({ spec }: ClusterServiceVersion): string | undefined {
  if (spec.install.strategy !== 'deployment') return 'unrecognized install strategy';
  const names = (spec.install.spec?.deployments ?? []).map(({ name }) => name);
  const repeated = firstRepeated(names);
  return repeated === undefined ? undefined : `two deployments have the name ${repeated}`;
}

/** Everything that the operator needs before it is installed, each as an entry of its status.
 *  @see docs/spec/olm-v0.md#requirement-check */
export function checkRequirements(csv: ClusterServiceVersion, facts: RequirementFacts): Requirements {
  const invalid = invalidStrategy(csv);
  const accounts = checkAccounts(csv, facts);
  const message = invalid ?? accounts.problem;
  if (message !== undefined) return { result: { state: 'Invalid', message }, entries: [] };
  const checked = [
    ...checkServer(csv, facts),
    ...checkDefinitions(csv, facts),
    ...checkApiServices(csv, facts),
    ...checkNativeApis(csv, facts),
    ...accounts.checked,
  ];
  const state = checked.every(({ isMet }) => isMet) ? 'Met' : 'Unmet';
  return { result: { state }, entries: checked.map(({ entry }) => entry) };
}
