import type { Template } from '../../contract/template.js';
import type { WorkspaceContext } from './context.js';

/** The rules of GET /v1/templates. */
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
