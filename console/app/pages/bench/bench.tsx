import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { runCommand } from '../../lib/api.ts';
import { type BundleFile, filesOfDrop, filesOfInput } from '../../lib/dropped-files.ts';
import { useLoad } from '../../lib/load.ts';
import { go } from '../../lib/router.ts';
import { session } from '../../lib/session.ts';
import { useStore } from '../../lib/store.ts';
import { texts } from '../../texts.ts';
import { ActionDialog, failureText } from '../../ui/action.tsx';
import { type Grant, Grants } from '../../ui/grants.tsx';
import { Icon } from '../../ui/icon.tsx';
import { CommandLine, Dialog, Notice, Panel } from '../../ui/parts.tsx';
import { Failure, Skeleton } from '../../ui/states.tsx';
import { Yaml } from '../../ui/yaml.tsx';
import { objectKey, type RenderedObject, SideBySide } from './side-by-side.tsx';

interface Finding {
  readonly id: string;
  readonly severity: 'error' | 'warning' | 'info';
  readonly message: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  readonly whatToDo: string;
}

interface Report {
  readonly bundles: readonly {
    readonly name: string;
    readonly findings: readonly Finding[];
    readonly failure?: string;
  }[];
}

/** What is on the bench. */
type Subject = { readonly files: readonly BundleFile[] } | { readonly image: string };

interface Found {
  readonly report: Report;
  readonly objects: readonly RenderedObject[];
  readonly renderProblem: string;
  readonly grants: readonly Grant[];
  readonly command: string;
}

function bodyOf(subject: Subject): Readonly<Record<string, unknown>> {
  if ('image' in subject) return { image: subject.image };
  return { files: subject.files.map(({ path, base64 }) => ({ path, base64 })) };
}

async function examine(subject: Subject, signal: AbortSignal): Promise<Found> {
  const body = bodyOf(subject);
  const [validated, rendered, needed] = await Promise.all([
    runCommand('validate', { ...body, form: 'json' }, signal),
    runCommand('render', body, signal),
    runCommand('needs', body, signal),
  ]);
  if (typeof validated.output === 'string') throw new Error(failureText(validated));
  const isRendered = typeof rendered.output !== 'string';
  return {
    report: validated.output as Report,
    objects: isRendered ? ((rendered.output as { items?: readonly RenderedObject[] }).items ?? []) : [],
    renderProblem: isRendered ? '' : failureText(rendered),
    grants: typeof needed.output === 'string' ? [] : (needed.output as { grants: readonly Grant[] }).grants,
    command: validated.command,
  };
}

const tones = { error: 'tone-danger', warning: 'tone-warning', info: 'tone-idle' } as const;

function SourceDialog({
  finding,
  text,
  onClose,
}: {
  readonly finding: Finding;
  readonly text: string;
  readonly onClose: () => void;
}): JSX.Element {
  const lines = text.split('\n');
  const start = Math.max(0, (finding.line ?? 1) - 12);
  return (
    <Dialog title={texts.bench.source} onClose={onClose} className="wide">
      <div class="content">
        <h2 class="break">{finding.file}</h2>
        <p>{finding.message}</p>
        <pre class="code" tabIndex={0}>
          {lines.slice(start, start + 40).map((line, index) => {
            const number = start + index + 1;
            const isIt = number === finding.line;
            return (
              <span key={number} style={{ display: 'block', background: isIt ? 'var(--warning-soft)' : '' }}>
                {String(number).padStart(4)} {line}
              </span>
            );
          })}
        </pre>
      </div>
    </Dialog>
  );
}

function Findings({ report, files }: { readonly report: Report; readonly files: readonly BundleFile[] }): JSX.Element {
  const [shown, setShown] = useState<Finding | undefined>();
  const findings = report.bundles.flatMap((bundle) => bundle.findings);
  const failures = report.bundles.flatMap(({ failure }) => (failure === undefined ? [] : [failure]));
  const textOf = (file: string | undefined): string | undefined => files.find(({ path }) => path === file)?.text;
  return (
    <Panel title={texts.bench.findings} aside={<span class="muted">{findings.length}</span>}>
      {failures.map((failure) => (
        <div key={failure} class="body">
          <Notice tone="danger" title={failure} />
        </div>
      ))}
      {findings.length === 0 && failures.length === 0 && <p class="body muted">{texts.bench.noFindings}</p>}
      <ul class="list">
        {findings.map((finding, index) => (
          <li key={index} class="stack tight">
            <div class="row wrap">
              <strong class={tones[finding.severity]}>{finding.severity}</strong>
              <span class="chip">{finding.id}</span>
              {finding.file !== undefined &&
                (textOf(finding.file) === undefined ? (
                  <span class="mono break">
                    {finding.file}:{finding.line}
                  </span>
                ) : (
                  <button type="button" class="button quiet mono" onClick={() => setShown(finding)}>
                    {finding.file}:{finding.line}:{finding.column}
                  </button>
                ))}
            </div>
            <p class="break">{finding.message}</p>
            <p class="muted break">{finding.whatToDo}</p>
          </li>
        ))}
      </ul>
      {shown !== undefined && (
        <SourceDialog finding={shown} text={textOf(shown.file) ?? ''} onClose={() => setShown(undefined)} />
      )}
    </Panel>
  );
}

