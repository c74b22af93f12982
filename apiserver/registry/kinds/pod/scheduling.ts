import { type JsonObject, listOfTexts, objectAt, objectsAt, textAt, valueAt } from '../../../../src/base/index.ts';
import {
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  duplicateField,
  type FieldError,
  forbiddenField,
  invalidField,
  labelValueProblems,
  qualifiedNameProblems,
  requiredField,
  unsupportedField,
} from '../../../../src/schema/index.ts';
import { numberAt } from '../../../core/index.ts';
import { choice, each, invalids } from '../checks.ts';
import { selectorErrors } from '../selectors.ts';

const badOperator = 'not a valid selector operator';

function operandErrors(operator: string, count: number, path: string): FieldError[] {
  const field = `${path}.values`;
  switch (operator) {
    case 'In':
    case 'NotIn':
      return count > 0 ? [] : [requiredField(field, "must be specified when `operator` is 'In' or 'NotIn'")];
    case 'Exists':
    case 'DoesNotExist': {
      const text = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
      return count === 0 ? [] : [forbiddenField(field, text)];
    }
    case 'Gt':
    case 'Lt': {
      const text = "must be specified single value when `operator` is 'Lt' or 'Gt'";
      return count === 1 ? [] : [requiredField(field, text)];
    }
    default:
      return [invalidField(`${path}.operator`, operator, badOperator)];
  }
}

function labelTermErrors(requirement: JsonObject, path: string, checksValues: boolean): FieldError[] {
  const [key, values] = [textAt(requirement, 'key'), listOfTexts(requirement, 'values')];
  const errors = [
    ...operandErrors(textAt(requirement, 'operator'), values.length, path),
    ...invalids(`${path}.key`, key, qualifiedNameProblems(key)),
  ];
  if (!checksValues) return errors;
  const ofValues = values.flatMap((value, index) =>
    invalids(`${path}.values[${index}]`, value, labelValueProblems(value)),
  );
  return [...errors, ...ofValues];
}

function fieldTermErrors(requirement: JsonObject, path: string): FieldError[] {
  const [operator, key] = [textAt(requirement, 'operator'), textAt(requirement, 'key')];
  const values = listOfTexts(requirement, 'values');
  const errors: FieldError[] = [];
  if (operator !== 'In' && operator !== 'NotIn') {
    errors.push(invalidField(`${path}.operator`, operator, badOperator));
  } else if (values.length !== 1) {
    const text = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
    errors.push(requiredField(`${path}.values`, text));
  }
  if (key !== 'metadata.name') return [...errors, invalidField(`${path}.key`, key, 'not a valid field selector key')];
  const names = values.flatMap((value, index) =>
    invalids(`${path}.values[${index}]`, value, dns1123SubdomainProblems(value)),
  );
  return [...errors, ...names];
}

function nodeTermErrors(term: JsonObject, path: string, checksValues: boolean): FieldError[] {
  return [
    ...each(term, { path, key: 'matchExpressions' }, (item, at) => labelTermErrors(item, at, checksValues)),
    ...each(term, { path, key: 'matchFields' }, fieldTermErrors),
  ];
}

function weightErrors(term: JsonObject, path: string): FieldError[] {
  const weight = numberAt(term, 'weight') ?? 0;
  return weight > 0 && weight <= 100 ? [] : [invalidField(`${path}.weight`, weight, 'must be in the range 1-100')];
}

const required = 'requiredDuringSchedulingIgnoredDuringExecution';
const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';

/** Errors of a NodeSelector. */
export function nodeSelectorErrors(selector: JsonObject, path: string): FieldError[] {
  const field = `${path}.nodeSelectorTerms`;
  if (objectsAt(selector, 'nodeSelectorTerms').length === 0) {
    return [requiredField(field, 'must have at least one node selector term')];
  }
  return each(selector, { path, key: 'nodeSelectorTerms' }, (term, at) => nodeTermErrors(term, at, true));
}

function nodeAffinityErrors(affinity: JsonObject | undefined, path: string): FieldError[] {
  if (affinity === undefined) return [];
  const selector = objectAt(affinity, required);
  return [
    ...(selector === undefined ? [] : nodeSelectorErrors(selector, `${path}.${required}`)),
    ...each(affinity, { path, key: preferred }, (term, at) => [
      ...weightErrors(term, at),
      ...nodeTermErrors(objectAt(term, 'preference') ?? {}, `${at}.preference`, false),
    ]),
  ];
}

const needsSelector = 'must not be specified when labelSelector is not set';

function labelKeyErrors(keys: readonly string[], path: string, hasSelector: boolean): FieldError[] {
  if (keys.length === 0) return [];
  if (!hasSelector) return [forbiddenField(path, needsSelector)];
  return keys.flatMap((key, index) => invalids(`${path}[${index}]`, key, qualifiedNameProblems(key)));
}

