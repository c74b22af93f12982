import { type JsonObject, objectAt, textAt } from '../../../../src/base/index.ts';
import {
  configKeyProblems,
  dns1123SubdomainProblems,
  type FieldError,
  invalidField,
  requiredField,
} from '../../../../src/schema/index.ts';
import { each, invalids } from '../checks.ts';
import { environmentFields, fieldReferenceErrors, resourceReferenceErrors } from './field-references.ts';

const printable = /^[ -<>-~]*$/;
const nameText = "a valid environment variable name must consist only of printable ASCII characters other than '='";

function nameProblems(name: string): string[] {
  return printable.test(name) ? [] : [nameText];
}

function keyReferenceErrors(reference: JsonObject, path: string): FieldError[] {
  const [name, key] = [textAt(reference, 'name'), textAt(reference, 'key')];
  const errors = invalids(`${path}.name`, name, dns1123SubdomainProblems(name));
  if (key === '') return [...errors, requiredField(`${path}.key`)];
  return [...errors, ...invalids(`${path}.key`, key, configKeyProblems(key))];
}

const sources: Readonly<Record<string, (source: JsonObject, path: string) => FieldError[]>> = {
  fieldRef: (source, path) => fieldReferenceErrors(source, path, environmentFields),
  resourceFieldRef: (source, path) => resourceReferenceErrors(source, path, false),
  configMapKeyRef: keyReferenceErrors,
  secretKeyRef: keyReferenceErrors,
};

function countProblem(count: number, hasValue: boolean): string | undefined {
  if (count === 0) return 'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`';
  if (hasValue) return 'may not be specified when `value` is not empty';
  return count > 1 ? 'may not have more than one field specified at a time' : undefined;
}

function valueSourceErrors(variable: JsonObject, path: string): FieldError[] {
  const from = objectAt(variable, 'valueFrom');
  if (from === undefined) return [];
  const given = Object.keys(sources).filter((name) => objectAt(from, name) !== undefined);
  const errors = given.flatMap((name) => sources[name]?.(objectAt(from, name) ?? {}, `${path}.${name}`) ?? []);
  const problem = countProblem(given.length, textAt(variable, 'value') !== '');
  return problem === undefined ? errors : [...errors, invalidField(path, '', problem)];
}

/** Errors of `env`. */
export function environmentErrors(container: JsonObject, path: string): FieldError[] {
  return each(container, { path, key: 'env' }, (variable, at) => {
    const name = textAt(variable, 'name');
    const errors = name === '' ? [requiredField(`${at}.name`)] : invalids(`${at}.name`, name, nameProblems(name));
    return [...errors, ...valueSourceErrors(variable, `${at}.valueFrom`)];
  });
}

/** Names here may end as the base of a generated name does. */
function sourceNameErrors(source: JsonObject, path: string): FieldError[] {
  const name = textAt(source, 'name');
  if (name === '') return [requiredField(`${path}.name`)];
  return invalids(`${path}.name`, name, dns1123SubdomainProblems(name.replace(/-$/, 'a')));
}

/** Errors of `envFrom`; those of a source that is missing or doubled point at the list. */
export function environmentSourceErrors(container: JsonObject, path: string): FieldError[] {
  return each(container, { path, key: 'envFrom' }, (source, at) => {
    const prefix = textAt(source, 'prefix');
    const given = ['configMapRef', 'secretRef'].filter((name) => objectAt(source, name) !== undefined);
    const errors = [
      ...invalids(`${at}.prefix`, prefix, nameProblems(prefix)),
      ...given.flatMap((name) => sourceNameErrors(objectAt(source, name) ?? {}, `${at}.${name}`)),
    ];
    const list = `${path}.envFrom`;
    if (given.length === 0) errors.push(invalidField(list, '', 'must specify one of: `configMapRef` or `secretRef`'));
    if (given.length > 1) errors.push(invalidField(list, '', 'may not have more than one field specified at a time'));
    return errors;
  });
}
