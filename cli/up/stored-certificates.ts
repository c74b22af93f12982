import { join } from 'node:path';
import {
  type CertifiedKey,
  type Clock,
  createServingAuthority,
  createServingCertificate,
  errorMessage,
  isStillGood,
  type Logger,
  readCertifiedKey,
  replaceCertifiedKey,
  type ServingCertificate,
} from '../../src/base/index.ts';

const dayMs = 86_400_000;
/** An authority is replaced at a start alone: after each, a process may run for a year. */
const restMs = 365 * dayMs;

/** Where the authority of a server is stored, and what its certificate is for. */
export interface StoredCertificateOptions {
  readonly folder: string;
  /** Of the file, and of the server in its certificate: `webhook`. */
  readonly name: string;
  readonly dnsNames?: readonly string[];
  readonly clock: Clock;
  readonly log: Logger;
}

async function openAuthority(path: string, { clock, log, name }: StoredCertificateOptions): Promise<CertifiedKey> {
  const stored = await readCertifiedKey(path);
  if (stored !== undefined && isStillGood(stored, stored, { nowMs: clock.now(), restMs })) return stored;
  const made = await createServingAuthority({ clock, commonName: `longshore ${name}` });
  try {
    return await replaceCertifiedKey(path, made, { known: stored, nowMs: clock.now() });
  } catch (thrown) {
    const hint = 'the next start makes another authority; free space on the disk of the data folder';
    log.warn({ message: errorMessage(thrown), hint }, 'authority of a server not stored');
  }
  return made;
}

/** A serving certificate for loopback whose authority is stored in the folder: what names it on the cluster, such as the configuration of a webhook, is the
 *  same after a restart and is not written again, for which a full disk may have no room. The authority is replaced in its last year, and when it is damaged. */
export async function openStoredCertificate(options: StoredCertificateOptions): Promise<ServingCertificate> {
  const { clock, name, dnsNames = [] } = options;
  const authority = await openAuthority(join(options.folder, `${name}-authority.pem`), options);
  return await createServingCertificate({ clock, commonName: `longshore ${name}`, dnsNames, authority });
}
