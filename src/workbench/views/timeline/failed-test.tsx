import type { FailedTest } from '../../../server/subjects/operation.js';
import { Foreign } from '../../elements/foreign.js';

/** The failed test whose workspace this is: its name, and what it asserted. */
export function FailedTestNote({ of: { name, error } }: { readonly of: FailedTest }) {
  return (
    <div class="missing" role="group" aria-label="The failed test">
      <div class="why">
        <strong>
          Failed test: <Foreign text={name} most={1_000} />
        </strong>
        {error !== '' && (
          <pre tabIndex={0} role="region" aria-label="What the test said">
            <Foreign text={error} />
          </pre>
        )}
      </div>
    </div>
  );
}
