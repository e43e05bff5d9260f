import type { OutputOf, Workspace } from '../../../client/definition/workspace-definition.js';
import type { EventProperties } from '../../../contract/event.js';
import { phoneSchema } from '../../../contract/phone.js';
import { doYouMean } from '../../../foundation/near-name.js';
import {
  anObject,
  aSignal,
  aText,
  ConfigurationError,
  checkArgument,
  checkOptionsOfCall,
  type OptionChecks,
} from '../../../foundation/options.js';
import type { JournalEntry } from '../../model/journal-entry.js';
import type { Consent } from '../../model/records.js';
import { type InboundMessageResult, inboundMessageSchema } from '../../service/inbound-messages.js';
import { aDuration, type Duration, toMilliseconds } from '../../time/duration.js';
import { type LiveWorkspace, run } from '../../workspace/live-workspace.js';
import { checked } from '../calls.js';
import { aTextOrPattern, currentMatches, shown, WaitEndedError } from '../wait.js';
import { Expectations } from './expectations.js';
import { events, type Happening, messages } from './kinds.js';
import { explainUnexpected } from './misses.js';

// Parts of `Workspace`, because a program could not name other types of the client that its declarations contain.

/** The templates in the definitions of a workspace. */
type Templates = NonNullable<Workspace['definition']['templates']>;

/** The schemas of events in the definitions of a workspace. */
type Schemas = NonNullable<Workspace['definition']['events']>;

/** The templates of a workspace: their variables by their names in the definitions, otherwise by number and by id. */
type TemplatesOf<W> = W extends {
  readonly definition: { readonly templates: infer Named extends Templates };
}
  ? { readonly [Name in keyof Named]: VariablesOf<Named[Name]> }
  : Readonly<Record<string, Readonly<Record<string, string>>>>;

type VariablesOf<Template> = Template extends { readonly variables: readonly (infer Name extends string)[] }
  ? { readonly [Variable in Name]: string }
  : Readonly<Record<string, never>>;

/** The events of a workspace: their properties as they are sent, by the event's name. */
type EventsOf<W> = W extends {
  readonly definition: { readonly events: infer Named extends Schemas };
}
  ? { readonly [Name in keyof Named]: OutputOf<Named[Name]> }
  : Readonly<Record<string, EventProperties>>;

/** A template message that a contact received. */
export type MessageToContact<Template = string, Variables = Readonly<Record<string, string>>> = {
  readonly from: 'workspace';
  readonly id: string;
  /** Its name in the definitions of the workspace, otherwise its id. */
  readonly template: Template;
  /** By their names in the definitions, otherwise by number. */
  readonly variables: Variables;
  /** The template's body with its placeholders filled in. */
  readonly text: string;
  /** Milliseconds since the Unix epoch, by the workspace's clock. */
  readonly at: number;
};

/** A message that a contact wrote. */
export type MessageFromContact = {
  readonly from: 'contact';
  readonly id: string;
  readonly text: string;
  /** The contact's new consent, if the message changed it. */
  readonly consent?: Consent;
  /** Milliseconds since the Unix epoch, by the workspace's clock. */
  readonly at: number;
};

/** An event that a program tracked for a contact. */
export type TrackedEvent<Event = string, Properties = EventProperties> = {
  readonly id: string;
  readonly event: Event;
  readonly properties: Properties;
  /** Milliseconds since the Unix epoch, by the workspace's clock. */
  readonly at: number;
};

/** One message of a chat. */
type ChatMessage = MessageToContact | MessageFromContact;

/** How long to wait for a message or an event. */
type Wait = {
  /** The timeout, by the machine's clock, even if the workspace's clock is frozen. Default: 2 seconds. */
  readonly timeout?: Duration | undefined;
  /** Aborts the wait, which then rejects with the signal's reason and takes nothing. */
  readonly signal?: AbortSignal | undefined;
};

const waitChecks: OptionChecks = { timeout: aDuration, signal: aSignal };
const messageChecks: OptionChecks = { ...waitChecks, variables: anObject, text: aTextOrPattern };
const eventChecks: OptionChecks = { ...waitChecks, properties: anObject };
const nothingChecks: OptionChecks = { within: aDuration };

/** What the contacts of a workspace have in common. */
interface Shared {
  readonly live: LiveWorkspace;
  readonly definition: Workspace['definition'] | undefined;
  readonly messages: Expectations<string>;
  readonly events: Expectations<unknown>;
}

