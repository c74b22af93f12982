import { Failure, type Lookup, MapValue, type Value } from '../../../src/cel/index.ts';
import { limits } from '../rules/limits.ts';
import type { AdmissionExpression } from './admission-expressions.ts';

/** Message when expressions exceed their total cost limit. */
const outOfBudget = 'validation failed due to running out of cost budget, no further validation rules will be run';

/** Ends the evaluation of a list of expressions. */
export class OutOfBudget extends Error {
  constructor() {
    super(outOfBudget);
  }
}

/** What expressions may still cost. One for each list of them. */
export class Budget {
  #left: number;

  constructor(total: number) {
    this.#left = total;
  }

  /** @throws OutOfBudget */
  spend(cost: number): void {
    if (cost > this.#left) throw new OutOfBudget();
    this.#left -= cost;
  }
}

/** The value of an expression, or the error in the words of kube-apiserver.
 *  @throws OutOfBudget */
export function evaluateExpression(expression: AdmissionExpression, lookUp: Lookup, budget: Budget): Value {
  if ('error' in expression) return new Failure(`compilation error: ${expression.error}`);
  const { value, cost } = expression.program.run(lookUp, limits.perCall);
  budget.spend(cost);
  if (!(value instanceof Failure)) return value;
  return new Failure(`expression '${expression.text}' resulted in error: ${value.message}`);
}

/** The variables of a policy: each is computed when it is first asked for, and once. */
export class LazyVariables extends MapValue {
  readonly #expressions: ReadonlyMap<string, AdmissionExpression>;
  readonly #lookUp: Lookup;
  readonly #budget: Budget;
  readonly #values = new Map<string, Value>();

  constructor(expressions: ReadonlyMap<string, AdmissionExpression>, lookUp: Lookup, budget: Budget) {
    super();
    this.#expressions = expressions;
    this.#lookUp = lookUp;
    this.#budget = budget;
  }

  get size(): number {
    return this.#expressions.size;
  }

  find(key: Value): Value | undefined {
    const expression = typeof key === 'string' ? this.#expressions.get(key) : undefined;
    if (typeof key !== 'string' || expression === undefined) return undefined;
    const known = this.#values.get(key);
    if (known !== undefined) return known;
    const value = this.#compute(key, expression);
    this.#values.set(key, value);
    return value;
  }

  #compute(name: string, expression: AdmissionExpression): Value {
    const quoted = JSON.stringify(name);
    if ('error' in expression) {
      return new Failure(`composited variable ${quoted} fails to compile: ${expression.error}`);
    }
    const { value, cost } = expression.program.run(this.#lookUp, limits.perCall);
    this.#budget.spend(cost);
    if (!(value instanceof Failure)) return value;
    return new Failure(`composited variable ${quoted} fails to evaluate: ${value.message}`);
  }

  keys(): Iterable<Value> {
    return this.#expressions.keys();
  }

  equals(other: MapValue): Value {
    return other === this;
  }
}
