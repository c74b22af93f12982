import { formatYaml, printable, TerminalError } from '../../../src/base/index.ts';
import { type InstalledConstraints, resolve as resolveRequest } from '../../../src/resolver/index.ts';
import type { OptionValues } from '../../command/index.ts';
import { withCatalogs } from '../open.ts';
import { resolutionText, resolutionValue } from '../resolution-text.ts';
import { readRequest } from '../resolving.ts';

function listOf(values: OptionValues, name: string): readonly string[] {
  return (values[name] as readonly string[] | undefined) ?? [];
}

/** `longshore resolve PACKAGE[@RANGE]... --catalog REF`: 1 when it cannot be. */
export async function resolve(values: OptionValues, packages: readonly string[]): Promise<number> {
  const catalogs = listOf(values, 'catalog');
  if (catalogs.length === 0) {
    throw new TerminalError('InvalidOption', 'resolve: expected --catalog with the catalog to choose from');
  }
  return await withCatalogs(values, async (options) => {
    const warn = (text: string): void => {
      process.stderr.write(`longshore: ${printable(text)}\n`);
    };
    const request = await readRequest({
      packages,
      catalogs,
      installed: listOf(values, 'installed'),
      installedConstraints: values['installed-constraints'] as InstalledConstraints,
      options,
      warn,
    });
    const answer = resolveRequest(request);
    options.progress.clear();
    if (values['output'] === 'json') process.stdout.write(`${JSON.stringify(resolutionValue(answer))}\n`);
    else if (values['output'] === 'yaml') process.stdout.write(formatYaml(resolutionValue(answer)));
    else process.stdout.write(resolutionText(answer));
    return answer.outcome === 'resolved' ? 0 : 1;
  });
}
