/**
 * A schema of any library that follows the Standard Schema specification, version 1 (https://standardschema.dev),
 * as zod, valibot and arktype do. Only what is used here of it.
 *
 * `Input` is what the schema takes, `Output` what it gives: a default, a coercion or a transformation makes them
 * differ.
 *
 * @example
 * ```ts
 * import type { StandardSchema } from 'messaging-automation';
 * import * as z from 'zod';
 *
 * const plan: StandardSchema<'free' | 'pro'> = z.enum(['free', 'pro']);
 * console.log(plan['~standard'].vendor);
 * ```
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  /** The properties that the specification names. */
  readonly '~standard': {
    readonly version: 1;
    /** The library. */
    readonly vendor: string;
    /** Gives what the schema makes of a value, or what is wrong with it; at once or in time. */
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    /** Of use to the compiler alone. */
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** What a {@link StandardSchema} makes of a value: what it gives for it, or what is wrong with it. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | {
      readonly issues: readonly {
        readonly message: string;
        readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
      }[];
    };

/** What a schema takes. */
export type InputOf<Schema extends StandardSchema> = NonNullable<Schema['~standard']['types']>['input'];

/** What a schema gives. */
export type OutputOf<Schema extends StandardSchema> = NonNullable<Schema['~standard']['types']>['output'];
