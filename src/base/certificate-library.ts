/** The library that writes X.509 costs 70 ms to load: only whoever issues a certificate pays. */
export async function loadCertificateLibrary(): Promise<typeof import('@peculiar/x509')> {
  await import('reflect-metadata');
  return await import('@peculiar/x509');
}
