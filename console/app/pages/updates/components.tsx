import type { JSX } from 'preact';
import type { StatusWord, WatchedObject } from '../../../server/wire.ts';
import { useWatch } from '../../lib/watches.ts';
import { texts } from '../../texts.ts';
import { Ago, Panel, Status } from '../../ui/parts.tsx';
import { Empty, WatchContent } from '../../ui/states.tsx';
import type { ApiObject } from '../installation/kinds.ts';
import { type ClusterVersion, type Condition, isTrue, operatorsWatch } from './cluster-version.ts';

interface Operator extends ApiObject {
  readonly status?: {
    readonly conditions?: readonly Condition[];
    readonly versions?: readonly { readonly name: string; readonly version: string }[];
  };
}

/** The word for a component by its conditions, the worst first. */
function wordOf({ status }: Operator): StatusWord {
  const { conditions } = status ?? {};
  if (isTrue(conditions, 'Degraded') !== undefined) return 'Degraded';
  if (conditions?.some(({ type, status: state }) => type === 'Available' && state === 'False') === true)
    return 'Failed';
  if (isTrue(conditions, 'Progressing') !== undefined) return 'Progressing';
  return isTrue(conditions, 'Available') === undefined ? 'Unknown' : 'Healthy';
}

const firstWords: readonly StatusWord[] = ['Failed', 'Degraded', 'Progressing', 'Unknown', 'Healthy'];
/** Which condition explains a word. */
const explaining: Partial<Record<StatusWord, string>> = {
  Failed: 'Available',
  Degraded: 'Degraded',
  Progressing: 'Progressing',
};

function Row({ operator, isAwaited }: { readonly operator: Operator; readonly isAwaited: boolean }): JSX.Element {
  const word = wordOf(operator);
  const why = operator.status?.conditions?.find(({ type }) => type === explaining[word]);
  const own = operator.status?.versions?.find(({ name }) => name === 'operator')?.version;
  return (
    <li>
      <div class="row wrap">
        <strong class="grow">{operator.metadata.name}</strong>
        {isAwaited && <span class="chip warning">{texts.updates.awaited}</span>}
        <span class="mono">{own}</span>
        <Status word={word} />
        <Ago time={why?.lastTransitionTime ?? ''} />
      </div>
      {why?.message !== undefined && <p class="muted message">{why.message}</p>}
    </li>
  );
}

/** The components of the release; one that is waited for on top, then the worst. */
export function Components({ version }: { readonly version: ClusterVersion }): JSX.Element {
  const watched = useWatch<WatchedObject<Operator>>(operatorsWatch);
  const { waitingFor = [], blockers = [] } = version.status?.progress ?? {};
  const awaited = new Set([...blockers, ...waitingFor].map(({ object }) => object));
  const isAwaited = ({ metadata }: Operator): boolean => awaited.has(`clusteroperator/${metadata.name}`);
  const rank = (one: Operator): number => (isAwaited(one) ? -1 : firstWords.indexOf(wordOf(one)));
  return (
    <Panel title={texts.updates.operators}>
      <WatchContent watched={watched} empty={<Empty icon="boxes" title={texts.updates.noOperators} />}>
        {(rows) => (
          <ul class="list">
            {rows
              .map(({ object }) => object)
              .toSorted((a, b) => rank(a) - rank(b) || (a.metadata.name < b.metadata.name ? -1 : 1))
              .map((one) => (
                <Row key={one.metadata.name} operator={one} isAwaited={isAwaited(one)} />
              ))}
          </ul>
        )}
      </WatchContent>
    </Panel>
  );
}
