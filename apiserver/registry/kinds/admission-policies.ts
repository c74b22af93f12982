import {
  firstIndexes,
  isJsonObject,
  isRepeated,
  type JsonObject,
  listOfTexts,
  objectAt,
  objectsAt,
  textAt,
  valueAt,
} from '../../../src/base/index.ts';
import {
  dns1035LabelProblems,
  dns1123SubdomainProblems,
  duplicateField,
  type FieldError,
  forbiddenField,
  invalidField,
  PatternBudget,
  pathSegmentProblems,
  qualifiedNameProblems,
  requiredField,
  unsupportedField,
} from '../../../src/schema/index.ts';
import { expressionErrors, PolicyExpressions } from '../../cel/index.ts';
import { asJson, type KindRules, type KubeObject } from '../../core/index.ts';
import { goTexts, invalidPrinted } from '../../schema/index.ts';
import { admissionRuleErrors } from './admission-rules.ts';
import { choice, each, invalids } from './checks.ts';
import { matchConditionErrors } from './match-conditions.ts';
import { selectorErrors } from './selectors.ts';

const reasons = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];
const actions = ['Audit', 'Deny', 'Warn'];
const maxAnnotations = 20;
const maxValueExpression = 5 * 1024;
const lineBreak = /[\n\r]/;

function paramKindErrors(kind: JsonObject | undefined, path: string): FieldError[] {
  if (kind === undefined) return [];
  const [apiVersion, name] = [textAt(kind, 'apiVersion'), textAt(kind, 'kind')];
  const problems = dns1035LabelProblems(name.toLowerCase());
  const why = `may have mixed case, but should otherwise match: ${problems.join(',')}`;
  const nameErrors = problems.length === 0 ? [] : [invalidField(`${path}.kind`, name, why)];
  return [
    ...apiVersionErrors(apiVersion, `${path}.apiVersion`),
    ...(name === '' ? [requiredField(`${path}.kind`)] : nameErrors),
  ];
}

function apiVersionErrors(apiVersion: string, field: string): FieldError[] {
  if (apiVersion === '') return [requiredField(field)];
  const parts = apiVersion.split('/');
  if (parts.length > 2) return [invalidField(field, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)];
  const [version = '', group = ''] = parts.toReversed();
  const groupProblems = group === '' ? [] : dns1123SubdomainProblems(group);
  const versionProblems = dns1035LabelProblems(version);
  const errors = groupProblems.length === 0 ? [] : [invalidField(field, group, groupProblems.join(','))];
  if (version === '') return [...errors, invalidField(field, apiVersion, 'version must be specified')];
  if (versionProblems.length === 0) return errors;
  return [...errors, invalidField(field, version, versionProblems.join(','))];
}

function namedRuleErrors(rule: JsonObject, path: string): FieldError[] {
  const names = listOfTexts(rule, 'resourceNames');
  const first = firstIndexes(names);
  const errors = names.flatMap((name, index) => {
    const field = `${path}.resourceNames[${index}]`;
    const duplicate = isRepeated(first, name, index) ? [duplicateField(field, name)] : [];
    return [...invalids(field, name, pathSegmentProblems(name)), ...duplicate];
  });
  return [...errors, ...admissionRuleErrors(rule, path)];
}

function matchResourceErrors(resources: JsonObject | undefined, path: string): FieldError[] {
  if (resources === undefined) return [];
  return [
    ...choice(`${path}.matchPolicy`, valueAt(resources, 'matchPolicy'), ['Equivalent', 'Exact']),
    ...selectorErrors(objectAt(resources, 'namespaceSelector'), `${path}.namespaceSelector`),
    ...selectorErrors(objectAt(resources, 'objectSelector'), `${path}.objectSelector`),
    ...each(resources, { path, key: 'resourceRules' }, namedRuleErrors),
    ...each(resources, { path, key: 'excludeResourceRules' }, namedRuleErrors),
  ];
}

function constraintErrors(constraints: JsonObject | undefined, path: string): FieldError[] {
  if (constraints === undefined) return [requiredField(path)];
  const isEmpty = objectsAt(constraints, 'resourceRules').length === 0;
  return [...matchResourceErrors(constraints, path), ...(isEmpty ? [requiredField(`${path}.resourceRules`)] : [])];
}

