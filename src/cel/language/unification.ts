import { basicTypes, type CelType, isDyn, isDynOrError, isSameType } from './cel-type.ts';

/** Parts of types that are visited for one expression, of which a few characters may name types with very many: thousands are usual. */
const maxVisits = 1_000_000;

/** What is known about type parameters while an expression is checked: parameter name → type. */
export class Substitutions extends Map<string, CelType> {
  #left = maxVisits;

  /** So much was visited that everything else counts as `dyn`. */
  get isExhausted(): boolean {
    return this.#left < 0;
  }

  /** Whether another part of a type may be visited. */
  visit(): boolean {
    this.#left -= 1;
    return this.#left >= 0;
  }
}

const maxDepth = 64;

interface Step {
  readonly isFinal: boolean;
  readonly depth: number;
}

function replaceParameters(known: Substitutions, type: CelType, { isFinal, depth }: Step): CelType {
  if (depth > maxDepth || !known.visit()) return basicTypes.dyn;
  const deeper = { isFinal, depth: depth + 1 };
  if (type.kind === 'parameter') {
    const found = known.get(type.name);
    if (found !== undefined) return replaceParameters(known, found, deeper);
    return isFinal ? basicTypes.dyn : type;
  }
  if (type.parameters.length === 0) return type;
  return { ...type, parameters: type.parameters.map((inner) => replaceParameters(known, inner, deeper)) };
}

/** Puts known types in place of parameters; with `isFinal` unknown ones become `dyn`. */
export function substitute(known: Substitutions, type: CelType, isFinal = false): CelType {
  return replaceParameters(known, type, { isFinal, depth: 0 });
}

/** What changes what is known, and can take that back. */
class Trial {
  readonly #known: Substitutions;
  readonly #former = new Map<string, CelType | undefined>();

  constructor(known: Substitutions) {
    this.#known = known;
  }

  get(name: string): CelType | undefined {
    return this.#known.get(name);
  }

  set(name: string, type: CelType): void {
    if (!this.#former.has(name)) this.#former.set(name, this.#known.get(name));
    this.#known.set(name, type);
  }

  visit(): boolean {
    return this.#known.visit();
  }

  revert(): void {
    for (const [name, type] of this.#former) {
      if (type === undefined) this.#known.delete(name);
      else this.#known.set(name, type);
    }
  }
}

/** Whether a parameter stands nowhere within a type, so that it may become that type. */
function isAbsentFrom(known: Trial, parameter: CelType, type: CelType): boolean {
  if (!known.visit() || isSameType(parameter, type)) return false;
  if (type.kind === 'parameter') {
    const found = known.get(type.name);
    return found === undefined || isAbsentFrom(known, parameter, found);
  }
  return type.parameters.every((inner) => isAbsentFrom(known, parameter, inner));
}

function isAnything(type: CelType): boolean {
  return isDyn(type) || type.kind === 'parameter';
}

function isEqualOrLessSpecific(a: CelType, b: CelType): boolean {
  if (isAnything(a)) return true;
  if (isAnything(b) || a.kind !== b.kind) return false;
  if (a.kind === 'type') return true;
  if (a.name !== b.name || a.parameters.length !== b.parameters.length) return false;
  return a.parameters.every((inner, index) => isEqualOrLessSpecific(inner, b.parameters[index] ?? inner));
}

/** The wider of two types of which one is assignable to the other. */
export function mostGeneral(a: CelType, b: CelType): CelType {
  return isEqualOrLessSpecific(a, b) ? a : b;
}

/** Whether `parameter` may stand for `type`; remembers it. `isKnown` is true when the parameter already stood for something. */
function bind(known: Trial, type: CelType, parameter: CelType): { isValid: boolean; isKnown: boolean } {
  if (isSameType(type, parameter)) return { isValid: true, isKnown: true };
  const found = known.get(parameter.name);
  if (found === undefined) {
    if (!isAbsentFrom(known, parameter, type)) return { isValid: false, isKnown: false };
    known.set(parameter.name, type);
    return { isValid: true, isKnown: false };
  }
  if (isSameType(type, found)) return { isValid: true, isKnown: true };
  if (!unify(known, type, found)) return { isValid: false, isKnown: true };
  const wider = mostGeneral(type, found);
  if (isAbsentFrom(known, parameter, wider)) known.set(parameter.name, wider);
  return { isValid: true, isKnown: true };
}

const nullable = new Set(['opaque', 'struct', 'duration', 'timestamp', 'null']);

function unifyConcrete(known: Trial, a: CelType, b: CelType): boolean {
  if (isDynOrError(a) || isDynOrError(b)) return true;
  if (a.kind === 'null') return nullable.has(b.kind);
  if (b.kind === 'null') return nullable.has(a.kind);
  if (a.kind === 'type') return b.kind === 'type';
  if (a.kind !== b.kind || a.name !== b.name) return false;
  return unifyAll(known, a.parameters, b.parameters);
}

function unify(known: Trial, a: CelType, b: CelType): boolean {
  if (!known.visit()) return true;
  if (b.kind === 'parameter') {
    const { isValid, isKnown } = bind(known, a, b);
    if (isValid) return true;
    if (isKnown) return false;
  }
  if (a.kind === 'parameter') return bind(known, b, a).isValid;
  return unifyConcrete(known, a, b);
}

function unifyAll(known: Trial, a: readonly CelType[], b: readonly CelType[]): boolean {
  if (a.length !== b.length) return false;
  return a.every((type, index) => {
    const other = b[index];
    return other !== undefined && unify(known, type, other);
  });
}

/** Whether values of the types `from` are assignable to `to`; if so, `known` has the bindings under which they are, else it is as before. */
export function assign(known: Substitutions, from: readonly CelType[], to: readonly CelType[]): boolean {
  const trial = new Trial(known);
  const isAssignable = unifyAll(trial, from, to);
  if (!isAssignable) trial.revert();
  return isAssignable;
}
