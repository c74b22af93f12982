import type { Version } from '../../constraints/index.ts';
import type { UpgradeRisk } from './upgrade-risk.ts';

/** A ConfigMap that was looked for; undefined when it does not exist. */
export type ReadConfigMap =
  | { readonly data: Readonly<Record<string, string>> | undefined }
  /** Why it could not be read. */
  | { readonly problem: string };

/** Where administrators of a cluster are asked, and where they answer. */
export interface GateNames {
  readonly gates: { readonly namespace: string; readonly name: string };
  readonly acks: { readonly namespace: string; readonly name: string };
}

/** As in the reference. */
export const defaultGateNames: GateNames = {
  gates: { namespace: 'openshift-config-managed', name: 'admin-gates' },
  acks: { namespace: 'openshift-config', name: 'admin-acks' },
};

/** What the gates are evaluated on. */
export interface GateFacts {
  readonly names: GateNames;
  readonly gates: ReadConfigMap;
  readonly acks: ReadConfigMap;
  /** The version that the cluster runs, or why it is none. */
  readonly version: Version | { readonly problem: string };
}

const gatePattern = '^ack-([0-9]+[.][0-9]+)-[^-]';
const gate = new RegExp(gatePattern);

function problemOf(
  name: string,
  { text, version, names }: { readonly text: string; readonly version: Version; readonly names: GateNames },
): string | undefined {
  const [, minor] = gate.exec(name) ?? [];
  if (minor === undefined) {
    const problem = `${names.gates.name} configmap gate name ${name} has invalid format; must comply with "${gatePattern}"`;
    return `${names.gates.name} configmap gate "${name}" is invalid: ${problem}`;
  }
  const [major = '', second = ''] = minor.split('.');
  if (BigInt(major) !== version.major || BigInt(second) !== version.minor) return undefined;
  return text === '' ? `${names.gates.name} configmap gate ${name} must contain a non-empty value.` : text;
}

function unknown(message: string): UpgradeRisk[] {
  return [{ name: 'AdminAckUnknown', message }];
}

function unread({ namespace, name }: GateNames['gates'], problem: string): UpgradeRisk[] {
  return unknown(`Failed to retrieve ConfigMap ${name} from namespace ${namespace}: ${problem}`);
}

/** Gates of the version that no administrator has acknowledged. Those that are empty, or have a wrong name, cannot be acknowledged. A cluster without gates
 *  has no such risk, whether or not there is a ConfigMap for acknowledgements.
 *  @see docs/spec/cluster-version.md#upgradeable-aggregation */
export function gateRisks({ names, gates, acks, version }: GateFacts): UpgradeRisk[] {
  if ('problem' in gates) return unread(names.gates, gates.problem);
  const entries = Object.entries(gates.data ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1));
  if (entries.length === 0) return [];
  if ('problem' in version) {
    return unknown(`Failed to parse cluster version to check admin-acks: ${version.problem}`);
  }
  const risks = entries.flatMap(([name, text]) => {
    const message = problemOf(name, { text, version, names });
    return message === undefined ? [] : [{ gate: name, message, isAnswerable: message === text }];
  });
  if (risks.length === 0) return [];
  if ('problem' in acks) return unread(names.acks, acks.problem);
  const isAcknowledged = (name: string): boolean => acks.data?.[name] === 'true';
  return risks
    .filter((risk) => !risk.isAnswerable || !isAcknowledged(risk.gate))
    .map((risk) => ({ name: `AdminAck-${risk.gate}`, message: risk.message }));
}
