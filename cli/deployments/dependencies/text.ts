import { printableLine } from '../../../src/base/index.ts';
import { formatReference, type Reference } from './installed-bundle.ts';
import type { DefinitionFate } from './removal.ts';
import type { Standing } from './standing.ts';

/** What a removal does. */
export interface Removal {
  /** Installed bundles that need something that only this one provides. */
  readonly breaks: readonly (Reference & { readonly needs: readonly string[] })[];
  readonly definitions: readonly DefinitionFate[];
}

function list(references: readonly Reference[]): string {
  return references.map(formatReference).join(', ');
}

function needLine({ text, isMet, metBy }: Standing['needs'][number]): string {
  if (!isMet) return `  needs ${text}: missing`;
  return `  needs ${text}: ${metBy.length === 0 ? 'served by the cluster' : list(metBy)}`;
}

function standingLines(standing: Standing): readonly string[] {
  const { version, isPending, needs, requiredBy, installation } = standing;
  const title = [formatReference(standing), version, isPending ? '(not installed yet)' : ''];
  const isOwn = formatReference(installation) === formatReference(standing);
  return [
    title.filter((part) => part !== '').join(' ') + (isOwn ? '' : `, for ${formatReference(installation)}`),
    ...needs.map(needLine),
    ...(requiredBy.length === 0 ? [] : [`  required by ${list(requiredBy)}`]),
  ];
}

const fates: Readonly<Record<DefinitionFate['fate'], string>> = {
  kept: 'stays, with its objects',
  deleted: 'is deleted',
  unattended: 'stays; no operator acts on its objects any more',
};

function fateLine({ name, objects, isMore, fate }: DefinitionFate): string {
  const count = `${isMore ? 'more than ' : ''}${objects} ${objects === 1 ? 'object' : 'objects'}`;
  return `  ${name} (${count}) ${fates[fate]}`;
}

function removalLines({ breaks, definitions }: Removal): readonly string[] {
  return [
    'When it is removed:',
    ...(breaks.length === 0 ? ['  nothing that is installed breaks'] : []),
    ...breaks.map((one) => `  ${formatReference(one)} breaks: it needs ${one.needs.join(', ')}`),
    ...definitions.map(fateLine),
  ];
}

/** Related bundles as lines; the rest as a count. */
export function dependenciesText(standings: readonly Standing[], removal: Removal | undefined): string {
  const shown =
    removal === undefined
      ? standings.filter(({ needs, requiredBy }) => needs.length + requiredBy.length > 0)
      : standings;
  const rest = standings.length - shown.length;
  const lines = [
    ...shown.flatMap(standingLines),
    ...(rest === 0
      ? []
      : [`${rest} ${rest === 1 ? 'other needs nothing' : 'others need nothing'}, and nothing needs them`]),
    ...(removal === undefined ? [] : removalLines(removal)),
  ];
  return lines.map((line) => `${printableLine(line)}\n`).join('');
}
