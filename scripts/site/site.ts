import { Application, TSConfigReader, TypeDocReader } from 'typedoc';
import { mendComments } from './comments.js';
import { addDocuments } from './documents.js';
import { adaptMarkdown } from './markdown.js';
import { groupMembersByTask } from './members.js';
import { openGuidesInNavigation, startNavigationAtHome } from './navigation.js';
import { mendPages } from './page.js';
import { keepReceivedTypes } from './received-types.js';
import { SiteRouter } from './router.js';
import { rankSearchResults } from './search.js';

/**
 * Builds the site into a folder, with the options in `typedoc.json`. Resolves to false if TypeDoc logged an error or a warning.
 */
export async function buildSite(folder: string): Promise<boolean> {
  const application = await Application.bootstrapWithPlugins(
    { options: 'typedoc.json', out: folder, markdownItLoader: adaptMarkdown },
    [new TypeDocReader(), new TSConfigReader()],
  );
  application.renderer.defineRouter('site', SiteRouter);
  addDocuments(application);
  mendComments(application);
  keepReceivedTypes(application);
  groupMembersByTask(application);
  openGuidesInNavigation(application);
  startNavigationAtHome(application);
  mendPages(application);
  rankSearchResults(application);
  const project = await application.convert();
  if (project === undefined) return false;
  application.validate(project);
  await application.generateOutputs(project);
  return application.logger.errorCount === 0 && application.logger.warningCount === 0;
}
