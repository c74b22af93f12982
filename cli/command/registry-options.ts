/** How registries are spoken to. */
export const registryOptions = {
  'insecure-registry': {
    kind: 'list',
    placeholder: 'HOST[:PORT]',
    description: 'Registry to access over plain HTTP; may be repeated. Loopback registries are always allowed.',
  },
  'registry-ca': {
    kind: 'text',
    placeholder: 'FILE',
    description: 'PEM file of additional certificate authorities for registries.',
  },
  'auth-file': {
    kind: 'text',
    placeholder: 'FILE',
    environmentVariable: 'REGISTRY_AUTH_FILE',
    description:
      'Registry credentials: a file with auths, credHelpers and credsStore as in ~/.docker/config.json, or a pull secret.',
  },
} as const;

/** Where commands that speak to registries find logins. */
export const loginText =
  'Registry credentials are read from --auth-file, REGISTRY_AUTH_FILE or ~/.docker/config.json, with its credential helpers.';
