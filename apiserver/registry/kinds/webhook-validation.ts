import {
  firstIndexes,
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
  invalidField,
  PatternBudget,
  requiredField,
  unsupportedField,
} from '../../../src/schema/index.ts';
import { asJson, type KubeObject, numberAt } from '../../core/index.ts';
import { goTexts, invalidPrinted } from '../../schema/index.ts';
import { admissionRuleErrors } from './admission-rules.ts';
import { choice, each, invalids } from './checks.ts';
import { matchConditionErrors } from './match-conditions.ts';
import { selectorErrors } from './selectors.ts';
import { clientConfigErrors } from './webhook-client.ts';

const reviewVersions = ['v1', 'v1beta1'];
const harmless = ['None', 'NoneOnDryRun'];

function nameErrors(name: string, field: string): FieldError[] {
  if (name === '') return [requiredField(field)];
  const rule = 'should be a domain with at least three segments separated by dots';
  const isShort = name.split('.').length < 3;
  return [
    ...invalids(field, name, dns1123SubdomainProblems(name)),
    ...(isShort ? [invalidField(field, name, rule)] : []),
  ];
}

function versionErrors(versions: readonly string[], field: string): FieldError[] {
  if (versions.length === 0) return [requiredField(field, `must specify one of ${reviewVersions.join(', ')}`)];
  const first = firstIndexes(versions);
  const errors = versions.flatMap((version, index) => {
    const place = `${field}[${index}]`;
    if (isRepeated(first, version, index)) return [invalidField(place, version, 'duplicate version')];
    return invalids(place, version, dns1035LabelProblems(version));
  });
  if (errors.length > 0 || versions.some((version) => reviewVersions.includes(version))) return errors;
  return [invalidPrinted(field, goTexts(versions), `must include at least one of ${reviewVersions.join(', ')}`)];
}

function sideEffectErrors(webhook: JsonObject, field: string): FieldError[] {
  const sideEffects = textAt(webhook, 'sideEffects');
  if (sideEffects === '') return [requiredField(field, `must specify one of ${harmless.join(', ')}`)];
  return harmless.includes(sideEffects) ? [] : [unsupportedField(field, sideEffects, harmless)];
}

function webhookErrors(webhook: JsonObject, path: string, patterns: PatternBudget): FieldError[] {
  const timeout = numberAt(webhook, 'timeoutSeconds') ?? 10;
  const timeoutText = 'the timeout value must be between 1 and 30 seconds';
  return [
    ...nameErrors(textAt(webhook, 'name'), `${path}.name`),
    ...each(webhook, { path, key: 'rules' }, admissionRuleErrors),
    ...choice(`${path}.failurePolicy`, valueAt(webhook, 'failurePolicy'), ['Fail', 'Ignore']),
    ...choice(`${path}.matchPolicy`, valueAt(webhook, 'matchPolicy'), ['Equivalent', 'Exact']),
    ...sideEffectErrors(webhook, `${path}.sideEffects`),
    ...(timeout < 1 || timeout > 30 ? [invalidField(`${path}.timeoutSeconds`, timeout, timeoutText)] : []),
    ...selectorErrors(objectAt(webhook, 'namespaceSelector'), `${path}.namespaceSelector`),
    ...selectorErrors(objectAt(webhook, 'objectSelector'), `${path}.objectSelector`),
    ...clientConfigErrors(objectAt(webhook, 'clientConfig'), `${path}.clientConfig`),
    ...choice(`${path}.reinvocationPolicy`, valueAt(webhook, 'reinvocationPolicy'), ['IfNeeded', 'Never']),
    ...versionErrors(listOfTexts(webhook, 'admissionReviewVersions'), `${path}.admissionReviewVersions`),
    ...matchConditionErrors(webhook, `${path}.`, { hasParams: false, patterns }),
  ];
}

/** Errors of a validating or mutating webhook configuration.
 *  @see docs/spec/kube-api-types.md#webhook-configuration */
export function validateWebhooks(object: KubeObject): FieldError[] {
  const webhooks = objectsAt(asJson(object), 'webhooks');
  const names = webhooks.map((webhook) => textAt(webhook, 'name'));
  const first = firstIndexes(names);
  const patterns = new PatternBudget();
  return webhooks.flatMap((webhook, index) => {
    const name = names[index] ?? '';
    const isSecond = isRepeated(first, name, index);
    const duplicate = isSecond ? [duplicateField(`webhooks[${index}].name`, name)] : [];
    return [...webhookErrors(webhook, `webhooks[${index}]`, patterns), ...duplicate];
  });
}
