import { basicTypes, type CelType } from '../../../src/cel/index.ts';
import { PatternBudget } from '../../../src/schema/index.ts';
import type { AdmissionVariables } from './admission-environment.ts';
import { type AdmissionExpression, compileAdmissionExpression, type ResultType } from './admission-expressions.ts';

interface PolicyOptions {
  readonly hasParams: boolean;
  readonly hasVariables: boolean;
  /** Of the whole policy. */
  readonly patterns?: PatternBudget;
}

/** Compiles the expressions of a policy: variables may use those before them, all else may use all of them. */
export class PolicyExpressions {
  readonly variables: Map<string, AdmissionExpression> = new Map();
  readonly #patterns: PatternBudget;
  readonly #types = new Map<string, CelType>();
  readonly #hasParams: boolean;
  readonly #hasVariables: boolean;

  constructor(options: PolicyOptions) {
    this.#patterns = options.patterns ?? new PatternBudget();
    this.#hasParams = options.hasParams;
    this.#hasVariables = options.hasVariables;
  }

  #names(hasAuthorizer: boolean): AdmissionVariables {
    const own = this.#hasVariables ? { variables: this.#types } : {};
    return { hasParams: this.#hasParams, hasAuthorizer, patterns: this.#patterns, ...own };
  }

  /** Messages cannot ask the authorizer. */
  compile(text: string, expected: ResultType, options: { readonly hasAuthorizer?: boolean } = {}): AdmissionExpression {
    return compileAdmissionExpression(text, expected, this.#names(options.hasAuthorizer ?? true));
  }

  addVariable(name: string, text: string): AdmissionExpression {
    const expression = this.compile(text, 'any');
    this.variables.set(name, expression);
    this.#types.set(name, 'program' in expression ? expression.program.type : basicTypes.dyn);
    return expression;
  }
}
