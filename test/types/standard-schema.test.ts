import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { StandardSchema } from 'messaging-automation';
import { describe, expectTypeOf, test } from 'vitest';

type StandardResult<Output> = Awaited<ReturnType<StandardSchema<Output>['~standard']['validate']>>;

type Taken = string | undefined;

describe('the types of Standard Schema', () => {
  test("take what follows the specification's", () => {
    expectTypeOf<StandardSchemaV1<Taken, number>>().toExtend<StandardSchema<Taken, number>>();
    expectTypeOf<StandardSchemaV1.Result<number>>().toExtend<StandardResult<number>>();
  });

  test("are taken where the specification's are asked for", () => {
    expectTypeOf<StandardSchema<Taken, number>>().toExtend<StandardSchemaV1<Taken, number>>();
    expectTypeOf<StandardResult<number>>().toExtend<StandardSchemaV1.Result<number>>();
  });

  test('tell a schema of other values from it, as the specification does', () => {
    expectTypeOf<StandardSchemaV1<string, Date>>().not.toExtend<StandardSchema<string, number>>();
    expectTypeOf<StandardSchema<string, Date>>().not.toExtend<StandardSchemaV1<string, number>>();
  });

  test('have the parts that the specification names', () => {
    type Own = StandardSchema<Taken, number>['~standard'];
    type Specified = StandardSchemaV1<Taken, number>['~standard'];

    expectTypeOf<keyof Own>().toEqualTypeOf<keyof Specified>();
    expectTypeOf<Own['version']>().toEqualTypeOf<Specified['version']>();
    expectTypeOf<NonNullable<Own['types']>>().toEqualTypeOf<{
      readonly input: StandardSchemaV1.InferInput<StandardSchemaV1<Taken, number>>;
      readonly output: StandardSchemaV1.InferOutput<StandardSchemaV1<Taken, number>>;
    }>();
  });
});
