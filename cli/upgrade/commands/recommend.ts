import { errorMessage, printable, TerminalError } from '../../../src/base/index.ts';
import { formatVersion, parseVersion, type Version } from '../../../src/constraints/index.ts';
import { openKube } from '../../client/index.ts';
import { type documentOption, type kubeconfigOption, type OptionValues, printDocument } from '../../command/index.ts';
import { type ClusterVersionView, conditionOf, indented, readClusterVersion, reasonText } from '../cluster-version.ts';
import type { recommendOptions } from '../options.ts';
import { originOf } from '../overview.ts';
import {
  type MinorUpdates,
  type Recommendation,
  recommendationsOf,
  recommendationsText,
  recommendationText,
} from '../recommendations.ts';

type Values = OptionValues<typeof kubeconfigOption & typeof recommendOptions & typeof documentOption>;

/** What is against any update, by the names that `--accept` takes. */
interface State {
  readonly issues: Set<string>;
  readonly stdout: string[];
  readonly stderr: string[];
}

/** @throws TerminalError InvalidOption */
function readTarget({ version, quiet, 'show-outdated-releases': outdated }: Values): Version | undefined {
  const usage = (text: string): TerminalError => new TerminalError('InvalidOption', text);
  if (version === undefined) {
    if (quiet) throw usage('--quiet can only be set when --version is set');
    return undefined;
  }
  if (outdated) throw usage('when --version is set, --show-outdated-releases is unnecessary');
  try {
    return parseVersion(version);
  } catch (thrown) {
    throw usage(`cannot parse SemVer target "${version}": ${errorMessage(thrown)}`);
  }
}

type Report = (name: string, stdout: string, stderr?: string) => void;

function reportFailing(view: ClusterVersionView, report: Report): void {
  const failing = conditionOf(view, 'Failing');
  const missing = 'warning: No current Failing info, see `kubectl describe clusterversion` for more details.\n';
  if (failing === undefined) report('Failing', '', missing);
  else if (failing.status !== 'False') report('Failing', `Failing=${failing.status}:\n\n${reasonText(failing)}\n`);
}

function reportProgressing(view: ClusterVersionView, report: Report): void {
  const { status, message = '' } = conditionOf(view, 'Progressing') ?? { status: '' };
  const text =
    'info: An update is in progress.  You may wish to let this update complete before requesting a new update.';
  if (status === 'True' && message !== '') report('Progressing', `${text}\n  ${indented(message)}\n\n`);
}

function stateOf(view: ClusterVersionView, accepted: ReadonlySet<string>): State {
  const state: State = { issues: new Set(), stdout: [], stderr: [] };
  const report: Report = (name, stdout, stderr = '') => {
    const prefix = accepted.has(name) ? 'accepted ' : '';
    state.issues.add(name);
    if (stdout !== '') state.stdout.push(`${prefix}${stdout}`);
    if (stderr !== '') state.stderr.push(`${prefix}${stderr}`);
  };
  reportFailing(view, report);
  reportProgressing(view, report);
  const retrieved = conditionOf(view, 'RetrievedUpdates');
  if (retrieved !== undefined && retrieved.status !== 'True') {
    state.stderr.push(`warning: Cannot refresh available updates:\n${reasonText(retrieved)}\n`);
    state.issues.add('CannotRetrieveUpdates');
  }
  state.stdout.push(originOf(view, 'Upstream update service'));
  return state;
}

/** @throws TerminalError UpgradeGuard */
function findUpdate(groups: readonly MinorUpdates[], target: Version): Recommendation {
  const [major, version] = [`${target.major}.`, formatVersion(target)];
  const minor = `${major}${target.minor}`;
  const why = 'so cannot display context for the requested release';
  const guard = (what: string): TerminalError => new TerminalError('UpgradeGuard', `no ${what}, ${why} ${version}`);
  if (groups.length === 0) throw guard('updates available');
  if (!groups.some((group) => group.minor.startsWith(major))) throw guard(`updates to ${target.major} available`);
  const group = groups.find((one) => one.minor === minor);
  if (group === undefined) throw guard(`updates to ${minor} available`);
  const found = group.updates.find(({ release }) => release.version === version);
  if (found !== undefined) return found;
  throw new TerminalError('UpgradeGuard', `no update to ${version} available, ${why}`);
}

/** @throws TerminalError UpgradeGuard, when an issue is not accepted */
function explain(
  update: Recommendation,
  { issues, isText }: Pick<State, 'issues'> & { readonly isText: boolean },
  accepted: ReadonlySet<string>,
): void {
  const version = update.release.version ?? '';
  const open = [...issues].filter((name) => !accepted.has(name)).toSorted();
  if (open.length > 0) {
    const text = `issues that apply to this cluster but which were not included in --accept: ${open.join(',')}`;
    throw new TerminalError('UpgradeGuard', text);
  }
  if (issues.size === 0 || !isText) return;
  const names = [...issues].toSorted().join(',');
  process.stdout.write(
    printable(`Update to ${version} has no known issues relevant to this cluster other than the accepted ${names}.\n`),
  );
}

function documentOf(
  { channel, upstream }: ClusterVersionView,
  { issues }: State,
  updates: readonly Recommendation[],
): Readonly<Record<string, unknown>> {
  const shown = updates.map(({ release, issue }) => ({ release, issue: issue ?? null }));
  return { channel, upstream, issues: [...issues].toSorted(), updates: shown };
}

/** `longshore upgrade recommend` */
export async function recommend(values: Values): Promise<number> {
  const target = readTarget(values);
  const accepted = new Set(values.accept.flatMap((names) => names.split(',')));
  using kube = await openKube(values);
  const view = await readClusterVersion(kube);
  const state = stateOf(view, accepted);
  const isText = values.output === 'text' && !values.quiet;
  if (isText) {
    process.stderr.write(printable(state.stderr.join('')));
    process.stdout.write(printable(state.stdout.join('')));
  }
  const groups = recommendationsOf(view);
  const update = target === undefined ? undefined : findUpdate(groups, target);
  if (update?.issue !== undefined) state.issues.add('ConditionalUpdateRisk');
  if (!values.quiet) {
    const shown = update === undefined ? groups.flatMap(({ updates }) => updates) : [update];
    printDocument(values, documentOf(view, state, shown), () =>
      printable(
        update === undefined
          ? recommendationsText(groups, values['show-outdated-releases'])
          : recommendationText(update, accepted.has('ConditionalUpdateRisk')),
      ),
    );
  }
  if (update !== undefined) explain(update, { issues: state.issues, isText }, accepted);
  return 0;
}
