import { loadAll } from 'js-yaml';
import type { JSX } from 'preact';
import type { BundleFile } from '../../lib/dropped-files.ts';
import { setQuery, usePlace } from '../../lib/router.ts';
import { texts } from '../../texts.ts';
import { Panel } from '../../ui/parts.tsx';
import { Yaml } from '../../ui/yaml.tsx';

/** An object as the bundle is rendered. */
export interface RenderedObject {
  readonly kind: string;
  readonly metadata?: { readonly name?: string; readonly namespace?: string };
}

/** Identifies an object among those that were rendered. */
export function objectKey({ kind, metadata }: RenderedObject): string {
  return [kind, metadata?.namespace ?? '', metadata?.name ?? ''].join(' ');
}

function kindAndName(document: unknown): string {
  const { kind, metadata } = (document ?? {}) as Partial<RenderedObject>;
  return typeof kind === 'string' ? `${kind} ${metadata?.name ?? ''}` : '';
}

/** Kinds and names of the documents of a file; none of a file that is not YAML. */
function documentsOf({ text = '' }: BundleFile): ReadonlySet<string> {
  try {
    return new Set(loadAll(text).map(kindAndName));
  } catch {
    return new Set();
  }
}

/** Objects that a file has itself; of a ClusterServiceVersion those that are generated from it, which no file has. */
function objectsOf(
  file: BundleFile,
  all: readonly BundleFile[],
  objects: readonly RenderedObject[],
): readonly RenderedObject[] {
  const own = documentsOf(file);
  const found = objects.filter((object) => own.has(kindAndName(object)));
  const isOperator = [...own].some((name) => name.startsWith('ClusterServiceVersion '));
  if (!isOperator) return found;
  const elsewhere = new Set(all.flatMap((one) => [...documentsOf(one)]));
  return [...found, ...objects.filter((object) => !elsewhere.has(kindAndName(object)))];
}

function Source({ file }: { readonly file: BundleFile }): JSX.Element {
  return (
    <pre class="code numbered" tabIndex={0}>
      {(file.text ?? '').split('\n').map((line, index) => (
        <span key={index}>
          <span class="muted">{String(index + 1).padStart(4)}</span> {line}
        </span>
      ))}
    </pre>
  );
}

function Options({ title, objects }: { readonly title: string; readonly objects: readonly RenderedObject[] }) {
  return objects.length === 0 ? null : (
    <optgroup label={title}>
      {objects.map((object) => (
        <option key={objectKey(object)} value={objectKey(object)}>
          {[object.kind, object.metadata?.name].join(' ')}
        </option>
      ))}
    </optgroup>
  );
}

/** A file of the bundle beside an object that is rendered from it. */
export function SideBySide(props: {
  readonly files: readonly BundleFile[];
  readonly objects: readonly RenderedObject[];
}): JSX.Element | null {
  const { objects } = props;
  const { query } = usePlace();
  const files = props.files.filter(({ text }) => text !== undefined);
  const file =
    files.find(({ path }) => path === query.get('file')) ??
    files.find((one) => objectsOf(one, files, objects).length > 0) ??
    files[0];
  if (file === undefined || objects.length === 0) return null;
  const related = objectsOf(file, files, objects);
  const others = objects.filter((object) => !related.includes(object));
  const object = objects.find((one) => objectKey(one) === query.get('rendered')) ?? related[0] ?? others[0];
  return (
    <div class="split even">
      <Panel
        title={texts.bench.source}
        aside={
          <select
            aria-label={texts.bench.file}
            value={file.path}
            onChange={(event) => setQuery({ file: event.currentTarget.value, rendered: '' })}
          >
            {files.map(({ path }) => (
              <option key={path}>{path}</option>
            ))}
          </select>
        }
      >
        <div class="body">
          <Source file={file} />
        </div>
      </Panel>
      <Panel
        title={texts.bench.renderedTitle}
        aside={
          <select
            aria-label={texts.bench.rendered}
            value={object === undefined ? '' : objectKey(object)}
            onChange={(event) => setQuery({ rendered: event.currentTarget.value })}
          >
            <Options title={texts.bench.fromFile} objects={related} />
            <Options title={texts.bench.fromOthers} objects={others} />
          </select>
        }
      >
        <div class="body">{object !== undefined && <Yaml value={object} />}</div>
      </Panel>
    </div>
  );
}
