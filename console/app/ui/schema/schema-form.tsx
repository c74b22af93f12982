import { dump, load } from 'js-yaml';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { texts } from '../../texts.ts';
import { Icon } from '../icon.tsx';
import {
  type FieldErrors,
  type FieldKind,
  fieldKind,
  isValues,
  type Schema,
  typeOf,
  type Value,
  type Values,
  withMember,
} from './schema.ts';

interface FieldProps {
  readonly schema: Schema;
  readonly value: Value;
  readonly path: string;
  readonly label: string;
  readonly isRequired: boolean;
  readonly errors: FieldErrors;
  readonly onChange: (value: Value) => void;
}

/** The attributes that tie a control to its error. */
function errorAttributes({ path, errors }: Pick<FieldProps, 'path' | 'errors'>): {
  readonly 'aria-invalid'?: 'true';
  readonly 'aria-describedby'?: string;
} {
  const isWrong = errors.has(path);
  return isWrong ? { 'aria-invalid': 'true', 'aria-describedby': `error-${path}` } : {};
}

/** What is wrong with a field, below it. */
export function FieldError({ path, errors }: Pick<FieldProps, 'path' | 'errors'>): JSX.Element | null {
  const text = errors.get(path);
  return text === undefined ? null : (
    <span class="field-error" id={`error-${path}`} role="alert">
      {text}
    </span>
  );
}

function Described(props: FieldProps & { readonly children: JSX.Element }): JSX.Element {
  const { schema, path, label, isRequired, errors, children } = props;
  return (
    <div class="stack tight">
      <label class="field">
        <span>
          {label}
          {isRequired && <span class="muted"> {texts.form.required}</span>}
        </span>
        {children}
        {schema.description !== undefined && <span class="hint break">{schema.description.slice(0, 400)}</span>}
      </label>
      <FieldError path={path} errors={errors} />
    </div>
  );
}

const textOf = (value: Value): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '');
const placeholderOf = ({ default: preset }: Schema): string => (preset === undefined ? '' : textOf(preset));

function TextField(props: FieldProps): JSX.Element {
  const { schema, value, onChange } = props;
  return (
    <Described {...props}>
      <input
        value={textOf(value)}
        placeholder={placeholderOf(schema)}
        onInput={(event) => onChange(event.currentTarget.value)}
        {...errorAttributes(props)}
      />
    </Described>
  );
}

function NumberField(props: FieldProps): JSX.Element {
  const { schema, value, onChange } = props;
  const change = (text: string): void => {
    const number = Number(text);
    onChange(text.trim() === '' ? undefined : Number.isNaN(number) ? text : number);
  };
  return (
    <Described {...props}>
      <input
        inputMode="numeric"
        value={textOf(value)}
        placeholder={placeholderOf(schema)}
        onInput={(event) => change(event.currentTarget.value)}
        {...errorAttributes(props)}
      />
    </Described>
  );
}

function ChoiceField(props: FieldProps): JSX.Element {
  const { schema, value, onChange } = props;
  return (
    <Described {...props}>
      <select
        value={textOf(value)}
        onChange={(event) => {
          const text = event.currentTarget.value;
          onChange(schema.enum?.find((choice) => String(choice) === text));
        }}
      >
        <option value="">{placeholderOf(schema) === '' ? texts.form.unset : placeholderOf(schema)}</option>
        {schema.enum?.map((choice) => (
          <option key={String(choice)} value={String(choice)}>
            {String(choice)}
          </option>
        ))}
      </select>
    </Described>
  );
}

function FlagField({ schema, value, label, onChange }: FieldProps): JSX.Element {
  const isOn = value === true || (value === undefined && schema.default === true);
  return (
    <div class="stack tight">
      <label class="check">
        <input type="checkbox" checked={isOn} onChange={() => onChange(!isOn)} />
        {label}
      </label>
      {schema.description !== undefined && <span class="hint break">{schema.description.slice(0, 400)}</span>}
    </div>
  );
}

function TextsField(props: FieldProps): JSX.Element {
  const { value, onChange, schema } = props;
  const isNumeric = ['integer', 'number'].includes(typeOf(schema.items ?? {}));
  const [text, setText] = useState(Array.isArray(value) ? value.map(textOf).join('\n') : '');
  const change = (next: string): void => {
    setText(next);
    const lines = next.split('\n').filter((line) => line.trim() !== '');
    onChange(isNumeric ? lines.map(Number) : lines);
  };
  return (
    <Described {...props}>
      <textarea
        rows={3}
        value={text}
        placeholder={texts.form.onePerLine}
        onInput={(event) => change(event.currentTarget.value)}
      />
    </Described>
  );
}

interface Pair {
  readonly key: string;
  readonly value: string;
}

