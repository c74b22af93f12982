import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { affectedTests } from './affected-tests.ts';

let root = '';

const files: Readonly<Record<string, string>> = {
  'src/base/index.ts':
    "export { parse, type Parsed } from './parse.ts';\nexport { print as show } from './print.ts';\n",
  'src/base/parse.ts': "import { digits } from './digits.ts';\n",
  'src/base/digits.ts': '',
  'src/base/print.ts': '',
  'src/base/parse.test.ts': "import { parse } from './parse.ts';\n",
  'src/a/uses-parse.ts': "import {\n  parse,\n} from '../base/index.ts';\n",
  'src/a/uses-parse.test.ts': "import { a } from './uses-parse.ts';\n",
  'src/b/uses-type.ts':
    "import { type Parsed, show } from '../base/index.ts';\nimport type { x } from '../base/parse.ts';\n",
  'src/b/uses-type.test.ts': "import { b } from './uses-type.ts';\n",
  'src/c/thread.test.ts': "import { thread } from './thread.ts';\n",
  'src/c/thread.ts': "const worker = new URL('./worker.ts', import.meta.url);\n",
  'src/c/worker.ts': "// '../base/digits.ts'\nconst list = await import('../base/print.ts');\n",
  'src/c/data.test.ts': "const text = read('./data.json');\n",
  'apiserver/server.ts': "import { route } from './http/route.ts';\n",
  'apiserver/http/route.ts': '',
  'apiserver/index.ts': "export { start } from './server.ts';\n",
  'apiserver/server.test.ts': "import { start } from './index.ts';\n",
  'test/conformance/cases.test.ts': "import { start } from '../../apiserver/index.ts';\n",
  'src/d/on-a-server.test.ts': "import { start } from '../../apiserver/index.ts';\n",
};

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'longshore-affected-'));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
});
afterAll(() => rm(root, { recursive: true, force: true }));

test.each([
  ['src/base/digits.ts', ['src/base/parse.test.ts', 'src/a/uses-parse.test.ts']],
  ['src/base/print.ts', ['src/b/uses-type.test.ts', 'src/c/thread.test.ts']],
  ['src/c/data.json', ['src/c/data.test.ts']],
  ['src/a/uses-parse.test.ts', ['src/a/uses-parse.test.ts']],
  ['README.md', []],
])('a change of %s affects the tests that reach its names, nearest first', (changed, expected) => {
  expect(affectedTests(root, [changed])).toEqual(expected);
});

test('a change inside the API server affects its tests and the conformance cases, not those that only run on it', () => {
  const expected = ['test/conformance/cases.test.ts', 'apiserver/server.test.ts'];
  expect(affectedTests(root, ['apiserver/http/route.ts'])).toEqual(expected);
});

test('the conformance cases of the API server cover CEL; a change of releases stays among their users', () => {
  const ofCel = affectedTests(process.cwd(), ['src/cel/program.ts']);
  const ofReleases = affectedTests(process.cwd(), ['src/release/version-hash.ts']);
  const ofConformance = ['test/conformance/admission.test.ts', 'test/conformance/custom-resources.test.ts'];
  expect(ofCel).toEqual(expect.arrayContaining(['src/cel/program.test.ts', ...ofConformance]));
  expect(ofReleases).toEqual(expect.arrayContaining(['src/release/version-hash.test.ts']));
  expect(ofReleases.filter((file) => /^(?:apiserver|provisioners|webhook|test\/conformance)\//.test(file))).toEqual([]);
});
