import { readFile } from 'node:fs/promises';
import { isJsonObject, type JsonValue, parseYaml } from '../../src/base/index.ts';

/** One scenario of a list of rows. */
export interface Row {
  /** Of the list of operators also several: `RV-N1 to RV-N23`. */
  readonly id: string;
  readonly scenario: string;
  /** What is different here. */
  readonly note: string | undefined;
  /** Why no test shows it. */
  readonly absent: string | undefined;
}

export interface Area {
  readonly title: string;
  readonly rows: readonly Row[];
}

/** The lists of what RukPak's users are promised, those who install operators, those who keep catalogs of them, and those who manage machines. */
export type RowList = 'rows.yaml' | 'operator-rows.yaml' | 'catalog-rows.yaml' | 'machine-rows.yaml';

function text(value: JsonValue | undefined, what: string): string {
  if (typeof value === 'string') return value;
  throw new Error(`${what}: expected a string, got ${JSON.stringify(value)}`);
}

function optional(value: JsonValue | undefined, what: string): string | undefined {
  return value === undefined ? undefined : text(value, what);
}

function readRow(id: string, value: JsonValue | undefined): Row {
  if (value === undefined || !isJsonObject(value)) {
    return { id, scenario: text(value, id), note: undefined, absent: undefined };
  }
  const { scenario, note, absent } = value;
  return { id, scenario: text(scenario, id), note: optional(note, id), absent: optional(absent, id) };
}

/** The tables of a list, in their order. */
export async function readAreas(list: RowList): Promise<readonly Area[]> {
  const areas = parseYaml(list, await readFile(new URL(list, import.meta.url), 'utf8'));
  if (!Array.isArray(areas)) throw new Error(`${list}: expected a list of areas`);
  return areas.map((area) => {
    const { area: title, rows } = isJsonObject(area) ? area : {};
    if (!isJsonObject(rows)) throw new Error(`${list}: ${JSON.stringify(title)}: expected rows`);
    return { title: text(title, 'area'), rows: Object.entries(rows).map(([id, row]) => readRow(id, row)) };
  });
}
