import type { Contact, ContactPropertiesInput } from '../../contract/contact.js';
import type { EventContact, EventProperties, TrackInput } from '../../contract/event.js';
import type { SendInput } from '../../contract/transactional.js';
import type { InputOf, OutputOf } from './standard-schema.js';
import type { Workspace, WorkspaceDefinition } from './workspace.js';

/** Where the types of this kind look: a workspace, or a client that may have one. */
export type WorkspaceSource = Workspace | { readonly workspace: Workspace | undefined };

/**
 * A contact as the client gives it.
 *
 * Its properties are those of the workspace, and `phone`. Any may be absent, for the service demands none. What else
 * it sends is kept, yet has no type. A value that does not fit its schema is drift: with `validation: 'strict'` the
 * call fails, else the value comes as it is and `onDrift` is told.
 *
 * @example
 * ```ts
 * import { defineWorkspace, type InferContact, MessagingAutomation } from 'messaging-automation';
 * import * as z from 'zod';
 *
 * const workspace = defineWorkspace({ properties: { firstName: z.string(), visits: z.int() } });
 * const messaging = new MessagingAutomation({ workspace });
 *
 * const greet = (contact: InferContact<typeof messaging>) => `Hello ${contact.properties.firstName ?? 'you'}`;
 * console.log(greet(await messaging.contacts.upsert({ phone: '+15551234567' })));
 * ```
 */
export type InferContact<Source extends WorkspaceSource> =
  DefinitionOf<Source> extends { readonly properties: infer Schemas extends PropertySchemas }
    ? Contact<{ readonly [Name in keyof Schemas]?: Exclude<OutputOf<Schemas[Name]>, undefined> }>
    : Contact;

/** The properties that `contacts.upsert` and `contacts.update` take. */
export type InferProperties<Source extends WorkspaceSource> =
  DefinitionOf<Source> extends { readonly properties: infer Schemas extends PropertySchemas }
    ? { readonly [Name in keyof Schemas]?: InputOf<Schemas[Name]> | undefined }
    : ContactPropertiesInput;

/** The properties that `events.track` takes with each event, by the event's name. */
export type InferEvents<Source extends WorkspaceSource> =
  DefinitionOf<Source> extends { readonly events: infer Schemas extends EventSchemas }
    ? { readonly [Name in keyof Schemas]: InputOf<Schemas[Name]> }
    : Readonly<Record<string, EventProperties>>;

/**
 * The variables that `transactional.send` takes with each template, by the template's name in the workspace.
 */
export type InferTemplates<Source extends WorkspaceSource> =
  DefinitionOf<Source> extends { readonly templates: infer Named extends Templates }
    ? { readonly [Name in keyof Named]: VariablesOf<Named[Name]> }
    : Empty;

/**
 * What `events.track` takes: one of the workspace's events with its properties, and the contact by `contactId` or by
 * `phone`. The properties may be left out where an empty object would do.
 */
export type InferTrackInput<Source extends WorkspaceSource> =
  DefinitionOf<Source> extends { readonly events: EventSchemas }
    ? {
        [Name in keyof InferEvents<Source>]: NamedEvent<Name, InferEvents<Source>[Name]>;
      }[keyof InferEvents<Source>]
    : TrackInput;

/**
 * What `transactional.send` takes: one of the workspace's templates by name, or any template by `templateId`.
 */
export type InferSendInput<Source extends WorkspaceSource> =
  DefinitionOf<Source> extends { readonly templates: Templates }
    ?
        | {
            [Name in keyof InferTemplates<Source>]: NamedSend<Name, InferTemplates<Source>[Name]>;
          }[keyof InferTemplates<Source>]
        | (SendInput & { readonly template?: never })
    : SendInput;

type PropertySchemas = NonNullable<WorkspaceDefinition['properties']>;
type EventSchemas = NonNullable<WorkspaceDefinition['events']>;
type Templates = NonNullable<WorkspaceDefinition['templates']>;

type DefinitionOf<Source extends WorkspaceSource> = Source extends { readonly definition: infer Definition }
  ? Definition
  : Source extends { readonly workspace: { readonly definition: infer Definition } | undefined }
    ? Definition
    : never;

type VariablesOf<Template> = Template extends { readonly variables: readonly (infer Name extends string)[] }
  ? { readonly [Variable in Name]: string }
  : Empty;

type Empty = Readonly<Record<string, never>>;

type NamedEvent<Name, Properties> = { readonly event: Name } & EventContact &
  (Properties extends Empty
    ? { readonly properties?: never }
    : Empty extends Properties
      ? { readonly properties?: Properties | undefined }
      : { readonly properties: Properties });

type NamedSend<Name, Variables> = {
  readonly phone: string;
  readonly template: Name;
  readonly templateId?: never;
} & (Variables extends Empty ? { readonly variables?: never } : { readonly variables: Variables });
