import type { JsonObject } from '../../../../src/base/index.ts';
import {
  type FieldError,
  forbiddenField,
  goLiteral,
  invalidField,
  qualifiedNameProblems,
  requiredField,
} from '../../../../src/schema/index.ts';
import { textsAt } from '../../../core/index.ts';
import { compareQuantities, isWhole, parseQuantity, wholeUnits } from '../../../schema/index.ts';
import {
  computeResources,
  countedResources,
  hugePagesPrefix,
  isExtendedResource,
  isHugePages,
  isNativeResource,
  isStandardResource,
} from '../resource-names.ts';

function mayOvercommit(name: string): boolean {
  return isNativeResource(name) && !isHugePages(name);
}

/** Errors of the name of a resource of containers. */
function containerResourceProblems(name: string): string[] {
  const problems = qualifiedNameProblems(name);
  const isPlain = !name.includes('/');
  if (isPlain && problems.length === 0 && !isStandardResource(name)) {
    problems.push('must be a standard resource type or fully qualified');
  }
  if (isPlain && !computeResources.includes(name) && !isHugePages(name)) {
    problems.push('must be a standard resource for containers');
  }
  if (!isPlain && !isNativeResource(name) && !isExtendedResource(name)) {
    problems.push("doesn't follow extended resource name standard");
  }
  return problems;
}

/** Go prints these names without quotes. */
function nameErrors(field: string, name: string): FieldError[] {
  return containerResourceProblems(name).map((problem) => invalidField(field, goLiteral(name), problem));
}

function amountErrors(name: string, amount: string, field: string): FieldError[] {
  const errors: FieldError[] = [];
  if (compareQuantities(amount, '0') < 0) {
    errors.push(invalidField(field, amount, 'must be greater than or equal to 0'));
  }
  if ((countedResources.includes(name) || isExtendedResource(name)) && !isWhole(amount)) {
    errors.push(invalidField(field, goLiteral('resource.Quantity{…}'), 'must be an integer'));
  }
  return errors;
}

function pageErrors(name: string, amount: string, field: string): FieldError[] {
  if (!isHugePages(name)) return [];
  const page = name.slice(hugePagesPrefix.length);
  const size = parseQuantity(page).nanos > 0n && isWhole(page) ? wholeUnits(page) : 0n;
  const isMultiple = size > 0n && wholeUnits(amount) % size === 0n;
  return isMultiple ? [] : [invalidField(field, amount, `${amount} is not positive integer multiple of ${name}`)];
}

function listErrors(amounts: Readonly<Record<string, string>>, path: string): FieldError[] {
  return Object.entries(amounts).flatMap(([name, amount]) => {
    const field = `${path}[${name}]`;
    return [...nameErrors(field, name), ...amountErrors(name, amount, field), ...pageErrors(name, amount, field)];
  });
}

interface Amounts {
  readonly limits: Readonly<Record<string, string>>;
  readonly requests: Readonly<Record<string, string>>;
}

function relationErrors(name: string, { limits, requests }: Amounts, path: string): FieldError[] {
  const request = requests[name] ?? '0';
  const limit = Object.hasOwn(limits, name) ? limits[name] : undefined;
  const field = `${path}.requests`;
  if (limit === undefined) {
    const text = 'Limit must be set for non overcommitable resources';
    return mayOvercommit(name) ? [] : [requiredField(`${path}.limits`, text)];
  }
  const order = compareQuantities(request, limit);
  if (order !== 0 && !mayOvercommit(name)) {
    return [invalidField(field, request, `must be equal to ${name} limit of ${limit}`)];
  }
  return order > 0 ? [invalidField(field, request, `must be less than or equal to ${name} limit of ${limit}`)] : [];
}

function requestErrors(amounts: Amounts, path: string): FieldError[] {
  return Object.entries(amounts.requests).flatMap(([name, amount]) => {
    const field = `${path}.requests[${name}]`;
    return [
      ...nameErrors(field, name),
      ...amountErrors(name, amount, field),
      ...relationErrors(name, amounts, path),
      ...pageErrors(name, amount, field),
    ];
  });
}

/** Errors of the requests and limits of a container, or of the overhead of a pod (as limits). */
export function resourceErrors(resources: JsonObject | undefined, path: string): FieldError[] {
  if (resources === undefined) return [];
  const amounts = { limits: textsAt(resources, 'limits'), requests: textsAt(resources, 'requests') };
  const names = [...Object.keys(amounts.limits), ...Object.keys(amounts.requests)];
  const errors = [...listErrors(amounts.limits, `${path}.limits`), ...requestErrors(amounts, path)];
  const isAlone = names.some(isHugePages) && !names.includes('cpu') && !names.includes('memory');
  return isAlone ? [...errors, forbiddenField(path, 'HugePages require cpu or memory')] : errors;
}
