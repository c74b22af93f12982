/** The library that writes X.509 takes 70 ms to load: only programs that issue certificates load it. */
export async function loadCertificateLibrary(): Promise<typeof import('@peculiar/x509')> {
  await import('reflect-metadata');
  return await import('@peculiar/x509');
}