function variableErrors(variable: JsonObject, path: string, expressions: PolicyExpressions): FieldError[] {
  const [name, text] = [textAt(variable, 'name'), textAt(variable, 'expression')];
  const errors: FieldError[] = [];
  if (name.trim() === '') errors.push(requiredField(`${path}.name`, 'name is not specified'));
  else if (!/^[_a-zA-Z][_a-zA-Z0-9]*$/.test(name)) {
    errors.push(invalidField(`${path}.name`, name, 'name is not a valid CEL identifier'));
  }
  const field = `${path}.expression`;
  if (text.trim() === '') return [...errors, requiredField(field, 'expression is not specified')];
  return [...errors, ...expressionErrors(expressions.addVariable(name, text), field)];
}

function messageErrors(message: string, field: string): FieldError[] {
  if (message !== '' && message.trim() === '') {
    return [invalidField(field, message, 'message must be non-empty if specified')];
  }
  return lineBreak.test(message.trim()) ? [invalidField(field, message, 'message must not contain line breaks')] : [];
}

function messageExpressionErrors(text: string, field: string, expressions: PolicyExpressions): FieldError[] {
  if (text === '') return [];
  if (text.trim() === '') return [invalidField(field, text, 'must be non-empty if specified')];
  return expressionErrors(expressions.compile(text, 'string', { hasAuthorizer: false }), field);
}

function validationErrors(validation: JsonObject, path: string, expressions: PolicyExpressions): FieldError[] {
  const text = textAt(validation, 'expression');
  const field = `${path}.expression`;
  const own =
    text.trim() === ''
      ? [requiredField(field, 'expression is not specified')]
      : expressionErrors(expressions.compile(text, 'bool'), field);
  const reason = valueAt(validation, 'reason');
  return [
    ...own,
    ...messageExpressionErrors(textAt(validation, 'messageExpression'), `${path}.messageExpression`, expressions),
    ...messageErrors(textAt(validation, 'message'), `${path}.message`),
    ...(typeof reason === 'string' && !reasons.includes(reason)
      ? [unsupportedField(`${path}.reason`, reason, reasons)]
      : []),
  ];
}

interface Annotations {
  readonly policyName: string;
  readonly expressions: PolicyExpressions;
}

function annotationErrors(
  annotation: JsonObject,
  path: string,
  { policyName, expressions }: Annotations,
): FieldError[] {
  const key = textAt(annotation, 'key');
  const keyField = `${path}.key`;
  const keyErrors =
    policyName === ''
      ? [invalidField(keyField, key, 'requires metadata.name be non-empty')]
      : invalids(keyField, `${policyName}/${key}`, qualifiedNameProblems(`${policyName}/${key}`));
  const given = textAt(annotation, 'valueExpression');
  const text = given.trim();
  const field = `${path}.valueExpression`;
  if (text === '') return [...keyErrors, requiredField(field, 'valueExpression is not specified')];
  if (Buffer.byteLength(text) > maxValueExpression) {
    return [...keyErrors, requiredField(field, `must not exceed ${maxValueExpression} bytes in length`)];
  }
  const expression = { ...expressions.compile(text, 'string or null'), text: given };
  return [...keyErrors, ...expressionErrors(expression, field)];
}

function annotationListErrors(spec: JsonObject, path: string, context: Annotations): FieldError[] {
  const annotations = objectsAt(spec, 'auditAnnotations');
  const keys = annotations.map((annotation) => textAt(annotation, 'key'));
  const first = firstIndexes(keys);
  const field = `${path}.auditAnnotations`;
  const why = `must not have more than ${maxAnnotations} auditAnnotations`;
  const many = annotations.length > maxAnnotations ? [invalidField(field, annotations, why)] : [];
  return [
    ...many,
    ...annotations.flatMap((annotation, index) => {
      const key = keys[index] ?? '';
      const duplicate = isRepeated(first, key, index) ? [duplicateField(`${field}[${index}].key`, key)] : [];
      return [...annotationErrors(annotation, `${field}[${index}]`, context), ...duplicate];
    }),
  ];
}

function checkErrors(spec: JsonObject, context: Annotations): FieldError[] {
  const isEmpty = objectsAt(spec, 'validations').length + objectsAt(spec, 'auditAnnotations').length === 0;
  const why = 'validations or auditAnnotations must contain at least one item';
  if (isEmpty) return [requiredField('spec.validations', why), requiredField('spec.auditAnnotations', why)];
  return [
    ...each(spec, { path: 'spec', key: 'validations' }, (item, path) =>
      validationErrors(item, path, context.expressions),
    ),
    ...annotationListErrors(spec, 'spec', context),
  ];
}

