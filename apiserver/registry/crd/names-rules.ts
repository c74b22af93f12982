import { type JsonObject, listOfTexts, textAt } from '../../../src/base/index.ts';
import { dns1035LabelProblems, type FieldError, invalidField, requiredField } from '../../../src/schema/index.ts';

function labelErrors(value: string, field: string): FieldError[] {
  const problems = value === '' ? [] : dns1035LabelProblems(value);
  return problems.length === 0 ? [] : [invalidField(field, value, problems.join(','))];
}

function kindErrors(value: string, field: string): FieldError[] {
  const problems = value === '' ? [] : dns1035LabelProblems(value.toLowerCase());
  if (problems.length === 0) return [];
  return [invalidField(field, value, `may have mixed case, but should otherwise match: ${problems.join(',')}`)];
}

function listErrors(names: readonly string[], field: string): FieldError[] {
  return names.flatMap((name, index) => {
    const problems = dns1035LabelProblems(name);
    return problems.length === 0 ? [] : [invalidField(`${field}[${index}]`, name, problems.join(','))];
  });
}

/** Errors of the names that must be given. */
export function missingNameErrors(names: JsonObject | undefined, path: string): FieldError[] {
  const missing = ['plural', 'singular', 'kind', 'listKind'].filter((key) => textAt(names, key) === '');
  return missing.map((key) => requiredField(`${path}.${key}`));
}

/** Errors of the names that are given, in spec or in status. */
export function namesErrors(names: JsonObject | undefined, path: string): FieldError[] {
  const [kind, listKind] = [textAt(names, 'kind'), textAt(names, 'listKind')];
  return [
    ...labelErrors(textAt(names, 'plural'), `${path}.plural`),
    ...labelErrors(textAt(names, 'singular'), `${path}.singular`),
    ...kindErrors(kind, `${path}.kind`),
    ...kindErrors(listKind, `${path}.listKind`),
    ...listErrors(listOfTexts(names, 'shortNames'), `${path}.shortNames`),
    ...(kind !== '' && kind === listKind
      ? [invalidField(`${path}.listKind`, listKind, 'kind and listKind may not be the same')]
      : []),
    ...listErrors(listOfTexts(names, 'categories'), `${path}.categories`),
  ];
}