/**
 * A contact in a test: the person who has a phone. `server.contact(phone)` and `workspace.contact(phone)` return it, also before the
 * workspace has such a contact.
 *
 * `receives` takes each message once: a second call resolves with the next message. That holds for all objects that one server or
 * workspace returns for a phone. The order of different templates is free; `chat` shows it. `W` is the type of the workspace of `createTypedReferenceServer`, whose names and
 * types the methods have.
 *
 * @example
 * ```ts
 * import { createReferenceServer } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer({
 *   clock: 'frozen',
 *   templates: [{ id: 'tips', body: 'Ten tips, {{1}}.' }],
 *   journeys: [
 *     { id: 'onboarding', event: 'signed_up', steps: [{ wait: '1d' }, { send: 'tips', variables: { '1': 'Ada' } }] },
 *   ],
 * });
 * const ada = server.contact('+15551234567');
 * await ada.says('START');
 * await server.client.events.track({ event: 'signed_up', phone: ada.phone });
 *
 * await ada.receivesNothing({ within: '23h' });
 * await server.clock.advance('1h');
 * const { text } = await ada.receives('tips');
 * console.log(text, await ada.consent()); // Ten tips, Ada. opted_in
 * ```
 */
export class TestContact<W extends Workspace = Workspace> {
  readonly #shared: Shared;
  /** The phone in E.164 format. */
  readonly phone: string;

  /** @internal */
  constructor(phone: string, shared: Shared) {
    this.phone = phone;
    this.#shared = shared;
  }

  /**
   * The contact writes to the workspace, as a person does from a phone. START and STOP, in any case, change the consent. An
   * unknown sender becomes a contact. Resolves when the workspace has the message; its webhook deliveries follow.
   *
   * @throws ConfigurationError if the text is not a string.
   */
  async says(text: string): Promise<InboundMessageResult> {
    const { live } = this.#shared;
    const message = checked(inboundMessageSchema, 'The message', { phone: this.phone, body: text });
    return run(live, () => live.services.inboundMessages.receive(message));
  }

  /**
   * Waits for the oldest message of a template that no call has taken, and takes it. Messages before the call count too. A frozen
   * clock stays where it is: advance it, before or during the wait.
   *
   * @param template - The id of the template. In a typed workspace, its name in the definitions.
   * @param wanted - What the message must also have: some of its variables, or its text, whole or as a pattern.
   * @throws WaitTimeoutError that lists what the contact received instead, who else received the template, what was rejected and
   * why, and what waits for the clock.
   */
  receives<Name extends keyof TemplatesOf<W> & string>(
    template: Name,
    wanted?: Wait & {
      readonly variables?: Partial<TemplatesOf<W>[Name]> | undefined;
      readonly text?: string | RegExp | undefined;
    },
  ): Promise<MessageToContact<Name, TemplatesOf<W>[Name]>>;
  async receives(
    template: string,
    wanted: Wait & {
      readonly variables?: Readonly<Record<string, unknown>> | undefined;
      readonly text?: string | RegExp | undefined;
    } = {},
  ): Promise<MessageToContact> {
    checkArgument('receives', 'template', template, aText);
    checkOptionsOfCall('receives', wanted, messageChecks);
    const { definition, messages } = this.#shared;
    const { variables = {}, text, ...wait } = wanted;
    const known = templateNamed(definition, template);
    const values = Object.entries(variables).map(([label, value]) => {
      const index = known.variables.indexOf(label);
      return { label, key: index === -1 ? label : `${index + 1}`, value };
    });
    const expected = { phone: this.phone, title: template, name: known.id, values, text };
    return received(await messages.next(expected, wait), template, known.variables);
  }

  /**
   * Waits until all due work is done, and asserts that no message is left that no `receives` has taken, whenever it came. It does not
   * wait for work of your own code: await that first.
   *
   * @param options - `within` advances the workspace's clock by that much first, whether it is frozen or flowing. It takes no real
   * time. Calls at the same time share it. Default: 0.
   * @throws Error that lists the messages.
   */
  async receivesNothing(options: { readonly within?: Duration | undefined } = {}): Promise<void> {
    checkOptionsOfCall('receivesNothing', options, nothingChecks);
    const { live, definition, messages } = this.#shared;
    const { life, clock } = live;
    const length = toMilliseconds(options.within ?? 0);
    await life.opened();
    const called = clock.now();
    await life.settled();
    // Work that was due has set its waits by now, and a flowing clock has gone on.
    await clock.reach((clock.isFrozen ? called : clock.now()) + length);
    if (life.isStopped) throw new WaitEndedError('The workspace closed during receivesNothing().');
    const left = (await messages.untaken(this.phone)).map((each) => chatMessage(each, definition));
    if (left.length > 0) throw new Error(explainUnexpected(this.phone, left));
  }