/** A key that the selector already asks for is refused where an expression is the second to ask: the server itself adds one for each key. */
function doubledKeyErrors(term: JsonObject, path: string): FieldError[] {
  const selector = objectAt(term, 'labelSelector');
  const places = new Map(listOfTexts(term, 'matchLabelKeys').map((key, index) => [key, index]));
  const asked = new Set(Object.keys(objectAt(selector, 'matchLabels') ?? {}));
  return objectsAt(selector, 'matchExpressions').flatMap((expression) => {
    const key = textAt(expression, 'key');
    const place = asked.has(key) ? places.get(key) : undefined;
    asked.add(key);
    const text = 'exists in both matchLabelKeys and labelSelector';
    return place === undefined ? [] : [invalidField(`${path}[${place}]`, key, text)];
  });
}

function keyListErrors(term: JsonObject, path: string): FieldError[] {
  const [match, mismatch] = [listOfTexts(term, 'matchLabelKeys'), listOfTexts(term, 'mismatchLabelKeys')];
  const hasSelector = objectAt(term, 'labelSelector') !== undefined;
  const mismatched = new Set(mismatch);
  const both = match.flatMap((key, index) => {
    const text = 'exists in both matchLabelKeys and mismatchLabelKeys';
    return mismatched.has(key) ? [invalidField(`${path}.matchLabelKeys[${index}]`, key, text)] : [];
  });
  return [
    ...labelKeyErrors(match, `${path}.matchLabelKeys`, hasSelector),
    ...labelKeyErrors(mismatch, `${path}.mismatchLabelKeys`, hasSelector),
    ...doubledKeyErrors(term, path),
    ...both,
  ];
}

function podTermErrors(term: JsonObject, path: string): FieldError[] {
  const topology = textAt(term, 'topologyKey');
  const namespaces = listOfTexts(term, 'namespaces');
  return [
    ...selectorErrors(objectAt(term, 'labelSelector'), `${path}.labelSelector`),
    ...selectorErrors(objectAt(term, 'namespaceSelector'), `${path}.namespaceSelector`),
    ...namespaces.flatMap((name) => invalids(`${path}.namespace`, name, dns1123LabelProblems(name))),
    ...keyListErrors(term, path),
    ...(topology === '' ? [requiredField(`${path}.topologyKey`, 'can not be empty')] : []),
    ...invalids(`${path}.topologyKey`, topology, qualifiedNameProblems(topology)),
  ];
}

function podAffinityErrors(affinity: JsonObject | undefined, path: string): FieldError[] {
  return [
    ...each(affinity, { path, key: required }, podTermErrors),
    ...each(affinity, { path, key: preferred }, (term, at) => [
      ...weightErrors(term, at),
      ...podTermErrors(objectAt(term, 'podAffinityTerm') ?? {}, `${at}.podAffinityTerm`),
    ]),
  ];
}

/** Errors of `affinity`. */
export function affinityErrors(spec: JsonObject, path: string): FieldError[] {
  const affinity = objectAt(spec, 'affinity');
  if (affinity === undefined) return [];
  const at = `${path}.affinity`;
  return [
    ...nodeAffinityErrors(objectAt(affinity, 'nodeAffinity'), `${at}.nodeAffinity`),
    ...podAffinityErrors(objectAt(affinity, 'podAffinity'), `${at}.podAffinity`),
    ...podAffinityErrors(objectAt(affinity, 'podAntiAffinity'), `${at}.podAntiAffinity`),
  ];
}

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

function operatorErrors(toleration: JsonObject, path: string): FieldError[] {
  const [operator, value] = [textAt(toleration, 'operator'), textAt(toleration, 'value')];
  const field = `${path}.operator`;
  switch (operator) {
    case '':
    case 'Equal': {
      const problems = labelValueProblems(value);
      return problems.length === 0 ? [] : [invalidField(field, value, problems.join(';'))];
    }
    case 'Exists':
      return value === '' ? [] : [invalidField(field, value, "value must be empty when `operator` is 'Exists'")];
    default:
      return [unsupportedField(field, operator, ['Equal', 'Exists'])];
  }
}

