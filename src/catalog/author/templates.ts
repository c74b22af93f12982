import { type JsonObject, TerminalError, textAt } from '../../base/index.ts';
import { basicSchema, readBasicTemplate } from './basic-template.ts';
import { readSemverTemplate, semverSchema } from './semver-template.ts';
import { readSubstitutesTemplate, substitutesSchema } from './substitutes-template.ts';
import { type CatalogTemplate, refuseTemplate, templateDocument } from './template.ts';

interface TemplateKind {
  readonly schema: string;
  readonly read: (text: string, document: () => JsonObject) => CatalogTemplate;
}

const kinds: Readonly<Record<string, TemplateKind>> = {
  basic: { schema: basicSchema, read: (_text, document) => readBasicTemplate(document()) },
  semver: { schema: semverSchema, read: (text) => readSemverTemplate(text) },
  substitutes: { schema: substitutesSchema, read: (_text, document) => readSubstitutesTemplate(document()) },
};

/** Types of templates that one file is enough for. */
export const templateTypes: readonly string[] = Object.keys(kinds);

function kindOf(type: string | undefined, document: () => JsonObject): TemplateKind {
  if (type !== undefined) {
    const named = Object.hasOwn(kinds, type) ? kinds[type] : undefined;
    if (named !== undefined) return named;
    throw new TerminalError(
      'InvalidOption',
      `unknown template type: ${type}: expected one of ${templateTypes.join(', ')}`,
    );
  }
  const schema = textAt(document(), 'schema');
  if (schema === '') return refuseTemplate("template input missing required 'schema' field");
  return (
    Object.values(kinds).find((kind) => kind.schema === schema) ?? refuseTemplate(`unknown template schema: ${schema}`)
  );
}

/** Reads a template of the given type, or of the type that its schema names.
 *  @throws TerminalError InvalidTemplate, InvalidOption */
export function readTemplate(text: string, type?: string): CatalogTemplate {
  const document = (): JsonObject => templateDocument(text);
  return kindOf(type, document).read(text, document);
}
