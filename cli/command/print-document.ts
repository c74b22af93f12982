import { formatYaml } from '../../src/base/index.ts';
import type { OptionValues } from './options.ts';

/** Prints `value` in the form of `--output`, and `text()` for people. */
export function printDocument(values: OptionValues, value: unknown, text: () => string): void {
  const { output } = values;
  if (output === 'json') process.stdout.write(`${JSON.stringify(value)}\n`);
  else process.stdout.write(output === 'yaml' ? formatYaml(value) : text());
}
