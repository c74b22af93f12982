import { formatYaml, printable, TerminalError } from '../../../src/base/index.ts';
import { resolve as resolveRequest } from '../../../src/resolver/index.ts';
import type { OptionValues, registryOptions } from '../../command/index.ts';
import { withCatalogs } from '../open.ts';
import { resolutionText, resolutionValue } from '../resolution-text.ts';
import type { resolveOptions } from '../resolve-options.ts';
import { readRequest } from '../resolving.ts';

type Values = OptionValues<typeof resolveOptions & typeof registryOptions>;

/** `longshore resolve PACKAGE[@RANGE]... --catalog REF`: 1 when it cannot be. */
export async function resolve(values: Values, packages: readonly string[]): Promise<number> {
  const { catalog: catalogs } = values;
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
      installed: values.installed,
      installedConstraints: values['installed-constraints'],
      channels: values.channel,
      options,
      warn,
    });
    const answer = resolveRequest(request);
    options.progress.clear();
    if (values.output === 'json') process.stdout.write(`${JSON.stringify(resolutionValue(answer))}\n`);
    else if (values.output === 'yaml') process.stdout.write(formatYaml(resolutionValue(answer)));
    else process.stdout.write(resolutionText(answer));
    return answer.outcome === 'resolved' ? 0 : 1;
  });
}
