import { type MigrateLevel, readMigrateLevel } from '../../src/catalog/index.ts';
import type { OptionValues } from '../command/index.ts';
import type { imageTemplateOption, migrateOptions } from './author-options.ts';
import { readImageTemplate } from './image-template.ts';
import type { RenderOptions } from './render.ts';

/** The level of `--migrate` and `--migrate-level` together.
 *  @throws TerminalError InvalidOption */
export function migrateLevelOf(values: OptionValues<typeof migrateOptions>): MigrateLevel {
  return values.migrate ? 'all' : readMigrateLevel(values['migrate-level']);
}

/** What `--image-ref-template` makes of names.
 *  @throws TerminalError InvalidOption */
export function imageOfOption(values: OptionValues<typeof imageTemplateOption>): RenderOptions['imageOf'] {
  const text = values['image-ref-template'];
  return text === undefined ? undefined : readImageTemplate(text);
}
