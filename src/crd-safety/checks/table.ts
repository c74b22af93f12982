import type { CheckInfo, CrdCheck, SchemaCheck } from '../check.ts';
import { defaultValue } from './default.ts';
import { enumValues } from './enum.ts';
import { existingFieldRemoval } from './existing-field-removal.ts';
import { existingObjects } from './existing-objects.ts';
import { upperBounds } from './maximum.ts';
import { lowerBounds } from './minimum.ts';
import { nullable } from './nullable.ts';
import { oneOf } from './one-of.ts';
import { pattern } from './pattern.ts';
import { required } from './required.ts';
import { scope } from './scope.ts';
import { storedVersionRemoval, storedVersions } from './stored-version-removal.ts';
import { type } from './type.ts';
import { unhandledBeside } from './unhandled.ts';

/** What the two definitions as a whole show, whatever objects there are. */
export const crdChecks: readonly CrdCheck[] = [scope, storedVersions, existingFieldRemoval];

const specific: readonly SchemaCheck[] = [
  type,
  required,
  enumValues,
  ...lowerBounds,
  ...upperBounds,
  pattern,
  defaultValue,
  nullable,
  oneOf,
];

/** Checks of each place that is in the old schema. */
export const schemaChecks: readonly SchemaCheck[] = [
  ...specific,
  unhandledBeside(specific.flatMap(({ keywords }) => keywords)),
];

/** All checks, by the names that switch them off. */
export const safetyChecks: readonly CheckInfo[] = [
  storedVersionRemoval,
  existingObjects,
  scope,
  existingFieldRemoval,
  ...schemaChecks,
].map(({ name, refuses }) => ({ name, refuses }));
