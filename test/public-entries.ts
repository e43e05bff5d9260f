import { repositoryFile } from './repository.js';

/** The names by which the package is imported, and the source that each stands for. */
export const publicEntries: readonly { readonly name: string; readonly source: string }[] = [
  { name: 'messaging-automation', source: repositoryFile('src/index.ts') },
  { name: 'messaging-automation/webhooks', source: repositoryFile('src/webhooks/index.ts') },
  { name: 'messaging-automation/server', source: repositoryFile('src/server/index.ts') },
  { name: 'messaging-automation/msw', source: repositoryFile('src/msw/index.ts') },
  { name: 'messaging-automation/vitest', source: repositoryFile('src/vitest/index.ts') },
  { name: 'messaging-automation/undici', source: repositoryFile('src/undici/index.ts') },
  { name: 'messaging-automation/bulk', source: repositoryFile('src/bulk/index.ts') },
  { name: 'messaging-automation/conformance', source: repositoryFile('src/conformance/index.ts') },
  { name: 'messaging-automation/postgres', source: repositoryFile('src/postgres/index.ts') },
];
