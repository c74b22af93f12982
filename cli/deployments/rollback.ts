import { type JsonObject, objectAt, TerminalError, textAt } from '../../src/base/index.ts';
import type { Revision } from '../../src/installations/index.ts';
import { definitionOf } from '../../src/sources/definitions/index.ts';

function refuse({ revision }: Revision, why: string): never {
  throw new TerminalError('NoRollback', `revision ${revision}: ${why}`);
}

/** The source, so that it means the content that was installed, whatever its tag or branch means today.
 *  @throws TerminalError NoRollback for an upload whose content is no longer stored */
function pinnedSource(revision: Revision, source: JsonObject): JsonObject {
  const pinned = definitionOf({ type: textAt(source, 'type') }).pin(source, revision.resolvedSource);
  return pinned ?? refuse(revision, 'its content was uploaded and is no longer stored: upload it with "longshore run"');
}

/** The spec of a BundleDeployment that installs a revision. While its Bundle exists the template that made it is used again, and its content with it;
 *  otherwise the source is pinned.
 *  @throws TerminalError NoRollback */
export function specOfRevision(revision: Revision, options: { readonly hasBundle: boolean }): JsonObject {
  const { spec } = revision;
  if (spec === undefined) return refuse(revision, 'it was too large to be recorded');
  const template = objectAt(spec, 'template') ?? {};
  const bundle = objectAt(template, 'spec') ?? {};
  if (options.hasBundle) return spec;
  const source = pinnedSource(revision, objectAt(bundle, 'source') ?? {});
  return { ...spec, template: { ...template, spec: { ...bundle, source } } };
}

/** The revision to go back to: the one that is asked for; otherwise the last that was installed before the present spec. `title` names the object in errors.
 *  @throws TerminalError NoRollback */
export function chooseRevision(
  revisions: readonly Revision[],
  desired: { readonly number: number | undefined; readonly isInstalled: boolean; readonly title: string },
): Revision {
  const { number, isInstalled, title } = desired;
  const found =
    number === undefined ? revisions.at(isInstalled ? -2 : -1) : revisions.find(({ revision }) => revision === number);
  const isLast = found === revisions.at(-1);
  if (found !== undefined && !(isInstalled && isLast)) return found;
  const known = revisions.map(({ revision }) => revision).join(', ');
  const text =
    found === undefined || number === undefined
      ? `${title} has no ${number === undefined ? 'earlier revision' : `revision ${number}`}; recorded: ${known === '' ? 'none' : known}`
      : `${title}: revision ${number} is installed`;
  throw new TerminalError('NoRollback', text);
}
