import { ServiceError } from '../../../model/service-error.js';
import { changeGaps } from '../../../workspace/restore.js';
import { contactsOf } from '../../../workspace-api/contacts.js';
import { journeysOf } from '../../../workspace-api/journeys.js';
import { quotaOf } from '../../../workspace-api/quota.js';
import { segmentsOf } from '../../../workspace-api/segments.js';
import { templatesOf } from '../../../workspace-api/templates.js';
import { controlOperations } from '../control-operations.js';
import type { Serve } from '../serving.js';

const { contacts, quota, templates, segments, journeys, specGaps } = controlOperations;

/** Serves the definitions of a workspace: contacts, templates, segments, journeys and quota. */
export function serveDefinitions(serve: Serve): void {
  serve(contacts.list, (live, { query: { phone, consent, property, ...page } }) =>
    contactsOf(live).list({ phone, consent, properties: propertiesIn(property) }, page),
  );
  serve(contacts.read, async (live, { path }) => {
    const contact = await contactsOf(live).read(path.contact);
    if (contact === undefined) throw new ServiceError('not_found', 'No contact has this id or phone.');
    return contact;
  });
  serve(quota.read, (live) => quotaOf(live).read());
  serve(quota.set, (live, { body }) => quotaOf(live).set(body));

  serve(templates.list, async (live) => ({ data: await templatesOf(live).list() }));
  serve(templates.put, (live, { body }) => templatesOf(live).put(body));
  serve(templates.update, (live, { path, body }) => templatesOf(live).update(path.id, body));
  serve(templates.remove, async (live, { path }) =>
    orNotFound(await templatesOf(live).remove(path.id), 'template', templates.list.path),
  );

  serve(segments.list, async (live) => ({ data: await segmentsOf(live).list() }));
  serve(segments.put, (live, { body }) => segmentsOf(live).put(body));
  serve(segments.remove, async (live, { path }) =>
    orNotFound(await segmentsOf(live).remove(path.id), 'segment', segments.list.path),
  );

  serve(journeys.list, async (live) => ({ data: await journeysOf(live).list() }));
  serve(journeys.put, (live, { body }) => journeysOf(live).put(body));
  serve(journeys.remove, async (live, { path }) =>
    orNotFound(await journeysOf(live).remove(path.id), 'journey', journeys.list.path),
  );

  serve(specGaps.read, ({ gaps }) => gaps);
  serve(specGaps.set, async (live, { body }) => {
    changeGaps(live, body);
    await live.sharing.changed();
    return live.gaps;
  });
}

function propertiesIn(property: string | string[] | undefined): Readonly<Record<string, string>> {
  const pairs = [property ?? []].flat().map((text) => {
    const colon = text.indexOf(':');
    return [text.slice(0, colon), text.slice(colon + 1)] as const;
  });
  return Object.fromEntries(pairs);
}

function orNotFound(isThere: boolean, thing: string, listPath: string): undefined {
  if (isThere) return undefined;
  throw new ServiceError(
    'not_found',
    `No ${thing} of this workspace has this id. GET ${listPath} lists them.`,
  );
}
