import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { PackageRow } from '../../../../server/wire.ts';
import { useLoad } from '../../../lib/load.ts';
import { texts } from '../../../texts.ts';
import { messageOf } from '../../../ui/action.tsx';
import { Dialog, Notice } from '../../../ui/parts.tsx';
import { Skeleton } from '../../../ui/states.tsx';
import { type DescribedApi, defaultHead, type Head, readFromCatalog } from '../manifest.ts';
import { packagePath } from '../packages.ts';
import { readDefinition } from './definition.ts';
import { InstanceForm } from './instance-form.tsx';

interface InstanceProps {
  readonly row: PackageRow;
  readonly api: DescribedApi;
  readonly head: Head;
}

/** The kind with its descriptors, which PackageManifests leave out. */
async function readDescribed({ row, api }: InstanceProps, signal: AbortSignal): Promise<DescribedApi> {
  if (row.catalogNamespace === '') return api;
  const { customresourcedefinitions } = defaultHead(await readFromCatalog(row, signal));
  return customresourcedefinitions?.owned?.find((one) => one.name === api.name && one.version === api.version) ?? api;
}

function InstanceDialog(props: InstanceProps & { readonly onClose: () => void }): JSX.Element {
  const { row, api, head, onClose } = props;
  const key = `${packagePath(row)} ${api.name} ${api.version}`;
  const described = useLoad(key, (signal) => readDescribed(props, signal));
  const definition = useLoad(key, (signal) => readDefinition(api, signal));
  const title = texts.instance.title(api.kind);
  const isLoading = described.isLoading || definition.isLoading;
  return (
    <Dialog title={title} onClose={onClose} className="wide">
      <div class="content">
        <h2>{title}</h2>
        <p class="muted">{texts.instance.hint}</p>
        {described.thrown !== undefined && (
          <Notice tone="warning" title={texts.instance.undescribed}>
            <p class="message">{messageOf(described.thrown)}</p>
          </Notice>
        )}
        {isLoading ? (
          <Skeleton />
        ) : (
          <InstanceForm
            api={described.value ?? api}
            head={head}
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
