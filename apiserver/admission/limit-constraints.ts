import type { JsonObject } from '../../src/base/index.ts';
import { textOf } from '../core/index.ts';
import { compareQuantities, parseQuantity, type ResourceList, resourceList } from '../schema/index.ts';

/** What something asks for; without `limits` only its requests are bounded. */
export interface Usage {
  readonly requests: ResourceList;
  readonly limits: ResourceList | undefined;
}

interface Bound {
  readonly kind: string;
  readonly name: string;
  readonly amount: string;
}

function of(list: ResourceList | undefined, name: string): string | undefined {
  return list !== undefined && Object.hasOwn(list, name) ? list[name] : undefined;
}

function minimumError({ kind, name, amount }: Bound, usage: Usage): string | undefined {
  const [request, limit] = [of(usage.requests, name), of(usage.limits, name)];
  const head = `minimum ${name} usage per ${kind} is ${amount}`;
  if (request === undefined) return `${head}.  No request is specified`;
  if (compareQuantities(request, amount) < 0) return `${head}, but request is ${request}`;
  return limit !== undefined && compareQuantities(limit, amount) < 0 ? `${head}, but limit is ${limit}` : undefined;
}

function maximumError({ kind, name, amount }: Bound, usage: Usage): string | undefined {
  const [request, limit] = [of(usage.requests, name), of(usage.limits, name)];
  const head = `maximum ${name} usage per ${kind} is ${amount}`;
  const [word, first] = usage.limits === undefined ? (['request', request] as const) : (['limit', limit] as const);
  if (first === undefined) return `${head}.  No ${word} is specified`;
  if (compareQuantities(first, amount) > 0) return `${head}, but ${word} is ${first}`;
  return request !== undefined && compareQuantities(request, amount) > 0
    ? `${head}, but request is ${request}`
    : undefined;
}

function isNothing(amount: string | undefined): amount is undefined {
  return amount === undefined || parseQuantity(amount).nanos === 0n;
}

function ratioError({ kind, name, amount }: Bound, usage: Usage): string | undefined {
  const [request, limit] = [of(usage.requests, name), of(usage.limits, name)];
  const head = `${name} max limit to request ratio per ${kind} is ${amount}`;
  if (isNothing(request)) return `${head}, but no request is specified or request is 0`;
  if (isNothing(limit)) return `${head}, but no limit is specified or limit is 0`;
  const ratio = Number(parseQuantity(limit).nanos) / Number(parseQuantity(request).nanos);
  const most = Number(parseQuantity(amount).nanos) / 1e9;
  return ratio > most ? `${head}, but provided ratio is ${ratio.toFixed(6)}` : undefined;
}

/** What of a limit (a row of a LimitRange) some usages violate, in words. They are not even read for a limit without amounts. */
export function constraintErrors(limit: JsonObject, usages: () => readonly Usage[]): string[] {
  const kind = textOf(limit['type']);
  const boundsIn = (field: string): Bound[] =>
    Object.entries(resourceList(limit[field])).map(([name, amount]) => ({ kind, name, amount }));
  const [least, most, ratios] = [boundsIn('min'), boundsIn('max'), boundsIn('maxLimitRequestRatio')];
  if (least.length + most.length + ratios.length === 0) return [];
  return usages()
    .flatMap((usage) => [
      ...least.map((bound) => minimumError(bound, usage)),
      ...most.map((bound) => maximumError(bound, usage)),
      ...(usage.limits === undefined ? [] : ratios.map((bound) => ratioError(bound, usage))),
    ])
    .filter((error) => error !== undefined);
}
