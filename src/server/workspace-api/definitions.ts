import { fieldPath } from '../../contract/schema.js';
import {
  anObject,
  aText,
  aWholeNumber,
  checkOptionsOfCall,
  type OptionChecks,
  oneOf,
} from '../../foundation/options.js';
import { type Page, type PageOptions, rangeOf } from '../model/page.js';
import { type ContactFilter, type ContactRecord, consents, type TemplateRecord } from '../model/records.js';
import { invalidRequest, ServiceError } from '../model/service-error.js';
import { journeyAsSeed, segmentAsSeed } from '../seed/as-seed.js';
import { compileJourney, type JourneySeed, journeySeedSchema } from '../seed/journey-seed.js';
import { segmentRecord, templateRecord } from '../seed/parse-seed.js';
import { problemsOfJourney } from '../seed/references.js';
import { type SegmentSeed, segmentSeedSchema } from '../seed/segment-seed.js';
import {
  type TemplateChange,
  type TemplateSeed,
  templateChangeSchema,
  templateSeedSchema,
} from '../seed/workspace-seed.js';
import { type LiveWorkspace, run } from '../workspace/live-workspace.js';
import { checked } from './calls.js';
import { isPhone } from './wait.js';

/**
 * Lists and finds the contacts of a workspace. The API of the service can only read one contact at a time.
 *
 * @example
 * ```ts
 * import { createReferenceServer } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer({
 *   contacts: [{ phone: '+15551234567', properties: { city: 'Paris' } }, { phone: '+442071838750' }],
 * });
 * const { data } = await server.contacts.list({ properties: { city: 'Paris' } });
 * console.log(data[0]?.phone, data[0]?.consent); // +15551234567 unknown
 * ```
 */
export type WorkspaceContacts = {
  /**
   * Lists the contacts that match, oldest first, one page at a time.
   *
   * @throws ConfigurationError if the filter or the page has an unknown field, or an invalid value.
   */
  list(filter?: ContactFilter, page?: PageOptions): Promise<Page<ContactRecord>>;
  /** Returns the contact with an id or phone. Undefined if there is none. */
  read(contact: string): Promise<ContactRecord | undefined>;
};

const filterChecks: OptionChecks = {
  phone: aText,
  consent: oneOf(...consents),
  properties: anObject,
};

const pageChecks: OptionChecks = { limit: aWholeNumber(0), cursor: aText };

export function contactsOf(live: LiveWorkspace): WorkspaceContacts {
  const { store } = live.context;
  return {
    async list(filter = {}, page = {}) {
      checkOptionsOfCall('The filter', filter, filterChecks);
      checkOptionsOfCall('contacts.list', page, pageChecks);
      const range = rangeOf(page);
      return run(live, () => store.contacts.page(filter, range));
    },
    read: (contact) =>
      run(live, () =>
        isPhone(contact) ? store.contacts.findByPhone(contact) : store.contacts.findById(contact),
      ),
  };
}

/**
 * Lists, adds, changes and removes the templates of a workspace.
 *
 * @example
 * ```ts
 * import { createReferenceServer } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer({ contacts: [{ phone: '+15551234567' }] });
 * await server.templates.put({ id: 'welcome', body: 'Welcome!' });
 * await server.client.transactional.send({ phone: '+15551234567', templateId: 'welcome' });
 * await server.templates.update('welcome', { status: 'paused' }); // the next send gets 422
 * console.log(await server.templates.remove('welcome')); // true
 * ```
 */
export type WorkspaceTemplates = {
  /** Returns all templates, whatever their status. */
  list(): Promise<readonly TemplateRecord[]>;
  /**
   * Adds a template, or replaces the template with the same id.
   *
   * @throws ConfigurationError that names each invalid field.
   */
  put(template: TemplateSeed): Promise<TemplateRecord>;
  /**
   * Changes the status, body, name or language of a template. Keeps the fields that you leave out.
   *
   * @throws ConfigurationError that names each invalid field; Error if no template has the id.
   */
  update(templateId: string, changes: TemplateChange): Promise<TemplateRecord>;
  /** Removes a template. False if no template has the id. A journey run that sends a removed template fails. */
  remove(templateId: string): Promise<boolean>;
};

