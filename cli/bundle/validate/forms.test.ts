import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { checks, type Finding } from '../../../src/bundle-checks/index.ts';
import { reportJunit } from './junit.ts';
import type { Report } from './report.ts';
import { reportSarif } from './sarif.ts';
import { reportText, summaryText } from './text.ts';

const finding: Finding = {
  id: 'CSV12',
  severity: 'error',
  suite: 'default',
  message: 'install modes not found',
  file: 'manifests/a b.yaml',
  line: 3,
  column: 5,
  fieldPath: 'spec.installModes',
  whatToDo: 'List them.',
};
const { file: _file, line: _line, column: _column, fieldPath: _path, ...placeless } = finding;
const { line: _noLine, column: _noColumn, ...lineless } = finding;
const reports: readonly Report[] = [
  { name: './tide', isFolder: true, findings: [finding, lineless, { ...placeless, id: 'F1', severity: 'warning' }] },
  { name: 'registry.example/tide:v1', isFolder: false, findings: [finding, { ...placeless, severity: 'info' }] },
  { name: 'gone', isFolder: false, findings: [], failure: 'there is no "gone" <&>\u0000' },
];

/** The parts of SARIF 2.1.0 that are written, with what its schema and GitHub's code scanning ask of them. */
const message = { type: 'object', required: ['text'], properties: { text: { type: 'string', minLength: 1 } } };
const level = { enum: ['none', 'note', 'warning', 'error'] };
const physicalLocation = {
  type: 'object',
  required: ['artifactLocation', 'region'],
  additionalProperties: false,
  properties: {
    artifactLocation: {
      type: 'object',
      required: ['uri'],
      properties: { uri: { type: 'string', pattern: '^[A-Za-z0-9._~/%:-]+$' } },
    },
    region: {
      type: 'object',
      required: ['startLine'],
      additionalProperties: false,
      properties: { startLine: { type: 'integer', minimum: 1 }, startColumn: { type: 'integer', minimum: 1 } },
    },
  },
};
const logicalLocation = { type: 'object', properties: { fullyQualifiedName: { type: 'string' } } };
const result = {
  type: 'object',
  required: ['ruleId', 'ruleIndex', 'level', 'message', 'locations'],
  additionalProperties: false,
  properties: {
    ruleId: { type: 'string', minLength: 1 },
    ruleIndex: { type: 'integer', minimum: 0 },
    level,
    message,
    locations: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        required: ['physicalLocation'],
        additionalProperties: false,
        properties: { physicalLocation, logicalLocations: { type: 'array', items: logicalLocation } },
      },
    },
  },
};
const rule = {
  type: 'object',
  required: ['id', 'shortDescription', 'help', 'defaultConfiguration'],
  additionalProperties: false,
  properties: {
    id: { type: 'string', minLength: 1 },
    shortDescription: message,
    help: message,
    defaultConfiguration: { type: 'object', properties: { level } },
    properties: { type: 'object', properties: { tags: { type: 'array', items: { type: 'string' } } } },
  },
};
const invocation = {
  type: 'object',
  required: ['executionSuccessful'],
  properties: {
    executionSuccessful: { type: 'boolean' },
    toolExecutionNotifications: {
      type: 'array',
      items: { type: 'object', required: ['message'], properties: { level, message } },
    },
  },
};
const run = {
  type: 'object',
  required: ['tool', 'results'],
  additionalProperties: false,
  properties: {
    tool: {
      type: 'object',
      required: ['driver'],
      properties: {
        driver: {
          type: 'object',
          required: ['name', 'rules'],
          properties: { name: { type: 'string' }, rules: { type: 'array', uniqueItems: true, items: rule } },
        },
      },
    },
    columnKind: { enum: ['utf16CodeUnits', 'unicodeCodePoints'] },
    invocations: { type: 'array', items: invocation },
    results: { type: 'array', items: result },
  },
};
const sarif = {
  type: 'object',
  required: ['version', 'runs'],
  additionalProperties: false,
  properties: {
    $schema: { type: 'string' },
    version: { const: '2.1.0' },
    runs: { type: 'array', minItems: 1, items: run },
  },
};

