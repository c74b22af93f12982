/** Whether an object with these labels is selected. */
export type LabelSelector = (labels: Readonly<Record<string, string>>) => boolean;

const key = String.raw`[A-Za-z0-9][\w./-]*`;
const value = String.raw`[\w.-]*`;
const equality = new RegExp(`^(${key})\\s*(==|=|!=)\\s*(${value})$`);
const membership = new RegExp(`^(${key})\\s+(in|notin)\\s*\\(([^()]*)\\)$`);
const existence = new RegExp(`^(!?)\\s*(${key})$`);
const maxCharacters = 10_000;

/** Splits at commas that are not in parentheses. */
function termsOf(text: string): readonly string[] {
  const terms = text.match(/(?:[^,(]|\([^)]*\)?)+/g) ?? [];
  return terms.map((term) => term.trim());
}

function equalityOf(term: string): LabelSelector | undefined {
  const [, name = '', operator, expected] = equality.exec(term) ?? [];
  return operator === undefined ? undefined : (labels) => (labels[name] === expected) === (operator !== '!=');
}

function membershipOf(term: string): LabelSelector | undefined {
  const [, name = '', operator, list = ''] = membership.exec(term) ?? [];
  if (operator === undefined) return undefined;
  const values = new Set(list.split(',').map((one) => one.trim()));
  return (labels) => (labels[name] !== undefined && values.has(labels[name])) === (operator === 'in');
}

function existenceOf(term: string): LabelSelector | undefined {
  const [, not, name = ''] = existence.exec(term) ?? [];
  return not === undefined ? undefined : (labels) => (labels[name] !== undefined) === (not === '');
}

function termOf(term: string): LabelSelector | undefined {
  return equalityOf(term) ?? membershipOf(term) ?? existenceOf(term);
}

/** Reads a label selector: `a=b,c!=d,e in (f,g),!h`. Undefined for one that cannot be read. */
export function parseLabelSelector(text: string): LabelSelector | undefined {
  if (text.trim() === '') return () => true;
  if (text.length > maxCharacters) return undefined;
  const terms = termsOf(text).map(termOf);
  const usable = terms.filter((term) => term !== undefined);
  if (usable.length !== terms.length || terms.length === 0) return undefined;
  return (labels) => usable.every((term) => term(labels));
}
