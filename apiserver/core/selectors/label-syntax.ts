import { badRequest } from '../status-error.ts';
import { labelValueProblems, qualifiedNameProblems } from './label-names.ts';

/** `=`, `==` are `in` with one value, `!=` is `notin` with one. `values` are sorted and distinct. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: 'exists' | '!' | 'in' | 'notin' | 'gt' | 'lt';
  readonly values: readonly string[];
}

type Token = 'identifier' | 'symbol' | 'end' | 'bad';
interface Item {
  readonly token: Token;
  readonly text: string;
}

const tokenPattern = /[ \t\r\n]*(?:(==|=|!=|!|,|\(|\)|>|<)|([^ \t\r\n=!,()<>]+)|$)/y;
const operatorNames = 'in, notin, =, ==, !=, gt, lt';

function tokenize(text: string): Item[] {
  const items: Item[] = [];
  tokenPattern.lastIndex = 0;
  for (let match = tokenPattern.exec(text); match !== null; match = tokenPattern.exec(text)) {
    const [, symbol, identifier] = match;
    if (symbol === undefined && identifier === undefined) break;
    items.push(
      symbol === undefined ? { token: 'identifier', text: identifier ?? '' } : { token: 'symbol', text: symbol },
    );
  }
  items.push({ token: 'end', text: '' });
  return items;
}

/** Reads one selector; a position in a list of tokens is all its state. */
class Reader {
  readonly #items: readonly Item[];
  #position = 0;

  constructor(text: string) {
    this.#items = tokenize(text);
  }

  peek(): Item {
    return this.#items[this.#position] ?? { token: 'end', text: '' };
  }

  next(): Item {
    const item = this.peek();
    this.#position += 1;
    return item;
  }

  isNext(symbol: string): boolean {
    const { token, text } = this.peek();
    return token === 'symbol' && text === symbol;
  }

  isAtRequirementEnd(): boolean {
    return this.peek().token === 'end' || this.isNext(',');
  }
}

class SelectorSyntaxError extends Error {}

function fail(message: string): never {
  throw new SelectorSyntaxError(message);
}

const binaryOperators: Readonly<Record<string, LabelRequirement['operator']>> = {
  '=': 'in',
  '==': 'in',
  in: 'in',
  '!=': 'notin',
  notin: 'notin',
  '>': 'gt',
  '<': 'lt',
};

function readOperator(reader: Reader): { operator: LabelRequirement['operator']; isSet: boolean } {
  const { text } = reader.next();
  const operator = Object.hasOwn(binaryOperators, text) ? binaryOperators[text] : undefined;
  if (operator === undefined) fail(`found '${text}', expected: ${operatorNames}`);
  return { operator, isSet: text === 'in' || text === 'notin' };
}

function readExactValue(reader: Reader): string[] {
  if (reader.isAtRequirementEnd()) return [''];
  const { token, text } = reader.next();
  if (token !== 'identifier') fail(`found '${text}', expected: identifier`);
  return [text];
}

function readValueSet(reader: Reader): string[] {
  const open = reader.next();
  if (open.text !== '(') fail(`found '${open.text}' expected: '('`);
  if (reader.isNext(')')) {
    reader.next();
    return [''];
  }
  const first = reader.peek();
  if (first.token !== 'identifier' && first.text !== ',')
    fail(`found '${first.text}', expected: ',', ')' or identifier`);
  const values = new Set<string>();
  while (!readListItem(reader, values)) {
    // one item a turn, until the closing parenthesis
  }
  reader.next();
  return [...values].sort();
}

/** True when the list is complete; the closing parenthesis is next then. */
function readListItem(reader: Reader, values: Set<string>): boolean {
  const { token, text } = reader.next();
  if (token === 'identifier') {
    values.add(text);
    if (reader.isNext(')')) return true;
    if (!reader.isNext(',')) fail(`found '${reader.peek().text}', expected: ',' or ')'`);
    return false;
  }
  if (text !== ',') fail(`found '${text}', expected: ',', or identifier`);
  if (values.size === 0 || reader.isNext(')') || reader.isNext(',')) values.add('');
  if (reader.isNext(')')) return true;
  if (reader.isNext(',')) reader.next();
  return false;
}

function checkKey(key: string): void {
  const problems = qualifiedNameProblems(key);
  if (problems.length > 0) fail(`<nil>: Invalid value: ${JSON.stringify(key)}: ${problems.join('; ')}`);
}

function checkValues({ key, operator, values }: LabelRequirement): void {
  const findings: string[] = [];
  const isComparison = operator === 'gt' || operator === 'lt';
  for (const [index, value] of values.entries()) {
    const quoted = JSON.stringify(value);
    if (isComparison && !isInt64(value)) {
      findings.push(
        `values[${index}]: Invalid value: ${quoted}: for 'Gt', 'Lt' operators, the value must be an integer`,
      );
    }
    const problems = labelValueProblems(value);
    if (problems.length > 0)
      findings.push(`values[${index}][${key}]: Invalid value: ${quoted}: ${problems.join('; ')}`);
  }
  if (findings.length > 0) fail(findings.length === 1 ? (findings[0] ?? '') : `[${findings.join(', ')}]`);
}

function isInt64(text: string): boolean {
  return /^[+-]?\d{1,19}$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text);
}

function readRequirement(reader: Reader): LabelRequirement {
  const isNegated = reader.isNext('!');
  if (isNegated) reader.next();
  const { token, text: key } = reader.next();
  if (token !== 'identifier') fail(`found '${key}', expected: identifier`);
  checkKey(key);
  if (isNegated) return { key, operator: '!', values: [] };
  if (reader.isAtRequirementEnd()) return { key, operator: 'exists', values: [] };
  const { operator, isSet } = readOperator(reader);
  const requirement = { key, operator, values: isSet ? readValueSet(reader) : readExactValue(reader) };
  checkValues(requirement);
  return requirement;
}

function wrapRequirement(reader: Reader): LabelRequirement {
  try {
    return readRequirement(reader);
  } catch (thrown) {
    if (thrown instanceof SelectorSyntaxError)
      throw badRequest(`unable to parse requirement: ${thrown.message}`, thrown);
    throw thrown;
  }
}

function isRequirementStart(reader: Reader): boolean {
  return reader.peek().token === 'identifier' || reader.isNext('!');
}

/** Parses the text form of a label selector, sorted by key.
 *  @throws StatusError 400 */
export function parseRequirements(text: string): LabelRequirement[] {
  const reader = new Reader(text);
  const requirements: LabelRequirement[] = [];
  while (reader.peek().token !== 'end') {
    if (!isRequirementStart(reader)) {
      throw badRequest(`found '${reader.peek().text}', expected: !, identifier, or 'end of string'`);
    }
    requirements.push(wrapRequirement(reader));
    const { token, text: separator } = reader.next();
    if (token === 'end') break;
    if (separator !== ',') throw badRequest(`found '${separator}', expected: ',' or 'end of string'`);
    if (!isRequirementStart(reader)) throw badRequest(`found '${reader.peek().text}', expected: identifier after ','`);
  }
  return requirements.sort((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)));
}
