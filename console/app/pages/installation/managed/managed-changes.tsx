import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Installation, PackageRow } from '../../../../server/wire.ts';
import { useLoad } from '../../../lib/load.ts';
import { setQuery, usePlace } from '../../../lib/router.ts';
import { texts } from '../../../texts.ts';
import { Panel } from '../../../ui/parts.tsx';
import { Skeleton } from '../../../ui/states.tsx';
import { readManifest } from '../../catalog/manifest.ts';
import { isReadingCatalogs, packagePath, usePackages } from '../../catalog/packages.ts';
import type { ApiObject } from '../kinds.ts';
import { type Choice, managedKinds } from './choice.ts';
import { rowsOf } from './plan.ts';
import { Proposal } from './proposal.tsx';

interface Offered {
  readonly versions: readonly string[];
  readonly channels: readonly string[];
}

/** Versions and channels that the catalogs have of a package. */
function useOffered(rows: readonly PackageRow[]): Offered {
  const found = useLoad(rows.map(packagePath).join(' '), (signal) =>
    Promise.all(rows.map((row) => readManifest(row, signal))),
  );
  const channels = (found.value ?? []).flatMap(({ status }) => status.channels);
  return {
    versions: [...new Set(channels.flatMap(({ entries = [] }) => entries.map(({ version = '' }) => version)))],
    channels: [...new Set([...rows.flatMap((row) => row.channels), ...channels.map(({ name }) => name)])],
  };
}

function Selection(props: {
  readonly title: string;
  readonly value: string;
  readonly options: readonly (readonly [string, string])[];
  readonly onChange: (value: string) => void;
}): JSX.Element {
  const { title, value, options, onChange } = props;
  return (
    <label class="field">
      {title}
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {options.map(([one, text]) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

interface FormProps {
  readonly one: Installation;
  readonly before: Choice;
  readonly first: Choice;
  readonly offered: Offered;
}

/** What of the installation is to be another. */
function ChoiceForm({ one, before, first, offered }: FormProps): JSX.Element | null {
  const [choice, setChoice] = useState(first);
  const kind = managedKinds[one.kind];
  if (kind === undefined) return null;
  const change = (part: Partial<Choice>): void => setChoice({ ...choice, ...part });
  const names = [...new Set([...offered.channels, ...[before.channel].filter((name) => name !== '')])];
  const any = one.kind === 'Subscription' ? texts.managed.defaultChannel : texts.managed.anyChannel;
  return (
    <Panel title={texts.managed.title}>
      <form
        class="body stack"
        onSubmit={(event) => {
          event.preventDefault();
          setQuery({ version: choice.version || 'newest', channel: choice.channel || 'any', policy: choice.policy });
        }}
      >
        {kind.fields.includes('version') && (
          <label class="field">
            {texts.install.version}
            <input
              list="versions"
              value={choice.version}
              placeholder={texts.catalog.latest}
              pattern="[\w.+*^~<>=, \|\-]*"
              onInput={(event) => change({ version: event.currentTarget.value.trim() })}
            />
            <datalist id="versions">
              {offered.versions.map((version) => (
                <option key={version} value={version} />
              ))}
            </datalist>
            <span class="hint">{texts.managed.versionHint}</span>
          </label>
        )}
        {kind.fields.includes('channel') && (
          <Selection
            title={texts.catalog.channel}
            value={choice.channel}
            options={[['', any], ...names.map((name) => [name, name] as const)]}
            onChange={(channel) => change({ channel })}
          />
        )}
        <Selection
          title={texts.install.approval}
          value={choice.policy}
          options={kind.policies}
          onChange={(policy) => change({ policy })}
        />
        <div class="toolbar">
          <button type="submit" class="button primary">
            {texts.installation.compare}
          </button>
        </div>
      </form>
    </Panel>
  );
}

/** The choice of the address; undefined while nothing else is asked for. */
function askedIn(query: URLSearchParams, kind: string): Choice | undefined {
  const [version, channel, policy] = ['version', 'channel', 'policy'].map((field) => query.get(field) ?? '');
  const isKnown = managedKinds[kind]?.policies.some(([one]) => one === policy) === true;
  if (!isKnown || version === undefined || channel === undefined || policy === undefined) return undefined;
  return { version: version === 'newest' ? '' : version, channel: channel === 'any' ? '' : channel, policy };
}

/** Another version, channel or policy of an installation from a catalog: its difference first, then the button that requests it. */
export function ManagedChanges(props: { readonly one: Installation; readonly object: ApiObject }): JSX.Element | null {
  const { one, object } = props;
  const { query } = usePlace();
  const kind = managedKinds[one.kind];
  const packages = usePackages();
  const rows = rowsOf(one, packages.value?.rows ?? []);
  const offered = useOffered(rows);
  if (kind === undefined) return null;
  const isUnknown = rows.length === 0 && isReadingCatalogs(packages.value);
  if ((packages.isLoading && packages.value === undefined) || isUnknown) return <Skeleton lines={3} />;
  const before = kind.read(object.spec ?? {});
  const asked = askedIn(query, one.kind);
  return (
    <>
      <ChoiceForm key={JSON.stringify(before)} one={one} before={before} first={asked ?? before} offered={offered} />
      {asked !== undefined && (
        <Proposal one={one} object={object} choice={asked} packages={packages.value?.rows ?? []} />
      )}
    </>
  );
}
