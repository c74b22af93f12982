/** What `resolve` chooses from, and what is there. */
export const resolveOptions = {
  catalog: {
    kind: 'list',
    placeholder: 'DIR|FILE|REF|URL',
    description: 'Catalog to resolve from; may be repeated, the first is preferred.',
  },
  installed: {
    kind: 'list',
    placeholder: 'NAME=VERSION|FILE',
    description:
      'An installed package, or a YAML or JSON file: lines "NAME: VERSION", or the output of kubectl get csv -o yaml; may be repeated.',
  },
  channel: {
    kind: 'list',
    placeholder: 'PACKAGE=CHANNEL',
    description: 'Channel of a requested package; may be repeated (default: any, the default channel first).',
  },
  'installed-constraints': {
    kind: 'text',
    placeholder: 'POLICY',
    default: 'Required',
    choices: ['Required', 'BestEffort'],
    description:
      'Required: the requirements of installed bundles must be satisfied, as in the Operator Lifecycle Manager. BestEffort: requirements that no installed bundle satisfies are satisfied if possible, and block nothing.',
  },
  output: {
    short: 'o',
    kind: 'text',
    placeholder: 'text|json|yaml',
    default: 'text',
    choices: ['text', 'json', 'yaml'],
    description: 'Output format.',
  },
} as const;