export function templatesOf(live: LiveWorkspace): WorkspaceTemplates {
  const { templates } = live.context.store;
  const put = async (seed: TemplateSeed) => {
    const record = templateRecord(seed);
    await templates.put(record);
    return record;
  };
  return {
    list: () => run(live, () => templates.list()),
    async put(template) {
      const seed = checked(templateSeedSchema, 'The template', template);
      return run(live, () => put(seed));
    },
    async update(templateId, changes) {
      const change = checked(templateChangeSchema, 'The change of a template', changes);
      const known = await run(live, () => templates.find(templateId));
      if (known === undefined) {
        throw new ServiceError(
          'not_found',
          `No template of this workspace has the id ${JSON.stringify(templateId)}.`,
        );
      }
      const {
        body = known.body,
        name = known.name,
        language = known.language,
        status = known.status,
      } = change;
      return put({ id: templateId, body, name, language, status });
    },
    remove: (templateId) => run(live, () => templates.delete(templateId)),
  };
}

/**
 * Lists, adds, replaces and removes the segments of a workspace. The server computes the members from the contacts and
 * events, so a new segment has its members at once.
 *
 * @example
 * ```ts
 * import { createReferenceServer } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer();
 * const { id } = await server.client.contacts.upsert({ phone: '+15551234567', properties: { city: 'Paris' } });
 * await server.segments.put({ id: 'parisians', where: [{ property: 'city', equals: 'Paris' }] });
 * console.log((await server.journal.segmentMembers('parisians'))[0] === id); // true
 * ```
 */
export type WorkspaceSegments = {
  /** Returns all segments in the order of their addition. Times have their largest unit: `24h` becomes `1d`. */
  list(): Promise<readonly SegmentSeed[]>;
  /**
   * Adds a segment, or replaces the segment with the same id.
   *
   * @returns The segment as `list` returns it.
   * @throws ConfigurationError that names each invalid field.
   */
  put(segment: SegmentSeed): Promise<SegmentSeed>;
  /** Removes a segment. False if no segment has the id. A journey branch on a removed segment takes `else`. */
  remove(segmentId: string): Promise<boolean>;
};

export function segmentsOf(live: LiveWorkspace): WorkspaceSegments {
  const { store } = live.context;
  return {
    list: () => run(live, async () => (await store.segments.list()).map(segmentAsSeed)),
    async put(segment) {
      const record = segmentRecord(checked(segmentSeedSchema, 'The segment', segment));
      await run(live, () => store.segments.put(record));
      return segmentAsSeed(record);
    },
    remove: (segmentId) => run(live, () => store.segments.delete(segmentId)),
  };
}

/**
 * Lists, adds, replaces and removes the journeys of a workspace.
 *
 * @example
 * ```ts
 * import { createReferenceServer } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer({ templates: [{ id: 'thanks', body: 'Thank you!' }] });
 * await server.journeys.put({ id: 'thank', event: 'order_placed', steps: [{ send: 'thanks' }] });
 * console.log(await server.journeys.list()); // [{ id: 'thank', event: 'order_placed', steps: [{ send: 'thanks' }] }]
 * ```
 */
export type WorkspaceJourneys = {
  /** Returns all journeys in the order of their addition. Waits have their largest unit: `60s` becomes `1m`. */
  list(): Promise<readonly JourneySeed[]>;
  /**
   * Adds a journey, or replaces the journey with the same id. Runs of the replaced journey continue in the new one, at the
   * same step number.
   *
   * @returns The journey as `list` returns it.
   * @throws ConfigurationError that names each invalid field; Error if the journey names an unknown template or segment.
   */
  put(journey: JourneySeed): Promise<JourneySeed>;
  /** Removes a journey. Its runs take no further steps. False if no journey has the id. */
  remove(journeyId: string): Promise<boolean>;
};

export function journeysOf(live: LiveWorkspace): WorkspaceJourneys {
  const { store } = live.context;
  return {
    list: () => run(live, async () => (await store.journeys.list()).map(journeyAsSeed)),
    async put(journey) {
      const seed = checked(journeySeedSchema, 'The journey', journey);
      return run(live, async () => {
        const named = { templates: await store.templates.list(), segments: await store.segments.list() };
        const problems = problemsOfJourney(seed, named);
        if (problems.length > 0) {
          throw invalidRequest(problems.map(({ path, message }) => ({ field: fieldPath(path), message })));
        }
        const record = compileJourney(seed);
        await store.journeys.put(record);
        return journeyAsSeed(record);
      });
    },
    remove: (journeyId) => run(live, () => store.journeys.delete(journeyId)),
  };
}
