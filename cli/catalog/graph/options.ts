import type { OptionSpec } from '../../command/index.ts';
import { catalogOption } from '../options.ts';

/** Options of `catalog graph`. */
export const graphOptions: readonly OptionSpec[] = [
  catalogOption,
  { name: 'channel', kind: 'text', placeholder: 'CHANNEL', sentence: 'The only channel to draw; without it all.' },
  {
    name: 'output',
    short: 'o',
    kind: 'text',
    placeholder: 'text|mermaid|svg',
    choices: ['text', 'mermaid', 'svg'],
    sentence:
      'The form; without it what the name of --file ends with (.svg, .mmd, .mermaid, .txt), or text without --file.',
  },
  { name: 'file', kind: 'text', placeholder: 'FILE', sentence: 'Write to this file, not to standard output.' },
  {
    name: 'installed',
    kind: 'text',
    placeholder: 'VERSION',
    sentence: 'Mark what is installed, a version or the name of a bundle, and the updates that follow.',
  },
  {
    name: 'to',
    kind: 'text',
    placeholder: 'VERSION',
    sentence: 'Mark the updates that lead to this version, or bundle, and no further.',
  },
  {
    name: 'policy',
    kind: 'text',
    placeholder: 'v0|v1',
    default: 'v1',
    choices: ['v0', 'v1'],
    sentence: 'Who updates: the classic Operator Lifecycle Manager (v0), or its successor and platform operators (v1).',
  },
  {
    name: 'minimum-edge',
    kind: 'text',
    placeholder: 'BUNDLE',
    sentence: 'With mermaid: leave out what is older than this bundle.',
  },
  {
    name: 'draw-v0-semantics',
    kind: 'flag',
    sentence: 'With mermaid: mark skipped bundles, and replacements that nobody makes because of that.',
  },
];