test('SARIF has the form of 2.1.0, and each result the place that code scanning needs', () => {
  const written = JSON.parse(reportSarif(reports, checks)) as { runs: { results: Record<string, unknown>[] }[] };
  const ajv = new Ajv({ allErrors: true });
  ajv.validate(sarif, written);
  expect(ajv.errors ?? []).toEqual([]);
  const places = JSON.stringify(written.runs[0]?.results.map(({ locations }) => locations));
  expect(places).toContain('"uri":"tide/manifests/a%20b.yaml"},"region":{"startLine":3,"startColumn":5}');
  expect(places).toContain('"uri":"tide"},"region":{"startLine":1}');
});

test('JUnit is well-formed, and its counts are those of its cases', () => {
  const xml = reportJunit(reports, checks);
  const suites = [...xml.matchAll(/<testsuite ([^>]*)>(.*?)<\/testsuite>/gs)];
  expect(suites).toHaveLength(reports.length);
  for (const [, attributes = '', body = ''] of suites) {
    const count = (word: string): number => Number(new RegExp(`${word}="(\\d+)"`).exec(attributes)?.[1]);
    expect([...body.matchAll(/<testcase /g)]).toHaveLength(count('tests'));
    expect([...body.matchAll(/<failure /g)]).toHaveLength(count('failures'));
    expect([...body.matchAll(/<error /g)]).toHaveLength(count('errors'));
  }
  const tags = [...xml.replace(/<\?.*?\?>/, '').matchAll(/<(\/?)([a-z-]+)[^<>]*?(\/?)>/g)];
  const open: string[] = [];
  for (const [, closing, name = '', single] of tags) {
    if (closing === '/') expect(open.pop()).toBe(name);
    else if (single !== '/') open.push(name);
  }
  expect(open).toEqual([]);
  expect(xml).not.toContain('\u0000');
});

const many = Array.from({ length: 6 }, (_, line) => ({ ...finding, line }));
const other: Finding = { ...finding, id: 'T13', severity: 'warning', line: 4, whatToDo: 'List it.' };

test('text has what the same is to be done about together, and counts the rest', () => {
  const mixed = { name: './tide', isFolder: true, findings: [...many.slice(0, 2), other, ...many.slice(2)] };
  const at = (line: number): string => `tide/manifests/a b.yaml:${line}:5: error CSV12 install modes not found\n`;
  const ofOther = 'tide/manifests/a b.yaml:4:5: warning T13 install modes not found\n    List it.\n';
  const end = './tide: 6 errors, 1 warning\n';
  expect(reportText(mixed, false)).toBe(
    `${at(0)}${at(1)}${at(2)}    and 3 more CSV12: --verbose shows them\n    List them.\n${ofOther}${end}`,
  );
  const verbose = [0, 1].map(at).join('    List them.\n');
  expect(reportText(mixed, true).startsWith(`${verbose}    List them.\n${ofOther}${at(2)}`)).toBe(true);
  const four = reportText({ ...mixed, findings: many.slice(0, 4) }, false);
  expect(four).toBe(`${at(0)}${at(1)}${at(2)}${at(3)}    List them.\n./tide: 4 errors\n`);
});

test('the summary of several bundles counts them, and the checks that speak of most of them first', () => {
  const bundle = { name: 'a', isFolder: true };
  const reports = [
    { ...bundle, findings: [finding, other] },
    { ...bundle, findings: [other, other] },
    { ...bundle, findings: [{ ...other, id: 'GP4' }] },
    { ...bundle, findings: [] },
    { ...bundle, findings: [], failure: 'gone' },
  ];
  const [head, ...rows] = summaryText(reports, checks).trim().split('\n');
  expect(head).toBe('5 bundles: 1 could not be read, 1 with errors, 2 with warnings only, 1 without findings');
  expect(rows.map((row) => row.trim().split(/ {2,}/).slice(0, 3))).toEqual([
    ['1 bundle', 'error', 'CSV12'],
    ['2 bundles', 'warning', 'T13'],
    ['1 bundle', 'warning', 'GP4'],
  ]);
});
