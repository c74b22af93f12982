/** Failures of certificate verification in Go's words. */
const certificateProblems: ReadonlyMap<string, string> = new Map([
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'certificate signed by unknown authority'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'certificate signed by unknown authority'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'certificate signed by unknown authority'],
  ['UNABLE_TO_GET_ISSUER_CERT', 'certificate signed by unknown authority'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'certificate signed by unknown authority'],
  ['CERT_SIGNATURE_FAILURE', 'certificate signed by unknown authority'],
  ['CERT_HAS_EXPIRED', 'certificate has expired or is not yet valid'],
  ['CERT_NOT_YET_VALID', 'certificate has expired or is not yet valid'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'certificate is not valid for the requested name'],
]);

/** Why a request over HTTPS brought no answer, in the words of Go's client. */
export function connectionProblem(
  thrown: unknown,
  endpoint: () => { readonly host: string; readonly port: number },
): string {
  const { code = '', name, message } = thrown as NodeJS.ErrnoException;
  if (name === 'AbortError' || name === 'TimeoutError') return 'context deadline exceeded';
  if (code === 'ECONNREFUSED') {
    const { host, port } = endpoint();
    return `dial tcp ${host}:${port}: connect: connection refused`;
  }
  const problem = certificateProblems.get(code);
  return problem === undefined ? message : `tls: failed to verify certificate: x509: ${problem}`;
}
