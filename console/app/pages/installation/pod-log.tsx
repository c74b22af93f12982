import type { JSX } from 'preact';
import { objectPath, request } from '../../lib/api.ts';
import { useLoad } from '../../lib/load.ts';
import { setQuery, usePlace } from '../../lib/router.ts';
import { texts } from '../../texts.ts';
import { Icon } from '../../ui/icon.tsx';
import { CommandLine } from '../../ui/parts.tsx';
import { Failure, Skeleton } from '../../ui/states.tsx';
import type { ApiObject } from './kinds.ts';

const tailLines = 200;

interface Container {
  readonly name: string;
}

function containersOf({ spec = {} }: ApiObject): readonly string[] {
  const lists = [spec['containers'], spec['initContainers']] as readonly (readonly Container[] | undefined)[];
  return lists.flatMap((list) => list ?? []).map(({ name }) => name);
}

/** The end of the log of a container. */
function Lines({ pod, container }: { readonly pod: ApiObject; readonly container: string }): JSX.Element {
  const { namespace = '', name } = pod.metadata;
  const path = objectPath({ apiVersion: 'v1', plural: 'pods' }, namespace, name);
  const query = new URLSearchParams({ container, tailLines: String(tailLines) }).toString();
  const found = useLoad(`${path} ${container}`, (signal) => request<string>(`${path}/log?${query}`, { signal }));
  if (found.thrown !== undefined) return <Failure thrown={found.thrown} onRetry={found.reload} />;
  if (found.value === undefined) return <Skeleton />;
  return (
    <>
      {found.value === '' ? (
        <p class="muted">{texts.installation.emptyLog}</p>
      ) : (
        <pre class="code" tabIndex={0} aria-label={texts.installation.logOf(container)}>
          {found.value}
        </pre>
      )}
      <div>
        <button type="button" class="button" onClick={found.reload}>
          <Icon name="refresh" />
          {texts.installation.reload}
        </button>
      </div>
      <CommandLine command={`kubectl logs -n ${namespace} ${name} -c ${container} --tail=${tailLines}`} />
    </>
  );
}

/** The log of a Pod, read when it is asked for; the container is in the address. */
export function PodLog({ pod }: { readonly pod: ApiObject }): JSX.Element | null {
  const { query } = usePlace();
  const containers = containersOf(pod);
  const [first] = containers;
  if (first === undefined) return null;
  const shown = containers.find((name) => name === query.get('log'));
  return (
    <section class="stack tight" aria-label={texts.installation.tabs.log}>
      <div class="row wrap">
        <button
          type="button"
          class="button"
          aria-expanded={shown !== undefined}
          onClick={() => setQuery({ log: shown === undefined ? first : '' })}
        >
          <Icon name="activity" />
          {shown === undefined ? texts.installation.showLog : texts.installation.hideLog}
        </button>
        {shown !== undefined && containers.length > 1 && (
          <label class="field">
            {texts.installation.container}
            <select value={shown} onChange={(event) => setQuery({ log: event.currentTarget.value })}>
              {containers.map((name) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        )}
      </div>
      {shown !== undefined && <Lines key={shown} pod={pod} container={shown} />}
    </section>
  );
}
