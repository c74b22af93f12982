import {
  firstIndexes,
  isRepeated,
  isTrueAt,
  type JsonObject,
  listOfTexts,
  objectAt,
  objectsAt,
  textAt,
} from '../../../src/base/index.ts';
import {
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  duplicateField,
  type FieldError,
  forbiddenField,
  invalidField,
  requiredField,
  unsupportedField,
} from '../../../src/schema/index.ts';
import { asJson, countAt, type KindRules, type KubeObject, setDefaults, specOf } from '../../core/index.ts';
import { goStruct } from '../../schema/index.ts';
import { eachErrors, forbiddenWhen, invalids } from './checks.ts';

/** FlowSchemas and PriorityLevelConfigurations. They are stored and validated; the server handles every request anyway. */

const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch'];

function verbErrors(rule: JsonObject, path: string): FieldError[] {
  const list = listOfTexts(rule, 'verbs');
  const field = `${path}.verbs`;
  if (list.length === 0) return [requiredField(field, 'verbs must contain at least one value')];
  if (list.includes('*')) {
    return list.length > 1 ? [invalidField(field, list, "if '*' is present, must not specify other verbs")] : [];
  }
  return list.every((verb) => verbs.includes(verb)) ? [] : [unsupportedField(field, list, verbs)];
}

/** Lists in which `*` stands alone or not at all. */
function wildcardErrors(
  rule: JsonObject,
  path: string,
  facts: { readonly key: string; readonly one: string; readonly others: string },
): FieldError[] {
  const list = listOfTexts(rule, facts.key);
  const field = `${path}.${facts.key}`;
  if (list.length === 0) return [requiredField(field, facts.one)];
  const isMixed = list.length > 1 && list.includes('*');
  return isMixed ? [invalidField(field, list, `if '*' is present, must not specify other ${facts.others}`)] : [];
}

const groupFacts = { key: 'apiGroups', one: 'resource rules must supply at least one api group', others: 'api groups' };
const resourceFacts = {
  key: 'resources',
  one: 'resource rules must supply at least one resource',
  others: 'resources',
};
const urlFacts = {
  key: 'nonResourceURLs',
  one: 'nonResourceURLs must contain at least one value',
  others: 'non-resource URLs',
};

function namespaceErrors(rule: JsonObject, path: string): FieldError[] {
  const list = listOfTexts(rule, 'namespaces');
  const field = `${path}.namespaces`;
  if (list.length === 0 && !isTrueAt(rule, 'clusterScope')) {
    return [requiredField(field, 'resource rules that are not cluster scoped must supply at least one namespace')];
  }
  if (list.includes('*')) {
    return list.length > 1 ? [invalidField(field, list, "if '*' is present, must not specify other namespaces")] : [];
  }
  const intro = "each member of this list must be '*' or a DNS-1123 label; ";
  return list.flatMap((name, index) =>
    dns1123LabelProblems(name).map((problem) => invalidField(`${field}[${index}]`, name, `${intro}${problem}`)),
  );
}

function urlProblem(url: string): string | undefined {
  if (url === '') return 'must not be empty';
  if (url === '/') return undefined;
  if (!url.startsWith('/')) return 'must start with slash';
  if (url.includes(' ')) return 'must not contain white-space';
  if (url.includes('//')) return 'must not contain double slash';
  const count = url.split('*').length - 1;
  return count > 1 || (count === 1 && !url.endsWith('/*')) ? 'wildcard can only do suffix matching' : undefined;
}

function urlErrors(rule: JsonObject, path: string): FieldError[] {
  const errors = wildcardErrors(rule, path, urlFacts);
  const urls = listOfTexts(rule, 'nonResourceURLs');
  if (urls.includes('*')) return errors;
  const bad = urls.flatMap((url, index) => {
    const problem = urlProblem(url);
    return problem === undefined ? [] : [invalidField(`${path}.nonResourceURLs[${index}]`, url, problem)];
  });
  return [...errors, ...bad];
}

const subjects = [
  { kind: 'ServiceAccount', key: 'serviceAccount' },
  { kind: 'User', key: 'user' },
  { kind: 'Group', key: 'group' },
];

function accountErrors(account: JsonObject, field: string): FieldError[] {
  const [name, namespace] = [textAt(account, 'name'), textAt(account, 'namespace')];
  const named = name === '*' ? [] : invalids(`${field}.name`, name, dns1123SubdomainProblems(name));
  return [
    ...(name === '' ? [requiredField(`${field}.name`)] : named),
    ...(namespace === ''
      ? [requiredField(`${field}.namespace`, 'must specify namespace for service account')]
      : invalids(`${field}.namespace`, namespace, dns1123LabelProblems(namespace))),
  ];
}

