/** Rules for names, as kube-apiserver words them. Each function answers with the reasons why a text may not be used; empty when it may. */

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const qualified = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';

const label1123Text =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const subdomainText =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const wildcardText =
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const label1035Text =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const qualifiedText =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const labelValueText =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const configKeyText =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

const label1123Pattern = new RegExp(`^${label}$`);
const subdomainPattern = new RegExp(`^${label}(\\.${label})*$`);
const wildcardPattern = new RegExp(`^\\*\\.${label}(\\.${label})*$`);
const label1035Pattern = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const qualifiedPattern = new RegExp(`^${qualified}$`);
const configKeyPattern = /^[-._a-zA-Z0-9]+$/;

function tooLong(limit: number): string {
  return `must be no more than ${limit} characters`;
}

/** Length first, then form; a text over its limit is never given to the pattern's slow paths. */
function check(text: string, limit: number, rule: { readonly pattern: RegExp; readonly message: string }): string[] {
  const problems = text.length > limit ? [tooLong(limit)] : [];
  if (text.length > 10_000 || !rule.pattern.test(text)) problems.push(rule.message);
  return problems;
}

/** At most 63 characters: namespaces, containers, volumes. */
export function dns1123LabelProblems(text: string): string[] {
  const hasDots = text.includes('.') && text.length <= 253 && subdomainPattern.test(text);
  return check(text, 63, { pattern: label1123Pattern, message: hasDots ? 'must not contain dots' : label1123Text });
}

/** At most 253 characters: the names of most objects. */
export function dns1123SubdomainProblems(text: string): string[] {
  return check(text, 253, { pattern: subdomainPattern, message: subdomainText });
}

/** Hosts for which one name stands for all below another: `*.example.com`. */
export function wildcardSubdomainProblems(text: string): string[] {
  return check(text, 253, { pattern: wildcardPattern, message: wildcardText });
}

const underscored = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const underscoredPattern = new RegExp(`^${underscored}(\\.${underscored})*$`);
const underscoredText = subdomainText.replace("characters, '-' or '.'", "characters, '_', '-' or '.'");

/** At most 253 characters: DNS search domains. */
export function dns1123SubdomainWithUnderscoreProblems(text: string): string[] {
  return check(text, 253, { pattern: underscoredPattern, message: underscoredText });
}

/** At most 63 characters: services, CRD plurals. */
export function dns1035LabelProblems(text: string): string[] {
  return check(text, 63, { pattern: label1035Pattern, message: label1035Text });
}

/** Names that must only be safe as a part of a URL path: RBAC kinds. */
export function pathSegmentProblems(text: string): string[] {
  if (text === '.' || text === '..') return [`may not be '${text}'`];
  return ['/', '%'].filter((part) => text.includes(part)).map((part) => `may not contain '${part}'`);
}

/** Keys of labels and annotations, finalizers: `[prefix/]name`. */
export function qualifiedNameProblems(text: string): string[] {
  const parts = text.split('/');
  if (parts.length > 2) {
    return [
      `a qualified name ${qualifiedText} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const name = parts.at(-1) ?? '';
  const prefix = parts.length === 2 ? (parts[0] ?? '') : undefined;
  const problems = prefix === undefined ? [] : prefixProblems(prefix);
  if (name === '') return [...problems, 'name part must be non-empty', `name part ${qualifiedText}`];
  const nameRule = { pattern: qualifiedPattern, message: qualifiedText };
  return [...problems, ...check(name, 63, nameRule).map((problem) => `name part ${problem}`)];
}

function prefixProblems(prefix: string): string[] {
  if (prefix === '') return ['prefix part must be non-empty'];
  return dns1123SubdomainProblems(prefix).map((problem) => `prefix part ${problem}`);
}

/** Empty or at most 63 characters. */
export function labelValueProblems(text: string): string[] {
  if (text === '') return [];
  return check(text, 63, { pattern: qualifiedPattern, message: labelValueText });
}

/** Keys of ConfigMaps and Secrets. */
export function configKeyProblems(text: string): string[] {
  if (text === '.') return ["must not be '.'"];
  const problems = check(text, 253, { pattern: configKeyPattern, message: configKeyText });
  if (text.startsWith('..')) problems.push(text === '..' ? "must not be '..'" : "must not start with '..'");
  return problems;
}
