/** How the layer of an image is written. */
export const buildOptions = {
  compression: {
    kind: 'text',
    placeholder: 'none|gzip',
    default: 'none',
    choices: ['none', 'gzip'],
    description: 'Layer compression. With gzip the digest may depend on the version of Node.js.',
  },
} as const;

/** What `longshore bundle validate` looks for. */
export const validateOptions = {
  select: {
    kind: 'list',
    placeholder: 'ID|SUITE',
    description: 'Run only these checks, by id or suite; may be repeated.',
  },
  ignore: { kind: 'list', placeholder: 'ID|SUITE', description: 'Skip these checks; may be repeated.' },
  'k8s-version': {
    kind: 'text',
    placeholder: 'VERSION',
    description: 'Target release of Kubernetes: APIs that it has removed are errors.',
  },
  categories: {
    kind: 'text',
    placeholder: 'FILE',
    environmentVariable: 'OPERATOR_BUNDLE_CATEGORIES',
    description: 'JSON file {"categories": ["…"]} with the allowed categories, instead of the standard ones.',
  },
  verbose: {
    short: 'v',
    kind: 'flag',
    description: 'Show every finding, in file order. By default findings with the same fix are grouped, three of each.',
  },
  strict: { kind: 'flag', description: 'Exit with status 1 on warnings, too.' },
  list: { kind: 'flag', description: 'Print the checks that would run, without running them.' },
  output: {
    short: 'o',
    kind: 'text',
    placeholder: 'text|json|sarif|junit|json-alpha1',
    default: 'text',
    choices: ['text', 'json', 'sarif', 'junit', 'json-alpha1'],
    description: 'Output format; json-alpha1 is the format of operator-sdk.',
  },
} as const;
