/** Hashes that do not protect a message: MD5, SHA-1, RIPEMD-160, SHA-224. */
const insecureHashes = [1, 2, 3, 11];

/** The library, loaded with the first use, and what it accepts. */
export async function readLibrary(): Promise<{
  readonly library: typeof import('openpgp');
  readonly config: typeof import('openpgp').config;
}> {
  const library = await import('openpgp');
  const config = {
    ...library.config,
    rejectMessageHashAlgorithms: new Set(insecureHashes),
    // A key whose certificates were renewed, and the old ones removed, still counts for signatures from before.
    allowInsecureVerificationWithReformattedKeys: true,
  };
  return { library, config };
}

/** @throws Error for a signature whose lifetime is over */
export function assertNotExpired(expires: Date | number | null, now: Date): void {
  if (!(expires instanceof Date) || now <= expires) return;
  const text = expires.toISOString().replace('T', ' ').replace(/\..*$/, ' +0000 UTC');
  throw new Error(`signature expired on ${text}`);
}
