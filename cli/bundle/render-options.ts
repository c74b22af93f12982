import type { OptionSpec } from '../command/index.ts';

/** Named here as well, so that the overview of commands need not load what renders. */
const providers = ['cert-manager', 'openshift-service-ca', 'self', 'none'];

/** How `longshore bundle render` renders. */
export const renderOptions: readonly OptionSpec[] = [
  {
    name: 'install-namespace',
    kind: 'text',
    placeholder: 'NS',
    sentence: 'Where the operator is to run. Default: what the bundle suggests, else PACKAGE-system.',
  },
  {
    name: 'watch-namespace',
    kind: 'list',
    placeholder: 'NS',
    sentence: 'Namespace that the operator is to watch; may be repeated. Default: all, where the bundle supports that.',
  },
  {
    name: 'cert-provider',
    kind: 'text',
    placeholder: providers.join('|'),
    default: 'cert-manager',
    choices: providers,
    sentence: 'Who makes the certificates that webhooks are served with.',
  },
  {
    name: 'deployment-config',
    kind: 'text',
    placeholder: 'FILE',
    sentence: 'YAML or JSON with env, resources, tolerations and more for the Deployments of the operator.',
  },
  {
    name: 'amendments',
    kind: 'text',
    placeholder: 'all|none',
    default: 'all',
    choices: ['all', 'none'],
    sentence: 'With none exactly what the reference renderer makes.',
  },
  {
    name: 'without-amendment',
    kind: 'list',
    placeholder: 'NAME',
    sentence: 'An amendment that is left out; may be repeated.',
  },
  {
    name: 'drop-foreign-conversion',
    kind: 'flag',
    sentence: 'Take away conversion webhooks that CRDs ship and the operator does not serve.',
  },
  {
    name: 'output',
    short: 'o',
    kind: 'text',
    placeholder: 'yaml|json',
    default: 'yaml',
    choices: ['yaml', 'json'],
    sentence: 'YAML documents, or one List in JSON.',
  },
];
