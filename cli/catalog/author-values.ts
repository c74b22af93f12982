import { type MigrateLevel, readMigrateLevel } from '../../src/catalog/index.ts';
import type { OptionValues } from '../command/index.ts';
import { readImageTemplate } from './image-template.ts';
import type { RenderOptions } from './render.ts';

/** What `--migrate` and `--migrate-level` say together.
 *  @throws TerminalError InvalidOption */
export function migrateLevelOf(values: OptionValues): MigrateLevel {
  return values['migrate'] === true ? 'all' : readMigrateLevel(values['migrate-level'] as string);
}

/** What `--image-ref-template` makes of names.
 *  @throws TerminalError InvalidOption */
export function imageOfOption(values: OptionValues): RenderOptions['imageOf'] {
  const text = values['image-ref-template'];
  return typeof text === 'string' ? readImageTemplate(text) : undefined;
}
