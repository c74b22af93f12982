/** With which key `longshore release sign` signs, and where the signature is written. */
export const signOptions = {
  key: {
    kind: 'text',
    placeholder: 'FILE',
    description: 'OpenPGP private key, as of: gpg --export-secret-keys --armor KEY (required).',
  },
  'passphrase-file': { kind: 'text', placeholder: 'FILE', description: 'File with the passphrase of the key.' },
  to: {
    kind: 'text',
    placeholder: 'DIR',
    description: 'Store of signatures: the signature is added as sha256=DIGEST/signature-N.',
  },
  'signatures-to': {
    kind: 'text',
    placeholder: 'DIR',
    description: 'Write the signature as a ConfigMap to DIR, for clusters that reach no store.',
  },
} as const;
