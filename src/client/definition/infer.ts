import type { Contact, ContactPropertiesInput } from '../../contract/contact.js';
import type { EventContact, EventProperties, TrackInput } from '../../contract/event.js';
import type { SendInput } from '../../contract/transactional.js';
import type { InputOf, OutputOf, Workspace, WorkspaceDefinition } from './workspace-definition.js';

/** The source of the `Infer…` types: a workspace, or a client. */
export type WorkspaceSource = Workspace | { readonly workspace: Workspace | undefined };

/**
 * The type of a contact that the client returns.
 *
 * Its properties are those of the workspace, and `phone`. Any may be absent, because the service requires none. Other
 * properties are kept, but have no type. A value that does not match its schema is drift: with `validation: 'strict'`
 * the call fails, otherwise the client keeps the value and calls `onDrift`.
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

/** The type of the properties that `contacts.upsert` and `contacts.update` take. */
export type InferProperties<Source extends WorkspaceSource> =
  DefinitionOf<Source> extends { readonly properties: infer Schemas extends PropertySchemas }
    ? { readonly [Name in keyof Schemas]?: InputOf<Schemas[Name]> | undefined }
    : ContactPropertiesInput;

/** The types of the properties that `events.track` takes, by the event's name. */
export type InferEvents<Source extends WorkspaceSource> =
  DefinitionOf<Source> extends { readonly events: infer Schemas extends EventSchemas }
    ? { readonly [Name in keyof Schemas]: InputOf<Schemas[Name]> }
    : Readonly<Record<string, EventProperties>>;

/** The types of the variables that `transactional.send` takes, by the template's name in the workspace. */
export type InferTemplates<Source extends WorkspaceSource> =
  DefinitionOf<Source> extends { readonly templates: infer Named extends Templates }
    ? { readonly [Name in keyof Named]: VariablesOf<Named[Name]> }
    : Empty;

/**
 * The input of `events.track`: an event of the workspace with its properties, and the contact by `contactId` or by
 * `phone`. `properties` is optional if an empty object matches the schema.
 */
export type InferTrackInput<Source extends WorkspaceSource> =
  DefinitionOf<Source> extends { readonly events: EventSchemas }
    ? {
        [Name in keyof InferEvents<Source>]: NamedEvent<Name, InferEvents<Source>[Name]>;
      }[keyof InferEvents<Source>]
    : TrackInput;

/**
 * The input of `transactional.send`: a template of the workspace by name, or any template by `templateId`.
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
