import type { FieldError } from './field-error.ts';
import type { Check, ValidationRun } from './validation-run.ts';

interface Outcome {
  readonly errors: readonly FieldError[];
  readonly matches: number;
}

function reportAll(run: ValidationRun, { errors, matches }: Outcome): number {
  for (const error of errors) run.report(error);
  return matches;
}

/** The failure with the most passed checks, of equal ones the first. */
function best(outcomes: readonly Outcome[]): Outcome {
  return outcomes.reduce((top, next) => (next.matches > top.matches ? next : top));
}

/** At least one branch must accept the value; otherwise the best one's errors are shown as well. */
export function anyOfCheck(branches: readonly Check[]): Check {
  return (value, old, run) => {
    const failures: Outcome[] = [];
    for (const branch of branches) {
      const outcome = run.apart(() => branch(value, old, run));
      if (outcome.errors.length === 0) return outcome.matches;
      failures.push(outcome);
    }
    run.reportWhole('must validate at least one schema (anyOf)');
    return reportAll(run, best(failures));
  };
}

/** Exactly one branch must accept the value. */
export function oneOfCheck(branches: readonly Check[]): Check {
  return (value, old, run) => {
    const outcomes = branches.map((branch) => run.apart(() => branch(value, old, run)));
    const [accepted, ...others] = outcomes.filter((outcome) => outcome.errors.length === 0);
    if (accepted === undefined) {
      run.reportWhole('must validate one and only one schema (oneOf). Found none valid');
      return reportAll(run, best(outcomes));
    }
    if (others.length === 0) return accepted.matches;
    run.reportWhole(`must validate one and only one schema (oneOf). Found ${others.length + 1} valid alternatives`);
    return 0;
  };
}

/** Every branch must accept the value. */
export function allOfCheck(branches: readonly Check[]): Check {
  return (value, old, run) => {
    let matches = 0;
    let accepted = 0;
    for (const branch of branches) {
      const before = run.count;
      matches += branch(value, old, run);
      if (run.count === before) accepted += 1;
    }
    if (accepted < branches.length) {
      run.reportWhole(`must validate all the schemas (allOf)${accepted === 0 ? '. None validated' : ''}`);
    }
    return matches;
  };
}

/** The branch must not accept the value. */
export function notCheck(branch: Check): Check {
  return (value, old, run) => {
    const { errors } = run.apart(() => branch(value, old, run));
    if (errors.length === 0) run.reportWhole('must not validate the schema (not)');
    return 0;
  };
}
