import type { OptionSpec } from '../../command/index.ts';

/** Options of `catalog validate`. */
export const validateOptions: readonly OptionSpec[] = [
  {
    name: 'output',
    short: 'o',
    kind: 'text',
    placeholder: 'text|json|yaml',
    default: 'text',
    sentence: 'Text for people, or a form for programs: passed, the message of opm validate, and every finding.',
  },
  { name: 'strict', kind: 'flag', default: false, sentence: 'Let warnings fail the catalog, too.' },
  {
    name: 'verbose',
    short: 'v',
    kind: 'flag',
    default: false,
    sentence: 'Show every finding, not the first ones of each kind.',
  },
];
