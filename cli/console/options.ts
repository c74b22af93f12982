/** Where and for whom `longshore console` listens. */
export const consoleOptions = {
  'bind-address': {
    kind: 'text',
    placeholder: 'HOST:PORT',
    default: '127.0.0.1:0',
    description: 'Address to listen on; port 0 selects a free one. Other addresses than loopback need --api-server.',
  },
  open: { kind: 'flag', default: false, description: 'Open the console in the browser.' },
  'api-server': {
    kind: 'text',
    placeholder: 'URL',
    description:
      'Serve the console to users who sign in with a bearer token or OpenID Connect, for this API server. Without it, a one-time link signs in as the user of the kubeconfig.',
  },
  'api-server-ca': {
    kind: 'text',
    placeholder: 'FILE',
    description: 'Authority of the API server, in PEM.',
  },
  'external-url': {
    kind: 'text',
    placeholder: 'URL',
    description: 'Address under which browsers reach the console. Requests with another host name are refused.',
  },
  'proxy-count': {
    kind: 'number',
    placeholder: 'COUNT',
    default: 0,
    range: [0, 8],
    description:
      'Reverse proxies in front of the console. Attempts to sign in are limited by the address that the outermost one has noted in X-Forwarded-For.',
  },
  'tls-cert-file': { kind: 'text', placeholder: 'FILE', description: 'Certificate for HTTPS, in PEM.' },
  'tls-key-file': { kind: 'text', placeholder: 'FILE', description: 'Its private key, in PEM.' },
  'oidc-issuer-url': {
    kind: 'text',
    placeholder: 'URL',
    description: 'OpenID Connect provider that the API server trusts.',
  },
  'oidc-client-id': { kind: 'text', placeholder: 'ID', description: 'Client at the provider.' },
  'oidc-client-secret-file': {
    kind: 'text',
    placeholder: 'FILE',
    description: 'File with the secret of the client; none for a public client.',
  },
  'oidc-scope': {
    kind: 'list',
    placeholder: 'NAME',
    description: 'Scope to request; may be repeated (default: openid, email, groups, offline_access).',
  },
} as const;
