/** Options of `catalog graph`. */
export const graphOptions = {
  channel: { kind: 'text', placeholder: 'CHANNEL', description: 'Draw only this channel (default: all).' },
  output: {
    short: 'o',
    kind: 'text',
    placeholder: 'text|mermaid|svg|json',
    choices: ['text', 'mermaid', 'svg', 'json'],
    description:
      'Output format (default: from the extension of --file: .svg, .mmd, .mermaid, .txt, .json; text without --file).',
  },
  file: { kind: 'text', placeholder: 'FILE', description: 'Write to FILE instead of standard output.' },
  installed: {
    kind: 'text',
    placeholder: 'VERSION',
    description: 'Highlight the installed bundle (a version or bundle name) and its available updates.',
  },
  to: {
    kind: 'text',
    placeholder: 'VERSION',
    description: 'Highlight only the updates up to this version or bundle.',
  },
  policy: {
    kind: 'text',
    placeholder: 'v0|v1',
    default: 'v1',
    choices: ['v0', 'v1'],
    description:
      'Update semantics: the classic Operator Lifecycle Manager (v0), or OLM v1 and platform operators (v1).',
  },
  'minimum-edge': {
    kind: 'text',
    placeholder: 'BUNDLE',
    description: 'With mermaid: omit entries older than this bundle.',
  },
  'draw-v0-semantics': {
    kind: 'flag',
    description: 'With mermaid: mark skipped bundles and the replaces edges that this disables.',
  },
} as const;
