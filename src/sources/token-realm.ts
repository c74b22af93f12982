import { serverText, TerminalError } from '../base/index.ts';

function hostOf(registry: string): string {
  return new URL(`https://${registry}`).hostname;
}

/** Whether two hosts are of one owner: the same, or of the same registrable domain. */
async function isSameOwner(registry: string, realm: URL): Promise<boolean> {
  const host = hostOf(registry);
  if (host === realm.hostname) return true;
  const { getDomain } = await import('tldts');
  const domain = getDomain(host, { allowPrivateDomains: true });
  return domain !== null && domain === getDomain(realm.hostname, { allowPrivateDomains: true });
}

/** Refuses a token server that the credentials of a registry must not reach. Of one owner are the registry's own host and hosts of the same
 *  registrable domain, by the Public Suffix List: `auth.docker.io` for `registry-1.docker.io`.
 *  @throws TerminalError InvalidChallenge */
export async function assertRealmOf(registry: string, realm: URL): Promise<void> {
  if (await isSameOwner(registry, realm)) return;
  const host = serverText(realm.host, 300);
  throw new TerminalError(
    'InvalidChallenge',
    `${registry}: the token server ${host} is neither the registry's host nor of its domain: no credentials are sent there. If it is the registry's, add an entry for ${host} with the registry's username and password to the pull secret`,
  );
}
