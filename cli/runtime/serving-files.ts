import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Clock,
  certificateExpiryMs,
  createReplaceableCertificate,
  errorMessage,
  formatTimestamp,
  isServingCertificate,
  type Logger,
  type ServingCertificate,
  type ServingPair,
  TerminalError,
} from '../../src/base/index.ts';

const rereadMs = 10_000;

/** Where the files are that Kubernetes mounts from a Secret of type `kubernetes.io/tls`. */
export interface ServingFilesOptions {
  readonly dir: string;
  /** That names it, for messages; default: `tls-dir`. */
  readonly option?: string;
  /** Of the authorities that clients are to trust. */
  readonly caPath: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

async function readPair({ dir, caPath }: ServingFilesOptions): Promise<ServingPair> {
  // One after another, so that of several that are missing it is always the first that is named.
  const certificatePem = await readFile(join(dir, 'tls.crt'), 'utf8');
  const privateKeyPem = await readFile(join(dir, 'tls.key'), 'utf8');
  const caBundlePem = await readFile(caPath, 'utf8');
  const pair = { certificatePem, privateKeyPem, caBundlePem };
  if (isServingCertificate(pair, { caBundlePem, dnsNames: [] })) return pair;
  const text = `${dir}: expected in tls.crt a certificate for the key in tls.key, signed by an authority of ${caPath}; they do not fit together`;
  throw new TerminalError('InvalidCertificate', text);
}

/** The certificate in a folder (`tls.crt`, `tls.key`), read again every ten seconds: what replaces it is shown to clients without a restart.
 *  Files that do not fit together, as while they are being replaced, are logged once and not used; a certificate that has expired is logged once,
 *  and used, as there is no better one.
 *  @throws TerminalError InvalidOption when there is no good certificate to begin with */
export async function openServingFiles(options: ServingFilesOptions): Promise<ServingCertificate> {
  const { clock, log, signal } = options;
  let first: ServingPair;
  try {
    first = await readPair(options);
  } catch (thrown) {
    throw new TerminalError('InvalidOption', `--${options.option ?? 'tls-dir'} ${errorMessage(thrown)}`, {
      cause: thrown,
    });
  }
  const serving = createReplaceableCertificate(first);
  let reported = '';
  let reportedExpired = '';
  const reportExpired = (): void => {
    const { certificatePem } = serving.current();
    const expiryMs = certificateExpiryMs(certificatePem);
    if (expiryMs > clock.now() || reportedExpired === certificatePem) return;
    reportedExpired = certificatePem;
    const hint = 'clients reject it until the files are replaced: check the issuer that renews it';
    log.error({ dir: options.dir, expired: formatTimestamp(expiryMs), hint }, 'the certificate has expired');
  };
  reportExpired();
  const refresh = async (): Promise<void> => {
    try {
      const next = await readPair(options);
      const { certificatePem, caBundlePem } = serving.current();
      reported = '';
      if (next.certificatePem === certificatePem && next.caBundlePem === caBundlePem) return;
      serving.replace(next);
      log.info({ dir: options.dir }, 'certificate replaced');
    } catch (thrown) {
      const message = errorMessage(thrown);
      if (message !== reported) log.warn({ message }, 'certificate not replaced');
      reported = message;
    }
  };
  const follow = async (): Promise<void> => {
    while (!signal.aborted) {
      await clock.sleep(rereadMs, { signal });
      await refresh();
      reportExpired();
    }
  };
  follow().catch((thrown: unknown) => {
    if (!signal.aborted) log.error({ err: thrown }, 'watch of certificate files failed');
  });
  return serving;
}
