import { type BundleSource, secretHostsAnnotation, secretUnverifiedAnnotation } from '../../src/api/index.ts';
import { type AdmissionResult, allowed, warn } from '../review/result.ts';

interface Auth {
  readonly address: string | undefined;
  readonly secretName: string | undefined;
  readonly insecureSkipVerify: boolean;
}

function authOf({ type, git, http }: BundleSource): Auth {
  const member = type === 'git' ? git : type === 'http' ? http : undefined;
  const address = type === 'git' ? git?.repository : http?.url;
  const { secret, insecureSkipVerify = false } = member?.auth ?? {};
  return { address, secretName: secret?.name, insecureSkipVerify };
}

function isWebAddress(address: string | undefined): address is string {
  return address !== undefined && /^https?:\/\//.test(address) && URL.canParse(address);
}

/** Warns that credentials are sent only where their Secret allows it. Admission may not read Secrets, so it cannot check this one. */
export function secretHosts(source: BundleSource): AdmissionResult {
  const { address, secretName, insecureSkipVerify } = authOf(source);
  if (secretName === undefined || secretName === '' || !isWebAddress(address)) return allowed;
  const { protocol, host } = new URL(address);
  const entry = `${protocol === 'http:' ? 'http://' : ''}${host}`.slice(0, 100);
  const shownName = secretName.slice(0, 60);
  const isUnverified = insecureSkipVerify && protocol === 'https:';
  return warn([
    `secret "${shownName}" is used only if it names ${entry}, in its annotation ${secretHostsAnnotation} or as a key of its docker configuration`,
    ...(isUnverified
      ? [
          `insecureSkipVerify: secret "${shownName}" is sent only if its annotation ${secretUnverifiedAnnotation} is "true"`,
        ]
      : []),
  ]);
}
