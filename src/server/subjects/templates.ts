import * as z from 'zod/mini';
import type { Schema } from '../../contract/schema.js';
import type { TemplateRecord } from '../model/records.js';
import { ServiceError } from '../model/service-error.js';
import { templateAsSeed } from '../seed/as-seed.js';
import { templateRecord } from '../seed/parse-seed.js';
import { type TemplateSeed, templateFields, templateSeedSchema } from '../seed/workspace-seed.js';
import { type LiveWorkspace, run } from '../workspace/live-workspace.js';
import { checked } from './calls.js';
import { change } from './change.js';
import { operation } from './operation.js';
import type * as Shapes from './shapes.js';

/** A change of a template. Fields that you leave out keep their values. */
export type TemplateChange = {
  readonly [Field in 'body' | 'name' | 'language' | 'status']?: TemplateSeed[Field] | undefined;
};

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

const changeSchema: Schema<TemplateChange> = z.strictObject({
  body: z.optional(z.string()),
  ...templateFields,
});

export function templatesOf(live: LiveWorkspace): WorkspaceTemplates {
  const { templates } = live.context.store;
  const known = async (templateId: string) => {
    const template = await templates.find(templateId);
    return template && templateAsSeed(template);
  };
  const put = async (seed: TemplateSeed) => {
    const record = templateRecord(seed);
    await templates.put(record);
    return record;
  };
  return {
    list: () => run(live, () => templates.list()),
    async put(template) {
      const seed = checked(templateSeedSchema, 'The template', template);
      const before = () => known(seed.id);
      return change(live, { operation: 'templates.put', given: [seed], before }, () => put(seed));
    },
    async update(templateId, changes) {
      const wanted = checked(changeSchema, 'The change of a template', changes);
      const old = await run(live, () => templates.find(templateId));
      if (old === undefined) {
        throw new ServiceError(
          'not_found',
          `No template of this workspace has the id ${JSON.stringify(templateId)}.`,
        );
      }
      const { body = old.body, name = old.name, language = old.language, status = old.status } = wanted;
      const call = {
        operation: 'templates.update',
        given: [templateId, wanted],
        before: () => templateAsSeed(old),
      } as const;
      return change(live, call, () => put({ id: templateId, body, name, language, status }));
    },
    remove(templateId) {
      const before = () => known(templateId);
      const call = { operation: 'templates.remove', given: [templateId], before } as const;
      return change(live, call, () => templates.delete(templateId));
    },
  };
}

export const templatesOperations = ({ listOf, templateSchema }: typeof Shapes) => ({
  list: operation('templates.list', 'GET', '/control/templates', {
    summary: 'Lists the templates, with any status.',
    result: listOf(templateSchema),
    rule: async (live) => ({ data: await templatesOf(live).list() }),
  }),
  put: operation('templates.put', 'PUT', '/control/templates', {
    summary: 'Adds a template, or replaces the template with the same id.',
    body: templateSeedSchema,
    result: templateSchema,
    rule: (live, { body }) => templatesOf(live).put(body),
  }),
  update: operation('templates.update', 'PUT', '/control/templates/:id', {
    summary:
      'Changes the `status`, `body`, `name` or `language` of a template. Keeps the fields that you leave out.',
    body: changeSchema,
    result: templateSchema,
    refusals: { 404: 'No template has this id.' },
    rule: (live, { path, body }) => templatesOf(live).update(path.id, body),
  }),
  remove: operation('templates.remove', 'DELETE', '/control/templates/:id', {
    summary: 'Removes a template. A journey run that sends a removed template fails.',
    refusals: { 404: 'No template has this id.' },
    rule: (live, { path }) => templatesOf(live).remove(path.id),
  }),
});
