import type { NumberedEntry } from '../../inspection/inspection.js';
import { type HttpResponse, jsonResponse } from '../../responses/response.js';
import type { WorkspaceSeed } from '../../seed/workspace-seed.js';
import type { LiveWorkspace } from '../../workspace/live-workspace.js';
import { reset } from '../../workspace/restore.js';
import { receiverOf, specGapsOf } from '../../workspace-api/controls.js';
import { contactsOf, journeysOf, segmentsOf, templatesOf } from '../../workspace-api/definitions.js';
import { checkDelivery, explainDelivery } from '../../workspace-api/explanation/explain.js';
import type { WatchChanges } from '../../workspace-api/follow.js';
import {
  readDeliveries,
  readEvents,
  readJournal,
  readJourneyRuns,
  readSends,
  redeliver,
} from '../../workspace-api/happenings.js';
import { journalOf } from '../../workspace-api/journal.js';
import { listenersOf } from '../../workspace-api/listeners.js';
import type { WorkspaceListing } from '../../workspace-api/reference-workspace.js';
import { restoreFrom, seedOf, snapshotOf } from '../../workspace-api/snapshot.js';
import { managedWebhooksOf, subscriptionsOf } from '../../workspace-api/subscriptions.js';
import { type Application, bearerKey } from '../application.js';
import type { ReceivedRequest } from '../received-request.js';
import { controlOperationList, controlOperations } from './control-operations.js';
import { deliveryAsJson, entryAsJson } from './entry-json.js';
import { serveStreams } from './event-streams.js';
import { ForbiddenError, orInvalid, type Serve, serveOn } from './serving.js';
import type { ClockResponse } from './shapes.js';

/** The rules of the control surface: most call the method that a program calls by the name of the operation. */

/** Creates and closes the workspaces of the server. */
export interface WorkspaceKeeper {
  /** The server's own workspace. It closes with the server. */
  readonly first: LiveWorkspace;
  /** @throws ConfigurationError, or rejects `ready` with one, if the seed is invalid, or another workspace has its id or key. */
  create(seed: WorkspaceSeed): LiveWorkspace;
  /** The workspaces, the first one first. */
  list(): Promise<readonly WorkspaceListing[]>;
  /** Closes a workspace. False if no workspace has the id. */
  remove(id: string): Promise<boolean>;
}

/** Serves what happened in a workspace, and waits for what happens next. */
function serveWhatHappened(serve: Serve): void {
  const { sends, events, deliveries, journal } = controlOperations;
  serve(sends.find, (live, { query, request: { gone } }) => readSends(live, { ...query, gone }));
  serve(events.find, (live, { query, request: { gone } }) => readEvents(live, { ...query, gone }));
  serve(deliveries.find, async (live, { query, request: { gone } }) => {
    const found = await readDeliveries(live, { ...query, gone });
    return { ...found, data: found.data.map(deliveryAsJson) };
  });
  serve(deliveries.redeliver, async (live, { path, query: { ifFailed = false } }) =>
    deliveryAsJson(await redeliver(live, path.id, { ifFailed })),
  );
  serve(deliveries.explain, (live, { path }) => explainDelivery(live, path.id));
  serve(deliveries.check, (live, { path, body }) => orInvalid(() => checkDelivery(live, path.id, body)));
  serve(journal.find, async (live, { query, request: { gone } }) => {
    const { since, cursor = since?.toString(), ...others } = query;
    const found = await readJournal(live, { ...others, cursor, gone });
    return { ...found, data: found.data.map(([number, entry]) => ({ number, ...entryAsJson(entry) })) };
  });
  serve(journal.inspect, async (live, { path, request }) => {
    // Loaded on demand: few clients request it.
    const { inspectEntry } = await import('../../workspace-api/inspect-entry.js');
    const number = /^\d{1,15}$/.test(path.number) ? Number(path.number) : 0;
    const inspection = await inspectEntry(live, number, originOf(request));
    const asJson = ({ number: own, ...entry }: NumberedEntry) => ({ number: own, ...entryAsJson(entry) });
    const { entry, causes, effects } = inspection;
    return { ...inspection, entry: asJson(entry), causes: causes.map(asJson), effects: effects.map(asJson) };
  });
  serve(journal.testSince, async (live, { query: { since } }) => {
    const { testSince } = await import('../../workspace-api/inspect-entry.js');
    return { test: await testSince(live, since ?? 0) };
  });
  serve(journal.journeyRuns, (live, { query }) => readJourneyRuns(live, query));
  serve(journal.segmentMembers, async ({ services }, { path }) => ({
    data: await services.segments.members(path.id),
  }));
  serve(journal.consent, async (live, { query: { phone } }) => {
    const consent = await journalOf(live).consent(phone);
    return consent && { consent };
  });
}

