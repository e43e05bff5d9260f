/**
 * A schema of any library that follows the [Standard Schema](https://standardschema.dev) specification, version 1, such
 * as zod, valibot or arktype. It contains only the parts that this package uses.
 *
 * `Input` is what the schema accepts, `Output` what it returns. They differ if it has a default, a coercion or a
 * transformation.
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
  /** The properties that the specification defines. */
  readonly '~standard': {
    readonly version: 1;
    /** The name of the library. */
    readonly vendor: string;
    /** Returns the output for a value, or what is wrong with it. May be asynchronous. */
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    /** Used only by the compiler. */
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** The result of a {@link StandardSchema}: its output, or what is wrong with the value. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | {
      readonly issues: readonly {
        readonly message: string;
        readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
      }[];
    };

/** What a schema accepts. */
export type InputOf<Schema extends StandardSchema> = NonNullable<Schema['~standard']['types']>['input'];

/** What a schema returns. */
export type OutputOf<Schema extends StandardSchema> = NonNullable<Schema['~standard']['types']>['output'];
