import * as z from 'zod/mini';
import type { Schema } from '../../contract/schema.js';
import type { FaultRule } from '../model/fault-rule.js';
import { faultRuleSchema } from './rule-schema.js';

/** A rule with its counts and its random position. */
export interface SavedRule {
  readonly id: string;
  readonly rule: FaultRule;
  readonly matched: number;
  readonly injected: number;
  /** The position of its random numbers. */
  readonly random: readonly number[];
}

/** The state of a workspace's faults, from which they can resume. */
export interface SavedFaults {
  readonly randomSeed: number;
  /** How many streams of the seed are in use. */
  readonly streams: number;
  /** How many rules were ever added. The ids of rules follow from it. */
  readonly added: number;
  readonly randomOfHeaders: readonly number[];
  readonly rules: readonly SavedRule[];
}

const count = z.int('must be a whole number').check(z.gte(0, 'must be zero or more'));
const int32 = z.int32('must be a whole number of 32 bits');
const position = z.tuple([int32, int32, int32, int32], 'must be four whole numbers of 32 bits');

/** Saved faults from a file. */
export const savedFaultsSchema: Schema<SavedFaults> = z.strictObject({
  randomSeed: int32,
  streams: count,
  added: count,
  randomOfHeaders: position,
  rules: z.array(
    z.strictObject({
      id: z.string(),
      rule: faultRuleSchema,
      matched: count,
      injected: count,
      random: position,
    }),
  ),
});