  /**
   * Waits for the oldest event of the contact with this name that your code tracked and no call has taken, and takes it. Events
   * before the call count too.
   *
   * @param wanted - `properties`: some of the properties that the event must have.
   * @throws WaitTimeoutError that lists what was tracked instead, and what was rejected and why.
   */
  did<Name extends keyof EventsOf<W> & string>(
    event: Name,
    wanted?: Wait & { readonly properties?: Partial<EventsOf<W>[Name]> | undefined },
  ): Promise<TrackedEvent<Name, EventsOf<W>[Name]>>;
  async did(
    event: string,
    wanted: Wait & { readonly properties?: EventProperties | undefined } = {},
  ): Promise<TrackedEvent> {
    checkArgument('did', 'event', event, aText);
    checkOptionsOfCall('did', wanted, eventChecks);
    const { definition, events } = this.#shared;
    const { properties: wantedProperties = {}, ...wait } = wanted;
    if (definition?.events !== undefined) checkName('did', 'event', event, definition.events);
    const values = Object.entries(wantedProperties).map(([key, value]) => ({
      label: key,
      key,
      value,
    }));
    const expected = { phone: this.phone, title: event, name: event, values };
    const { id, at, values: properties } = await events.next(expected, wait);
    return { id, event, properties, at };
  }

  /** Returns the consent. Undefined if no contact has the phone. */
  consent(): Promise<Consent | undefined> {
    const { live } = this.#shared;
    return run(live, async () => (await live.context.store.contacts.findByPhone(this.phone))?.consent);
  }

  /** Returns the messages in both directions, oldest first, as far as the journal has them. */
  async chat(): Promise<readonly ChatMessage[]> {
    const { live, definition } = this.#shared;
    const chat = await currentMatches(live, {
      subject: 'message',
      select: (entry) => messageIn(entry, definition),
      differences: ({ phone }) => (phone === this.phone ? [] : ['of another contact']),
      describe: ({ message }) => message.text,
    });
    return chat.map(({ message }) => message);
  }
}

/** Returns the function that makes the contacts of a workspace. They share what was taken. */
export function contactsUnderTest<W extends Workspace>(
  live: LiveWorkspace,
  workspace: W | undefined,
): (phone: string) => TestContact<W> {
  const shared = {
    live,
    definition: workspace?.definition,
    messages: new Expectations(live, messages),
    events: new Expectations(live, events),
  };
  return (phone) => new TestContact<W>(checked(phoneSchema, 'The phone of a contact', phone), shared);
}

/** A template in the definitions, or one by its id if there are none. */
interface KnownTemplate {
  readonly id: string;
  /** The names of its placeholders, in their order. */
  readonly variables: readonly string[];
}

/** @throws ConfigurationError if the definitions have templates, but not this one. */
function templateNamed(definition: Shared['definition'], name: string): KnownTemplate {
  const { templates } = definition ?? {};
  if (templates === undefined) return { id: name, variables: [] };
  checkName('receives', 'template', name, templates);
  const { id = name, variables = [] } = templates[name] ?? {};
  return { id, variables };
}

function checkName(method: string, thing: string, name: string, defined: object): void {
  if (Object.hasOwn(defined, name)) return;
  const names = Object.keys(defined);
  const hint = doYouMean(name, names, ` (they have ${names.join(', ') || 'none'})`);
  throw new ConfigurationError(
    `${method}: the definitions of the workspace have no ${thing} ${shown(name)}${hint}.`,
  );
}

function received(
  { id, values, text = '', at }: Happening<string>,
  template: string,
  names: readonly string[],
): MessageToContact {
  const variables = Object.entries(values).map(([number, value]) => [
    names[Number(number) - 1] ?? number,
    value,
  ]);
  return { from: 'workspace', id, template, variables: Object.fromEntries(variables), text, at };
}

/** Returns a message with the name that the definitions have for its template. */
function chatMessage(happening: Happening<string>, definition: Shared['definition']): MessageToContact {
  const [name, { variables = [] }] = Object.entries(definition?.templates ?? {}).find(
    ([, { id }]) => id === happening.name,
  ) ?? [happening.name, {}];
  return received(happening, name, variables);
}

function messageIn(
  entry: JournalEntry,
  definition: Shared['definition'],
): { readonly phone: string; readonly message: ChatMessage } | undefined {
  if (entry.type === 'message') {
    const { phone, messageId: id, body: text, consent, at } = entry;
    return { phone, message: { from: 'contact', id, text, ...(consent && { consent }), at } };
  }
  const sent = messages.select(entry);
  return sent && { phone: sent.phone, message: chatMessage(sent, definition) };
}
