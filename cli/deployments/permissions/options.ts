/** What `longshore permissions` prints, and of which installation. */
export const permissionsOptions = {
  'service-account': {
    kind: 'text',
    placeholder: 'NAMESPACE/NAME',
    description:
      'Service account to print bindings for. Default: the service account of the BundleDeployment, else only roles are printed.',
  },
  output: {
    short: 'o',
    kind: 'text',
    placeholder: 'yaml|table|json',
    default: 'yaml',
    choices: ['yaml', 'table', 'json'],
    description: 'Output format; yaml prints roles that can be applied.',
  },
} as const;
