import { type FieldError, invalidField, type Schema } from '../../../src/schema/index.ts';
import { createRuleValidator } from '../../cel/index.ts';
import { asJson, type KubeObject } from '../../core/index.ts';

const blocking = new Set([
  'FieldValueRequired',
  'FieldValueNotSupported',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

const notChecked =
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';

/** The `x-kubernetes-validations` of a version. */
export interface RuleChecks {
  /** Errors by rules, after those already found: some of these make rules meaningless. */
  errors(object: KubeObject, old: KubeObject | undefined, found: readonly FieldError[]): FieldError[];
  /** The results of the rules when `errors` validated the object, where it had the same errors before. */
  warnings(object: KubeObject): string[];
}

/** Compiles the rules of a schema; undefined when it has none. */
export function createRuleChecks(schema: Schema): RuleChecks | undefined {
  const validator = createRuleValidator(schema);
  if (validator === undefined) return undefined;
  const warned = new WeakMap<KubeObject, string[]>();
  return {
    errors: (object, old, found) => {
      if (found.some(({ reason }) => blocking.has(reason))) return [invalidField('<nil>', null, notChecked)];
      const { errors, warnings } = validator.validate(asJson(object), old === undefined ? undefined : asJson(old));
      warned.set(object, warnings);
      return errors;
    },
    warnings: (object) => warned.get(object) ?? [],
  };
}
