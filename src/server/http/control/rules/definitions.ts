import { ServiceError } from '../../../model/service-error.js';
import type { LiveWorkspace } from '../../../workspace/live-workspace.js';
import { changeSettings } from '../../../workspace/restore.js';
import { receiverOf } from '../../../workspace-api/controls.js';
import {
  contactsOf,
  journeysOf,
  putJourney,
  putSegment,
  putTemplate,
  segmentsOf,
  updateTemplate,
} from '../../../workspace-api/definitions.js';
import { controlOperations } from '../control-operations.js';
import { orInvalid, refuseUnless, type Serve } from '../serving.js';
import type { ClockResponse } from '../shapes.js';

const { contacts, quota, templates, segments, journeys, specGaps, simulate, clock, faults, workspace } =
  controlOperations;

/** Serves the definitions of a workspace, its clock and its faults. */
export function serveDefinitions(serve: Serve): void {
  serve(contacts.list, (live, { query: { phone, consent, property, ...page } }) =>
    contactsOf(live).list({ phone, consent, properties: propertiesIn(property) }, page),
  );
  serve(contacts.read, async (live, { path }) => {
    const contact = await contactsOf(live).read(path.contact);
    if (contact === undefined) throw new ServiceError('not_found', 'No contact has this id or phone.');
    return contact;
  });
  serve(quota.read, ({ context }) => context.store.sends.readQuota());
  serve(quota.set, ({ context }, { body }) => context.store.sends.setQuota(body));

  serve(templates.list, async ({ context }) => ({ data: await context.store.templates.list() }));
  serve(templates.put, (live, { body }) => putTemplate(live, body));
  serve(templates.update, (live, { path, body }) => updateTemplate(live, path.id, body));
  serve(templates.remove, async ({ context }, { path }) =>
    refuseUnknown(await context.store.templates.delete(path.id), 'template', templates.list.path),
  );

  serve(segments.list, async (live) => ({ data: await segmentsOf(live).list() }));
  serve(segments.put, (live, { body }) => putSegment(live, body));
  serve(segments.remove, async ({ context }, { path }) =>
    refuseUnknown(await context.store.segments.delete(path.id), 'segment', segments.list.path),
  );

  serve(journeys.list, async (live) => ({ data: await journeysOf(live).list() }));
  serve(journeys.put, (live, { body }) => putJourney(live, body));
  serve(journeys.remove, async ({ context }, { path }) =>
    refuseUnknown(await context.store.journeys.delete(path.id), 'journey', journeys.list.path),
  );

  serve(specGaps.read, ({ gaps }) => gaps);
  serve(specGaps.set, async (live, { body }) => {
    changeSettings(live, (settings) => void Object.assign(settings.gaps, body));
    await live.sharing.changed();
    return live.gaps;
  });

  serve(controlOperations.receiver.read, (live) => receiverOf(live).read());
  serve(controlOperations.receiver.set, (live, { body }) => receiverOf(live).set(body));

  serve(simulate.inboundMessage, ({ services }, { body }) => services.inboundMessages.receive(body));

  serve(clock.now, timeOf);
  serve(clock.advance, (live, { body }) =>
    timeAfter(
      live,
      orInvalid(() => live.clock.advance(body.by)),
    ),
  );
  serve(clock.set, (live, { body }) =>
    timeAfter(
      live,
      orInvalid(() => live.clock.set(body.to)),
    ),
  );
  for (const move of ['runToIdle', 'advanceToNext', 'freeze', 'flow'] as const) {
    serve(clock[move], (live) => timeAfter(live, live.clock[move]()));
  }
  serve(workspace.settled, (live) => timeAfter(live, live.life.settled()));

  serve(faults.list, (live) => ({ data: live.faults.list() }));
  serve(faults.add, async (live, { body }) => {
    const { id } = await orInvalid(async () => {
      const added = live.faults.add(body);
      await live.sharing.changed();
      return added;
    });
    const state = live.faults.list().find((rule) => rule.id === id);
    if (state !== undefined) return state;
    throw new ServiceError('not_found', 'Another request has removed this rule already.');
  });
  serve(faults.clear, (live) => {
    live.faults.clear();
    return live.sharing.changed();
  });
  serve(faults.remove, async (live, { path }) => {
    const isRemoved = live.faults.remove(path.id);
    await live.sharing.changed();
    refuseUnless(isRemoved, `No rule has this id. GET ${faults.list.path} lists them.`);
  });
}

function propertiesIn(property: string | string[] | undefined): Readonly<Record<string, string>> {
  const pairs = [property ?? []].flat().map((text) => {
    const colon = text.indexOf(':');
    return [text.slice(0, colon), text.slice(colon + 1)] as const;
  });
  return Object.fromEntries(pairs);
}

function refuseUnknown(isThere: boolean, thing: string, listPath: string): void {
  refuseUnless(isThere, `No ${thing} of this workspace has this id. GET ${listPath} lists them.`);
}

async function timeAfter(live: LiveWorkspace, move: unknown): Promise<ClockResponse> {
  await move;
  return timeOf(live);
}

/** The time in milliseconds and as ISO 8601, and what the clock does. */
function timeOf(live: LiveWorkspace): ClockResponse {
  const { isFrozen, next } = live.clock;
  const now = live.clock.now();
  return {
    now,
    time: new Date(now).toISOString(),
    flow: isFrozen ? 'frozen' : 'flowing',
    ...(next !== undefined && { next }),
  };
}
