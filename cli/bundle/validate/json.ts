import { exitStatus, type ReportFormat } from './report.ts';

/** `{bundles: [{name, failure?, findings}]}` */
export const reportJson: ReportFormat = (reports) => {
  const bundles = reports.map(({ name, failure, findings }) => ({ name, failure, findings }));
  return `${JSON.stringify({ bundles }, undefined, 2)}\n`;
};

/** The form of `operator-sdk bundle validate -o json-alpha1`. @see docs/spec/bundle-format.md#command-lines */
export const reportJsonAlpha1: ReportFormat = (reports) => {
  const outputs = reports.flatMap(({ findings, failure }) => [
    ...findings.map(({ severity, message }) => ({ type: severity, message })),
    ...(failure === undefined ? [] : [{ type: 'error', message: failure }]),
  ]);
  return `${JSON.stringify({ passed: exitStatus(reports, false) === 0, outputs }, undefined, 4)}\n`;
};