function validatePolicy(object: KubeObject): FieldError[] {
  const spec = objectAt(asJson(object), 'spec') ?? {};
  const paramKind = objectAt(spec, 'paramKind');
  const hasParams = paramKind !== undefined;
  const hasVariables = objectsAt(spec, 'variables').length > 0;
  const patterns = new PatternBudget();
  const expressions = new PolicyExpressions({ hasParams, hasVariables, patterns });
  return [
    ...choice('spec.failurePolicy', valueAt(spec, 'failurePolicy'), ['Fail', 'Ignore']),
    ...paramKindErrors(paramKind, 'spec.paramKind'),
    ...constraintErrors(objectAt(spec, 'matchConstraints'), 'spec.matchConstraints'),
    ...matchConditionErrors(spec, 'spec.', { hasParams, patterns }),
    ...each(spec, { path: 'spec', key: 'variables' }, (item, path) => variableErrors(item, path, expressions)),
    ...checkErrors(spec, { policyName: object.metadata.name ?? '', expressions }),
  ];
}

function paramRefErrors(reference: JsonObject | undefined, path: string): FieldError[] {
  if (reference === undefined) return [];
  const [name, selector] = [textAt(reference, 'name'), objectAt(reference, 'selector')];
  const why = 'name and selector are mutually exclusive';
  const isBoth = name !== '' && selector !== undefined;
  const action = textAt(reference, 'parameterNotFoundAction');
  const actionField = `${path}.parameterNotFoundAction`;
  return [
    ...(name === '' ? [] : invalids(`${path}.name`, name, pathSegmentProblems(name))),
    ...(isBoth ? [forbiddenField(`${path}.name`, why)] : []),
    ...selectorErrors(selector, `${path}.selector`),
    ...(isBoth ? [forbiddenField(`${path}.selector`, why)] : []),
    ...(name === '' && selector === undefined
      ? [requiredField(path, 'one of name or selector must be specified')]
      : []),
    ...(action === '' ? [requiredField(actionField)] : choice(actionField, action, ['Deny', 'Allow'])),
  ];
}

function actionErrors(given: readonly string[], field: string): FieldError[] {
  const first = firstIndexes(given);
  const errors = given.flatMap((action, index) => {
    const duplicate = isRepeated(first, action, index) ? [duplicateField(`${field}[${index}]`, action)] : [];
    return [...choice(`${field}[${index}]`, action, actions), ...duplicate];
  });
  if (given.includes('Deny') && given.includes('Warn')) {
    const why =
      'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)';
    errors.push(invalidPrinted(field, goTexts(given, 'admissionregistration.ValidationAction'), why));
  }
  return given.length === 0 ? [...errors, requiredField(field, 'at least one validation action is required')] : errors;
}

function validateBinding(object: KubeObject): FieldError[] {
  const spec = objectAt(asJson(object), 'spec') ?? {};
  const name = textAt(spec, 'policyName');
  return [
    ...(name === ''
      ? [requiredField('spec.policyName')]
      : invalids('spec.policyName', name, dns1123SubdomainProblems(name))),
    ...paramRefErrors(objectAt(spec, 'paramRef'), 'spec.paramRef'),
    ...matchResourceErrors(objectAt(spec, 'matchResources'), 'spec.matchResources'),
    ...actionErrors(listOfTexts(spec, 'validationActions'), 'spec.validationActions'),
  ];
}

function setDefault(object: JsonObject, key: string, value: JsonObject | string): void {
  if (valueAt(object, key) === undefined || valueAt(object, key) === null) object[key] = value;
}

function defaultMatchResources(resources: JsonObject | undefined): void {
  if (resources === undefined) return;
  setDefault(resources, 'matchPolicy', 'Equivalent');
  setDefault(resources, 'namespaceSelector', {});
  setDefault(resources, 'objectSelector', {});
  for (const rule of [...objectsAt(resources, 'resourceRules'), ...objectsAt(resources, 'excludeResourceRules')]) {
    setDefault(rule, 'scope', '*');
  }
}

function specOf(object: KubeObject): JsonObject {
  const { spec } = asJson(object);
  return isJsonObject(spec) ? spec : {};
}

/** ValidatingAdmissionPolicy. */
export const admissionPolicyRules: KindRules = {
  generationOf: ['spec'],
  applyDefaults: (object) => {
    const spec = specOf(object);
    setDefault(spec, 'failurePolicy', 'Fail');
    defaultMatchResources(objectAt(spec, 'matchConstraints'));
  },
  validate: validatePolicy,
  prepareForCreate: (object) => {
    asJson(object)['status'] = {};
  },
};

/** ValidatingAdmissionPolicyBinding. */
export const admissionPolicyBindingRules: KindRules = {
  generationOf: ['spec'],
  applyDefaults: (object) => defaultMatchResources(objectAt(specOf(object), 'matchResources')),
  validate: validateBinding,
};
