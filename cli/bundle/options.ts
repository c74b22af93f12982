import type { OptionSpec } from '../command/index.ts';

/** What a folder becomes. */
export const buildOptions: readonly OptionSpec[] = [
  {
    name: 'as',
    kind: 'text',
    placeholder: 'image|artifact',
    default: 'image',
    choices: ['image', 'artifact'],
    sentence: 'A container image, which every registry takes, or an OCI artifact.',
  },
  {
    name: 'compression',
    kind: 'text',
    placeholder: 'none|gzip',
    default: 'none',
    choices: ['none', 'gzip'],
    sentence: 'With gzip it is smaller, and its digest may be another one with another version of Node.js.',
  },
];

/** Where `longshore bundle build` puts what it builds. */
export const buildTargetOptions: readonly OptionSpec[] = [
  {
    name: 'file',
    short: 'o',
    kind: 'text',
    placeholder: 'FILE.tar',
    sentence: 'Write an OCI image layout to FILE.tar.',
  },
  { name: 'push', kind: 'text', placeholder: 'REF', sentence: 'Push to a registry: HOST/REPOSITORY[:TAG].' },
];

/** What `longshore bundle validate` looks for. */
export const validateOptions: readonly OptionSpec[] = [
  {
    name: 'select',
    kind: 'list',
    placeholder: 'ID|SUITE',
    sentence: 'Run these checks only, by id or suite; may be repeated.',
  },
  { name: 'ignore', kind: 'list', placeholder: 'ID|SUITE', sentence: 'Leave these checks out; may be repeated.' },
  {
    name: 'k8s-version',
    kind: 'text',
    placeholder: 'VERSION',
    sentence: 'Judge for this release of Kubernetes: what it does not have any more is an error.',
  },
  {
    name: 'categories',
    kind: 'text',
    placeholder: 'FILE',
    variable: 'OPERATOR_BUNDLE_CATEGORIES',
    sentence: 'JSON file {"categories": ["…"]} of the categories that there are, instead of the standard ones.',
  },
  {
    name: 'verbose',
    short: 'v',
    kind: 'flag',
    sentence:
      'As text, show every finding in its order; else what the same is to be done about stands together, three of each.',
  },
  { name: 'strict', kind: 'flag', sentence: 'Exit with 1 for warnings, too.' },
  { name: 'list', kind: 'flag', sentence: 'Print the checks that would be run, and run none.' },
  {
    name: 'output',
    short: 'o',
    kind: 'text',
    placeholder: 'text|json|sarif|junit|json-alpha1',
    default: 'text',
    choices: ['text', 'json', 'sarif', 'junit', 'json-alpha1'],
    sentence: 'Lines for people, or a form for programs; json-alpha1 is that of operator-sdk.',
  },
];
