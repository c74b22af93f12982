import type { OptionSpec } from '../command/index.ts';

/** Named here as well, so that the overview of commands need not load what renders. */
const providers = ['cert-manager', 'openshift-service-ca', 'self', 'none'];

/** How `longshore bundle render` renders. */
export const renderOptions: readonly OptionSpec[] = [
  {
    name: 'install-namespace',
    kind: 'text',
    placeholder: 'NS',
    description: 'Namespace to install the operator into. Default: the suggestion of the bundle, else PACKAGE-system.',
  },
  {
    name: 'watch-namespace',
    kind: 'list',
    placeholder: 'NS',
    description: 'Namespace that the operator watches; may be repeated. Default: all, if the bundle supports it.',
  },
  {
    name: 'cert-provider',
    kind: 'text',
    placeholder: providers.join('|'),
    default: 'cert-manager',
    choices: providers,
    description: 'Provider of the serving certificates of webhooks.',
  },
  {
    name: 'deployment-config',
    kind: 'text',
    placeholder: 'FILE',
    description: 'YAML or JSON with env, resources, tolerations and more for the Deployments of the operator.',
  },
  {
    name: 'amendments',
    kind: 'text',
    placeholder: 'all|none',
    default: 'all',
    choices: ['all', 'none'],
    description: 'Use none for exactly the output of the reference renderer.',
  },
  {
    name: 'without-amendment',
    kind: 'list',
    placeholder: 'NAME',
    description: 'Amendment to disable; may be repeated.',
  },
  {
    name: 'drop-foreign-conversion',
    kind: 'flag',
    description: 'Remove conversion webhooks that CRDs configure and the operator does not serve.',
  },
  {
    name: 'output',
    short: 'o',
    kind: 'text',
    placeholder: 'yaml|json',
    default: 'yaml',
    choices: ['yaml', 'json'],
    description: 'Output format: YAML documents, or a JSON List.',
  },
];