function subjectErrors(subject: JsonObject, path: string): FieldError[] {
  const kind = textAt(subject, 'kind');
  const expected = subjects.find((item) => item.kind === kind);
  if (expected === undefined) return [unsupportedField(`${path}.kind`, kind, ['Group', 'ServiceAccount', 'User'])];
  const [field, given] = [`${path}.${expected.key}`, objectAt(subject, expected.key)];
  const extra = subjects
    .filter((item) => item !== expected && objectAt(subject, item.key) !== undefined)
    .map((item) =>
      forbiddenField(`${path}.${item.key}`, `${item.key} is forbidden when subject kind is not '${item.kind}'`),
    );
  if (given === undefined) {
    return [requiredField(field, `${expected.key} is required when subject kind is '${kind}'`), ...extra];
  }
  if (kind === 'ServiceAccount') return [...accountErrors(given, field), ...extra];
  return [...(textAt(given, 'name') === '' ? [requiredField(`${field}.name`)] : []), ...extra];
}

function ruleErrors(rule: JsonObject, path: string): FieldError[] {
  const [ofResources, ofUrls] = [objectsAt(rule, 'resourceRules'), objectsAt(rule, 'nonResourceRules')];
  const who = objectsAt(rule, 'subjects');
  const isEmpty = ofResources.length === 0 && ofUrls.length === 0;
  const why = 'at least one of resourceRules and nonResourceRules has to be non-empty';
  return [
    ...(who.length === 0 ? [requiredField(`${path}.subjects`, 'subjects must contain at least one value')] : []),
    ...eachErrors(who, `${path}.subjects`, subjectErrors),
    ...(isEmpty ? [requiredField(path, why)] : []),
    ...eachErrors(ofResources, `${path}.resourceRules`, (item, field) => [
      ...verbErrors(item, field),
      ...wildcardErrors(item, field, groupFacts),
      ...wildcardErrors(item, field, resourceFacts),
      ...namespaceErrors(item, field),
    ]),
    ...eachErrors(ofUrls, `${path}.nonResourceRules`, (item, field) => [
      ...verbErrors(item, field),
      ...urlErrors(item, field),
    ]),
  ];
}

function precedenceErrors(precedence: number, name: string): FieldError[] {
  const field = 'spec.matchingPrecedence';
  if (precedence <= 0) return [invalidField(field, precedence, 'must be a positive value')];
  if (precedence > 10_000) return [invalidField(field, precedence, 'must not be greater than 10000')];
  const isTaken = precedence === 1 && name !== 'exempt';
  return isTaken
    ? [invalidField(field, precedence, "only the schema named 'exempt' may have matchingPrecedence 1")]
    : [];
}

function schemaErrors(object: KubeObject): FieldError[] {
  const spec = specOf(object);
  const level = textAt(objectAt(spec, 'priorityLevelConfiguration'), 'name');
  const field = 'spec.priorityLevelConfiguration.name';
  const method = objectAt(spec, 'distinguisherMethod');
  const type = textAt(method, 'type');
  const isKnown = method === undefined || ['ByNamespace', 'ByUser'].includes(type);
  const shown = goStruct('flowcontrol.FlowDistinguisherMethod', { Type: type });
  const message = `Unsupported value: ${shown}: supported values: "ByNamespace", "ByUser"`;
  return [
    ...precedenceErrors(countAt(spec, 'matchingPrecedence'), object.metadata.name ?? ''),
    ...(isKnown
      ? []
      : [{ field: 'spec.distinguisherMethod.type', reason: 'FieldValueNotSupported', message } as const]),
    ...(level === ''
      ? [requiredField(field, 'must reference a priority level')]
      : invalids(field, level, dns1123SubdomainProblems(level))),
    ...eachErrors(objectsAt(spec, 'rules'), 'spec.rules', ruleErrors),
  ];
}

function conditionErrors(object: KubeObject): FieldError[] {
  const conditions = objectsAt(objectAt(asJson(object), 'status'), 'conditions');
  const types = conditions.map((condition) => textAt(condition, 'type'));
  const first = firstIndexes(types);
  return eachErrors(conditions, 'status.conditions', (_condition, path, index) => {
    const type = types[index] ?? '';
    const doubled = isRepeated(first, type, index) ? [duplicateField(`${path}.type`, type)] : [];
    return type === '' ? [...doubled, requiredField(`${path}.type`, 'must not be empty')] : doubled;
  });
}

/** Zero counts as absent. */
function defaultCounts(owner: JsonObject | undefined, defaults: Readonly<Record<string, number>>): void {
  if (owner === undefined) return;
  for (const [key, value] of Object.entries(defaults)) if (countAt(owner, key) === 0) owner[key] = value;
}

/** Rules of FlowSchemas. */
export const flowSchemaRules: KindRules = {
  generationOf: ['spec'],
  applyDefaults: (object) => defaultCounts(specOf(object), { matchingPrecedence: 1000 }),
  prepareForCreate: (object) => {
    asJson(object)['status'] = {};
  },
  validate: schemaErrors,
  validateStatus: conditionErrors,
};

function percentErrors(owner: JsonObject, path: string): FieldError[] {
  const percent = countAt(owner, 'lendablePercent');
  if (percent >= 0 && percent <= 100) return [];
  return [invalidField(`${path}.lendablePercent`, percent, 'must be between 0 and 100, inclusive')];
}

