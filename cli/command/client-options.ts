/** Which cluster a command speaks to. */
export const kubeconfigOption = {
  kubeconfig: {
    kind: 'text',
    placeholder: 'FILE',
    environmentVariable: 'KUBECONFIG',
    description: 'Kubeconfig of the cluster (default: ~/.kube/config).',
  },
} as const;

const contentServerOptions = {
  'system-namespace': {
    kind: 'text',
    placeholder: 'NAME',
    default: 'rukpak-system',
    description: 'Namespace of the provisioners.',
  },
  'ca-secret-name': {
    kind: 'text',
    placeholder: 'NAME',
    default: 'rukpak-ca',
    description:
      'Secret of the system namespace with the address (url) and the authority (ca.crt) of the content server.',
  },
  'content-address': {
    kind: 'text',
    placeholder: 'URL',
    description:
      'URL of the content server, such as https://localhost:8443 with "kubectl port-forward -n rukpak-system service/core 8443:443" (default: the url of that Secret).',
  },
} as const;

/** Which cluster a command uses, and where it finds its content server. */
export const clusterOptions: typeof kubeconfigOption & typeof contentServerOptions = {
  ...kubeconfigOption,
  ...contentServerOptions,
};

/** Text for people, JSON for programs. */
export const outputOption = {
  output: {
    short: 'o',
    kind: 'text',
    placeholder: 'text|json',
    default: 'text',
    choices: ['text', 'json'],
    description: 'Output format.',
  },
} as const;

/** The same, where `-o` is a file. */
export const longOutputOption = {
  output: {
    kind: 'text',
    placeholder: 'text|json',
    default: 'text',
    choices: ['text', 'json'],
    description: 'Output format.',
  },
} as const;

/** A table for people, JSON or YAML for programs. */
export const documentOption = {
  output: {
    short: 'o',
    kind: 'text',
    placeholder: 'text|json|yaml',
    default: 'text',
    choices: ['text', 'json', 'yaml'],
    description: 'Output format.',
  },
} as const;
