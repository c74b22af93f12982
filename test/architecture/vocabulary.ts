/** Words that readers of the field do not search for, and what to write instead.
 *  @see docs/spec/house-style.md#vocabulary */
const replacements: Readonly<Record<string, string>> = {
  'told|tells?|telling|says?|said|saying': 'report, notify, log',
  news: 'event, change',
  'heed(?:s|ed|ing)?': 'honor, handle',
  'wish(?:es|ed)?|wanted': 'desired, requested; expected in tests',
  'judge[sd]?|judging|judge?ments?': 'validate, evaluate',
  'verdicts?': 'result',
  'mend(?:s|ed|ing)?': 'fix, correct',
  'spoil(?:s|ed|t)?': 'corrupt',
  evil: 'hostile, malicious',
  anew: 'again',
  'whoever|somebody|nobody': 'the user who, another owner, no one',
  'bears?|bearing': 'have, set',
  rights: 'permissions',
  'taken? back|put right': 'roll back, correct',
  'unless gone': 'ignoreNotFound',
  'is going|is gone': 'is being deleted, is deleted, does not exist',
  'look again|looks again': 'requeue',
};

const rules = Object.entries(replacements).map(([words, instead]) => ({
  pattern: new RegExp(`\\b(?:${words})\\b`, 'i'),
  words,
  instead,
}));

/** Sets the words of identifiers apart: `isGoing` becomes `is Going`. */
const wordsOf = (line: string): string => line.replaceAll(/([a-z0-9])(?=[A-Z])|_(?=[a-z])/g, '$1 ');

/** The words of a line to replace, as `WORDS → REPLACEMENT`; those that `allowed` matches are skipped. */
export function wordsToReplace(line: string, allowed?: RegExp): readonly string[] {
  const text = allowed === undefined ? line : line.replaceAll(allowed, '');
  const words = wordsOf(text);
  return rules.filter(({ pattern }) => pattern.test(words)).map(({ words: found, instead }) => `${found} → ${instead}`);
}
