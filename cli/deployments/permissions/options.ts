import { renderOptions } from '../../bundle/index.ts';
import type { OptionSpec } from '../../command/index.ts';

const namespaceOptions = renderOptions.filter(({ name }) => ['install-namespace', 'watch-namespace'].includes(name));

/** What `longshore permissions` prints, and of which installation. */
export const permissionsOptions: readonly OptionSpec[] = [
  ...namespaceOptions,
  {
    name: 'service-account',
    kind: 'text',
    placeholder: 'NAMESPACE/NAME',
    sentence:
      'Who is to have the rights: bindings are printed with the roles. Default: whom the BundleDeployment names, else nobody.',
  },
  {
    name: 'output',
    short: 'o',
    kind: 'text',
    placeholder: 'yaml|table|json',
    default: 'yaml',
    choices: ['yaml', 'table', 'json'],
    sentence: 'Roles that can be applied, a table for people, or JSON for programs.',
  },
];
