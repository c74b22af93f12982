const domainPart = '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]{0,61}[a-zA-Z0-9])';
const domain = new RegExp(`^(?:${domainPart}(?:\\.${domainPart})*|\\[[0-9a-fA-F:]+\\])(?::[0-9]+)?$`);
const pathPart = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$/;
const invalid = 'invalid reference format';
const maxNameLength = 255;

function isDomain(first: string): boolean {
  return /[.:]/.test(first) || first === 'localhost';
}

function nameProblem(name: string): string | undefined {
  const [first = '', ...rest] = name.split('/');
  const hasDomain = rest.length > 0 && isDomain(first);
  const parts = hasDomain ? rest : [first, ...rest];
  const repository = parts.join('/');
  if (repository !== repository.toLowerCase()) return `${invalid}: repository name (${repository}) must be lowercase`;
  if (hasDomain && !domain.test(first)) return invalid;
  return parts.every((part) => pathPart.test(part)) ? undefined : invalid;
}

/** A reference in its parts; undefined when it has too many. */
function partsOf(text: string): { readonly name: string; readonly tag?: string; readonly digest?: string } | undefined {
  const [named = '', digest, ...more] = text.split('@');
  if (more.length > 0 || text.length > 4096) return undefined;
  const tag = /:([^:/]*)$/.exec(named);
  return {
    name: tag === null ? named : named.slice(0, tag.index),
    ...(tag === null ? {} : { tag: tag[1] ?? '' }),
    ...(digest === undefined ? {} : { digest }),
  };
}

/** Why a text names no image, in the words of container tools; short names such as `nginx` do. */
export function imageProblem(text: string): string | undefined {
  const parts = partsOf(text);
  if (parts === undefined || parts.name === '') return invalid;
  const { name, tag = 'latest', digest = `sha256:${'0'.repeat(64)}` } = parts;
  if (!/^[a-z][a-z0-9+._-]*:[0-9a-f]{32,}$/i.test(digest) || !/^\w[\w.-]{0,127}$/.test(tag)) return invalid;
  const isLong = name.length > maxNameLength;
  return (
    nameProblem(name) ?? (isLong ? `repository name must not be longer than ${maxNameLength} characters` : undefined)
  );
}
