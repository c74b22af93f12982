import { isJsonObject, TerminalError } from '../base/index.ts';

/** What is understood of `spec.config` of a BundleDeployment; other members are somebody else's business. */
export interface DeploymentConfig {
  /** Where namespaced objects go that name no namespace. */
  readonly installNamespace: string | undefined;
}

const dnsLabel = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** Reads `spec.config`.
 *  @throws TerminalError InvalidConfig, naming the field, what was expected and what was found */
export function readDeploymentConfig(config: unknown): DeploymentConfig {
  const installNamespace = isJsonObject(config) ? config.installNamespace : undefined;
  if (installNamespace === undefined || installNamespace === null) return { installNamespace: undefined };
  if (typeof installNamespace === 'string' && dnsLabel.test(installNamespace)) return { installNamespace };
  const found = JSON.stringify(installNamespace).slice(0, 100);
  throw new TerminalError(
    'InvalidConfig',
    `spec.config.installNamespace: expected the name of a namespace (at most 63 of a-z, 0-9 and -, neither first nor last a -), found ${found}`,
  );
}
