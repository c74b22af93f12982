import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { runCommand } from '../../lib/api.ts';
import { useLoad } from '../../lib/load.ts';
import { texts } from '../../texts.ts';
import { Panel } from '../../ui/parts.tsx';
import { fieldErrors, isValues, type Schema, type Values } from '../../ui/schema/schema.ts';
import { ObjectFields } from '../../ui/schema/schema-form.tsx';
import { Skeleton } from '../../ui/states.tsx';

/** The schema that a chart has for its values; undefined where it has none. */
async function readSchema(image: string, signal: AbortSignal): Promise<Schema | undefined> {
  const { output } = await runCommand('inspect', { image }, signal);
  const schema = isValues(output) ? output['valuesSchema'] : undefined;
  return isValues(schema) ? (schema as Schema) : undefined;
}

/** Fields for the values of a chart, by its schema. */
export function ChartValues(props: {
  readonly image: string;
  /** Undefined for values that are a string of YAML. */
  readonly present: Values | undefined;
  readonly onCompare: (values: Values) => void;
}): JSX.Element | null {
  const { image, present, onCompare } = props;
  const [chosen, setChosen] = useState<Values | undefined>();
  const found = useLoad(present === undefined ? '' : image, (signal) => readSchema(image, signal));
  if (found.isLoading) return <Skeleton lines={2} />;
  const schema = found.value;
  if (schema === undefined || present === undefined) return null;
  const values = chosen ?? present;
  const errors = fieldErrors(schema, values, 'values');
  return (
    <Panel title={texts.installation.values}>
      <form
        class="body stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (errors.size === 0) onCompare(values);
        }}
      >
        <ObjectFields schema={schema} value={values} path="values" errors={errors} onChange={setChosen} />
        <div class="toolbar">
          <button type="submit" class="button primary" disabled={errors.size > 0}>
            {texts.installation.compare}
          </button>
        </div>
      </form>
    </Panel>
  );
}
