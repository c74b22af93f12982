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
