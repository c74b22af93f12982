/** What `longshore release mirror` copies, and where to. */
export const mirrorOptions = {
  to: {
    kind: 'text',
    placeholder: 'REPOSITORY|DIR',
    description: 'Repository of a registry, or a folder, to which the release and its images are copied (required).',
  },
  store: {
    kind: 'list',
    placeholder: 'URL|DIR',
    description:
      'Store of OpenPGP signatures, beside those that the release names: sha256=DIGEST/signature-1 and so on below an address or folder; may be repeated.',
  },
  'signatures-to': {
    kind: 'text',
    placeholder: 'DIR',
    description: 'Write the OpenPGP signatures as ConfigMaps to DIR, for clusters that reach no store.',
  },
  'dry-run': { kind: 'flag', default: false, description: 'List what would be copied.' },
} as const;