/** Serves the definitions of a workspace, its clock, its faults and its state. */
function serveWorkspace(serve: Serve): void {
  const { contacts, quota, templates, segments, journeys, specGaps, receiver } = controlOperations;
  serve(contacts.list, (live, { query: { phone, consent, property, ...page } }) =>
    contactsOf(live).list({ phone, consent, properties: propertiesIn(property) }, page),
  );
  serve(contacts.read, (live, { path }) => contactsOf(live).read(path.contact));
  serve(quota.read, ({ context }) => context.store.sends.readQuota());
  serve(quota.set, ({ context }, { body }) => context.store.sends.setQuota(body));

  serve(templates.list, async (live) => ({ data: await templatesOf(live).list() }));
  serve(templates.put, (live, { body }) => templatesOf(live).put(body));
  serve(templates.update, (live, { path, body }) => templatesOf(live).update(path.id, body));
  serve(templates.remove, (live, { path }) => templatesOf(live).remove(path.id));
  serve(segments.list, async (live) => ({ data: await segmentsOf(live).list() }));
  serve(segments.put, (live, { body }) => segmentsOf(live).put(body));
  serve(segments.remove, (live, { path }) => segmentsOf(live).remove(path.id));
  serve(journeys.list, async (live) => ({ data: await journeysOf(live).list() }));
  serve(journeys.put, (live, { body }) => journeysOf(live).put(body));
  serve(journeys.remove, (live, { path }) => journeysOf(live).remove(path.id));

  serve(specGaps.read, ({ settings }) => settings.now.specGaps);
  serve(specGaps.set, (live, { body }) => specGapsOf(live).set(body));
  serve(receiver.read, (live) => receiverOf(live).read());
  serve(receiver.set, (live, { body }) => receiverOf(live).set(body));

  const { simulate, clock, faults, workspace } = controlOperations;
  serve(simulate.inboundMessage, ({ services }, { body }) => services.inboundMessages.receive(body));
  serve(clock.now, (live) => timeAfter(live, undefined));
  serve(clock.advance, (live, { body }) => orInvalid(() => timeAfter(live, live.clock.advance(body.by))));
  serve(clock.set, (live, { body }) => orInvalid(() => timeAfter(live, live.clock.set(body.to))));
  for (const move of ['runToIdle', 'advanceToNext', 'freeze', 'flow'] as const) {
    serve(clock[move], (live) => timeAfter(live, live.clock[move]()));
  }

  serve(faults.list, (live) => ({ data: live.faults.list() }));
  serve(faults.add, (live, { body }) => orInvalid(() => live.faults.add(body)));
  serve(faults.clear, (live) => live.faults.clear());
  serve(faults.remove, (live, { path }) => live.faults.remove(path.id));

  serve(workspace.settled, (live) => timeAfter(live, live.life.settled()));
  serve(workspace.snapshot, snapshotOf);
  serve(workspace.restore, (live, { body }) => restoreFrom(live, body));
  serve(workspace.seed, seedOf);
  serve(workspace.reset, reset);
}

/**
 * Serves the keys and the subscriptions of a workspace. Rotating and revoking affect the key of the request, so that no URL and no body
 * contains a key.
 */
function serveAccess(serve: Serve): void {
  const { keys, managedWebhooks, subscriptions, listeners } = controlOperations;
  serve(keys.issue, async (live) => ({ apiKey: await live.keys.issue() }));
  serve(keys.rotate, async (live, { request }) => ({ apiKey: await live.keys.rotate(carriedBy(request)) }));
  serve(keys.revoke, (live, { request }) => live.keys.revoke(carriedBy(request)));
  serve(managedWebhooks.list, async (live) => ({ data: await managedWebhooksOf(live).list() }));
  serve(managedWebhooks.create, ({ services }, { body }) => services.subscriptions.manage(body));
  serve(subscriptions.list, async (live) => ({ data: await subscriptionsOf(live).list() }));
  serve(subscriptions.secret, async (live, { path }) => ({
    secret: await subscriptionsOf(live).secret(path.id),
  }));
  serve(subscriptions.remove, (live, { path }) => subscriptionsOf(live).remove(path.id));
  serve(listeners.create, (live, { body }) => listenersOf(live).create(body));
  serve(listeners.respond, async (live, { path, body }) => ({
    outcome: await listenersOf(live).respond(path.id, path.attempt, body),
  }));
  serve(listeners.remove, (live, { path }) => listenersOf(live).remove(path.id));
}

