import { badRequest } from '../status-error.ts';

/** One term of a field selector; all must hold. */
export interface FieldRequirement {
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

function splitTerms(text: string): string[] {
  return text.match(/(?:\\.|[^,\\]|\\$)+/gsu) ?? [];
}

const escapeOrBare = /\\([\s\S]?)|[,=]/gu;

function unescape(text: string): string {
  return text.replaceAll(escapeOrBare, (found: string, escaped: string | undefined) => {
    if (escaped === undefined) {
      throw badRequest(`invalid field selector: unescaped character in value: ${found.codePointAt(0)}`);
    }
    if (escaped === '' || !'\\,='.includes(escaped)) {
      throw badRequest(`invalid field selector: invalid escape sequence: ${found}`);
    }
    return escaped;
  });
}

/** Parses the query parameter `fieldSelector`; empty terms are skipped, so are those with neither field nor value, `\` escapes `,`, `=` and `\` in values.
 *  Which fields may be selected is for the caller to check.
 *  @throws StatusError 400 */
export function parseFieldSelector(text: string): FieldRequirement[] {
  return splitTerms(text)
    .sort()
    .map((term) => {
      const match = /^(.*?)(!=|==|=)(.*)$/s.exec(term);
      if (match === null) throw badRequest(`invalid selector: '${text}'; can't understand '${term}'`);
      const [, field = '', operator, value = ''] = match;
      return { field, operator: operator === '!=' ? ('!=' as const) : ('=' as const), value: unescape(value) };
    })
    .filter(({ field, value }) => field !== '' || value !== '');
}

/** Whether an object is selected; `valueOf` gives the value of a field that the kind offers, empty when unset. */
export function matchesFields(requirements: readonly FieldRequirement[], valueOf: (field: string) => string): boolean {
  return requirements.every(({ field, operator, value }) => (valueOf(field) === value) === (operator === '='));
}
