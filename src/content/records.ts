import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { isJsonObject, isSha256Digest, type JsonObject, parseJson, replaceFile } from '../base/index.ts';
import { isNotFound, removeFile } from './disk.ts';

/** What the store knows about a Bundle's content. */
export interface ContentRecord {
  readonly name: string;
  readonly uid: string;
  /** `sha256:<hex>` of the canonical tar. */
  readonly digest: string;
  /** Of the canonical tar. */
  readonly sizeBytes: number;
  /** Whatever the caller wants to find again. */
  readonly facts: JsonObject;
  /** The content was evicted; `facts` name where it can be fetched. */
  readonly isEvicted?: boolean;
  /** Where else the content is stored. */
  readonly storedAt?: string;
}

function isRecord(value: unknown): value is JsonObject & ContentRecord {
  if (!isJsonObject(value)) return false;
  const { name, uid, digest, sizeBytes, facts } = value;
  const hasNames = typeof name === 'string' && typeof uid === 'string';
  return (
    hasNames &&
    typeof digest === 'string' &&
    isSha256Digest(digest) &&
    typeof sizeBytes === 'number' &&
    isJsonObject(facts)
  );
}

/** One small JSON file a Bundle; writing it is the moment from which content counts as stored. They are read at once: that takes less time than a thread
 *  of the pool needs to begin, and each Bundle is looked up many times. */
export class Records {
  readonly #dir: string;
  readonly #temporaryPath: () => string;

  constructor(dir: string, temporaryPath: () => string) {
    this.#dir = dir;
    this.#temporaryPath = temporaryPath;
  }

  /** Undefined when there is none, or only an unreadable one. */
  read(name: string): ContentRecord | undefined {
    try {
      const value = parseJson(name, readFileSync(`${this.#dir}/${name}.json`, 'utf8'));
      return isRecord(value) && value.name === name ? value : undefined;
    } catch (thrown) {
      if (isNotFound(thrown) || (thrown instanceof Error && thrown.name === 'TerminalError')) return undefined;
      throw thrown;
    }
  }

  /** `settle` makes the content of the record last. */
  async write(record: ContentRecord, settle: () => Promise<void> = () => Promise.resolve()): Promise<void> {
    await replaceFile(`${this.#dir}/${record.name}.json`, JSON.stringify(record), {
      temporaryPath: this.#temporaryPath(),
      meanwhile: settle,
    });
  }

  async remove(name: string): Promise<void> {
    await removeFile(`${this.#dir}/${name}.json`);
  }

  async all(): Promise<ContentRecord[]> {
    const names = (await readdir(this.#dir)).filter((file) => file.endsWith('.json'));
    const records: ContentRecord[] = [];
    for (const file of names) {
      const record = this.read(file.slice(0, -'.json'.length));
      if (record !== undefined) records.push(record);
    }
    return records;
  }
}
