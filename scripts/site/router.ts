import { type Reflection, StructureRouter } from 'typedoc';
import { pathOfDocument } from './documents.js';

/**
 * Names the pages as readers know them: a symbol by its import path, as in `messaging-automation/webhooks/verifyWebhook.html`,
 * and a document by its file, as in `guides/verify-webhooks.html`.
 */
export class SiteRouter extends StructureRouter {
  protected override getIdealBaseName(reflection: Reflection): string {
    if (!reflection.isDocument()) return super.getIdealBaseName(reflection);
    return pathOfDocument(reflection)
      .replace(/^docs\//, '')
      .replace(/README\.md$/, 'index')
      .replace(/\.md$/, '');
  }
}
