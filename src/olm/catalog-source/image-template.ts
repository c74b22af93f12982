import { parseImageReference } from '../../api/index.ts';
import { TerminalError } from '../../base/index.ts';

/** What became of the annotation `olm.catalogImageTemplate`. */
export interface FilledTemplate {
  /** With what is known filled in. */
  readonly image: string;
  readonly isResolved: boolean;
  /** Of the condition `TemplatesHaveResolved`. */
  readonly message: string;
}

const variables = /\{kube_(major|minor|patch)_version\}/g;

function isReference(text: string): boolean {
  try {
    parseImageReference(text);
    return true;
  } catch (thrown) {
    if (thrown instanceof TerminalError) return false;
    throw thrown;
  }
}

/** Major, minor and patch of `v1.33.1`; undefined where it is no version. */
function partsOf(version: string | undefined): Readonly<Record<string, string>> | undefined {
  const [, major, minor, patch] = /^v?(\d+)\.(\d+)\.(\d+)/.exec(version ?? '') ?? [];
  return major === undefined || minor === undefined || patch === undefined ? undefined : { major, minor, patch };
}

/** Fills the version of the API server in; `version` is undefined as long as it is not known.
 *  @see docs/spec/olm-v0.md#catalogsource-reconcile */
export function fillTemplate(template: string, version: string | undefined): FilledTemplate {
  const parts = partsOf(version);
  const unresolved: string[] = [];
  const image = template.replace(variables, (variable, part: string) => {
    if (parts === undefined) unresolved.push(`"${variable}"`);
    return parts?.[part] ?? 'missing';
  });
  const isValid = isReference(image);
  const problems = [
    ...(unresolved.length === 0 ? [] : [`variable(s) ${unresolved.join(', ')} could not be resolved`]),
    ...(isValid ? [] : ['one or more template(s) has improper syntax']),
  ];
  if (problems.length === 0) {
    return { image, isResolved: true, message: 'catalog image reference was successfully resolved' };
  }
  const message = `cannot construct catalog image reference, because ${problems.join(' and ')}`;
  return { image, isResolved: false, message };
}
