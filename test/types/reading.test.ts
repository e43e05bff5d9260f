import type { ReferenceServer, ReferenceWorkspace, TestContact } from 'messaging-automation/server';
import { expectTypeOf, test } from 'vitest';

/** The names of the methods that return neither a promise nor what gives its items one by one. */
type SynchronousIn<Hand> = {
  [Name in keyof Hand]: Hand[Name] extends (...given: never) => infer Result
    ? Result extends PromiseLike<unknown> | AsyncIterable<unknown>
      ? never
      : Name
    : never;
}[keyof Hand];

test('everything that reads or changes what a workspace holds returns a promise', () => {
  type Records =
    | 'journal'
    | 'sends'
    | 'events'
    | 'deliveries'
    | 'contacts'
    | 'templates'
    | 'segments'
    | 'journeys'
    | 'quota'
    | 'keys'
    | 'faults'
    | 'managedWebhooks'
    | 'simulate';
  expectTypeOf<
    { [Hand in Records]: SynchronousIn<ReferenceWorkspace[Hand]> }[Records]
  >().toEqualTypeOf<never>();
  expectTypeOf<SynchronousIn<TestContact>>().toEqualTypeOf<never>();
});

test('what a process has last seen of the settings does not, nor does what names a contact', () => {
  expectTypeOf<SynchronousIn<ReferenceWorkspace>>().toEqualTypeOf<'contact'>();
  expectTypeOf<SynchronousIn<ReferenceWorkspace['specGaps']>>().toEqualTypeOf<'read'>();
  expectTypeOf<SynchronousIn<ReferenceWorkspace['receiver']>>().toEqualTypeOf<'read'>();
  expectTypeOf<SynchronousIn<ReferenceServer>>().toEqualTypeOf<'contact' | 'workspace' | 'onChange'>();
});
