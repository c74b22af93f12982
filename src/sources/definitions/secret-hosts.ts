import { secretHostsAnnotation, secretUnverifiedAnnotation } from '../../api/index.ts';
import { type SourceFinding, warn } from './definition.ts';

/** `auth` of a source. */
interface Auth {
  readonly secret?: { readonly name?: string };
  readonly insecureSkipVerify?: boolean;
}

function isWebAddress(address: string | undefined): address is string {
  return address !== undefined && /^https?:\/\//.test(address) && URL.canParse(address);
}

/** Warns that credentials are sent only where their Secret allows it. Admission may not read Secrets, so it cannot check this one. */
export function secretHosts(address: string | undefined, auth: Auth | undefined): readonly SourceFinding[] {
  const secretName = auth?.secret?.name ?? '';
  if (secretName === '' || !isWebAddress(address)) return [];
  const { protocol, host } = new URL(address);
  const entry = `${protocol === 'http:' ? 'http://' : ''}${host}`.slice(0, 100);
  const shownName = secretName.slice(0, 60);
  const isUnverified = auth?.insecureSkipVerify === true && protocol === 'https:';
  const unverified = `insecureSkipVerify: secret "${shownName}" is sent only if its annotation ${secretUnverifiedAnnotation} is "true"`;
  return warn([
    `secret "${shownName}" is used only if it names ${entry}, in its annotation ${secretHostsAnnotation} or as a key of its docker configuration`,
    ...(isUnverified ? [unverified] : []),
  ]);
}
