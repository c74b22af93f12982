import { printableLine } from '../../src/base/index.ts';
import { formatVersion } from '../../src/constraints/index.ts';
import { type ChosenBundle, type Conflict, describeEdge, type Resolution } from '../../src/resolver/index.ts';

/** What is to be done with a bundle of the answer. */
type Action = 'install' | 'update' | 'keep';

function actionOf({ origin, updates }: ChosenBundle): Action {
  if (origin === undefined) return 'keep';
  return updates === undefined ? 'install' : 'update';
}

function bundleValue(chosen: ChosenBundle): object {
  const { candidate, origin, updates, requestedBy, reasons, newer } = chosen;
  const { packageName, version } = candidate.facts;
  return {
    action: actionOf(chosen),
    ...(packageName === undefined ? {} : { package: packageName }),
    version: formatVersion(version),
    name: candidate.name,
    ...(origin === undefined ? {} : { catalog: origin.catalog.name, channel: origin.channel }),
    ...(origin?.bundle.image === undefined ? {} : { image: origin.bundle.image }),
    ...(updates === undefined
      ? {}
      : {
          updates: {
            name: updates.from.name,
            version: formatVersion(updates.from.version),
            ...(updates.edge === undefined ? {} : { edge: describeEdge(updates.edge) }),
          },
        }),
    requestedBy,
    reasons,
    newer,
  };
}

/** The answer as programs read it. */
export function resolutionValue(answer: Resolution | Conflict): object {
  const { outcome, notices } = answer;
  if (outcome === 'resolved') return { outcome, bundles: answer.bundles.map(bundleValue), notices };
  const { reason, message, summary, sentences, action, requestedBy } = answer;
  return { outcome, reason, message, summary, sentences, action, requestedBy, notices };
}

function titleOf(chosen: ChosenBundle): string {
  const { candidate, updates } = chosen;
  const { packageName = candidate.name, version } = candidate.facts;
  const [name, now] = [packageName, formatVersion(version)];
  const action = actionOf(chosen);
  if (updates !== undefined && action === 'update') {
    const from = formatVersion(updates.from.version);
    const edge = updates.edge === undefined ? '' : `: ${describeEdge(updates.edge)}`;
    return `update ${name} ${from} to ${now} (${candidate.name}${edge})`;
  }
  return `${action} ${name} ${now} (${candidate.name})`;
}

function detailsOf({ origin, reasons, newer }: ChosenBundle): readonly string[] {
  return [
    ...(origin === undefined ? [] : [`from channel ${origin.channel} of catalog ${origin.catalog.name}`]),
    ...(origin?.bundle.image === undefined ? [] : [`image ${origin.bundle.image}`]),
    ...reasons.map((reason) => `because ${reason}`),
    ...newer.map((reason) => `note: ${reason}`),
  ];
}

function planText({ bundles }: Resolution): string {
  const isChange = (chosen: ChosenBundle): boolean => actionOf(chosen) !== 'keep';
  const changes = bundles.filter(isChange);
  const unchanged = bundles.filter((chosen) => !isChange(chosen));
  const numbered = changes.map((chosen, index) => ({ mark: `${index + 1}. `, chosen }));
  const dashed = unchanged.map((chosen) => ({ mark: '- ', chosen }));
  const title = changes.length === 0 ? 'Nothing to do.\n' : 'In this order:\n';
  const lines = [...numbered, ...dashed].flatMap(({ mark, chosen }) => [
    `${mark}${titleOf(chosen)}`,
    ...detailsOf(chosen).map((detail) => `${' '.repeat(mark.length + 2)}${detail}`),
  ]);
  return `${title}${lines.map((line) => `${printableLine(line)}\n`).join('')}`;
}

function conflictText({ summary, sentences, action, message }: Conflict): string {
  const lines = [summary, ...sentences.map((sentence) => `  ${sentence}`), `What to do: ${action}`, '', message];
  return lines.map((line) => `${printableLine(line)}\n`).join('');
}

/** The answer as people read it. */
export function resolutionText(answer: Resolution | Conflict): string {
  const text = answer.outcome === 'resolved' ? planText(answer) : conflictText(answer);
  const notices = answer.notices.map((notice) => `note: ${printableLine(notice)}\n`);
  return `${text}${notices.length === 0 ? '' : `\n${notices.join('')}`}`;
}
