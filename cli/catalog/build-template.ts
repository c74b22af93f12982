import { TerminalError } from '../../src/base/index.ts';
import { type Meta, readTemplate } from '../../src/catalog/index.ts';
import { bundleKinds, metasOf, migrated, type RenderOptions, renderBundles } from './render.ts';

/** A template as it was found. */
export interface TemplateText {
  /** Where, for messages. */
  readonly name: string;
  readonly text: string;
  /** Undefined: detected from its schema. */
  readonly type: string | undefined;
}

/** Errors of a template include its name. */
async function named<T>(name: string, work: () => Promise<T> | T): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (!(thrown instanceof TerminalError) || thrown.reason !== 'InvalidTemplate') throw thrown;
    throw new TerminalError(thrown.reason, `${name}: ${thrown.message}`, { cause: thrown });
  }
}

/** Renders the bundles of a template and builds it; the caller validates the catalog.
 *  @throws TerminalError RenderFailed, InvalidTemplate */
export async function buildTemplate(
  { name, text, type }: TemplateText,
  options: Omit<RenderOptions, 'allowed'>,
): Promise<readonly Meta[]> {
  const { migrate, warn } = options;
  const template = await named(name, () => readTemplate(text, type));
  // Manifests are needed until the package has its description.
  const rendered = await renderBundles(template.references, { ...options, allowed: bundleKinds, migrate: 'none' });
  const { documents, warnings } = await named(name, () => template.build(rendered));
  for (const warning of warnings) warn(`${name}: ${warning}`);
  return metasOf(await Promise.all(documents.map((document) => migrated(document, { migrate, warn }))), name);
}
