import {
  dns1035LabelProblems,
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  hasFormat,
  labelValueProblems,
  qualifiedNameProblems,
} from '../../schema/index.ts';
import { ArrayList, noSuchOverload, Opaque, Optional, type Value } from '../values/value.ts';
import type { Implementations } from './declare.ts';
import { urlProblem } from './urls.ts';

type Check = (text: string) => readonly string[];

/** A format that texts can be held against. */
export class NamedFormat extends Opaque {
  readonly typeName = 'kubernetes.NamedFormat';
  readonly name: string;
  readonly check: Check;
  /** What matching against it counts for cost. */
  readonly regexSize: number;

  constructor(name: string, check: Check, regexSize: number) {
    super();
    this.name = name;
    this.check = check;
    this.regexSize = regexSize;
  }

  equals(other: Opaque): boolean {
    return other instanceof NamedFormat && other.name === this.name;
  }
}

/** A prefix may end with a dash, which stands for the generated suffix. */
function asPrefix(check: Check): Check {
  return (text) => check(text.endsWith('-') ? `${text.slice(0, -1)}a` : text);
}

function schemaFormat(format: string, problem: string): Check {
  return (text) => (hasFormat(text, format) ? [] : [problem]);
}

function uriProblems(text: string): string[] {
  const problem = urlProblem(text);
  return problem === undefined ? [] : [problem];
}

const formats: ReadonlyMap<string, NamedFormat> = new Map(
  (
    [
      ['dns1123Label', dns1123LabelProblems, 30],
      ['dns1123Subdomain', dns1123SubdomainProblems, 60],
      ['dns1035Label', dns1035LabelProblems, 30],
      ['qualifiedName', qualifiedNameProblems, 60],
      ['dns1123LabelPrefix', asPrefix(dns1123LabelProblems), 30],
      ['dns1123SubdomainPrefix', asPrefix(dns1123SubdomainProblems), 60],
      ['dns1035LabelPrefix', asPrefix(dns1035LabelProblems), 30],
      ['labelValue', labelValueProblems, 40],
      ['uri', uriProblems, 1100],
      ['uuid', schemaFormat('uuid', 'does not match the UUID format'), 70],
      ['byte', schemaFormat('byte', 'invalid base64'), 84],
      ['date', schemaFormat('date', 'invalid date'), 72],
      ['datetime', schemaFormat('datetime', 'invalid datetime'), 72],
    ] as const
  ).map(([name, check, size]) => [name, new NamedFormat(name, check, size)]),
);

function validate([format = null, text = null]: readonly Value[]): Value {
  if (!(format instanceof NamedFormat) || typeof text !== 'string') return noSuchOverload(format);
  const problems = format.check(text);
  return new Optional(problems.length === 0 ? undefined : new ArrayList(problems));
}

/** `format.dns1123Label()` and its like, as declarations. */
export const formatDeclarations: string = [...formats.keys()]
  .map((name) => `format.${name} format.${name} () format`)
  .join('\n');

const constants = [...formats].map(([name, format]) => [`format.${name}`, (): Value => format] as const);

/** Functions on named formats. */
export const namedFormatFunctions: Implementations = {
  ...Object.fromEntries(constants),
  'format.named': ([name = null]) =>
    typeof name === 'string' ? new Optional(formats.get(name)) : noSuchOverload(name),
  validate,
};
