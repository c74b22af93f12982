import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Installation, PackageRow } from '../../../../server/wire.ts';
import { useLoad } from '../../../lib/load.ts';
import { usePlace } from '../../../lib/router.ts';
import { texts } from '../../../texts.ts';
import { Notice, Panel } from '../../../ui/parts.tsx';
import { type FieldErrors, fieldErrors } from '../../../ui/schema/schema.ts';
import type { Manifest } from '../manifest.ts';
import { type Choice, choiceErrors, firstChoice } from './choice.ts';
import { deploymentConfig } from './config-schema.ts';
import { Confirm } from './confirm.tsx';
import { Fields } from './fields.tsx';
import { type Created, objectsOf } from './objects.ts';
import { Plan, usePlan } from './plan.tsx';
import { hasNamespace, type Trial, tryObjects } from './try-out.ts';

interface Situation {
  readonly row: PackageRow;
  readonly manifest: Manifest;
  readonly packages: readonly PackageRow[];
  readonly installed: readonly Installation[];
}

function bundleOf({ manifest }: Situation, { channel, version }: Choice): string {
  const found = manifest.status.channels.find(({ name }) => name === channel);
  return version === '' ? '' : (found?.entries?.find((entry) => entry.version === version)?.name ?? '');
}

/** An installation of the same name and kind. */
function isTaken(installed: readonly Installation[], { kind, name, namespace }: Choice, row: PackageRow): boolean {
  return installed.some((one) => {
    if (one.kind !== kind) return false;
    return kind === 'Subscription' ? one.namespace === namespace && one.name === row.name : one.name === name;
  });
}

interface Prepared {
  readonly objects: readonly Created[];
  readonly trial: Trial | undefined;
}

/** The objects of the choice, and what the API server says of them; asked again when they change. */
function usePrepared(situation: Situation, choice: Choice, isComplete: boolean): Prepared {
  const { row, packages } = situation;
  const isNamed = isComplete && choice.kind !== 'PlatformOperator';
  const exists = useLoad(isNamed ? choice.namespace : '', (signal) => hasNamespace(choice.namespace, signal));
  const isKnown = !isNamed || !exists.isLoading;
  const objects = objectsOf(row, choice, {
    isNamespaceNew: isNamed && exists.value === false,
    isAmbiguous: packages.filter((one) => one.catalogNamespace === '' && one.name === row.name).length > 1,
    bundle: bundleOf(situation, choice),
  });
  const key = isComplete && isKnown ? JSON.stringify(objects) : '';
  const trial = useLoad(key, (signal) => tryObjects(objects, signal));
  return { objects, trial: trial.isLoading ? undefined : trial.value };
}

function allErrors(choice: Choice, manifest: Manifest): FieldErrors {
  const channel = manifest.status.channels.find(({ name }) => name === choice.channel);
  const config =
    choice.kind === 'PlatformOperator' ? new Map() : fieldErrors(deploymentConfig, choice.config, 'config');
  return new Map([...choiceErrors(choice, channel), ...config]);
}

/** The form, the plan for what was chosen, what is written, and then the button that installs. */
export function InstallForm(situation: Situation): JSX.Element {
  const { row, manifest, installed, packages } = situation;
  const { query } = usePlace();
  const [choice, setChoice] = useState<Choice>(() => firstChoice(row, manifest, query));
  const own = allErrors(choice, manifest);
  const isThere = isTaken(installed, choice, row);
  const { objects, trial } = usePrepared(situation, choice, own.size === 0 && !isThere);
  const plan = usePlan({ row, choice, packages, installed });
  const errors = new Map([...(trial?.errors ?? []), ...own]);
  return (
    <div class="split form-first">
      <Panel title={texts.catalog.install}>
        <Fields
          row={row}
          manifest={manifest}
          choice={choice}
          errors={errors}
          onChange={(part) => setChoice((before) => ({ ...before, ...part }))}
        />
      </Panel>
      <div class="stack">
        {isThere && <Notice tone="warning" title={texts.install.already} />}
        <h2>{texts.install.plan}</h2>
        <p class="muted">{texts.install.planHint}</p>
        <Plan row={row} plan={plan} />
        {own.size > 0 && <Notice tone="warning" title={texts.install.incomplete} />}
        {!isThere && own.size === 0 && (
          <Confirm
            row={row}
            choice={choice}
            objects={objects}
            trial={trial}
            isConflict={plan.value?.resolution.outcome === 'conflict'}
          />
        )}
      </div>
    </div>
  );
}
