/** Namespaces that an operator is installed into and watches. */
export const namespaceOptions = {
  'install-namespace': {
    kind: 'text',
    placeholder: 'NS',
    description: 'Namespace to install the operator into. Default: the suggestion of the bundle, else PACKAGE-system.',
  },
  'watch-namespace': {
    kind: 'list',
    placeholder: 'NS',
    description: 'Namespace that the operator watches; may be repeated. Default: all, if the bundle supports it.',
  },
} as const;

/** How `longshore bundle render` renders. */
export const renderOptions = {
  'cert-provider': {
    kind: 'text',
    placeholder: 'cert-manager|openshift-service-ca|self|none',
    default: 'cert-manager',
    choices: ['cert-manager', 'openshift-service-ca', 'self', 'none'],
    description: 'Provider of the serving certificates of webhooks.',
  },
  'deployment-config': {
    kind: 'text',
    placeholder: 'FILE',
    description: 'YAML or JSON with env, resources, tolerations and more for the Deployments of the operator.',
  },
  amendments: {
    kind: 'text',
    placeholder: 'all|none',
    default: 'all',
    choices: ['all', 'none'],
    description: 'Use none for exactly the output of the reference renderer.',
  },
  'without-amendment': {
    kind: 'list',
    placeholder: 'NAME',
    description: 'Amendment to disable; may be repeated.',
  },
  'drop-foreign-conversion': {
    kind: 'flag',
    description: 'Remove conversion webhooks that CRDs configure and the operator does not serve.',
  },
  output: {
    short: 'o',
    kind: 'text',
    placeholder: 'yaml|json',
    default: 'yaml',
    choices: ['yaml', 'json'],
    description: 'Output format: YAML documents, or a JSON List.',
  },
} as const;
