/** What `longshore release mirror` copies, and where to. */
export const mirrorOptions = {
  to: {
    kind: 'text',
    placeholder: 'REPOSITORY|DIR',
    description: 'Repository of a registry, or a folder, to which the release and its images are copied (required).',
  },
  'dry-run': { kind: 'flag', default: false, description: 'List what would be copied.' },
} as const;
