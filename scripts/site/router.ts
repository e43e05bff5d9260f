import {
  type PageDefinition,
  type ProjectReflection,
  type Reflection,
  ReflectionKind,
  StructureRouter,
} from 'typedoc';
import { pathOfDocument } from './documents.js';

/**
 * Names the pages as readers know them: a symbol by its import path, as in `messaging-automation/webhooks/unwrapWebhook.html`,
 * and a document by its file, as in `guides/receive-webhooks.html`.
 */
export class SiteRouter extends StructureRouter {
  /** Leaves out TypeDoc's list of all pages, which repeats the navigation. */
  override buildPages(project: ProjectReflection): PageDefinition[] {
    return super.buildPages(project).filter(({ url }) => url !== listOfPages);
  }

  protected override getIdealBaseName(reflection: Reflection): string {
    if (reflection.isDocument()) return nameOfDocument(pathOfDocument(reflection));
    const name = super.getIdealBaseName(reflection);
    // In a folder of its own: the module `webhooks` and the type `Webhooks` cannot both be `webhooks.html`.
    return reflection.kindOf(ReflectionKind.Module) ? `${name}/index` : name;
  }
}

/** TypeDoc's page of everything in the project. */
export const listOfPages = 'modules.html';

function nameOfDocument(path: string): string {
  return path
    .replace(/^docs\//, '')
    .replace(/README\.md$/, 'index')
    .replace(/\.md$/, '');
}
