import { TerminalError } from '../base/index.ts';

/** The parts of an image reference. At least one of `tag` and `digest` is present; with both, the digest decides. */
export interface ImageReference {
  /** Host and, where given, port: `docker.io`, `localhost:5000`, `[::1]:5000`. */
  readonly registry: string;
  /** `library/nginx` */
  readonly repository: string;
  readonly tag?: string;
  /** `sha256:` and 64 hex characters, or `sha512:` and 128. */
  readonly digest?: string;
}

const maxRepositoryLength = 255;
const maxReferenceLength = 4_096;
const hostLabel = '[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?';
const registryPattern = new RegExp(String.raw`^(?:${hostLabel}(?:\.${hostLabel})*|\[[a-fA-F0-9:]+\])(?::[0-9]{1,5})?$`);
const pathComponentPattern = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$/;
const tagPattern = /^\w[\w.-]{0,127}$/;
const digestLengths: ReadonlyMap<string, number> = new Map([
  ['sha256', 64],
  ['sha512', 128],
]);

function refuse(text: string, why: string): never {
  const shown = text.length > 200 ? `${text.slice(0, 200)}…` : text;
  throw new TerminalError('InvalidImageReference', `image reference "${shown}": ${why}`, { cause: why });
}

function digestProblem(digest: string): string | undefined {
  const [algorithm = '', hex = '', ...rest] = digest.split(':');
  const length = digestLengths.get(algorithm);
  if (length === undefined || rest.length > 0) return 'the digest must begin with sha256: or sha512:';
  if (hex.length === length && /^[a-f0-9]+$/.test(hex)) return undefined;
  return `a ${algorithm} digest has ${length} lower-case hex characters`;
}

/** A first component is a registry when it cannot be a part of a path on Docker Hub. */
function isRegistry(component: string): boolean {
  return component === 'localhost' || /[.:[]/.test(component) || component !== component.toLowerCase();
}

function splitRegistry(name: string): { registry: string; path: string } {
  const slash = name.indexOf('/');
  const first = name.slice(0, Math.max(slash, 0));
  if (slash < 0 || !isRegistry(first)) return { registry: 'docker.io', path: name };
  return { registry: first === 'index.docker.io' ? 'docker.io' : first, path: name.slice(slash + 1) };
}

function repositoryProblem(repository: string): string | undefined {
  if (repository.length > maxRepositoryLength) {
    return `the repository name has more than ${maxRepositoryLength} characters`;
  }
  if (repository !== repository.toLowerCase()) return 'the repository name must be lower-case';
  const bad = repository.split('/').find((component) => !pathComponentPattern.test(component));
  return bad === undefined ? undefined : `"${bad}" cannot be a part of a repository name`;
}

function registryProblem(registry: string): string | undefined {
  return registryPattern.test(registry) ? undefined : `"${registry}" is not a registry host`;
}

function splitTag(name: string): { name: string; tag: string | undefined } {
  const colon = name.lastIndexOf(':');
  if (colon <= name.lastIndexOf('/')) return { name, tag: undefined };
  return { name: name.slice(0, colon), tag: name.slice(colon + 1) };
}

interface Parts {
  readonly registry: string;
  readonly path: string;
  readonly tag: string | undefined;
  readonly digest: string | undefined;
}

function takeApart(text: string): Parts {
  const at = text.indexOf('@');
  const { name, tag } = splitTag(at < 0 ? text : text.slice(0, at));
  return { ...splitRegistry(name), tag, digest: at < 0 ? undefined : text.slice(at + 1) };
}

function problemOf(parts: Parts): string | undefined {
  const ofDigest = parts.digest === undefined ? undefined : digestProblem(parts.digest);
  const ofTag = parts.tag === undefined || tagPattern.test(parts.tag) ? undefined : `"${parts.tag}" is not a tag`;
  return ofDigest ?? ofTag ?? registryProblem(parts.registry) ?? repositoryProblem(parts.path);
}

function lengthProblem(text: string): string | undefined {
  if (text === '') return 'it is empty';
  return text.length > maxReferenceLength ? `it has more than ${maxReferenceLength} characters` : undefined;
}

/** Reads a reference as container tools do: no registry means `docker.io`, one component there means `library/…`,
 *  neither tag nor digest means `latest`.
 *  @throws TerminalError InvalidImageReference; `cause` is the bare reason */
export function parseImageReference(text: string): ImageReference {
  const parts = takeApart(text);
  const problem = lengthProblem(text) ?? problemOf(parts);
  if (problem !== undefined) refuse(text, problem);
  const { registry, path, digest } = parts;
  const tag = parts.tag ?? (digest === undefined ? 'latest' : undefined);
  return {
    registry,
    repository: registry === 'docker.io' && !path.includes('/') ? `library/${path}` : path,
    ...(tag === undefined ? {} : { tag }),
    ...(digest === undefined ? {} : { digest }),
  };
}
