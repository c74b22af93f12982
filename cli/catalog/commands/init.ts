import { readFile, stat } from 'node:fs/promises';
import { fileProblem, TerminalError } from '../../../src/base/index.ts';
import { initPackage } from '../../../src/catalog/index.ts';
import type { OptionValues } from '../../command/index.ts';
import type { documentOutputOption, initOptions } from '../author-options.ts';
import { printCatalog } from '../print.ts';
import { metasOf } from '../render.ts';

type Values = OptionValues<typeof initOptions & typeof documentOutputOption>;

const maxBytes = 1024 * 1024;

async function readOption(values: Values, option: 'icon' | 'description'): Promise<Buffer | undefined> {
  const path = values[option];
  if (typeof path !== 'string') return undefined;
  try {
    if ((await stat(path)).size > maxBytes) throw new TerminalError('FileTooLarge', `more than ${maxBytes} bytes`);
    return await readFile(path);
  } catch (thrown) {
    throw new TerminalError('UnreadableFile', `--${option} ${path}: ${fileProblem(thrown)}`, { cause: thrown });
  }
}

/** `longshore catalog init PACKAGE` */
export async function catalogInit(values: Values, [name]: readonly [string]): Promise<number> {
  const [icon, description] = [await readOption(values, 'icon'), await readOption(values, 'description')];
  const defaultChannel = values['default-channel'];
  const document = initPackage({
    name,
    ...(defaultChannel === undefined ? {} : { defaultChannel }),
    ...(icon === undefined ? {} : { icon }),
    ...(description === undefined ? {} : { description: description.toString('utf8') }),
  });
  await printCatalog(metasOf([document], name), values.output);
  return 0;
}
