import type { TemplateRecord } from '../model/records.js';
import { ServiceError } from '../model/service-error.js';
import { templateRecord } from '../seed/parse-seed.js';
import {
  type TemplateChange,
  type TemplateSeed,
  templateChangeSchema,
  templateSeedSchema,
} from '../seed/workspace-seed.js';
import type { LiveWorkspace } from '../workspace/live-workspace.js';
import { checked } from './checked.js';
import { whenOpen } from './when-open.js';

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
export interface WorkspaceTemplates {
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
}

export function templatesOf(live: LiveWorkspace): WorkspaceTemplates {
  const { store } = live.context;
  const keep = async (template: TemplateSeed) => {
    const record = templateRecord(template);
    await store.templates.put(record);
    return record;
  };
  return whenOpen(live, {
    list: () => store.templates.list(),
    put: async (template) => keep(checked(templateSeedSchema, 'The template', template)),
    async update(templateId, changes) {
      const change = checked(templateChangeSchema, 'The change of a template', changes);
      const known = await store.templates.find(templateId);
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
      return keep({ id: templateId, body, name, language, status });
    },
    remove: (templateId) => store.templates.delete(templateId),
  });
}