function MapField(props: FieldProps): JSX.Element {
  const { value, label, onChange, schema } = props;
  const [pairs, setPairs] = useState<readonly Pair[]>(
    Object.entries(isValues(value) ? value : {}).map(([key, text]) => ({ key, value: textOf(text) })),
  );
  const change = (next: readonly Pair[]): void => {
    setPairs(next);
    onChange(Object.fromEntries(next.filter(({ key }) => key !== '').map((pair) => [pair.key, pair.value])));
  };
  const replace = (at: number, pair: Pair): void => change(pairs.map((one, index) => (index === at ? pair : one)));
  return (
    <fieldset class="group">
      <legend>{label}</legend>
      {schema.description !== undefined && <p class="hint break">{schema.description.slice(0, 400)}</p>}
      {pairs.map((pair, index) => (
        <div key={index} class="row">
          <input
            class="grow"
            aria-label={`${label}: ${texts.form.key} ${index + 1}`}
            placeholder={texts.form.key}
            value={pair.key}
            onInput={(event) => replace(index, { ...pair, key: event.currentTarget.value })}
          />
          <input
            class="grow"
            aria-label={`${label}: ${texts.form.value} ${index + 1}`}
            placeholder={texts.form.value}
            value={pair.value}
            onInput={(event) => replace(index, { ...pair, value: event.currentTarget.value })}
          />
          <RemoveRow label={`${label} ${index + 1}`} onClick={() => change(pairs.filter((_, at) => at !== index))} />
        </div>
      ))}
      <AddRow label={label} onClick={() => setPairs([...pairs, { key: '', value: '' }])} />
    </fieldset>
  );
}

function RemoveRow({ label, onClick }: { readonly label: string; readonly onClick: () => void }): JSX.Element {
  return (
    <button type="button" class="button quiet icon-only" title={texts.form.remove} onClick={onClick}>
      <Icon name="trash" />
      <span class="visually-hidden">{`${texts.form.remove} ${label}`}</span>
    </button>
  );
}

function AddRow({ label, onClick }: { readonly label: string; readonly onClick: () => void }): JSX.Element {
  return (
    <button type="button" class="button" onClick={onClick}>
      <Icon name="plus" />
      {texts.form.add(label)}
    </button>
  );
}

function ListField({ schema, value, label, path, errors, onChange }: FieldProps): JSX.Element {
  const rows: readonly Value[] = Array.isArray(value) ? value : [];
  const items = schema.items ?? {};
  return (
    <fieldset class="group">
      <legend>{label}</legend>
      {schema.description !== undefined && <p class="hint break">{schema.description.slice(0, 400)}</p>}
      {rows.map((row, index) => (
        <div key={index} class="row list-row">
          <div class="grow stack tight">
            <ObjectFields
              schema={items}
              value={isValues(row) ? row : {}}
              path={`${path}.${index}`}
              errors={errors}
              onChange={(next) => onChange(rows.map((one, at) => (at === index ? next : one)))}
            />
          </div>
          <RemoveRow label={`${label} ${index + 1}`} onClick={() => onChange(rows.filter((_, at) => at !== index))} />
        </div>
      ))}
      <AddRow label={label} onClick={() => onChange([...rows, {}])} />
    </fieldset>
  );
}

function GroupField(props: FieldProps): JSX.Element {
  const { schema, value, path, label, errors, onChange } = props;
  return (
    <fieldset class="group">
      <legend>{label}</legend>
      {schema.description !== undefined && <p class="hint break">{schema.description.slice(0, 400)}</p>}
      <ObjectFields
        schema={schema}
        value={isValues(value) ? value : {}}
        path={path}
        errors={errors}
        onChange={onChange}
      />
    </fieldset>
  );
}

/** What forms have no fields for, as YAML. */
function OtherField(props: FieldProps): JSX.Element {
  const { value, path, errors, onChange } = props;
  const [text, setText] = useState(value === undefined ? '' : dump(value));
  const [problem, setProblem] = useState('');
  const change = (next: string): void => {
    setText(next);
    try {
      onChange(next.trim() === '' ? undefined : (load(next) as Value));
      setProblem('');
    } catch (thrown) {
      setProblem(thrown instanceof Error ? (thrown.message.split('\n')[0] ?? '') : texts.form.noYaml);
    }
  };
  const all = problem === '' ? errors : new Map([...errors, [path, problem]]);
  return (
    <Described {...props} errors={all}>
      <textarea rows={3} value={text} placeholder="YAML" onInput={(event) => change(event.currentTarget.value)} />
    </Described>
  );
}

const fields: Readonly<Record<FieldKind, (props: FieldProps) => JSX.Element>> = {
  object: GroupField,
  map: MapField,
  list: ListField,
  texts: TextsField,
  choice: ChoiceField,
  flag: FlagField,
  number: NumberField,
  text: TextField,
  other: OtherField,
};

/** Fields for the members of an object. */
export function ObjectFields(props: {
  readonly schema: Schema;
  readonly value: Values;
  readonly path?: string;
  readonly errors: FieldErrors;
  readonly onChange: (value: Values) => void;
}): JSX.Element {
  const { schema, value, path = '', errors, onChange } = props;
  return (
    <>
      {Object.entries(schema.properties ?? {}).map(([key, one]) => {
        const Field = fields[fieldKind(one)];
        return (
          <Field
            key={key}
            schema={one}
            value={value[key]}
            path={path === '' ? key : `${path}.${key}`}
            label={one.title ?? key}
            isRequired={schema.required?.includes(key) === true}
            errors={errors}
            onChange={(next) => onChange(withMember(value, key, next))}
          />
        );
      })}
    </>
  );
}
