import { atMost } from '../../../foundation/clock.js';
import { defaultRandomSeed } from '../../faults/random.js';
import { type EntryInspection, type NumberedEntry, relationsOf } from '../../inspection/inspection.js';
import { type OpenStage, rehearsedScript } from '../../inspection/rehearsal.js';
import { scriptOf } from '../../inspection/script.js';
import type { Surroundings } from '../../inspection/story.js';
import { allOf } from '../../model/page.js';
import { invalidRequest, ServiceError } from '../../model/service-error.js';
import { workspaceAsSeed } from '../../seed/as-seed.js';
import type { LiveWorkspace } from '../../workspace/live-workspace.js';
import { remedyOfRequest } from '../deliveries/explanation/remedy.js';
import type { ControlCaller } from '../operation.js';
import { copiesOf, testOfScript } from './copies.js';
import { entryAsJson } from './entry-json.js';

/** The default address of `serve`. */
const defaultOrigin = 'http://127.0.0.1:4010';

/** Inspects an entry of the journal. Throws if the journal has no entry with this number. */
export async function inspectEntry(
  live: LiveWorkspace,
  number: number,
  origin = defaultOrigin,
): Promise<EntryInspection> {
  await live.journal.current();
  const journal = numberedJournalOf(live);
  const entry = journal.find((each) => each.number === number);
  if (entry === undefined) {
    throw new ServiceError('not_found', 'The journal has no entry with this number, or has dropped it.');
  }
  const relations = relationsOf(entry, journal);
  const surroundings = await surroundingsOf(live, journal);
  const route = entry.type === 'change' ? await live.stage.route(entry.operation) : undefined;
  const remedy = entry.type === 'request' ? await remedyOfRequest(live, entry) : undefined;
  return {
    number,
    entry,
    ...relations,
    copies: copiesOf(entry, surroundings, origin, route),
    ...(remedy !== undefined && { remedy }),
  };
}

/** Inspects the entry that a request names, with its entries as the control surface returns them. */
export async function inspectAsJson(live: LiveWorkspace, digits: string, request: ControlCaller) {
  const number = /^\d{1,15}$/.test(digits) ? Number(digits) : 0;
  const inspection = await inspectEntry(live, number, originOf(request));
  const asJson = ({ number: own, ...entry }: NumberedEntry) => ({ number: own, ...entryAsJson(entry) });
  const { entry, causes, effects } = inspection;
  return { ...inspection, entry: asJson(entry), causes: causes.map(asJson), effects: effects.map(asJson) };
}

/** A name or an address, with or without a port. */
const plainHost = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

/** Returns the URL of this server from the Host header of a request. Undefined if the header is not a plain host. */
function originOf(request: ControlCaller): string | undefined {
  const host = request.header('host') ?? '';
  return plainHost.test(host) ? `http://${host}` : undefined;
}

/** The most entries of a test: more have nothing to do with each other. */
const mostRecorded = 1_000;

/** Writes everything after an entry as one test. Throws if there is nothing, too much, or only a part of it. */
export async function testSince(live: LiveWorkspace, since: number): Promise<string> {
  await live.journal.current();
  const journal = numberedJournalOf(live);
  const recorded = journal.filter(({ number }) => number > since);
  if (recorded.length === 0)
    throw new ServiceError('not_found', `Nothing has happened since entry ${since}.`);
  if (recorded[0]?.number !== since + 1) {
    throw new ServiceError('not_found', `The journal no longer has entry ${since + 1}. Record again.`);
  }
  if (recorded.length > mostRecorded) {
    const message = `has ${recorded.length} entries after it; a test can have ${mostRecorded}`;
    throw invalidRequest([{ field: 'since', message }]);
  }
  const repeated = afterUnknownState(recorded);
  const surroundings = await surroundingsOf(live, journal);
  let isOver = false;
  const script = await atMost(
    live.machine,
    longestRehearsal,
    rehearsedScript(repeated, surroundings, openStage(live), () => isOver),
    () => {
      isOver = true;
      return undefined;
    },
  );
  return testOfScript(script ?? scriptOf(repeated, surroundings), script === undefined);
}

/** What follows the last restore whose snapshot was too large for the journal: nothing can repeat what comes before it. */
function afterUnknownState(recorded: readonly NumberedEntry[]): readonly NumberedEntry[] {
  const last = recorded.findLastIndex(
    (entry) => entry.type === 'change' && entry.operation === 'restore' && entry.arguments === undefined,
  );
  return recorded.slice(last + 1);
}

function openStage({ stage }: LiveWorkspace): OpenStage {
  return ({ world: seed, isElsewhere }, fetch) =>
    stage.open({ seed, fetch, receiverAddresses: isElsewhere ? 'any' : 'loopback' });
}

/** How long a recording may take to run before it is handed out, by the machine's clock. In milliseconds. */
const longestRehearsal = 10_000;

function numberedJournalOf(live: LiveWorkspace): readonly NumberedEntry[] {
  return live.history.entriesAfter(0).map(([number, entry]) => ({ number, ...entry }));
}

async function surroundingsOf(live: LiveWorkspace, journal: readonly NumberedEntry[]): Promise<Surroundings> {
  const { contacts: all, sends, templates, segments, journeys } = live.context.store;
  const contacts = await allOf((range) => all.page({}, range));
  const workspace = {
    ...(await sends.readQuota()),
    templates: await templates.list(),
    segments: await segments.list(),
    journeys: await journeys.list(),
  };
  const { specGaps, faults } = live.settings.now;
  const randomSeed = faults.randomSeed === defaultRandomSeed ? undefined : faults.randomSeed;
  const state = { workspace, contacts, subscriptions: [] };
  return {
    journal,
    seed: workspaceAsSeed(state, { clock: 'frozen', specGaps, randomSeed }),
    phones: new Map(contacts.map(({ id, phone }) => [id, phone])),
    optedOut: new Set(contacts.filter(({ consent }) => consent === 'opted_out').map(({ phone }) => phone)),
  };
}
