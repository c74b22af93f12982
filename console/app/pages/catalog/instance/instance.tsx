import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Installation, PackageRow } from '../../../../server/wire.ts';
import { useLoad } from '../../../lib/load.ts';
import { texts } from '../../../texts.ts';
import { messageOf } from '../../../ui/action.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { Dialog, Notice } from '../../../ui/parts.tsx';
import { Skeleton } from '../../../ui/states.tsx';
import type { DescribedApi, Head } from '../manifest.ts';
import { packagePath } from '../packages.ts';
import { readDefinition } from './definition.ts';
import { readDescribed } from './described.ts';
import { InstanceForm } from './instance-form.tsx';

interface InstanceProps {
  readonly row: PackageRow;
  readonly api: DescribedApi;
  readonly head: Head;
  /** What the package is installed as. */
  readonly own: readonly Installation[];
}

function InstanceDialog(props: InstanceProps & { readonly onClose: () => void }): JSX.Element {
  const { row, api, head, onClose } = props;
  const key = `${packagePath(row)} ${api.name} ${api.version}`;
  const described = useLoad(key, (signal) => readDescribed(props, signal));
  const definition = useLoad(key, (signal) => readDefinition(api, signal));
  const title = texts.instance.title(api.kind);
  return (
    <Dialog title={title} onClose={onClose} className="wide">
      <div class="content">
        <h2>{title}</h2>
        <p class="muted">{texts.instance.hint}</p>
        {described.isLoading && (
          <p class="row muted" role="status">
            <Icon name="loading" className="spin" />
            {texts.instance.describing}
          </p>
        )}
        {described.thrown !== undefined && (
          <Notice tone="warning" title={texts.instance.undescribed}>
            <p class="message">{messageOf(described.thrown)}</p>
          </Notice>
        )}
        {definition.isLoading ? (
          <Skeleton />
        ) : (
          <InstanceForm
            {...(described.value ?? { api, head })}
            definition={definition.value ?? { state: 'unknown' }}
            installPath={`${packagePath(row)}?tab=install`}
            onClose={onClose}
          />
        )}
      </div>
    </Dialog>
  );
}

/** Creates an object of an API, by its descriptors, its example and its definition. */
export function InstanceButton(props: InstanceProps): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="button" onClick={() => setOpen(true)}>
        {texts.instance.button(props.api.kind)}
      </button>
      {isOpen && <InstanceDialog {...props} onClose={() => setOpen(false)} />}
    </>
  );
}
