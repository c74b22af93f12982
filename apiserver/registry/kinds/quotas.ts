import {
  firstIndexes,
  goQuote,
  isJsonEqual,
  isRepeated,
  type JsonObject,
  listOfTexts,
  objectAt,
  objectsAt,
  textAt,
} from '../../../src/base/index.ts';
import {
  duplicateField,
  type FieldError,
  forbiddenField,
  immutableText,
  invalidField,
  qualifiedNameProblems,
  requiredField,
} from '../../../src/schema/index.ts';
import { asJson, type KindRules, type KubeObject, specOf, textsAt } from '../../core/index.ts';
import {
  canonicalQuantity,
  compareQuantities,
  goQuantity,
  goTexts,
  invalidPrinted,
  isWhole,
  parseQuantity,
} from '../../schema/index.ts';
import { eachErrors, invalids } from './checks.ts';
import {
  computeResources,
  countedResources,
  isExtendedResource,
  isHugePages,
  isNativeResource,
  isQuotaHugePages,
  isStandardResource,
  quotaResources,
} from './resource-names.ts';

/** ResourceQuotas and LimitRanges. @see docs/spec/kube-api-types.md#validation-rules */

const podNames = new Set(['pods', 'cpu', 'memory', 'limits.cpu', 'limits.memory', 'requests.cpu', 'requests.memory']);

/** A resource name as Go prints it here: without quotes. */
function plain(field: string, name: string, why: string): FieldError {
  return invalidPrinted(field, name, why);
}

function resourceNameErrors(name: string, field: string): FieldError[] {
  const problems = qualifiedNameProblems(name);
  if (problems.length > 0) return problems.map((problem) => plain(field, name, problem));
  const isKnown = name.includes('/') || isStandardResource(name);
  return isKnown ? [] : [plain(field, name, 'must be a standard resource type or fully qualified')];
}

function quotaNameErrors(name: string, field: string): FieldError[] {
  const errors = resourceNameErrors(name, field);
  const isKnown = name.includes('/') || quotaResources.has(name) || isQuotaHugePages(name);
  return isKnown ? errors : [...errors, plain(field, name, 'must be a standard resource for quota')];
}

/** Errors of the name of a resource that a container may have. */
export function containerNameErrors(name: string, field: string): FieldError[] {
  const errors = resourceNameErrors(name, field);
  if (!name.includes('/')) {
    const isKnown = computeResources.includes(name) || isHugePages(name);
    return isKnown ? errors : [...errors, plain(field, name, 'must be a standard resource for containers')];
  }
  const isFine = isNativeResource(name) || isExtendedResource(name);
  return isFine ? errors : [...errors, plain(field, name, "doesn't follow extended resource name standard")];
}

/** Errors of an amount of a resource: not negative, and whole where things are counted. */
export function amountErrors(name: string, amount: string, field: string): FieldError[] {
  const errors =
    compareQuantities(amount, '0') < 0 ? [invalidField(field, amount, 'must be greater than or equal to 0')] : [];
  const isCounted = countedResources.includes(name) || isExtendedResource(name);
  if (!isCounted || isWhole(amount)) return errors;
  return [...errors, invalidPrinted(field, goQuantity(amount, ''), 'must be an integer')];
}

function hardErrors(hard: Readonly<Record<string, string>>, path: string): FieldError[] {
  return Object.entries(hard).flatMap(([name, amount]) => {
    const field = `${path}[${name}]`;
    return [...quotaNameErrors(name, field), ...amountErrors(name, amount, field)];
  });
}

const claimScopes = ['VolumeAttributesClass'];
const podScopes = [
  'Terminating',
  'NotTerminating',
  'BestEffort',
  'NotBestEffort',
  'PriorityClass',
  'CrossNamespacePodAffinity',
];

const knownScopes: readonly string[] = [...podScopes, ...claimScopes];

function suits(scope: string, name: string): boolean {
  if (scope === 'BestEffort') return name === 'pods';
  if (claimScopes.includes(scope)) return ['persistentvolumeclaims', 'requests.storage'].includes(name);
  return podScopes.includes(scope) ? podNames.has(name) : true;
}

/** Of the scopes of a quota, more than an answer has room for: each of them may have an error for each limit. */
const maxScopeErrors = 20_000;

