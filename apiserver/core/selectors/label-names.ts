const namePattern = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const subdomainPattern = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

const nameRule =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character " +
  "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const valueRule =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end " +
  "with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is " +
  "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const subdomainRule =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end " +
  "with an alphanumeric character (e.g. 'example.com', regex used for validation is " +
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

const maxNameBytes = 63;
const maxSubdomainBytes = 253;

/** Why `text` may not be a label or annotation key; empty when it may. The texts are those of kube-apiserver. */
export function qualifiedNameProblems(text: string): string[] {
  const parts = text.split('/');
  if (parts.length > 2)
    return [`a qualified name ${nameRule} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  const name = parts.at(-1) ?? '';
  const prefix = parts.length === 2 ? parts[0] : undefined;
  return [...(prefix === undefined ? [] : prefixProblems(prefix)), ...namePartProblems(name)];
}

function prefixProblems(prefix: string): string[] {
  if (prefix === '') return ['prefix part must be non-empty'];
  const problems: string[] = [];
  if (Buffer.byteLength(prefix) > maxSubdomainBytes)
    problems.push(`must be no more than ${maxSubdomainBytes} characters`);
  if (!subdomainPattern.test(prefix)) problems.push(subdomainRule);
  return problems.map((problem) => `prefix part ${problem}`);
}

function namePartProblems(name: string): string[] {
  if (name === '') return ['name part must be non-empty', `name part ${nameRule}`];
  const problems: string[] = [];
  if (Buffer.byteLength(name) > maxNameBytes)
    problems.push(`name part must be no more than ${maxNameBytes} characters`);
  if (!namePattern.test(name)) problems.push(`name part ${nameRule}`);
  return problems;
}

/** Why `text` may not be a label's value; empty when it may. */
export function labelValueProblems(text: string): string[] {
  const problems: string[] = [];
  if (Buffer.byteLength(text) > maxNameBytes) problems.push(`must be no more than ${maxNameBytes} characters`);
  if (text !== '' && !namePattern.test(text)) problems.push(valueRule);
  return problems;
}
