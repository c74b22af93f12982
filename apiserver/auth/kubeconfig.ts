import type { Credentials } from './credentials.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** A kubeconfig (YAML) with one context `longshore`: the admin's client certificate and the authority to trust. */
export function formatKubeconfig(url: string, credentials: Credentials): string {
  return `apiVersion: v1
kind: Config
clusters:
  - name: longshore
    cluster:
      server: ${url}
      certificate-authority-data: ${base64(credentials.authority.certificatePem)}
users:
  - name: longshore-admin
    user:
      client-certificate-data: ${base64(credentials.admin.certificatePem)}
      client-key-data: ${base64(credentials.admin.privateKeyPem)}
contexts:
  - name: longshore
    context:
      cluster: longshore
      user: longshore-admin
current-context: longshore
`;
}
