import { createObjectValidator } from '../../../apiserver/index.ts';
import { errorMessage, type JsonObject, TerminalError } from '../../../src/base/index.ts';
import type { Finding } from '../../../src/bundle-checks/index.ts';
import type { Staging } from '../../../src/content/index.ts';
import type { InstallTerms, LintMessage, Rendered, RenderedObject, RenderTools } from '../../../src/formats/index.ts';
import { readStagedChart, type StagedChart } from './staged-chart.ts';

const suite = 'charts';

function lintFinding({ severity, path, text }: LintMessage): Finding {
  const whatToDo = 'Correct what helm lint reports.';
  return { id: 'HELM02', severity, suite, message: text, file: path, whatToDo };
}

function unreadable(thrown: TerminalError): Finding {
  const whatToDo = 'Correct the chart: it cannot be unpacked as it is.';
  return { id: 'HELM01', severity: 'error', suite, message: thrown.message, whatToDo };
}

function unrenderable(thrown: TerminalError): Finding {
  const whatToDo = 'Correct the templates, or give the values that the chart requires (--values).';
  return { id: 'HELM03', severity: 'error', suite, message: thrown.message, whatToDo };
}

function nameOf({ kind, metadata }: RenderedObject): string {
  return `${kind} ${metadata.name ?? ''}`;
}

/** What an API server would refuse of the objects, or drop. */
function objectFindings({ objects, hooks = [] }: Rendered): readonly Finding[] {
  const rules = createObjectValidator();
  const all = [...objects, ...hooks.map(({ object }) => object)];
  for (const object of all) if (object['kind'] === 'CustomResourceDefinition') rules.define(object);
  return all.flatMap((object: JsonObject): Finding[] => {
    const what = nameOf(object as unknown as RenderedObject);
    const { errors, unknownFields } = rules.validate(object);
    const refused = errors.map(({ message }) => ({
      id: 'HELM04',
      severity: 'error' as const,
      suite: suite as Finding['suite'],
      message: `${what}: ${message}`,
      whatToDo: 'Correct the template: the API server refuses the object.',
    }));
    const dropped = unknownFields.map((field) => ({
      id: 'HELM05',
      severity: 'warning' as const,
      suite: suite as Finding['suite'],
      message: `${what}: unknown field "${field}"`,
      whatToDo: 'Correct the template: the API server drops the field.',
    }));
    return [...refused, ...dropped];
  });
}

function twice(rendered: Rendered): readonly Finding[] {
  const names = rendered.objects.map((object) => {
    const { apiVersion, kind, metadata } = object as unknown as RenderedObject;
    return `${apiVersion} ${kind} ${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
  });
  const repeated = new Set(names.filter((name, index) => names.indexOf(name) !== index));
  return [...repeated].map((name) => ({
    id: 'HELM06',
    severity: 'error',
    suite,
    message: `${name} is defined more than once`,
    whatToDo: 'Give each object a name of its own.',
  }));
}

interface Validation {
  readonly terms: (chart: StagedChart) => Promise<InstallTerms>;
  readonly tools: RenderTools;
}

/** What is wrong with a chart: what unpacking and rendering would refuse, what `helm lint` finds, and what an API server would refuse of its objects. */
export async function validateChart(
  name: string,
  staging: Staging,
  { terms, tools }: Validation,
): Promise<readonly Finding[]> {
  let chart: StagedChart;
  try {
    chart = await readStagedChart(name, staging);
  } catch (thrown) {
    if (thrown instanceof TerminalError) return [unreadable(thrown)];
    throw thrown;
  }
  const given = await terms(chart);
  const linted = (await chart.content.lint?.(given, tools)) ?? [];
  try {
    const rendered = await chart.content.render(given, tools);
    return [...linted.map(lintFinding), ...twice(rendered), ...objectFindings(rendered)];
  } catch (thrown) {
    if (!(thrown instanceof TerminalError)) throw thrown;
    // Lint reports the same, where it finds it.
    const isReported = linted.some(({ severity, text }) => severity === 'error' && errorMessage(thrown).includes(text));
    return [...linted.map(lintFinding), ...(isReported ? [] : [unrenderable(thrown)])];
  }
}
