import type { OptionSpec } from './options.ts';

/** How registries are spoken to. */
export const registryOptions: readonly OptionSpec[] = [
  {
    name: 'insecure-registry',
    kind: 'list',
    placeholder: 'HOST[:PORT]',
    sentence: 'Registry that may be spoken to over plain HTTP; may be repeated. Loopback registries always may.',
  },
  {
    name: 'registry-ca',
    kind: 'text',
    placeholder: 'FILE',
    sentence: 'PEM file of certificate authorities that registries are trusted by, beside the usual ones.',
  },
  {
    name: 'auth-file',
    kind: 'text',
    placeholder: 'FILE',
    variable: 'REGISTRY_AUTH_FILE',
    sentence: 'Logins of registries: auths, credHelpers and credsStore as in ~/.docker/config.json, or a pull secret.',
  },
];

/** Where commands that speak to registries find logins. */
export const loginText =
  'Logins are those of container tools: --auth-file, REGISTRY_AUTH_FILE or ~/.docker/config.json, with its credential helpers.';