/** Errors of `tolerations`. */
export function tolerationErrors(spec: JsonObject, path: string): FieldError[] {
  return each(spec, { path, key: 'tolerations' }, (toleration, at) => {
    const [key, operator] = [textAt(toleration, 'key'), textAt(toleration, 'operator')];
    const effect = textAt(toleration, 'effect');
    const errors = key === '' ? [] : invalids(`${at}.key`, key, qualifiedNameProblems(key));
    if (key === '' && operator !== 'Exists') {
      const text = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
      errors.push(invalidField(`${at}.operator`, operator, text));
    }
    if (valueAt(toleration, 'tolerationSeconds') !== undefined && effect !== 'NoExecute') {
      const text = "effect must be 'NoExecute' when `tolerationSeconds` is set";
      errors.push(invalidField(`${at}.effect`, effect, text));
    }
    return [
      ...errors,
      ...operatorErrors(toleration, at),
      ...(effect === '' ? [] : choice(`${at}.effect`, effect, effects)),
    ];
  });
}

function spreadKeyErrors(constraint: JsonObject, path: string): FieldError[] {
  const keys = listOfTexts(constraint, 'matchLabelKeys');
  if (keys.length === 0) return [];
  const selector = objectAt(constraint, 'labelSelector');
  const asked = new Set(Object.keys(objectAt(selector, 'matchLabels') ?? {}));
  for (const expression of objectsAt(selector, 'matchExpressions')) asked.add(textAt(expression, 'key'));
  const ofKeys = keys.flatMap((key, index) => {
    const field = `${path}[${index}]`;
    const errors = invalids(field, key, qualifiedNameProblems(key));
    const text = 'exists in both matchLabelKeys and labelSelector';
    return asked.has(key) ? [...errors, invalidField(field, key, text)] : errors;
  });
  return selector === undefined ? [forbiddenField(path, needsSelector), ...ofKeys] : ofKeys;
}

function domainErrors(constraint: JsonObject, path: string): FieldError[] {
  const [domains, action] = [numberAt(constraint, 'minDomains'), textAt(constraint, 'whenUnsatisfiable')];
  const field = `${path}.minDomains`;
  if (domains === undefined) return [];
  const errors = domains > 0 ? [] : [invalidField(field, domains, 'must be greater than zero')];
  if (action === 'DoNotSchedule') return errors;
  const text = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`;
  return [...errors, invalidField(field, domains, text)];
}

/** What no two constraints of a pod may have in common. */
function spreadIdentity(constraint: JsonObject): string {
  return `{${['topologyKey', 'whenUnsatisfiable'].map((key) => textAt(constraint, key)).join(', ')}}`;
}

/** Errors of `topologySpreadConstraints`. */
export function spreadErrors(spec: JsonObject, path: string): FieldError[] {
  const list = objectsAt(spec, 'topologySpreadConstraints');
  const policies = ['Honor', 'Ignore'];
  const last = new Map(list.map((constraint, index) => [spreadIdentity(constraint), index]));
  return each(spec, { path, key: 'topologySpreadConstraints' }, (constraint, at, index) => {
    const skew = numberAt(constraint, 'maxSkew') ?? 0;
    const [action, identity] = [textAt(constraint, 'whenUnsatisfiable'), spreadIdentity(constraint)];
    return [
      ...(skew > 0 ? [] : [invalidField(`${at}.maxSkew`, skew, 'must be greater than zero')]),
      ...(textAt(constraint, 'topologyKey') === '' ? [requiredField(`${at}.topologyKey`, 'can not be empty')] : []),
      ...choice(`${at}.whenUnsatisfiable`, action, ['DoNotSchedule', 'ScheduleAnyway']),
      ...(last.get(identity) === index ? [] : [duplicateField(`${at}.{topologyKey, whenUnsatisfiable}`, identity)]),
      ...domainErrors(constraint, at),
      ...choice(`${at}.nodeAffinityPolicy`, valueAt(constraint, 'nodeAffinityPolicy'), policies),
      ...choice(`${at}.nodeTaintsPolicy`, valueAt(constraint, 'nodeTaintsPolicy'), policies),
      ...spreadKeyErrors(constraint, `${at}.matchLabelKeys`),
      ...selectorErrors(objectAt(constraint, 'labelSelector'), `${at}.labelSelector`),
    ];
  });
}

/** Errors of `readinessGates`. */
export function readinessGateErrors(spec: JsonObject, path: string): FieldError[] {
  return each(spec, { path, key: 'readinessGates' }, (gate, at) => {
    const type = textAt(gate, 'conditionType');
    return invalids(`${at}.conditionType`, type, qualifiedNameProblems(type));
  });
}

/** Errors of `schedulingGates`. */
export function schedulingGateErrors(spec: JsonObject, path: string): FieldError[] {
  const seen = new Set<string>();
  return each(spec, { path, key: 'schedulingGates' }, (gate, at) => {
    const name = textAt(gate, 'name');
    const errors = invalids(at, name, qualifiedNameProblems(name));
    if (seen.has(name)) errors.push(duplicateField(at, name));
    seen.add(name);
    return errors;
  });
}
