import { formatYaml } from '../../src/base/index.ts';

/** Prints `value` in the format of `--output`, and `text()` for people. */
export function printDocument(
  { output }: { readonly output: 'text' | 'json' | 'yaml' },
  value: unknown,
  text: () => string,
): void {
  if (output === 'json') process.stdout.write(`${JSON.stringify(value)}\n`);
  else process.stdout.write(output === 'yaml' ? formatYaml(value) : text());
}
