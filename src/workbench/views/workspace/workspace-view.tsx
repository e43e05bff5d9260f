import { Card } from '../../elements/card.js';
import { Field, Form, type Given } from '../../elements/form.js';
import { segmentInWords } from '../../reading/conditions.js';
import { countOf } from '../../reading/counted.js';
import { control } from '../../surface/operations.js';
import { useLive } from '../use-live.js';
import { FaultsCard } from './faults-card.js';
import { GapsCard } from './gaps-card.js';
import { KeysCard, OtherWorkspacesCard } from './keys-card.js';
import { StateCard } from './state-card.js';
import { TemplatesCard } from './templates-card.js';

/** What the workspace is made of, and everything that can be set in it. */
export function WorkspaceView() {
  return (
    <div class="scroll">
      <h2 class="unseen">Workspace</h2>
      <div class="workspace">
        <TemplatesCard />
        <FaultsCard />
        <QuotaCard />
        <StateCard />
        <SegmentsCard />
        <KeysCard />
        <OtherWorkspacesCard />
        <GapsCard />
      </div>
    </div>
  );
}

/** The remaining conversations: of the plan, and add-on credits. */
function QuotaCard() {
  const { quota, surface } = useLive();
  const { value: left } = quota;
  if (left === undefined) return null;
  const set = async (given: Given) => {
    const body = { quota: Number(given('quota')), addOnCredits: Number(given('addOnCredits')) };
    await surface.control(control.quota.set, { body });
    await quota.refresh();
  };
  return (
    <Card title="Sends left">
      <Form label="Sends left" submit="Set" done="Saved." look="plain" onSubmit={set}>
        <div class="fields">
          <Field label="Plan" name="quota" inputMode="decimal" value={String(left.quota)} required />
          <Field
            label="Add-on credits"
            name="addOnCredits"
            inputMode="decimal"
            value={String(left.addOnCredits)}
            required
          />
        </div>
      </Form>
      <p class="after">
        <small>If none is left, a send gets 402 quota_exceeded.</small>
      </p>
    </Card>
  );
}

/** The segments, with how many contacts are in each. */
function SegmentsCard() {
  const { value: segments = [] } = useLive().segments;
  return (
    <Card title="Segments">
      {segments.length === 0 && <small>None. Add one with a seed or PUT {control.segments.put.path}.</small>}
      <ul class="bare rows">
        {segments.map(({ segment, members }) => (
          <li key={segment.id}>
            <header>
              <b>{segment.id}</b>
              <span class="tag plain">{countOf(members.length, 'contact')}</span>
            </header>
            <small>{segmentInWords(segment)}</small>
          </li>
        ))}
      </ul>
    </Card>
  );
}
