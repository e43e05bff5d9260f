import { useMemo } from 'preact/hooks';
import { Action } from '../../elements/action.js';
import { Empty } from '../../elements/card.js';
import { Copy } from '../../elements/copy.js';
import { hrefOf } from '../../live/route.js';
import { control, operations } from '../../surface/operations.js';
import { useBench } from '../bench.js';

/** The empty timeline: how to begin. */
export function FirstSteps() {
  const { live } = useBench();
  const { origin } = window.location;
  const earlier = useMemo(
    () => live.before(() => live.surface.control(control.deliveries.find, { query: { limit: 1 } })),
    [live],
  );
  const isOld = (earlier.value?.data.length ?? 0) > 0 || live.runs.value.length > 0;
  const variables = `export MESSAGING_AUTOMATION_BASE_URL=${origin}/api`;
  const listen = 'npx messaging-automation listen --forward-to http://localhost:3000/webhooks';
  return (
    <Empty title={`Nothing has happened ${isOld ? 'since the journal began' : 'yet'}`}>
      {isOld && (
        <p>
          What happened before is in <a href={hrefOf('deliveries')}>Deliveries</a> and{' '}
          <a href={hrefOf('journeys')}>Journeys</a>.
        </p>
      )}
      <p>Every request, send, message, event, journey step and delivery appears here immediately.</p>
      <Action
        look="primary"
        onRun={() =>
          live.surface.api(operations.contacts.upsert, {
            body: { phone: '+15551234567', properties: { firstName: 'Ada' } },
          })
        }
      >
        Create a first contact
      </Action>
      <p>
        Point your application at the server, with the key that <code>serve</code> printed:
      </p>
      <pre>{variables}</pre>
      <Copy text={variables}>Copy the line</Copy>
      <p>Forward the deliveries to your own receiver:</p>
      <pre>{listen}</pre>
      <Copy text={listen}>Copy the command</Copy>
    </Empty>
  );
}
