import { formatYaml } from '../../src/base/index.ts';
import type { OptionSpec, OptionValues } from './options.ts';

/** A table for people, JSON or YAML for programs. */
export const documentOption: OptionSpec = {
  name: 'output',
  short: 'o',
  kind: 'text',
  placeholder: 'text|json|yaml',
  default: 'text',
  choices: ['text', 'json', 'yaml'],
  sentence: 'Form of what is printed.',
};

/** Prints `value` in the form of `--output`, and `text()` for people. */
export function printDocument(values: OptionValues, value: unknown, text: () => string): void {
  const { output } = values;
  if (output === 'json') process.stdout.write(`${JSON.stringify(value)}\n`);
  else process.stdout.write(output === 'yaml' ? formatYaml(value) : text());
}
