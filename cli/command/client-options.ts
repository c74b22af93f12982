import type { OptionSpec } from './options.ts';

/** Which cluster a command speaks to. */
export const kubeconfigOption: OptionSpec = {
  name: 'kubeconfig',
  kind: 'text',
  placeholder: 'FILE',
  environmentVariable: 'KUBECONFIG',
  description: 'Kubeconfig of the cluster (default: ~/.kube/config).',
};

/** Which cluster a command speaks to, and where it finds the content server of it. */
export const clusterOptions: readonly OptionSpec[] = [
  kubeconfigOption,
  {
    name: 'system-namespace',
    kind: 'text',
    placeholder: 'NAME',
    default: 'rukpak-system',
    description: 'Namespace of the provisioners.',
  },
  {
    name: 'ca-secret-name',
    kind: 'text',
    placeholder: 'NAME',
    default: 'rukpak-ca',
    description:
      'Secret of the system namespace with the address (url) and the authority (ca.crt) of the content server.',
  },
  {
    name: 'content-address',
    kind: 'text',
    placeholder: 'URL',
    description:
      'URL of the content server, such as https://localhost:8443 with "kubectl port-forward -n rukpak-system service/core 8443:443" (default: the url of that Secret).',
  },
];

/** Text for people, JSON for programs. */
export const outputOption: OptionSpec = {
  name: 'output',
  short: 'o',
  kind: 'text',
  placeholder: 'text|json',
  default: 'text',
  choices: ['text', 'json'],
  description: 'Output format.',
};

/** The same, where `-o` is a file. */
export const longOutputOption: OptionSpec = (({ short: _short, ...option }) => option)(outputOption);

/** A table for people, JSON or YAML for programs. */
export const documentOption: OptionSpec = {
  name: 'output',
  short: 'o',
  kind: 'text',
  placeholder: 'text|json|yaml',
  default: 'text',
  choices: ['text', 'json', 'yaml'],
  description: 'Output format.',
};