/**
 * Serves the workspaces of the server. The first workspace's key can list all workspaces, and create and close the others. Any other
 * key can only close its own workspace.
 */
function serveWorkspaces(serve: Serve, { first, create, list, remove }: WorkspaceKeeper): void {
  const { workspace, workspaces } = controlOperations;
  serve(workspace.create, async (live, { body }) => {
    if (live !== first)
      throw new ForbiddenError('Only the key of the first workspace can create workspaces. Use that key.');
    return orInvalid(async () => {
      const { id, apiKey, life } = create(body);
      await life.ready;
      return { workspaceId: id, apiKey };
    });
  });
  serve(workspaces.list, async (live) => {
    if (live !== first)
      throw new ForbiddenError('Only the key of the first workspace can list the workspaces. Use that key.');
    return { data: await list() };
  });
  serve(workspace.close, (live, { path: { id } }) => {
    if (id === first.id)
      throw new ForbiddenError('The first workspace closes with its server. Close the server instead.');
    if (live !== first && id !== live.id) {
      throw new ForbiddenError(
        'This key can close only its own workspace. Use the key of that workspace or of the first workspace.',
      );
    }
    return remove(id);
  });
}

function propertiesIn(property: string | string[] | undefined): Readonly<Record<string, string>> {
  const pairs = [property ?? []].flat().map((text) => {
    const colon = text.indexOf(':');
    return [text.slice(0, colon), text.slice(colon + 1)] as const;
  });
  return Object.fromEntries(pairs);
}

/** Returns the time after a move in milliseconds and as ISO 8601, and what the clock does. */
async function timeAfter(live: LiveWorkspace, move: unknown): Promise<ClockResponse> {
  await move;
  await live.clock.lookAhead();
  const { isFrozen, next } = live.clock;
  const now = live.clock.now();
  return {
    now,
    time: new Date(now).toISOString(),
    flow: isFrozen ? 'frozen' : 'flowing',
    ...(next !== undefined && { next }),
  };
}

/** A name or an address, with or without a port. */
const plainHost = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

/** Returns the URL of this server from the Host header of a request. Undefined if the header is not a plain host. */
function originOf(request: ReceivedRequest): string | undefined {
  const host = request.header('host') ?? '';
  return plainHost.test(host) ? `http://${host}` : undefined;
}

function carriedBy(request: ReceivedRequest): string {
  return bearerKey(request.header('authorization')) ?? '';
}

const { index, openApi } = controlOperations.surface;

/**
 * Serves the control surface over HTTP. Each request has the key of the workspace that it controls. Its paths are not part
 * of the service, so they are outside its prefix.
 */
export function serveControl(
  application: Application,
  workspaces: WorkspaceKeeper,
  watchChanges: WatchChanges,
): void {
  const serve = serveOn(application);
  serveWhatHappened(serve);
  serveWorkspace(serve);
  serveAccess(serve);
  serveWorkspaces(serve, workspaces);
  serveStreams(application, watchChanges);
  // The index and the OpenAPI document require no key.
  application.handleOpenly(index.method, index.path, async () => indexOf());
  application.handleOpenly(openApi.method, openApi.path, async () => {
    // Loaded on demand: few clients request it.
    const { controlDocument } = await import('./openapi.js');
    return jsonResponse(200, controlDocument());
  });
}

/** The operations, one per line, for people to read. */
function indexOf(): HttpResponse {
  const about = JSON.stringify(
    "Controls a workspace. Send the workspace's key as Authorization: Bearer. A program calls each operation by its name.",
  );
  const lines = controlOperationList.map(({ name, method, path, summary, query }) =>
    JSON.stringify({ method, path, summary, ...(query && { query: Object.keys(query) }), name }),
  );
  const document = JSON.stringify(openApi.path);
  const body = `{"about": ${about},\n"document": ${document},\n"operations": [\n${lines.join(',\n')}\n]}\n`;
  return { ...jsonResponse(200, {}), body };
}