/** How many of the limits each known scope does not cover: a scope may be named as often as there are limits. */
function unsuitedCounts(hard: readonly string[]): ReadonlyMap<string, number> {
  const names = hard.filter((name) => quotaResources.has(name) || isQuotaHugePages(name));
  const countOf = (scope: string): number => names.filter((name) => !suits(scope, name)).length;
  return new Map(knownScopes.map((scope) => [scope, countOf(scope)]));
}

function* repeated(error: FieldError, count: number): Generator<FieldError> {
  for (let left = count; left > 0; left -= 1) yield error;
}

function firstOf(errors: Iterable<FieldError>): FieldError[] {
  const first: FieldError[] = [];
  for (const error of errors) {
    if (first.length === maxScopeErrors) break;
    first.push(error);
  }
  return first;
}

const opposites = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
] as const;

function conflictCount(scopes: readonly string[]): number {
  return opposites.filter((pair) => pair.every((scope) => scopes.includes(scope))).length;
}

function* scopeErrors(spec: JsonObject): Generator<FieldError> {
  const scopes = listOfTexts(spec, 'scopes');
  const shown = goTexts(scopes, 'core.ResourceQuotaScope');
  const refuse = (why: string): FieldError => invalidPrinted('spec.scopes', shown, why);
  const unsuited = unsuitedCounts(Object.keys(textsAt(spec, 'hard')));
  for (const scope of scopes) {
    const count = unsuited.get(scope);
    if (count === undefined) yield refuse('unsupported scope');
    else yield* repeated(refuse('unsupported scope applied to resource'), count);
  }
  yield* repeated(refuse('conflicting scopes'), conflictCount(scopes));
}

const existsText =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";

function operatorErrors(requirement: JsonObject, path: string): FieldError[] {
  const [operator, values] = [textAt(requirement, 'operator'), listOfTexts(requirement, 'values')];
  if (operator === 'In' || operator === 'NotIn') {
    const why = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
    return values.length === 0 ? [requiredField(`${path}.values`, why)] : [];
  }
  if (operator === 'Exists' || operator === 'DoesNotExist') {
    const why = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
    return values.length === 0 ? [] : [invalidField(`${path}.values`, values, why)];
  }
  return [invalidField(`${path}.operator`, operator, 'not a valid selector operator')];
}

const requirementType = 'core.ScopedResourceSelectorRequirement';

function goRequirement(requirement: JsonObject): string {
  const [scope, operator] = [goQuote(textAt(requirement, 'scopeName')), goQuote(textAt(requirement, 'operator'))];
  const values = goTexts(listOfTexts(requirement, 'values'));
  return `${requirementType}{ScopeName:${scope}, Operator:${operator}, Values:${values}}`;
}

function* selectorScopeErrors(spec: JsonObject): Generator<FieldError> {
  const selector = objectAt(spec, 'scopeSelector');
  if (selector === undefined) return;
  const path = 'spec.scopeSelector.matchExpressions';
  const requirements = objectsAt(selector, 'matchExpressions');
  const list = `[]${requirementType}{${requirements.map(goRequirement).join(', ')}}`;
  const shown = `core.ScopeSelector{MatchExpressions:${list}}`;
  const unsuited = unsuitedCounts(Object.keys(textsAt(spec, 'hard')));
  const unsuitedError = invalidPrinted(path, shown, 'unsupported scope applied to resource');
  for (const requirement of requirements) {
    const scope = textAt(requirement, 'scopeName');
    const mustExist = podScopes.includes(scope) && scope !== 'PriorityClass';
    const operator = textAt(requirement, 'operator');
    const count = unsuited.get(scope);
    if (count === undefined) yield invalidField(`${path}.scopeName`, scope, 'unsupported scope');
    yield* repeated(unsuitedError, count ?? 0);
    if (mustExist && operator !== 'Exists') yield invalidField(`${path}.operator`, operator, existsText);
    yield* operatorErrors(requirement, path);
  }
  const scopes = requirements.map((requirement) => textAt(requirement, 'scopeName'));
  const shownScopes = goTexts(listOfTexts(spec, 'scopes'), 'core.ResourceQuotaScope');
  yield* repeated(invalidPrinted(path, shownScopes, 'conflicting scopes'), conflictCount(scopes));
}

