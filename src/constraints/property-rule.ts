import { errorMessage, TerminalError } from '../base/index.ts';
import {
  basicTypes,
  compileProgram,
  declareFunctions,
  dynamicValue,
  type Environment,
  Failure,
  isFaulty,
  kubernetesFunctions,
  listType,
  mapType,
  noSuchOverload,
  type Value,
} from '../cel/index.ts';
import { PatternBudget } from '../schema/index.ts';
import type { Property } from './property.ts';
import { compareVersions, parseTolerantVersion, type Version } from './version.ts';

/** An expression over the properties of one bundle. */
export interface PropertyRule {
  readonly text: string;
  /** Never takes longer than its cost allows; `spend` gets the cost, of which a few millions take a second.
   *  @throws TerminalError RuleFailed when the expression comes to no truth value · what `spend` throws */
  readonly isTrueOf: (properties: readonly Property[], budget?: RuleBudget) => boolean;
}

/** What evaluating a rule may cost. */
export interface RuleBudget {
  readonly spend?: (cost: number) => void;
  readonly maxCost?: () => number;
}

const maxRuleCharacters = 16_384;
/** Of all rules of a bundle. */
const maxCharactersOfAll = 32_768;
const maxIssueCharacters = 2_000;
/** As much as kube-apiserver allows one expression. */
const maxCost = 1_000_000;
/** To show properties to a rule takes less than a rule does for a unit of its cost. */
const propertiesAUnit = 16;
/** Of the regular expressions of all rules of a bundle, of which there may be hundreds. */
const maxInstructions = 5_000;

function versionOf(text: string): Version | Failure {
  try {
    return parseTolerantVersion(text);
  } catch {
    return new Failure(`unable to parse '${text}' to semver format`);
  }
}

function compareTexts([a = null, b = null]: readonly Value[]): Value {
  if (typeof a !== 'string' || typeof b !== 'string') return noSuchOverload(a);
  const first = versionOf(a);
  if (first instanceof Failure) return first;
  const second = versionOf(b);
  if (second instanceof Failure) return second;
  return BigInt(Math.sign(compareVersions(first, second)));
}

let environment: Environment | undefined;

/** Made when it is first needed. */
function ruleEnvironment(): Environment {
  const own = declareFunctions('semver_compare semver_compare_string (string,string) int', {
    semver_compare: compareTexts,
  });
  environment ??= {
    functions: new Map([...kubernetesFunctions(), ...own.map((one): [string, typeof one] => [one.name, one])]),
    variables: new Map([['properties', listType(mapType(basicTypes.string, basicTypes.dyn))]]),
    structs: new Map(),
  };
  return environment;
}

/** Every fault is reported with the whole line that it is in: the first ones are enough. */
function shortened(issues: string): string {
  return issues.length <= maxIssueCharacters ? issues : `${issues.slice(0, maxIssueCharacters)} (and more)`;
}

/** What all rules of one bundle may have together, which is read again and again. */
export class RulePatterns extends PatternBudget {
  #leftCharacters = maxCharactersOfAll;

  /** Reads another rule.
   *  @throws TerminalError InvalidRule */
  take(text: string): void {
    this.#leftCharacters -= text.length;
    if (this.#leftCharacters >= 0) return;
    throw new TerminalError('InvalidRule', `the rules of a bundle have more than ${maxCharactersOfAll} characters`);
  }
}

/** What the rules of one bundle may have, and what their regular expressions may compile to, all together. */
export function bundlePatterns(): RulePatterns {
  return new RulePatterns(maxInstructions);
}

/** Reads a rule; one variable `properties`, a list of `{type, value}`, and the function `semver_compare(a, b)`. Its regular expressions
 *  count towards `patterns`.
 *  @throws TerminalError InvalidRule
 *  @see docs/spec/bundle-format.md#constraints */
export function compilePropertyRule(text: string, patterns: RulePatterns = bundlePatterns()): PropertyRule {
  if (text.length > maxRuleCharacters) {
    throw new TerminalError('InvalidRule', `longer than ${maxRuleCharacters} characters`);
  }
  patterns.take(text);
  const program = compileProgram(text, { ...ruleEnvironment(), patterns });
  if (isFaulty(program)) {
    throw new TerminalError('InvalidRule', shortened(program.issues ?? program.instantiation ?? 'no expression'));
  }
  if (program.type.kind !== 'bool') throw new TerminalError('InvalidRule', 'cel expressions must have type Bool');
  return {
    text,
    isTrueOf: (properties, { spend, maxCost: left } = {}) => {
      const list = dynamicValue(properties.map(({ type, value }) => ({ type, value })));
      const { value, cost } = program.run(
        (name) => (name === 'properties' ? list : undefined),
        Math.min(maxCost, left?.() ?? maxCost),
      );
      spend?.(cost + properties.length / propertiesAUnit);
      if (typeof value === 'boolean') return value;
      const why = value instanceof Failure ? errorMessage(new Error(value.message)) : 'it is no truth value';
      throw new TerminalError('RuleFailed', `cel expression ${JSON.stringify(text)}: ${why}`);
    },
  };
}
