import type { AddressRule } from './address-rule.ts';
import { matchesGlob } from './glob.ts';
import type { ImagePolicy, ImageRule } from './policy.ts';
import { plainRegistry } from './registry-name.ts';

function fits(pattern: string, name: string): boolean {
  const [expected, found] = [pattern.split('/'), name.split('/')];
  const isOpen = expected.at(-1) === '**';
  if (isOpen) expected.pop();
  if (isOpen ? found.length <= expected.length : found.length !== expected.length) return false;
  return expected.every((part, index) => matchesGlob(part, found[index] ?? ''));
}

/** What holds for the image `name` (`registry/repository`); undefined when it may not be used, because no rule is for it. */
export function ruleFor({ rules, isOpen }: ImagePolicy, name: string): ImageRule | undefined {
  const [registry = '', ...path] = name.split('/');
  const plain = [plainRegistry(registry), ...path].join('/');
  const rule = rules.find(({ images }) => images.some((pattern) => fits(pattern, plain)));
  if (rule !== undefined || !isOpen) return rule;
  return { images: [], isDenied: false, needsDigest: false, signedBy: [] };
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** An address as servers see it: decoded, without dot segments, empty segments and whatever is no part of its path. */
function plainAddress(address: string): string {
  const { protocol, hostname, port, pathname } = new URL(address);
  const plain = new URL(`${protocol}//${hostname.replace(/\.$/, '')}${port === '' ? '' : `:${port}`}`);
  plain.pathname = decode(pathname);
  return `${protocol}//${plain.host}${decode(plain.pathname).replaceAll(/\/{2,}/g, '/')}`;
}

/** What holds for content from the web server at `address`; undefined when it may not be used. */
export function addressRuleFor(
  { addressRules, allowsOtherSources }: ImagePolicy,
  address: string,
): AddressRule | undefined {
  const plain = plainAddress(address);
  const rule = addressRules.find(({ addresses }) => addresses.some((pattern) => fits(pattern, plain)));
  if (rule !== undefined || !allowsOtherSources) return rule;
  return { addresses: [], isDenied: false, signedBy: [] };
}
