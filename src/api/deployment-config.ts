import { isJsonObject, type JsonValue, TerminalError } from '../base/index.ts';

/** A service account of the cluster. */
export interface ServiceAccountName {
  readonly namespace: string;
  readonly name: string;
}

/** The known fields of `spec.config` of a BundleDeployment; others are left to other provisioners. */
export interface DeploymentConfig {
  /** Where namespaced objects go that name no namespace. */
  readonly installNamespace: string | undefined;
  /** The account that reads and writes everything of the deployment; undefined: the permissions of the provisioners. */
  readonly serviceAccount: ServiceAccountName | undefined;
}

const dnsLabel = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const dnsSubdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const maxSubdomainLength = 253;

function invalid(field: string, expected: string, found: JsonValue | undefined): TerminalError {
  const shown = found === undefined ? 'nothing' : JSON.stringify(found).slice(0, 100);
  return new TerminalError('InvalidConfig', `spec.config.${field}: expected ${expected}, found ${shown}`);
}

function namespaceAt(field: string, value: JsonValue | undefined): string {
  if (typeof value === 'string' && dnsLabel.test(value)) return value;
  const expected = 'the name of a namespace (at most 63 of a-z, 0-9 and -, neither first nor last a -)';
  throw invalid(field, expected, value);
}

function accountNameAt(field: string, value: JsonValue | undefined): string {
  if (typeof value === 'string' && value.length <= maxSubdomainLength && dnsSubdomain.test(value)) return value;
  throw invalid(field, 'the name of a service account (at most 253 of a-z, 0-9, - and .)', value);
}

function readServiceAccount(value: JsonValue): ServiceAccountName {
  const field = 'serviceAccount';
  if (!isJsonObject(value)) throw invalid(field, '{namespace, name} of a service account', value);
  const { namespace, name, ...others } = value;
  const [other] = Object.keys(others);
  if (other !== undefined) throw invalid(field, 'namespace and name, nothing else', { [other]: others[other] ?? null });
  return { namespace: namespaceAt(`${field}.namespace`, namespace), name: accountNameAt(`${field}.name`, name) };
}

/** Reads `spec.config`.
 *  @throws TerminalError InvalidConfig, naming the field, what was expected and what was found */
export function readDeploymentConfig(config: JsonValue | undefined): DeploymentConfig {
  const { installNamespace = null, serviceAccount = null } = isJsonObject(config) ? config : {};
  return {
    installNamespace: installNamespace === null ? undefined : namespaceAt('installNamespace', installNamespace),
    serviceAccount: serviceAccount === null ? undefined : readServiceAccount(serviceAccount),
  };
}