function quotaErrors(object: KubeObject): FieldError[] {
  const spec = specOf(object);
  const ofScopes = [scopeErrors(spec), selectorScopeErrors(spec)].flatMap(firstOf);
  return [...hardErrors(textsAt(spec, 'hard'), 'spec.hard'), ...ofScopes];
}

/** Rules of ResourceQuotas: their scopes stay. */
export const quotaRules: KindRules = {
  prepareForCreate: (object) => {
    asJson(object)['status'] = {};
  },
  validate: quotaErrors,
  validateUpdate: (object, old) => {
    const [now, before] = [listOfTexts(specOf(object), 'scopes'), listOfTexts(specOf(old), 'scopes')];
    const isSame = isJsonEqual([...new Set(now)].sort(), [...new Set(before)].sort());
    return isSame ? [] : [invalidPrinted('spec.scopes', goTexts(now, 'core.ResourceQuotaScope'), immutableText)];
  },
  validateStatus: (object) => {
    const status = objectAt(asJson(object), 'status');
    return ['hard', 'used'].flatMap((key) => hardErrors(textsAt(status, key), `status.${key}`));
  },
};

/** The limits of one resource. */
interface Amounts {
  readonly min?: string | undefined;
  readonly max?: string | undefined;
  readonly usual?: string | undefined;
  readonly request?: string | undefined;
  readonly ratio?: string | undefined;
}

interface Comparison {
  /** The amount that must not be over `high`. */
  readonly low: string | undefined;
  readonly high: string | undefined;
  readonly lowName: string;
  readonly highName: string;
  /** Where the error is, and which amount it shows. */
  readonly at: string;
  readonly shown: string | undefined;
}

function overErrors({ low, high, lowName, highName, at, shown }: Comparison): FieldError[] {
  if (low === undefined || high === undefined || shown === undefined || compareQuantities(low, high) <= 0) return [];
  const why = `${lowName} ${canonicalQuantity(low)} is greater than ${highName} ${canonicalQuantity(high)}`;
  return [invalidPrinted(at, goQuantity(shown, canonicalQuantity(shown)), why)];
}

const milli = 1000;

function inMilli(amount: string): number {
  return Number(parseQuantity(amount).nanos) / 1e6;
}

function ratioErrors({ ratio, min, max }: Amounts, at: string): FieldError[] {
  if (ratio === undefined) return [];
  const shown = goQuantity(ratio, canonicalQuantity(ratio));
  const text = canonicalQuantity(ratio);
  const errors = compareQuantities(ratio, '1') < 0 ? [invalidPrinted(at, shown, `ratio ${text} is less than 1`)] : [];
  if (min === undefined || max === undefined) return errors;
  const limit = inMilli(max) / inMilli(min);
  if (inMilli(ratio) / milli <= limit) return errors;
  return [...errors, invalidPrinted(at, shown, `ratio ${text} is greater than max/min = ${limit.toFixed(6)}`)];
}

function amountsErrors(name: string, amounts: Amounts, path: string): FieldError[] {
  const { min, max, usual, request } = amounts;
  const at = (key: string): string => `${path}.${key}[${name}]`;
  const compare = (low: readonly [string | undefined, string], high: readonly [string | undefined, string]) =>
    ({ low: low[0], lowName: low[1], high: high[0], highName: high[1] }) as const;
  const [least, most] = [[min, 'min value'] as const, [max, 'max value'] as const];
  const [asked, given] = [[request, 'default request value'] as const, [usual, 'default limit value'] as const];
  const errors = [
    ...overErrors({ ...compare(least, most), at: at('min'), shown: min }),
    ...overErrors({ ...compare(least, asked), at: at('defaultRequest'), shown: request }),
    ...overErrors({ ...compare(asked, most), at: at('defaultRequest'), shown: request }),
    ...overErrors({ ...compare(asked, given), at: at('defaultRequest'), shown: request }),
    ...overErrors({ ...compare(least, [usual, 'default value']), at: at('default'), shown: min }),
    ...overErrors({ ...compare([usual, 'default value'], most), at: at('default'), shown: max }),
    ...ratioErrors(amounts, at('maxLimitRequestRatio')),
  ];
  const mustAgree = !isNativeResource(name) || isHugePages(name);
  if (!mustAgree || usual === undefined || request === undefined || compareQuantities(usual, request) === 0)
    return errors;
  const why = `default value ${canonicalQuantity(usual)} must equal to defaultRequest value ${canonicalQuantity(request)} in ${name}`;
  return [...errors, invalidPrinted(at('defaultRequest'), goQuantity(request, canonicalQuantity(request)), why)];
}

