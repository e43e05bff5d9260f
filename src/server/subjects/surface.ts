import { description } from './operation.js';

/** Where the control surface is. The routes below it are loaded with the first request for one of them. */
export const controlPrefix = '/control';

/** What says what the surface has. It is the same for every workspace, so it needs no key. */
export const surfaceOperations = () => ({
  index: description('index', controlPrefix, 'Lists the operations under /control. Requires no key.'),
  openApi: description(
    'openapi',
    '/control/openapi.json',
    'Returns the control surface as an OpenAPI document. Requires no key.',
  ),
});
