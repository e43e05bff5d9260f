import type { Template } from '../../contract/template.js';
import { placeholder } from '../model/placeholders.js';
import type { TemplateRecord } from '../model/records.js';
import { ServiceError } from '../model/service-error.js';
import type { SpecGaps } from '../model/spec-gaps.js';
import type { WorkspaceContext } from './context.js';

/** The rules of templates: §2 Template and §4, GET /v1/templates. */
export class Templates {
  readonly #context: WorkspaceContext;

  constructor(context: WorkspaceContext) {
    this.#context = context;
  }

  async list(): Promise<readonly Template[]> {
    const { store, gaps } = this.#context;
    const templates = await store.templates.list();
    return templates.map((template) =>
      gaps.templateRecord === 'id' ? { id: template.id } : { ...template },
    );
  }
}

/** The error of a send with an unknown template. */
export function unknownTemplate(templateId: string, gaps: SpecGaps): ServiceError {
  const message = `No template has the id ${JSON.stringify(templateId)}. GET /v1/templates lists them.`;
  return new ServiceError(
    gaps.unknownTemplate === 'not_found' ? 'template_not_found' : 'send_failed',
    message,
  );
}

/** Fills a template with variables, or throws 422 send_failed (§7). */
export function fillTemplate(template: TemplateRecord, variables: Readonly<Record<string, string>>): string {
  const { id: templateId } = template;
  if (template.status !== 'approved') {
    throw sendFailed(`The template ${JSON.stringify(templateId)} is ${template.status}, not approved.`);
  }
  const missing = template.variables.filter((name) => (variables[name] ?? '') === '');
  if (missing.length > 0) {
    throw sendFailed(
      `The template ${JSON.stringify(templateId)} needs a value for ${quoted(missing)} in variables.`,
    );
  }
  const unknown = Object.keys(variables).filter((name) => !template.variables.includes(name));
  if (unknown.length > 0) {
    throw sendFailed(`The template ${JSON.stringify(templateId)} has no placeholder ${quoted(unknown)}.`);
  }
  return template.body.replace(placeholder, (_, number) => variables[String(Number(number))] ?? '');
}

/** 422 send_failed. */
export function sendFailed(message: string): ServiceError {
  return new ServiceError('send_failed', message);
}

function quoted(names: readonly string[]): string {
  return names.map((name) => JSON.stringify(name)).join(', ');
}
