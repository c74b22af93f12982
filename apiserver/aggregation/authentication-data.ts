import { frontProxyName } from '../auth/index.ts';

/** `data` of the ConfigMap `kube-system/extension-apiserver-authentication`: by it extension servers verify that a request comes from this server, and
 *  read the user from its headers. */
export function authenticationData(authorities: {
  readonly clientCaPem: string;
  readonly frontProxyCaPem: string;
}): Readonly<Record<string, string>> {
  return {
    'client-ca-file': authorities.clientCaPem,
    'requestheader-allowed-names': JSON.stringify([frontProxyName]),
    'requestheader-client-ca-file': authorities.frontProxyCaPem,
    'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
    'requestheader-group-headers': '["X-Remote-Group"]',
    'requestheader-username-headers': '["X-Remote-User"]',
  };
}
