/** By which keys `longshore release verify` trusts a release, and where it finds signatures. */
export const verifyOptions = {
  key: {
    kind: 'list',
    placeholder: 'FILE',
    description: 'OpenPGP public keys, one of which must have signed; of several files, each must have.',
  },
  store: {
    kind: 'list',
    placeholder: 'URL|DIR',
    description:
      'Store of signatures: sha256=DIGEST/signature-1 and so on below an address or folder; may be repeated.',
  },
  'from-payload': {
    kind: 'text',
    placeholder: 'RELEASE',
    description: 'Take keys and stores from a release that you trust, such as the one that runs.',
  },
  'signature-config-map': {
    kind: 'list',
    placeholder: 'FILE',
    description: 'ConfigMaps with signatures, which are tried before all stores; may be repeated.',
  },
  policy: {
    kind: 'text',
    placeholder: 'FILE',
    description: 'Image policy, whose signers must have signed with cosign.',
  },
  force: { kind: 'flag', default: false, description: 'Report a missing signature, but succeed.' },
} as const;