function download(name: string, value: unknown): void {
  const url = URL.createObjectURL(new Blob([JSON.stringify(value, undefined, 2)], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

function InstallButton({ subject }: { readonly subject: Subject }): JSX.Element | null {
  const [isOpen, setOpen] = useState(false);
  const [name, setName] = useState('bench');
  const isEmbedded = useStore(session)?.isEmbedded === true;
  if (!isEmbedded) return null;
  return (
    <>
      <button type="button" class="button" onClick={() => setOpen(true)}>
        {texts.bench.install}
      </button>
      {isOpen && (
        <ActionDialog
          title={texts.bench.install}
          command="run"
          body={{ ...bodyOf(subject), name }}
          button={texts.install.does(name)}
          done={texts.install.started(name)}
          onClose={() => setOpen(false)}
          onDone={() => go(`/installed/BundleDeployment/-/${name}`)}
        >
          <label class="field">
            {texts.bench.installName}
            <input value={name} onInput={(event) => setName(event.currentTarget.value)} />
          </label>
        </ActionDialog>
      )}
    </>
  );
}

function Results({ subject }: { readonly subject: Subject }): JSX.Element {
  const files = 'files' in subject ? subject.files : [];
  const found = useLoad('examined', (signal) => examine(subject, signal));
  if (found.isLoading) return <Skeleton lines={6} />;
  if (found.thrown !== undefined || found.value === undefined)
    return <Failure thrown={found.thrown} onRetry={found.reload} />;
  const { report, objects, renderProblem, grants, command } = found.value;
  const saveSarif = (): void => {
    void runCommand('validate', { ...bodyOf(subject), form: 'sarif' }).then(({ output }) =>
      download('findings.sarif', output),
    );
  };
  return (
    <div class="stack">
      <div class="toolbar">
        <button type="button" class="button" onClick={saveSarif}>
          <Icon name="download" />
          {texts.bench.sarif}
        </button>
        <InstallButton subject={subject} />
      </div>
      <Findings report={report} files={files} />
      {renderProblem !== '' && <Notice tone="danger" title={renderProblem} />}
      <SideBySide files={files} objects={objects} />
      <Panel title={texts.bench.objects} aside={<span class="muted">{objects.length}</span>}>
        {objects.map((object) => (
          <details key={objectKey(object)}>
            <summary>
              <span class="caret">
                <Icon name="caret" />
              </span>
              <span class="muted">{object.kind}</span> <span class="break">{object.metadata?.name}</span>
            </summary>
            <div class="body">
              <Yaml value={object} />
            </div>
          </details>
        ))}
      </Panel>
      <Panel title={texts.bench.permissions}>
        <Grants grants={grants} />
      </Panel>
      <CommandLine command={command} />
    </div>
  );
}

/** A place for the folder or archive of a bundle, or the reference of an image. */
export function Bench(): JSX.Element {
  // The same files, chosen again, may have another content.
  const [chosen, setChosen] = useState<{ readonly subject: Subject; readonly turn: number } | undefined>();
  const setSubject = (subject: Subject): void => setChosen((before) => ({ subject, turn: (before?.turn ?? 0) + 1 }));
  const [problem, setProblem] = useState('');
  const [isOver, setOver] = useState(false);
  const [image, setImage] = useState('');
  const take = (reading: Promise<readonly BundleFile[]>): void => {
    setProblem('');
    reading.then(
      (files) => setSubject({ files }),
      (thrown: unknown) => setProblem(thrown instanceof Error ? thrown.message : String(thrown)),
    );
  };
  return (
    <div class="stack">
      <h1>{texts.pages.bench}</h1>
      <p class="muted">{texts.bench.hint}</p>
      <div
        class={`drop ${isOver ? 'over' : ''}`}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          if (event.dataTransfer !== null) take(filesOfDrop(event.dataTransfer));
        }}
      >
        <Icon name="upload" />
        <strong>{texts.bench.drop}</strong>
        <div class="row wrap">
          <label class="button">
            {texts.bench.choose}
            <input
              type="file"
              class="visually-hidden"
              {...{ webkitdirectory: true }}
              onChange={(event) => event.currentTarget.files && take(filesOfInput(event.currentTarget.files))}
            />
          </label>
          <label class="button">
            {texts.bench.chooseFile}
            <input
              type="file"
              class="visually-hidden"
              accept=".tgz,.tar,.gz"
              onChange={(event) => event.currentTarget.files && take(filesOfInput(event.currentTarget.files))}
            />
          </label>
        </div>
        <form
          class="toolbar"
          style={{ justifyContent: 'center' }}
          onSubmit={(event) => {
            event.preventDefault();
            setSubject({ image: image.trim() });
          }}
        >
          <input
            class="mono"
            aria-label={texts.bench.image}
            placeholder={texts.bench.image}
            value={image}
            size={36}
            onInput={(event) => setImage(event.currentTarget.value)}
            required
          />
          <button type="submit" class="button primary">
            {texts.bench.run}
          </button>
        </form>
      </div>
      {problem !== '' && <Notice tone="danger" title={problem} />}
      {chosen !== undefined && <Results key={chosen.turn} subject={chosen.subject} />}
    </div>
  );
}
