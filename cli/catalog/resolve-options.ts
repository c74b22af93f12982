import type { OptionSpec } from '../command/index.ts';

/** What `resolve` chooses from, and what is there. */
export const resolveOptions: readonly OptionSpec[] = [
  {
    name: 'catalog',
    kind: 'list',
    placeholder: 'DIR|FILE|REF|URL',
    sentence: 'Catalog to choose from; may be given several times, the first is preferred.',
  },
  {
    name: 'installed',
    kind: 'list',
    placeholder: 'NAME=VERSION|FILE',
    sentence:
      'A package that is installed, or a file of YAML or JSON: lines "NAME: VERSION", or what kubectl get csv -o yaml prints; may be given several times.',
  },
  {
    name: 'installed-constraints',
    kind: 'text',
    placeholder: 'POLICY',
    default: 'Required',
    choices: ['Required', 'BestEffort'],
    sentence:
      'Required: the requirements of installed bundles must be met, as the Operator Lifecycle Manager demands; BestEffort: those that nothing installed meets are met where possible, and prevent nothing.',
  },
  {
    name: 'output',
    short: 'o',
    kind: 'text',
    placeholder: 'text|json|yaml',
    default: 'text',
    choices: ['text', 'json', 'yaml'],
    sentence: 'Sentences for people, or a form for programs.',
  },
];