function shareErrors(owner: JsonObject, path: string): FieldError[] {
  const shares = countAt(owner, 'nominalConcurrencyShares');
  return shares < 0 ? [invalidField(`${path}.nominalConcurrencyShares`, shares, 'must be a non-negative integer')] : [];
}

const maxHashBits = 60;

function handErrors(queues: number, hand: number): FieldError[] {
  const field = 'spec.limited.limitResponse.queuing.handSize';
  if (hand <= 0) return [invalidField(field, hand, 'must be positive')];
  if (hand > queues) return [invalidField(field, hand, `should not be greater than queues (${queues})`)];
  if (Math.ceil(Math.log2(queues) * hand) <= maxHashBits) return [];
  const why = `required entropy bits of deckSize ${queues} and handSize ${hand} should not be greater than ${maxHashBits}`;
  return [invalidField(field, hand, why)];
}

function queuingErrors(queuing: JsonObject): FieldError[] {
  const path = 'spec.limited.limitResponse.queuing';
  const [length, queues] = [countAt(queuing, 'queueLengthLimit'), countAt(queuing, 'queues')];
  const errors = length <= 0 ? [invalidField(`${path}.queueLengthLimit`, length, 'must be positive')] : [];
  if (queues <= 0) errors.push(invalidField(`${path}.queues`, queues, 'must be positive'));
  if (queues > 10_000_000) errors.push(invalidField(`${path}.queues`, queues, 'must not be greater than 10000000'));
  return [...errors, ...handErrors(queues, countAt(queuing, 'handSize'))];
}

function responseErrors(response: JsonObject | undefined): FieldError[] {
  const [path, type] = ['spec.limited.limitResponse', textAt(response, 'type')];
  const queuing = objectAt(response, 'queuing');
  if (type === 'Reject') {
    const why = 'must be nil if limited.limitResponse.type is not Limited';
    return forbiddenWhen(queuing !== undefined, `${path}.queuing`, why);
  }
  if (type !== 'Queue') return [unsupportedField(`${path}.type`, type, ['Queue', 'Reject'])];
  const why = 'must not be empty if limited.limitResponse.type is Limited';
  return queuing === undefined ? [requiredField(`${path}.queuing`, why)] : queuingErrors(queuing);
}

function limitedErrors(spec: JsonObject): FieldError[] {
  const limited = objectAt(spec, 'limited');
  const isExempt = objectAt(spec, 'exempt') !== undefined;
  const errors = forbiddenWhen(isExempt, 'spec.exempt', 'must be nil if the type is Limited');
  if (limited === undefined)
    return [...errors, requiredField('spec.limited', 'must not be empty when type is Limited')];
  const borrowed = countAt(limited, 'borrowingLimitPercent');
  return [
    ...errors,
    ...shareErrors(limited, 'spec.limited'),
    ...responseErrors(objectAt(limited, 'limitResponse')),
    ...percentErrors(limited, 'spec.limited'),
    ...(borrowed < 0
      ? [invalidField('spec.limited.borrowingLimitPercent', borrowed, 'if specified, must be a non-negative integer')]
      : []),
  ];
}

function levelErrors(object: KubeObject): FieldError[] {
  const spec = specOf(object);
  const type = textAt(spec, 'type');
  const isMisnamed = (object.metadata.name === 'exempt') !== (type === 'Exempt');
  const misnamed = [invalidField('spec.type', type, "type must be 'Exempt' if and only if name is 'exempt'")];
  const errors = isMisnamed ? misnamed : [];
  if (type === 'Limited') return [...errors, ...limitedErrors(spec)];
  if (type !== 'Exempt') return [...errors, unsupportedField('spec.type', type, ['Exempt', 'Limited'])];
  const [exempt, isLimited] = [objectAt(spec, 'exempt'), objectAt(spec, 'limited') !== undefined];
  errors.push(...forbiddenWhen(isLimited, 'spec.limited', 'must be nil if the type is not Limited'));
  if (exempt === undefined) return errors;
  return [...errors, ...shareErrors(exempt, 'spec.exempt'), ...percentErrors(exempt, 'spec.exempt')];
}

/** Rules of PriorityLevelConfigurations. */
export const priorityLevelRules: KindRules = {
  generationOf: ['spec'],
  applyDefaults: (object) => {
    const spec = specOf(object);
    const [exempt, limited] = [objectAt(spec, 'exempt'), objectAt(spec, 'limited')];
    if (exempt !== undefined) setDefaults(exempt, { nominalConcurrencyShares: 0, lendablePercent: 0 });
    if (limited !== undefined) setDefaults(limited, { nominalConcurrencyShares: 30, lendablePercent: 0 });
    const queuing = objectAt(limited, 'limitResponse', 'queuing');
    defaultCounts(queuing, { handSize: 8, queues: 64, queueLengthLimit: 50 });
  },
  prepareForCreate: (object) => {
    asJson(object)['status'] = {};
  },
  validate: levelErrors,
  validateStatus: conditionErrors,
};