const limitTypes = ['Pod', 'Container', 'PersistentVolumeClaim'];

function typeErrors(type: string, field: string): FieldError[] {
  const problems = qualifiedNameProblems(type);
  if (problems.length > 0) return invalids(field, type, problems);
  if (type.includes('/') || limitTypes.includes(type)) return [];
  return [invalidField(field, type, 'must be a standard limit type or fully qualified')];
}

const parts = { max: 'max', min: 'min', usual: 'default', request: 'defaultRequest', ratio: 'maxLimitRequestRatio' };

function limitErrors(limit: JsonObject, path: string): FieldError[] {
  const type = textAt(limit, 'type');
  const isForPods = type === 'Pod';
  const nameErrors = isForPods || type === 'Container' ? containerNameErrors : resourceNameErrors;
  const refused = isForPods ? ['default', 'defaultRequest'].filter((key) => objectAt(limit, key) !== undefined) : [];
  const used = Object.entries(parts).filter(([, key]) => !refused.includes(key));
  const named = (keys: readonly string[]): FieldError[] =>
    keys.flatMap((key) =>
      Object.keys(textsAt(limit, key)).flatMap((name) => nameErrors(name, `${path}.${key}[${name}]`)),
    );
  // Read once: there may be very many names.
  const maps = used.map(([part, key]) => [part, textsAt(limit, key)] as const);
  const names = new Set(maps.flatMap(([, map]) => Object.keys(map)));
  const storage = [textsAt(limit, 'min'), textsAt(limit, 'max')].some((map) => Object.hasOwn(map, 'storage'));
  const sizeless = type === 'PersistentVolumeClaim' && !storage;
  const why = 'either minimum or maximum storage value is required, but neither was provided';
  const amountsOf = (name: string): Amounts => Object.fromEntries(maps.map(([part, map]) => [part, map[name]]));
  return [
    ...named(['max', 'min']),
    ...refused.map((key) => forbiddenField(`${path}.${key}`, "may not be specified when `type` is 'Pod'")),
    ...(isForPods ? [] : named(['default', 'defaultRequest'])),
    ...(sizeless ? [requiredField(`${path}.limits`, why)] : []),
    ...named(['maxLimitRequestRatio']),
    ...[...names].flatMap((name) => amountsErrors(name, amountsOf(name), path)),
  ];
}

function limitRangeErrors(object: KubeObject): FieldError[] {
  const limits = objectsAt(specOf(object), 'limits');
  const types = limits.map((limit) => textAt(limit, 'type'));
  const first = firstIndexes(types);
  return eachErrors(limits, 'spec.limits', (limit, path, index) => {
    const type = types[index] ?? '';
    const doubled = isRepeated(first, type, index) ? [duplicateField(`${path}.type`, type)] : [];
    return [...typeErrors(type, `${path}.type`), ...doubled, ...limitErrors(limit, path)];
  });
}

/** The default for a container that specifies nothing, from its limits. */
function defaultLimit(limit: JsonObject): void {
  const usual: JsonObject = { ...textsAt(limit, 'max'), ...textsAt(limit, 'default') };
  const request: JsonObject = { ...textsAt(limit, 'min'), ...usual, ...textsAt(limit, 'defaultRequest') };
  if (Object.keys(usual).length > 0) limit['default'] = usual;
  if (Object.keys(request).length > 0) limit['defaultRequest'] = request;
}

/** Rules of LimitRanges. */
export const limitRangeRules: KindRules = {
  applyDefaults: (object) => {
    for (const limit of objectsAt(specOf(object), 'limits')) {
      if (textAt(limit, 'type') === 'Container') defaultLimit(limit);
    }
  },
  validate: limitRangeErrors,
};
