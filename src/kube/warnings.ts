/** A quoted text of a Warning header, in which a backslash precedes quotes and itself. */
const warning = /\b299 [^\s",]+ "((?:[^"\\]|\\.)*)"/g;
/** Of one answer. */
const maxWarnings = 50;

/** The texts of the warnings of an API server in the headers of an answer; HTTP joins several by commas. */
export function warningsOf(header: string | readonly string[] | undefined): readonly string[] {
  const text = typeof header === 'string' ? header : (header ?? []).join(', ');
  const found = [...text.matchAll(warning)].slice(0, maxWarnings);
  return found.map(([, quoted = '']) => quoted.replace(/\\(.)/g, '$1'));
}
